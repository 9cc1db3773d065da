import BenchmarkHarness
import Foundation
import ModelCore

/// Writing of a list of people to a JSON document.
enum WritingBenchmarks {
  static var all: [Benchmark] {
    [
      Benchmark(group: "json", name: "write people", operation: "person", size: 20_000) { size in
        let samples = PersonRecord.samples(identifiers: 0..<size)
        let people = samples.map { Person($0) }
        let codable = samples.map { CodablePerson($0) }
        return [
          side("ModelKit (sorted keys)") { try people.jsonData() },
          encoding(codable, "JSONEncoder, final classes", [], goal: 1 / 3),
          encoding(codable, "JSONEncoder, sorted keys", .sortedKeys),
        ]
      }
    ]
  }

  private static func encoding(
    _ people: [CodablePerson], _ name: String, _ formatting: JSONEncoder.OutputFormatting, goal: Double? = nil
  ) -> Side {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    return side(name, goal: goal) { try encoder.encode(people) }
  }

  /// The sides may differ in the order of keys and the spelling of numbers: the values that a reader gets are compared.
  private static func side(_ name: String, goal: Double? = nil, write: @escaping () throws -> Data) -> Side {
    Side(
      name, goal: goal, prepare: { _ in }, run: { try write() },
      checksum: { PersonRecord.checksum(try JSONDecoder().decode([PersonRecord].self, from: $0)) })
  }
}

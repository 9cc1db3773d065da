import BenchmarkHarness
import Foundation
import ModelCore

/// Reading of a JSON document into a list of people.
enum ReadingBenchmarks {
  static var all: [Benchmark] {
    [
      reading("read people, no scope", goal: 1 / 2.5) { data in
        Side(
          "ModelKit", prepare: { _ in }, run: { try Person.list(fromJSON: data) }, checksum: { Person.checksum($0) })
      },
      reading("read people, identity in a scope", goal: 1 / 1.8) { data in
        Side(
          "ModelKit", prepare: { _ in ModelScope() }, run: { try Person.list(fromJSON: data, in: $0) },
          checksum: { Person.checksum($0) })
      },
      reading("read again into live people, nothing changed", goal: 1 / 3) { data in
        let scope = ModelScope()
        let people = try Person.list(fromJSON: data, in: scope)
        let tally = Tally()
        for person in people { person.name.addObserver(updateImmediately: false) { _, _ in tally.add(1) } }
        return Side(
          "ModelKit", prepare: { _ in }, run: { try Person.list(fromJSON: data, in: scope) },
          checksum: { read in
            // The live objects are returned, and no observer is notified.
            let isCanonical = zip(read, people).allSatisfy { $0 === $1 }
            return isCanonical && tally.take() == 0 ? Person.checksum(read) : 0
          })
      },
    ]
  }

  private static func reading(_ name: String, goal: Double, ours: @escaping (Data) throws -> Side) -> Benchmark {
    Benchmark(group: "json", name: name, operation: "person", size: 20_000) { size in
      let data = try PersonRecord.json(PersonRecord.samples(identifiers: 0..<size))
      let decoder = JSONDecoder()
      return [
        try ours(data),
        Side(
          "JSONDecoder, final classes", goal: goal, prepare: { _ in },
          run: { try decoder.decode([CodablePerson].self, from: data) }, checksum: { CodablePerson.checksum($0) }),
      ]
    }
  }
}

import BenchmarkHarness
import Foundation
import ModelCore

/// Documents of different lengths: the cost of one model must not depend on their number.
///
/// All sides read the same number of people and keep them until the end of the round. Thus all memory is new from the
/// system, and none is reused from earlier documents.
enum ReadingScaleBenchmarks {
  static var all: [Benchmark] {
    [
      benchmark("read people from documents of any length, no scope") { try Person.list(fromJSON: $0) },
      benchmark("read people from documents of any length, identity in a scope") {
        try Person.list(fromJSON: $0, in: ModelScope())
      },
    ]
  }

  private static func benchmark(_ name: String, read: @escaping (Data) throws -> [Person]) -> Benchmark {
    Benchmark(group: "json", name: name, operation: "person", size: 1_000_000, maximumRounds: 3) { size in
      try [1_000_000, 100_000, 10_000, 1_000].filter { $0 <= size }.map { count in
        let data = try PersonRecord.json(PersonRecord.samples(identifiers: 0..<count))
        return Side(
          "\(count.formatted()) people", goal: count == size ? nil : 1.25, prepare: { _ in },
          run: { try (0..<size / count).map { _ in try read(data) } },
          checksum: { UInt64($0.reduce(0) { $0 + $1.count }) })
      }
    }
  }
}

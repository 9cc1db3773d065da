import BenchmarkHarness
import Foundation
import ModelCore

/// Documents of different lengths: what one model costs must not depend on how many there are.
enum ReadingScaleBenchmarks {
  static var all: [Benchmark] {
    [
      benchmark("read people from documents of any length, no scope") { data, size in
        var count = 0
        while count < size { count += try Person.list(fromJSON: data).count }
        return UInt64(count)
      },
      benchmark("read people from documents of any length, identity in a scope") { data, size in
        var count = 0
        while count < size { count += try Person.list(fromJSON: data, in: ModelScope()).count }
        return UInt64(count)
      },
    ]
  }

  private static func benchmark(_ name: String, read: @escaping (Data, _ size: Int) throws -> UInt64) -> Benchmark {
    Benchmark(group: "json", name: name, operation: "person", size: 1_000_000, maximumRounds: 3) { size in
      try [1_000_000, 100_000, 10_000, 1_000].filter { $0 <= size }.map { count in
        let data = try PersonRecord.json(PersonRecord.samples(identifiers: 0..<count))
        return Side("\(count.formatted()) people", goal: count == size ? nil : 1.25) { _ in
          // Rounds of an equal number of people, whatever the length.
          try read(data, size - size % count)
        }
      }
    }
  }
}

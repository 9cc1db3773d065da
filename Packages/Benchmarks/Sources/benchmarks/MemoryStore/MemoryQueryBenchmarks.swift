import BenchmarkHarness
@_spi(ModelKitInternals) import MemoryStore

/// Queries of a memory store with a million people.
enum MemoryQueryBenchmarks {
  static var all: [Benchmark] {
    [
      scan("first key", QueryScan(key: "age") { $0 == 30 }) { $0.age == 30 },
      scan("second last key", QueryScan(key: "score") { $0 < 1_000 }) { $0.score < 1_000 },
      indexed(live: true), indexed(live: false), words(live: true), words(live: false),
    ]
  }

  private static func scan(
    _ name: String, _ scan: QueryScan, _ filter: @escaping (ModelColumns<Person>) -> QueryExpression
  ) -> Benchmark {
    Benchmark(
      group: "memory store", name: "where without index, 1 %, \(name)", operation: "record", size: 1_000_000,
      maximumRounds: 7
    ) { size in
      let store = try await FilledMemoryStore.make(count: size)
      let snapshots = try PersonRecord.samples(identifiers: 0..<size).map { Array(try Person($0).jsonData()) }
      return [
        Side(
          "ModelKit", prepare: { _ in }, run: { try await store.identifiers(ModelQuery(Person.self, where: filter)) },
          checksum: { UInt64($0.count) }),
        Side(
          "a loop over the same bytes", goal: 2, prepare: { _ in }, run: { _ in try scan.find(in: snapshots) },
          checksum: { UInt64($0.count) }),
      ]
    }
  }

  private static func indexed(live: Bool) -> Benchmark {
    Benchmark(
      group: "memory store", name: "where with index, 10 of 1,000,000, \(live ? "live" : "as new models")",
      operation: "query", size: 1_000
    ) { size in
      let count = 1_000_000
      let store = try await FilledMemoryStore.make(count: count, indexed: true)
      let database = try GRDBPersonsInMemory(indexed: true)
      try database.createAll(PersonRecord.samples(identifiers: 0..<count))
      var kept: [Person] = []
      if live {
        for score in scores(size) { kept += try await store.list(Person.self, where: { $0.score == score }) }
      }
      return [
        Side(
          "ModelKit", prepare: { _ in live ? store : MemoryModelStore(store.handle) },
          run: { front in
            var found: [Person] = []
            for score in scores(size) {
              found += try front.listImmediately(Person.self, where: { $0.score == score })
            }
            return found
          }, checksum: { Person.checksum($0) }, finish: { withExtendedLifetime(kept) {} }),
        Side(
          "GRDB, one read each", goal: 1 / 5.0, prepare: { _ in }, run: { try database.people(scores: scores(size)) },
          checksum: { PersonRecord.checksum($0) }),
      ]
    }
  }

  /// Searches for a word that one text of 100,000 has. The texts have five words.
  private static func words(live: Bool) -> Benchmark {
    Benchmark(
      group: "text index", name: "word in 100,000 texts, \(live ? "live" : "as new models")",
      operation: "query", size: 1_000, goal: 100_000
    ) { size in
      let count = 100_000
      let store = try await FilledMemoryStore.make(count: count)
      try store.index(\Person.email, .text)
      let database = try GRDBPersonsInMemory(hasWords: true)
      try database.createAll(PersonRecord.samples(identifiers: 0..<count))
      let words = (0..<size).map { "\($0 * 7_919 % count)" }
      var kept: [Person] = []
      if live {
        for word in words { kept += try await store.list(Person.self, where: { $0.email.matches(words: word) }) }
      }
      return [
        Side(
          "ModelKit", prepare: { _ in live ? store : MemoryModelStore(store.handle) },
          run: { store in
            var found: [Person] = []
            for word in words {
              found += try store.listImmediately(Person.self, where: { $0.email.matches(words: word) })
            }
            return found
          }, checksum: { Person.checksum($0) }, finish: { withExtendedLifetime(kept) {} }),
        Side(
          "GRDB, FTS5", goal: 1, prepare: { _ in }, run: { try database.people(words: words) },
          checksum: { PersonRecord.checksum($0) }),
      ]
    }
  }

  private static func scores(_ count: Int) -> [Int] { (0..<count).map { $0 * 7_919 % 100_000 } }
}

/// A handwritten search for records by one key of their bytes.
struct QueryScan {
  let key: [UInt8]
  let condition: (Int) -> Bool

  init(key: String, _ condition: @escaping (Int) -> Bool) {
    self.key = Array(key.utf8)
    self.condition = condition
  }

  /// Returns the indexes of the matching records.
  func find(in records: [[UInt8]]) throws -> [Int] {
    var found: [Int] = []
    try key.withUnsafeBufferPointer { key in
      for (place, record) in records.enumerated() {
        let fits = try record.withUnsafeBytes { bytes in
          var scanner = JSONScanner(bytes)
          try scanner.beginObject()
          while let next = try scanner.nextKey() {
            if next.equals(key) { return try scanner.readInt().map(condition) ?? false }
            try scanner.skipValue()
          }
          return false
        }
        if fits { found.append(place) }
      }
    }
    return found
  }
}

import BenchmarkHarness
import FileStore

/// Queries of a store with a million people, ten for each score.
enum QueryBenchmarks {
  static func all(in place: StoreFolder.Place) -> [Benchmark] { [indexed(in: place), words(in: place)] }

  private static func indexed(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "file store", name: "indexed query, 100 rows of 1,000,000", operation: "query", size: 100,
      maximumRounds: 7
    ) { size in
      let stores = try await FilledStores(in: place, count: 1_000_000, isIndexed: true)
      return [
        // A store instance without live models, so that each person is created from its record.
        Side(
          "ModelKit, as new models", prepare: { (FileModelStore(stores.store.handle), scores(of: $0, size)) },
          run: { front, scores in
            var found: [Person] = []
            for range in scores {
              found += try await front.list(
                Person.self, where: { $0.score >= range.lowerBound && $0.score < range.upperBound })
            }
            return found
          },
          checksum: { Person.checksum($0) }, finish: { try await stores.close() }),
        Side(
          "GRDB, async, one read each", goal: 1, prepare: { scores(of: $0, size) },
          run: { scores in
            var found: [PersonRecord] = []
            for range in scores { found += try await stores.database.people(scores: range) }
            return found
          },
          checksum: { PersonRecord.checksum($0) }),
        Side(
          "GRDB, blocking, one read each", prepare: { scores(of: $0, size) },
          run: { scores in
            var found: [PersonRecord] = []
            for range in scores { found += try stores.database.peopleBlocking(scores: range) }
            return found
          },
          checksum: { PersonRecord.checksum($0) }),
      ]
    }
  }

  /// Searches for a word that one text of 100,000 has. The texts have five words.
  private static func words(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "text index", name: "file store: word in 100,000 texts, as new models", operation: "query", size: 1_000,
      goal: 100_000
    ) { size in
      let count = 100_000
      let stores = try await FilledStores(in: place, count: count)
      try await stores.store.index(\Person.email, .text)
      try await stores.database.indexWords()
      let words = (0..<size).map { "\($0 * 7_919 % count)" }
      return [
        Side(
          "ModelKit", prepare: { _ in FileModelStore(stores.store.handle) },
          run: { store in
            var found: [Person] = []
            for word in words {
              found += try await store.list(Person.self, where: { $0.email.matches(words: word) })
            }
            return found
          }, checksum: { Person.checksum($0) }, finish: { try await stores.close() }),
        Side(
          "GRDB, FTS5", goal: 1, prepare: { _ in }, run: { try stores.database.people(words: words) },
          checksum: { PersonRecord.checksum($0) }),
      ]
    }
  }

  /// Returns ranges of ten scores, each with 100 people, in a shuffled order.
  private static func scores(of round: Int, _ size: Int) -> [Range<Int>] {
    (0..<size).map { number in
      let first = (number * 7_919 + round * 613) % 9_999 * 10
      return first..<first + 10
    }
  }
}

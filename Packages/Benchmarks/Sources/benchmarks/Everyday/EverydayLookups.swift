import BenchmarkHarness
import FileStore
import MemoryStore

/// Lookups of people that are not live. The people of a round are released in its time.
enum EverydayLookups {
  static func all(in place: StoreFolder.Place) -> [Benchmark] { [memory, file(in: place)] }

  private static var memory: Benchmark {
    Benchmark(
      group: "everyday", name: "memory store: look up, not live", operation: "lookup", size: 1_000
    ) { size in
      let count = size * 100
      let store = try await FilledMemoryStore.make(count: count)
      let database = try GRDBPersonsInMemory()
      try database.createAll(PersonRecord.samples(identifiers: 0..<count))
      return [
        Side(
          "ModelKit", prepare: { identifiers(of: $0, size, among: count).map(String.init) },
          run: { Person.sum(try $0.map { try store.lookupImmediately(Person.self, identifier: $0) }) },
          checksum: { $0 }),
        Side(
          "GRDB fetchOne, all in one read", goal: 0.04, prepare: { identifiers(of: $0, size, among: count) },
          run: { PersonRecord.sum(try database.lookUpInOneRead($0)) }, checksum: { $0 }),
      ]
    }
  }

  private static func file(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "everyday", name: "file store: look up, not live", operation: "lookup", size: 1_000
    ) { size in
      let count = size * 100
      let stores = try await FilledStores(in: place, count: count)
      return [
        Side(
          "ModelKit", prepare: { identifiers(of: $0, size, among: count).map(String.init) },
          run: { identifiers in
            var found: [Person] = []
            for identifier in identifiers {
              found.append(try await stores.store.lookup(Person.self, identifier: identifier))
            }
            return Person.sum(found)
          },
          checksum: { $0 }, finish: { try await stores.close() }),
        Side(
          "GRDB fetchOne, all in one read", goal: 0.1, prepare: { identifiers(of: $0, size, among: count) },
          run: { PersonRecord.sum(try stores.database.lookUpInOneRead($0)) }, checksum: { $0 }),
      ]
    }
  }

  /// Returns different identifiers in a shuffled order.
  private static func identifiers(of round: Int, _ size: Int, among count: Int) -> [Int] {
    // The prime 7,919 divides no size used here, so no identifier is repeated.
    (0..<size).map { ($0 * 7_919 + round) % count }
  }
}

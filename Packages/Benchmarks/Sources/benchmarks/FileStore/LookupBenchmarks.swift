import BenchmarkHarness
import FileStore
import Foundation

/// Reads from a store of many people. Each round has an empty identity map, so each person is created from its record.
enum LookupBenchmarks {
  static func all(in place: StoreFolder.Place) -> [Benchmark] {
    [lookup(in: place), list(in: place), identifiers(in: place)]
  }

  private static func lookup(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "file store", name: "look up by identifier, not in memory", operation: "lookup", size: 1_000
    ) { size in
      let stores = try await FilledStores(in: place, count: size * 10)
      return [
        Side(
          "ModelKit",
          prepare: { (FileModelStore(stores.store.handle), identifiers(of: $0, size).map(String.init)) },
          run: { store, identifiers in
            var found: [Person] = []
            for identifier in identifiers { found.append(try await store.lookup(Person.self, identifier: identifier)) }
            return found
          },
          checksum: { Person.checksum($0) }, finish: { try await stores.close() }),
        Side(
          "GRDB, async, one read each", goal: 1 / 8.0, prepare: { identifiers(of: $0, size) },
          run: { try await stores.database.lookUp($0) }, checksum: { PersonRecord.checksum($0) }),
        Side(
          "GRDB, blocking, one read each", prepare: { identifiers(of: $0, size) },
          run: { try stores.database.lookUpBlocking($0) }, checksum: { PersonRecord.checksum($0) }),
        Side(
          "GRDB, blocking, all in one read", prepare: { identifiers(of: $0, size) },
          run: { try stores.database.lookUpInOneRead($0) }, checksum: { PersonRecord.checksum($0) }),
      ]
    }
  }

  private static func list(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(group: "file store", name: "list all as new models", operation: "model", size: 100_000) { size in
      let stores = try await FilledStores(in: place, count: size)
      return [
        Side(
          "ModelKit", prepare: { _ in FileModelStore(stores.store.handle) },
          run: { try await $0.list(Person.self) }, checksum: { Person.checksum($0) },
          finish: { try await stores.close() }),
        Side(
          "GRDB fetchAll", goal: 1 / 1.5, prepare: { _ in }, run: { try await stores.database.all() },
          checksum: { PersonRecord.checksum($0) }),
      ]
    }
  }

  private static func identifiers(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(group: "file store", name: "list the identifiers of all", operation: "model", size: 100_000) { size in
      let stores = try await FilledStores(in: place, count: size)
      return [
        Side(
          "ModelKit", prepare: { _ in FileModelStore(stores.store.handle) },
          run: { try await $0.identifiers(ModelQuery(Person.self)) },
          checksum: { $0.reduce(0) { $0 &+ (UInt64($1) ?? 0) } }, finish: { try await stores.close() }),
        Side(
          "GRDB fetchAll", goal: 1 / 4.0, prepare: { _ in }, run: { try await stores.database.all() },
          checksum: { $0.reduce(0) { $0 &+ UInt64($1.id) } }),
        Side(
          "GRDB, the identifiers only", prepare: { _ in }, run: { try await stores.database.identifiers() },
          checksum: { $0.reduce(0) { $0 &+ UInt64($1) } }),
      ]
    }
  }

  /// Returns identifiers in a shuffled order, from a store that has ten times as many.
  private static func identifiers(of round: Int, _ size: Int) -> [Int] {
    // The prime 7,919 divides no size used here, so no identifier is repeated.
    (0..<size).map { ($0 * 7_919 + round) % (size * 10) }
  }
}

/// A file store and a database with the same people.
final class FilledStores {
  let store: FileModelStore
  let database: GRDBPersons
  private let folders: [StoreFolder]
  /// The folder of the file store.
  var folder: URL { folders[0].url }
  /// The folder of the database.
  var databaseFolder: URL { folders[1].url }

  /// - Parameter isIndexed: whether both keep an index of the scores.
  init(in place: StoreFolder.Place, count: Int, isIndexed: Bool = false) async throws {
    folders = [try StoreFolder(in: place), try StoreFolder(in: place)]
    store = FileModelStore(directory: folders[0].url.appending(path: "people.store"))
    database = try GRDBPersons(in: folders[1].url, isIndexed: isIndexed)
    // The batches limit the number of live models.
    for start in stride(from: 0, to: count, by: 50_000) {
      let records = PersonRecord.samples(identifiers: start..<min(start + 50_000, count))
      try await store.createAll(records.map { Person($0) })
      try await database.createAll(records)
    }
    if isIndexed { try await store.index(\Person.score) }
  }

  func close() async throws {
    try await store.close()
    try database.close()
    remove()
  }

  /// Removes both, closed ones.
  func remove() { for folder in folders { folder.remove() } }
}

import BenchmarkHarness
import FileStore
import Foundation

/// Durable writes: when a create returns, it is on the disk. The `durability-proof` command counts the syncs.
enum StoringBenchmarks {
  static func all(in place: StoreFolder.Place) -> [Benchmark] { [oneByOne(in: place), batch(in: place)] }

  private static func oneByOne(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(group: "file store", name: "durable create, one task", operation: "create", size: 200) { size in
      let folders = try (0..<3).map { _ in try StoreFolder(in: place) }
      let store = FileModelStore(directory: folders[0].url.appending(path: "people.store"))
      try await store.open()
      let database = try GRDBPersons(in: folders[1].url)
      let blockingDatabase = try GRDBPersons(in: folders[2].url)
      return [
        Side(
          "ModelKit", prepare: { samples(of: $0, size).map { Person($0) } },
          run: { people in for person in people { try await store.create(person) } },
          checksum: { Person.checksum(try await store.list(Person.self)) },
          finish: {
            try await store.close()
            folders[0].remove()
          }),
        Side(
          "GRDB, async writes", goal: 1 / 1.6, prepare: { samples(of: $0, size) },
          run: { try await database.createOneByOne($0) },
          checksum: { PersonRecord.checksum(try await database.all()) },
          finish: {
            try database.close()
            folders[1].remove()
          }),
        Side(
          "GRDB, blocking writes", prepare: { samples(of: $0, size) },
          run: { try blockingDatabase.createOneByOneBlocking($0) },
          checksum: { PersonRecord.checksum(try await blockingDatabase.all()) },
          finish: {
            try blockingDatabase.close()
            folders[2].remove()
          }),
      ]
    }
  }

  private static func batch(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(group: "file store", name: "create in one batch", operation: "create", size: 10_000) { size in
      [
        // A new store for every round, so that the first round is like the last.
        Side(
          "ModelKit",
          prepare: { round in
            let folder = try StoreFolder(in: place)
            let store = FileModelStore(directory: folder.url.appending(path: "people.store"))
            try await store.open()
            return (folder, store, samples(of: round, size).map { Person($0) })
          },
          run: { folder, store, people in
            try await store.createAll(people)
            return (folder, store)
          },
          checksum: { folder, store in
            let checksum = Person.checksum(try await store.list(Person.self))
            try await store.close()
            folder.remove()
            return checksum
          }),
        Side(
          "GRDB, one transaction", goal: 1 / 4.0,
          prepare: { round in
            let folder = try StoreFolder(in: place)
            return (folder, try GRDBPersons(in: folder.url), samples(of: round, size))
          },
          run: { folder, database, records in
            try await database.createAll(records)
            return (folder, database)
          },
          checksum: { folder, database in
            let checksum = PersonRecord.checksum(try await database.all())
            try database.close()
            folder.remove()
            return checksum
          }),
      ]
    }
  }

  private static func samples(of round: Int, _ size: Int) -> [PersonRecord] {
    PersonRecord.samples(identifiers: numbers(of: round, count: size))
  }
}

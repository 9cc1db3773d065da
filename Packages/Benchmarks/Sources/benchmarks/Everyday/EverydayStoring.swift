import BenchmarkHarness
import FileStore
import Foundation
import MemoryStore

/// Creates, one by one. The models are made and released in the time.
enum EverydayStoring {
  static func all(in place: StoreFolder.Place) -> [Benchmark] { [memory, durable(in: place)] }

  private static var memory: Benchmark {
    Benchmark(
      group: "everyday", name: "memory store: create, one by one", operation: "create", size: 100_000,
      maximumRounds: 7
    ) { size in
      let records = PersonRecord.samples(identifiers: 0..<size)
      return [
        Side(
          "ModelKit", prepare: { _ in MemoryModelStore() },
          run: { store in
            for record in records { try await store.create(Person(record)) }
            return store
          },
          checksum: { Person.checksum(try await MemoryModelStore($0.handle).list(Person.self)) }),
        Side(
          "GRDB, one transaction", goal: 0.2, prepare: { _ in try GRDBPersonsInMemory() },
          run: { database in
            try database.createAll(records)
            return database
          },
          checksum: { PersonRecord.checksum(try $0.all()) }),
      ]
    }
  }

  private static func durable(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "everyday", name: "file store: durable create, one task", operation: "create", size: 200
    ) { size in
      let folders = try (0..<2).map { _ in try StoreFolder(in: place) }
      let store = FileModelStore(directory: folders[0].url.appending(path: "people.store"))
      try await store.open()
      let database = try GRDBPersons(in: folders[1].url)
      return [
        Side(
          "ModelKit", prepare: { PersonRecord.samples(identifiers: numbers(of: $0, count: size)) },
          run: { records in for record in records { try await store.create(Person(record)) } },
          checksum: { Person.checksum(try await store.list(Person.self)) },
          finish: {
            try await store.close()
            folders[0].remove()
          }),
        Side(
          "GRDB, async writes", goal: 0.55,
          prepare: { PersonRecord.samples(identifiers: numbers(of: $0, count: size)) },
          run: { try await database.createOneByOne($0) },
          checksum: { PersonRecord.checksum(try await database.all()) },
          finish: {
            try database.close()
            folders[1].remove()
          }),
      ]
    }
  }
}

import BenchmarkHarness
import FileStore
import Foundation

/// Durable writes: a record is on the disk when its create returns. The `durability-proof` command counts the syncs.
enum StoringBenchmarks {
  static func all(in place: StoreFolder.Place) -> [Benchmark] {
    [oneByOne(in: place), inTasks(in: place), batch(in: place)]
  }

  private static func oneByOne(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(group: "file store", name: "durable create, one task", operation: "create", size: 200) { size in
      let folders = try (0..<4).map { _ in try StoreFolder(in: place) }
      let store = FileModelStore(directory: folders[0].url.appending(path: "people.store"))
      try await store.open()
      let database = try GRDBPersons(in: folders[1].url)
      let blockingDatabase = try GRDBPersons(in: folders[2].url)
      let bareLines = try BareLines(in: folders[3].url)
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
        Side(
          "lines of JSON, each synced", prepare: { try samples(of: $0, size).map(BareLines.line) },
          run: { try bareLines.write($0) }, checksum: { PersonRecord.checksum(try bareLines.all()) },
          finish: {
            bareLines.close()
            folders[3].remove()
          }),
      ]
    }
  }

  /// The same number of creates, by 64 independent tasks.
  private static func inTasks(in place: StoreFolder.Place) -> Benchmark {
    let tasks = 64
    return Benchmark(
      group: "file store", name: "durable create, 64 tasks", operation: "create", size: tasks * 10
    ) { size in
      let folders = try (0..<2).map { _ in try StoreFolder(in: place) }
      let store = FileModelStore(directory: folders[0].url.appending(path: "people.store"))
      try await store.open()
      let handle = store.handle
      let database = try GRDBPersons(in: folders[1].url)
      func shares(_ round: Int) -> [[PersonRecord]] {
        let records = samples(of: round, size)
        return (0..<tasks).map { task in
          Array(records[records.count * task / tasks..<records.count * (task + 1) / tasks])
        }
      }
      return [
        Side(
          "ModelKit", prepare: shares,
          run: { shares in
            try await withThrowingTaskGroup(of: Void.self) { group in
              for share in shares {
                group.addTask {
                  let front = FileModelStore(handle)
                  for record in share { try await front.create(Person(record)) }
                }
              }
              try await group.waitForAll()
            }
          },
          checksum: { try await checksum(try await FileModelStore(handle).list(Person.self)) },
          finish: {
            try await store.close()
            folders[0].remove()
          }),
        Side(
          "GRDB, async writes", goal: 1 / 8.0, prepare: shares,
          run: { shares in
            try await withThrowingTaskGroup(of: Void.self) { group in
              for share in shares { group.addTask { try await database.createOneByOne(share) } }
              try await group.waitForAll()
            }
          },
          checksum: { PersonRecord.checksum(try await database.all()) },
          finish: {
            try database.close()
            folders[1].remove()
          }),
      ]
    }
  }

  /// Returns the checksum in the order of the identifiers, because the order of tasks varies.
  private static func checksum(_ people: [Person]) async throws -> UInt64 {
    Person.checksum(people.sorted { $0.id.value ?? 0 < $1.id.value ?? 0 })
  }

  private static func batch(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "file store", name: "create in one batch", operation: "create", size: 100_000, maximumRounds: 5
    ) { size in
      [
        // Each round has a new store, so that all rounds are alike.
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

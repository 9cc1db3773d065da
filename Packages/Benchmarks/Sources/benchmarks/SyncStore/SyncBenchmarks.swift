import BenchmarkHarness
import FileStore
import Foundation
import MemoryStore
import RESTStore
import SyncStore

/// An offline-first store beside the two stores that it consists of.
enum SyncBenchmarks {
  static func all(in place: StoreFolder.Place) -> [Benchmark] {
    let local = [
      offlineSaves(in: place), firstPull(in: place), firstPull(in: place, pageSize: 500), pullOfChanges(in: place),
      reopening(in: place),
    ]
    return ScriptServer.isPossible ? local + [drain(in: place)] : local
  }

  private static func store(
    _ local: FileModelStore, _ remote: any ModelStore
  ) -> SyncModelStore<FileModelStore.Handle> {
    SyncModelStore(local: local, remote: remote, types: [Person.self])
  }

  private static func files(_ folder: StoreFolder, durability: Durability = .everyCommit) -> FileModelStore {
    FileModelStore(
      directory: folder.url.appending(path: "people.store"), options: FileStoreOptions(durability: durability))
  }

  private static func remote(
    _ transport: PeopleTransport, _ paging: RESTPaging = .whole
  ) throws -> RESTModelStore {
    guard let url = URL(string: "http://people.test") else { throw ScriptServer.NotStarted(name: "people.test") }
    return RESTModelStore(
      baseURL: url, dialect: JSONDialect(paging: paging, changesParameter: "updated_since"), transport: transport)
  }

  private static func samples(of round: Int, _ size: Int) -> [PersonRecord] {
    PersonRecord.samples(identifiers: numbers(of: round, count: size))
  }

  /// Saves people offline, each with a commit of its own.
  private static func queue(_ people: [PersonRecord], in folder: StoreFolder) async throws {
    let local = files(folder, durability: .none)
    let store = store(local, MemoryModelStore())
    for person in people { try await store.save(Person(person)) }
    try await local.close()
  }

  /// Durable saves without a network. Each has one sync of the disk on both sides.
  private static func offlineSaves(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(group: "sync", name: "offline save, one task", operation: "save", size: 200) { size in
      let folders = try (0..<2).map { _ in try StoreFolder(in: place) }
      let (local, plain) = (files(folders[0]), files(folders[1]))
      try await local.open()
      try await plain.open()
      let store = store(local, MemoryModelStore())
      return [
        Side(
          "ModelKit", prepare: { samples(of: $0, size).map { Person($0) } },
          run: { people in for person in people { try await store.save(person) } },
          checksum: { Person.checksum(try await store.list(Person.self)) },
          finish: {
            try await local.close()
            folders[0].remove()
          }),
        Side(
          "FileModelStore", goal: 1.15, prepare: { samples(of: $0, size).map { Person($0) } },
          run: { people in for person in people { try await plain.save(person) } },
          checksum: { Person.checksum(try await plain.list(Person.self)) },
          finish: {
            try await plain.close()
            folders[1].remove()
          }),
      ]
    }
  }

  /// The first pull of people who have no local changes. Each round has a new local store.
  ///
  /// - Parameter pageSize: the number of records in a page of the server; nil for one answer with all of them.
  private static func firstPull(in place: StoreFolder.Place, pageSize: Int? = nil) -> Benchmark {
    Benchmark(
      group: "sync", name: "first pull of clean records\(pageSize.map { ", pages of \($0)" } ?? "")",
      operation: "record", size: 100_000, maximumRounds: 5
    ) { size in
      let people = PersonRecord.samples(identifiers: 0..<size)
      let remote = try remote(
        PeopleTransport(people, pageSize: pageSize ?? size), pageSize.map { .offset(size: $0) } ?? .whole)
      let original = try StoreFolder(in: place)
      let export = original.url.appending(path: "people.json")
      let source = files(original, durability: .none)
      try await source.createAll(people.map { Person($0) })
      try await source.exportJSON(to: export)
      try await source.close()
      func side(
        _ name: String, goal: Double? = nil, _ run: @escaping (FileModelStore) async throws -> Void
      ) -> Side {
        Side(
          name, goal: goal,
          prepare: { _ in
            let folder = try StoreFolder(in: place)
            let local = files(folder)
            try await local.open()
            return (folder, local)
          },
          run: { folder, local in
            try await run(local)
            return (folder, local)
          },
          checksum: { folder, local in
            let checksum = Person.checksum(try await FileModelStore(local.handle).list(Person.self))
            try await local.close()
            folder.remove()
            return checksum
          }, finish: { original.remove() })
      }
      return [
        side("ModelKit") { _ = try await store($0, remote).sync() },
        side("FileModelStore, import of JSON", goal: 1.3) {
          _ = try await $0.importJSON(from: export, checking: [Person.self])
        },
      ]
    }
  }

  /// A pull of a few changes, without the time of the network.
  private static func pullOfChanges(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "sync", name: "pull 100 changes into 100,000 records", operation: "pull", size: 1, goal: 50e6
    ) { _ in
      let people = PersonRecord.samples(identifiers: 0..<100_000)
      let transport = try PeopleTransport(people, pageSize: people.count)
      let folder = try StoreFolder(in: place)
      let local = files(folder)
      let store = store(local, try remote(transport))
      try await store.sync()
      return [
        Side(
          "ModelKit",
          prepare: { round in
            try transport.setChanged(
              (0..<100).map { number in
                var person = people[number * 1_000]
                person.score = round * 100 + number
                return person
              })
          },
          run: { try await store.sync() },
          checksum: { UInt64($0.pulled) },
          finish: {
            try await local.close()
            folder.remove()
          })
      ]
    }
  }

  /// The first read of the outbox by a new process.
  private static func reopening(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "sync", name: "open with 10,000 queued entries, read the outbox", operation: "opening", size: 1,
      goal: 100e6
    ) { _ in
      let folder = try StoreFolder(in: place)
      try await queue(PersonRecord.samples(identifiers: 0..<10_000), in: folder)
      return [
        Side(
          "ModelKit", prepare: { _ in },
          run: {
            let local = files(folder)
            return (local, try await store(local, MemoryModelStore()).outbox())
          },
          checksum: { local, entries in
            try await local.close()
            return UInt64(entries.count)
          }, finish: { folder.remove() })
      ]
    }
  }

  /// New people are sent to a server over HTTP: in several lanes, and one after the other.
  private static func drain(in place: StoreFolder.Place) -> Benchmark {
    Benchmark(
      group: "sync", name: "drain the outbox, creations", operation: "entry", size: 10_000, maximumRounds: 3
    ) { size in
      let server = try ScriptServer("rest-server")
      func remote() -> RESTModelStore {
        RESTModelStore(baseURL: server.url.appending(path: "runs/\(UUID().uuidString)"))
      }
      // Several lanes send in no particular order.
      func checksum(_ remote: RESTModelStore) async throws -> UInt64 {
        let people = try await RESTModelStore(remote.handle).list(Person.self)
        return Person.checksum(people.sorted { ($0.id.value ?? 0) < ($1.id.value ?? 0) })
      }
      return [
        Side(
          "ModelKit",
          prepare: { round in
            let folder = try StoreFolder(in: place)
            try await queue(samples(of: round, size), in: folder)
            let (local, remote) = (files(folder), remote())
            try await local.open()
            return (folder, local, remote, store(local, remote))
          },
          run: { folder, local, remote, store in
            try await store.sync()
            return (folder, local, remote)
          },
          checksum: { folder, local, remote in
            try await local.close()
            folder.remove()
            return try await checksum(remote)
          }, finish: { server.stop() }),
        Side(
          "RESTModelStore, creates", goal: 1 / 0.9,
          prepare: { round in (remote(), samples(of: round, size).map { Person($0) }) },
          run: { remote, people in
            for person in people { try await remote.create(person) }
            return remote
          },
          checksum: { try await checksum($0) }),
      ]
    }
  }
}

import Foundation
import ModelKit
import RESTService
import StoreEngine
import StoreProtocolTesting
import SyncStore
import Testing

private final class FileServedStore: RecordStore<ChangeLogEngine<FileStoreHandle>>, TransactionalModelStore {}

@Suite(.timeLimit(.minutes(15))) struct `Synchronisation with a service` {
  @Test(arguments: TestEffort.seeds(40))
  func `Clients have the records of the service after a random history with losses, deletions and resets`(
    seed: UInt64
  ) async throws {
    let history = try ServiceHistory(seed: seed)
    try await history.run(steps: 60)
    let problems = try await history.problems()
    #expect(problems == [], "seed \(seed)")
  }

  @Test func `A pull reads only the changes and the deletions`() async throws {
    let history = try ServiceHistory(seed: TestEffort.firstSeed, clients: 1)
    history.network.isLossy = false
    let (store, client) = (ServedStore(history.engine), history.clients[0])
    for number in 0..<50 {
      let poem = SyncedPoem()
      poem.name.value = "Poem \(number)"
      try await store.create(poem)
    }
    #expect(try await client.sync().pulled == 50)
    let (lists, requests) = (history.network.lists, history.network.requests.count)
    #expect(try await client.sync().pulled == 0)
    #expect(history.network.requests.count == requests + 3)
    let changed = try await store.lookup(SyncedPoem.self, identifier: "7")
    changed.a.value = 1
    try await store.save(changed)
    try await store.delete(try await store.lookup(SyncedPoem.self, identifier: "9"))
    #expect(try await client.sync().pulled == 2)
    #expect(history.network.lists == lists)
    #expect(try await client.lookup(SyncedPoem.self, identifier: "7").a.value == 1)
    #expect(try await client.count(SyncedPoem.self) == 49)
  }

  @Test func `A client that was away for longer than the retention compares all records, and keeps its outbox`()
    async throws
  {
    let history = try ServiceHistory(seed: TestEffort.firstSeed, clients: 1)
    history.network.isLossy = false
    let (store, client) = (ServedStore(history.engine), history.clients[0])
    for number in 0..<3 {
      let tag = SyncedTag()
      (tag.id.value, tag.name.value) = ("\(number)", "Tag")
      try await store.create(tag)
    }
    try await client.sync()
    let mine = try await client.lookup(SyncedTag.self, identifier: "1")
    mine.a.value = 5
    try await client.save(mine)
    try await store.delete(try await store.lookup(SyncedTag.self, identifier: "2"))
    history.clock.advance(700_000)
    let last = try await store.lookup(SyncedTag.self, identifier: "0")
    last.a.value = 1
    try await store.save(last)
    try await history.engine.trim()
    let lists = history.network.lists
    try await client.sync()
    #expect(history.network.lists > lists)
    #expect(try await ServiceHistory.records(of: client) == ServiceHistory.records(of: ServedStore(history.engine)))
    #expect(try await ServedStore(history.engine).lookup(SyncedTag.self, identifier: "1").a.value == 5)
    #expect(try await client.outbox().isEmpty)
  }

  @Test func `A unique value that moved from a deleted record to another arrives in one pull`() async throws {
    let engine = ChangeLogEngine(MemoryModelStore().handle)
    let network = LossyNetwork(RESTService(engine, serving: [SyncedTag.self]), SeededRandom(seed: 1))
    network.isLossy = false
    let remote = RESTModelStore(
      baseURL: try #require(URL(string: "http://service.test")),
      dialect: JSONDialect(paging: .linked, changesParameter: "updated_since"), transport: network)
    let local = MemoryModelStore()
    try local.index(\SyncedTag.name, unique: true)
    let client = SyncModelStore(local: local, remote: remote, types: [SyncedTag.self])
    let store = ServedStore(engine)
    for (id, name) in [("0", "Poetry"), ("1", "Prose")] {
      let tag = SyncedTag()
      (tag.id.value, tag.name.value) = (id, name)
      try await store.create(tag)
    }
    try await client.sync()
    let kept = try await store.lookup(SyncedTag.self, identifier: "1")
    kept.name.value = "Poetry"
    try await store.delete(try await store.lookup(SyncedTag.self, identifier: "0"))
    try await store.save(kept)
    try await client.sync()
    #expect(try await client.list(SyncedTag.self).map(\.name.value) == ["Poetry"])
  }

  @Test func `The change log of a service over files survives its restart`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "service-sync-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let local = MemoryModelStore().handle
    for round in 0..<3 {
      let files = FileModelStore(directory: folder, options: FileStoreOptions(durability: .none))
      let engine = ChangeLogEngine(files.handle)
      let service = RESTService(engine, serving: [SyncedTag.self])
      let network = LossyNetwork(service, SeededRandom(seed: 1))
      network.isLossy = false
      let remote = RESTModelStore(
        baseURL: try #require(URL(string: "http://service.test")),
        dialect: JSONDialect(paging: .linked, changesParameter: "updated_since"), transport: network)
      let client = SyncModelStore(local: MemoryModelStore(local), remote: remote, types: [SyncedTag.self])
      let store = FileServedStore(engine)
      let tag = SyncedTag()
      (tag.id.value, tag.name.value) = ("\(round)", "Tag")
      try await store.create(tag)
      if round > 0 { try await store.delete(try await store.lookup(SyncedTag.self, identifier: "\(round - 1)")) }
      try await client.sync()
      #expect(network.lists == (round == 0 ? 1 : 0), "round \(round)")
      #expect(try await client.list(SyncedTag.self).map(\.identifier) == ["\(round)"])
      try await files.close()
    }
  }
}

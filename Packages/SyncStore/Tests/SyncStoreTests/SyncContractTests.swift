import FileStore
import Foundation
import MemoryStore
import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol
import StoreProtocolTesting
import SyncStore
import Testing

final class OfflineMemoryStore: RecordStore<SyncEngine<MemoryEngine>>, TransactionalModelStore {
  convenience init() { self.init(SyncEngine(MemoryModelStore().handle)) }
}

final class OfflineFileStore: RecordStore<SyncEngine<FileStoreHandle>>, TransactionalModelStore {
  convenience init(_ directory: URL) {
    self.init(
      SyncEngine(FileModelStore(directory: directory, options: FileStoreOptions(durability: .none)).handle))
  }
}

/// A store that is never synchronised, with an outbox in files.
func fileSyncStore(_ folder: URL, remote: any ModelStore = MemoryModelStore()) -> SyncModelStore<FileStoreHandle> {
  SyncModelStore(
    local: FileModelStore(directory: folder, options: FileStoreOptions(durability: .none)), remote: remote)
}

@Suite struct `A store over a synchronised engine` {
  @Test(arguments: ModelStoreContract.checks)
  func `A synchronised store in memory keeps the contract offline`(check: ModelStoreContract.Check) async throws {
    try await check.run { SyncModelStore(local: MemoryModelStore(), remote: MemoryModelStore()) }
  }

  @Test(arguments: ModelStoreContract.checks)
  func `A synchronised store in files keeps the contract offline`(check: ModelStoreContract.Check) async throws {
    try await withFolder { folder in try await check.run { fileSyncStore(folder) } }
  }

  @Test(arguments: ModelStoreContract.sharedEngineChecks + ModelStoreContract.liveChecks)
  func `Store instances with one outbox share records and live results`(check: ModelStoreContract.SharedEngineCheck)
    async throws
  {
    let handle = SyncModelStore(local: MemoryModelStore(), remote: MemoryModelStore()).handle
    try await check.run { SyncModelStore(handle) }
  }

  @Test(arguments: ModelStoreContract.sharedEngineChecks + ModelStoreContract.liveChecks)
  func `Store instances with one outbox in files share records and live results`(
    check: ModelStoreContract.SharedEngineCheck
  ) async throws {
    try await withFolder { folder in
      let handle = fileSyncStore(folder).handle
      try await check.run { SyncModelStore(handle) }
    }
  }

  @Test(arguments: TestEffort.seeds(2))
  func `A synchronised store has one object for one identifier while several tasks write beside observers`(
    seed: UInt64
  ) async throws {
    let inMemory = SyncModelStore(local: MemoryModelStore(), remote: MemoryModelStore()).handle
    try await ModelStoreContract.randomObservers(10, seed: seed * 1_000).run { SyncModelStore(inMemory) }
    try await withFolder { folder in
      let inFiles = fileSyncStore(folder).handle
      try await ModelStoreContract.randomObservers(10, seed: seed * 1_000).run { SyncModelStore(inFiles) }
    }
  }
}

func withFolder(_ body: (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder)
}

@Suite struct `A stream of a synchronised store` {
  @Test func `A stream of a synchronised store adds its class to those that are synchronised`() async throws {
    let remote = MemoryModelStore()
    try await remote.create(ContractPerson.called("Ada"))
    let store = SyncModelStore(local: MemoryModelStore(), remote: remote)
    for try await _ in store.stream(ContractPerson.self) { Issue.record("nothing was read from the server yet") }
    try await store.sync()
    var names: [String?] = []
    for try await person in store.stream(ContractPerson.self) { names.append(person.name.value) }
    #expect(names == ["Ada"])
  }
}

@Suite struct `A synchronised store with an unreadable record` {
  @Test func `A synchronised store skips an unreadable record as its local store does, and reports it`() async throws {
    try await withFolder { folder in
      let reports = Lock<[UnreadableRecord]>([])
      let local = FileModelStore(
        directory: folder,
        options: FileStoreOptions(
          durability: .none, unreadable: .skip { record in reports.withLock { $0.append(record) } }))
      let store = SyncModelStore(local: local, remote: MemoryModelStore())
      for name in ["Ada", "Grace"] { try await store.create(ContractPerson.called(name)) }
      let unfit = Array(#"{"id":5,"name":["no text"],"age":3}"#.utf8)
      try await store.handle.local.commit(RecordBatch([.create(ContractPerson.typeName, "5", unfit)]))
      let reader = SyncModelStore(store.handle, remote: MemoryModelStore())
      #expect(try await Set(reader.list(ContractPerson.self).map(\.name.value)) == ["Ada", "Grace"])
      #expect(reports.withLock { $0.map(\.identifier) } == ["5"])
      #expect(reports.withLock { $0.first?.file }?.lastPathComponent == "000001.journal")
      #expect(try await reader.list(ContractPerson.self, where: { $0.name != "Ada" }).map(\.name.value) == ["Grace"])
      var streamed: [String?] = []
      for try await person in reader.stream(ContractPerson.self) { streamed.append(person.name.value) }
      #expect(Set(streamed) == ["Ada", "Grace"])
      #expect(reports.withLock { $0.map(\.identifier) } == ["5", "5", "5"])
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await reader.lookup(ContractPerson.self, identifier: "5")
      }
      #expect(error?.code == .corrupt)
      let strict = SyncModelStore(local: FileModelStore(directory: folder), remote: MemoryModelStore())
      try await local.close()
      await #expect(throws: ModelStoreError.self) { _ = try await strict.list(ContractPerson.self) }
    }
  }
}

extension ContractPerson {
  fileprivate static func called(_ name: String) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    return person
  }
}

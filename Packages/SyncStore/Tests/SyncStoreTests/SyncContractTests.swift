import FileStore
import Foundation
import MemoryStore
import StoreEngine
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

@Suite struct `A store over a synchronised engine` {
  @Test(arguments: ModelStoreContract.checks)
  func `A store with an outbox in memory keeps the contract`(check: ModelStoreContract.Check) async throws {
    try await check.run { OfflineMemoryStore() }
  }

  @Test(arguments: ModelStoreContract.checks)
  func `A store with an outbox in files keeps the contract`(check: ModelStoreContract.Check) async throws {
    try await withFolder { folder in try await check.run { OfflineFileStore(folder) } }
  }

  @Test(arguments: ModelStoreContract.frontChecks + ModelStoreContract.liveChecks)
  func `Store instances with one outbox share records and live results`(check: ModelStoreContract.FrontCheck)
    async throws
  {
    let handle = OfflineMemoryStore().handle
    try await check.run { OfflineMemoryStore(handle) }
  }
}

func withFolder(_ body: (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder)
}

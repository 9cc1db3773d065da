import FileStore
import Foundation
import MemoryStore
import StoreEngine
import StoreProtocol
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

  @Test(arguments: ModelStoreContract.frontChecks + ModelStoreContract.liveChecks)
  func `Store instances with one outbox share records and live results`(check: ModelStoreContract.FrontCheck)
    async throws
  {
    let handle = SyncModelStore(local: MemoryModelStore(), remote: MemoryModelStore()).handle
    try await check.run { SyncModelStore(handle) }
  }
}

func withFolder(_ body: (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder)
}

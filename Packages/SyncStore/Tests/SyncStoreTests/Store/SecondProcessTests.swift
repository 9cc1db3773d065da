#if os(Linux) || os(macOS)
  import FileStore
  import Foundation
  import MemoryStore
  import StoreProtocol
  import Testing

  @testable import SyncStore

  @Suite struct `A second process over the folder of a synchronised store` {
    let server = MemoryModelStore().handle

    @Test
    func `A second process can't write or synchronise while the first one has the folder, and reads what that commits`()
      async throws
    {
      try await withFolder { folder in
        let local = FileModelStore(directory: folder)
        let first = SyncModelStore(local: local, remote: MemoryModelStore(server), types: [Tag.self])
        try await first.save(Tag.labeled("a", "A"))
        await #expect(processExitsWith: .success) {
          [path = folder.path(percentEncoded: false) as String, first = getpid() as Int32] in
          let folder = URL(filePath: path)
          let remote = MemoryModelStore()
          try await remote.create(Tag.labeled("b", "B"))
          let second = SyncModelStore(
            local: FileModelStore(directory: folder), remote: MemoryModelStore(remote.handle), types: [Tag.self])
          func expectLocked(_ body: () async throws -> Void) async {
            let error = await #expect(throws: ModelStoreError.self) { try await body() }
            #expect(error?.code == .locked && error?.message.contains("pid \(first)") == true, "\(error as Any)")
          }
          await expectLocked { try await second.sync() }
          await expectLocked { try await second.save(Tag.labeled("c", "C")) }
          await expectLocked { _ = try await second.outbox() }
          #expect(try await remote.list(Tag.self).map(\.id.value) == ["b"])

          let files = FileModelStore(directory: folder, options: FileStoreOptions(mode: .readOnly))
          let reader = SyncModelStore(local: files, remote: MemoryModelStore(remote.handle), types: [Tag.self])
          #expect(try await reader.list(Tag.self).map(\.label.value) == ["A"])
          #expect(try await reader.outbox().map(\.identifier) == ["a"])
          await #expect(throws: ModelStoreError.self) { try await reader.sync() }
          #expect(try await remote.list(Tag.self).map(\.id.value) == ["b"])
          try await files.close()
        }
        let report = try await first.sync()
        #expect(report.pushed == 1 && report.pulled == 0 && report.waiting == 0)
        #expect(try await MemoryModelStore(server).list(Tag.self).map(\.id.value) == ["a"])
        try await local.close()
      }
    }

    @Test func `A second process synchronises the folder after the first one closed it`() async throws {
      try await withFolder { folder in
        let local = FileModelStore(directory: folder)
        let first = SyncModelStore(local: local, remote: MemoryModelStore(server), types: [Tag.self])
        try await first.save(Tag.labeled("a", "A"))
        try await local.close()
        await #expect(processExitsWith: .success) { [path = folder.path(percentEncoded: false) as String] in
          let (local, remote) = (FileModelStore(directory: URL(filePath: path)), MemoryModelStore())
          let second = SyncModelStore(local: local, remote: MemoryModelStore(remote.handle), types: [Tag.self])
          #expect(try await second.sync().pushed == 1)
          #expect(try await remote.list(Tag.self).map(\.label.value) == ["A"])
          try await local.close()
        }
        let again = SyncModelStore(
          local: FileModelStore(directory: folder), remote: MemoryModelStore(server), types: [Tag.self])
        #expect(try await again.outbox().isEmpty)
        try await FileModelStore(again.handle.local).close()
      }
    }
  }
#endif

import FileStore
import Foundation
import MemoryStore
import StoreProtocol
import Testing

@testable import SyncStore

/// One process synchronises a folder, and others read it.
@Suite struct `A synchronised store in files that was opened for reading only` {
  let server = MemoryModelStore().handle

  private func files(_ folder: URL, _ mode: FileStoreMode) -> FileModelStore {
    FileModelStore(directory: folder, options: FileStoreOptions(durability: .none, mode: mode))
  }

  private func store(_ local: FileModelStore) -> SyncModelStore<FileStoreHandle> {
    SyncModelStore(local: local, remote: MemoryModelStore(server), types: [Author.self, Book.self, Tag.self])
  }

  @Test func `A read-only sync store reads the records, the outbox and the states that another process commits`()
    async throws
  {
    try await withFolder { folder in
      let (writing, reading) = (files(folder, .readWrite), files(folder, .readOnly))
      let writer = store(writing), reader = store(reading)
      let (book, tag) = (Book.titled("Emma"), Tag.labeled("a", "poison"))
      try await writer.save(book)
      try await writer.save(tag)
      let seen = try #require(try await reader.list(Book.self).first)
      let temporary = try #require(seen.identifier)
      #expect(try await reader.outbox().map(\.kind) == [.creation, .creation])
      guard case .pending = try await reader.syncState(of: seen) else { Issue.record("It is not pending."); return }

      let remote = MemoryModelStore(server)
      try await remote.create(Tag.labeled("b", "B"))
      #expect(try await writer.sync().waiting == 0)
      #expect(try await reader.outbox().isEmpty)
      #expect(try await reader.list(Book.self).map(\.identifier) == ["1"])
      #expect(try await reader.list(Tag.self).compactMap(\.identifier).sorted() == ["a", "b"])
      // The identifier of before is known to other processes, too.
      #expect(try await reader.lookup(Book.self, identifier: temporary).identifier == "1")

      let theirs = try await remote.lookup(Book.self, identifier: "1")
      theirs.rating.value = 4
      try await remote.update(theirs)
      try await writer.sync()
      #expect(try await reader.lookup(Book.self, identifier: "1").rating.value == 4)
      try await reading.close()
      try await writing.close()
    }
  }

  @Test func `A read-only sync store neither writes nor sends anything`() async throws {
    try await withFolder { folder in
      let (writing, reading) = (files(folder, .readWrite), files(folder, .readOnly))
      let writer = store(writing), reader = store(reading)
      try await writer.save(Book.titled("Emma"))
      let seen = try #require(try await reader.list(Book.self).first)
      seen.rating.value = 5
      await #expect(throws: ModelStoreError.self) { try await reader.save(seen) }
      await #expect(throws: ModelStoreError.self) { try await reader.sync() }
      #expect(try await MemoryModelStore(server).list(Book.self).isEmpty)
      #expect(try await writer.outbox().first?.flight == nil)
      #expect(try await writer.sync().pushed == 1)
      try await reading.close()
      try await writing.close()
    }
  }
}

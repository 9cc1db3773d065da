import FileStore
import Foundation
import MemoryStore
import StoreEngine
import StoreProtocol
import Testing

@testable import SyncStore

@Suite struct `A synchronised store in files` {
  let server = MemoryModelStore().handle

  private func store(_ folder: URL) -> SyncModelStore<FileStoreHandle> {
    let store = fileSyncStore(folder, remote: MemoryModelStore(server))
    store.synchronize(Author.self)
    store.synchronize(Book.self)
    return store
  }

  private func close(_ store: SyncModelStore<FileStoreHandle>) async throws {
    try await FileModelStore(store.handle.local).close()
  }

  @Test func `The outbox, the discarded values and the temporary identifiers of a store in files survive a restart`()
    async throws
  {
    try await withFolder { folder in
      let first = store(folder)
      let book = Book.titled("Emma")
      try await first.save(book)
      let temporary = try #require(book.identifier)
      try await close(first)

      let second = store(folder)
      #expect(try await second.outbox().map(\.identifier) == [temporary])
      try await second.sync()
      #expect(try await second.outbox().isEmpty)
      try await close(second)

      let third = store(folder)
      let found = try await third.lookup(Book.self, identifier: temporary)
      #expect(found.identifier == "1" && found.title.value == "Emma")
      #expect(try await third.sync().pushed == 0)
      try await close(third)
    }
  }

  @Test func `A transaction conflicts with a synchronisation that assigned the identifier of its record`() async throws
  {
    try await withFolder { folder in
      let first = store(folder), book = Book.titled("Emma")
      try await first.save(book)
      nonisolated(unsafe) let store = first
      let error = await #expect(throws: ModelStoreError.self) {
        try await first.transaction { first in
          book.title.value = "Persuasion"
          try await first.save(book)
          // The transaction waits, so that no other code uses the models meanwhile.
          _ = try await Task.detached { try await store.sync() }.value
        }
      }
      #expect(error?.code == .conflict)
      #expect(book.identifier == "1" && book.title.value == "Emma" && !book.isDirty)
      book.title.value = "Sanditon"
      try await first.save(book)
      let records = try await FileModelStore(first.handle.local).list(Book.self)
      #expect(records.map(\.identifier) == ["1"] && records.map(\.title.value) == ["Sanditon"])
      try await first.sync()
      #expect(try await MemoryModelStore(server).list(Book.self).map(\.title.value) == ["Sanditon"])
      try await close(first)
    }
  }

  @Test func `The server's changes are in the files`() async throws {
    try await withFolder { folder in
      let remote = MemoryModelStore(server)
      try await remote.createAll((1...600).map { Book.titled("Book \($0)") })
      let first = store(folder)
      #expect(try await first.sync().pulled == 600)
      try await close(first)
      let second = store(folder)
      #expect(try await second.count(Book.self) == 600)
      #expect(try await second.sync().pulled == 0)
      try await remote.delete(try await remote.lookup(Book.self, identifier: "7"))
      #expect(try await second.sync().pulled == 1)
      #expect(try await second.count(Book.self) == 599)
      try await close(second)
    }
  }

  @Test func `A damaged outbox entry is reported, and the others are sent`() async throws {
    try await withFolder { folder in
      let store = store(folder)
      let (first, second) = (Book.titled("First"), Book.titled("Second"))
      try await store.save(first)
      try await store.save(second)
      let name = OutboxEntry.recordIdentifier("Book", try #require(first.identifier))
      try await store.handle.local.commit(
        RecordBatch([.update(OutboxEntry.recordType, name, Array(#"{"type":7}"#.utf8))]))
      let report = try await store.sync()
      #expect(report.damaged == [name] && report.pushed == 1)
      #expect(try await MemoryModelStore(server).list(Book.self).map(\.title.value) == ["Second"])
      #expect(first.title.value == "First")
      // The next local write begins an entry again.
      first.rating.value = 1
      try await store.save(first)
      #expect(try await store.handle.outbox().damaged.isEmpty)
      try await close(store)
    }
  }
}

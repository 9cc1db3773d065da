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
      #expect(store.status.value == .needsAttention(1))
      // The next local write begins an entry again, and keeps the damaged one.
      first.rating.value = 1
      try await store.save(first)
      #expect(try await store.handle.outbox().damaged.isEmpty)
      let kept = try #require(try await store.discardedValues().first)
      #expect(kept.type == "Book" && kept.identifier == first.identifier && kept.key == "sync.outbox")
      #expect(kept.value == #"{"type":7}"#)
      #expect(try await store.sync().pushed == 1)
      try await store.acknowledge([kept])
      #expect(try await store.discardedValues().isEmpty)
      try await close(store)
    }
  }

  /// Flips a bit in the last line of a journal that has a text.
  private func damage(_ text: String, in folder: URL) throws {
    let file = folder.appending(path: "groups/@default/000001.journal")
    var bytes = try Data(contentsOf: file)
    let range = try #require(bytes.range(of: Data(text.utf8), options: .backwards))
    bytes[range.upperBound - 1] ^= 1
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  /// Two tags that the server knows, and that were edited since: the entry of the first one is damaged.
  private func storeWithDamagedEntry(_ folder: URL, reopens: Bool) async throws -> SyncModelStore<FileStoreHandle> {
    let remote = MemoryModelStore(server)
    try await remote.createAll([Tag.labeled("a", "A"), Tag.labeled("b", "B")])
    var store = fileSyncStore(folder, remote: MemoryModelStore(server))
    store.synchronize(Tag.self)
    try await store.sync()
    for tag in try await store.list(Tag.self) {
      tag.label.value = "Edited \(tag.id.value ?? "")"
      try await store.save(tag)
    }
    if reopens { try await close(store) }
    // The base of the entry: the record itself has other text.
    try damage(#""label":"A"#, in: folder)
    if reopens {
      store = fileSyncStore(folder, remote: MemoryModelStore(server))
      store.synchronize(Tag.self)
    }
    return store
  }

  @Test func `An entry whose bytes changed in the open file is reported and kept, and the others are sent`()
    async throws
  {
    try await withFolder { folder in
      let store = try await storeWithDamagedEntry(folder, reopens: false)
      for _ in 1...2 {
        #expect(try await store.sync().damaged == ["Tag/a"])
        #expect(store.status.value == .needsAttention(1))
        #expect(try await MemoryModelStore(server).list(Tag.self).map(\.label.value) == ["A", "Edited b"])
        #expect(try await store.lookup(Tag.self, identifier: "a").label.value == "Edited a")
      }
      let error = await #expect(throws: ModelStoreError.self) { try await store.removeLocalRecords() }
      #expect(error?.code == .denied && error?.message.contains("Tag/a") == true)

      let tag = try await store.lookup(Tag.self, identifier: "a")
      guard case .parked = try await store.syncState(of: tag) else { Issue.record("It is not parked."); return }
      tag.label.value = "Saved again"
      try await store.save(tag)
      let kept = try await store.discardedValues()
      #expect(kept.map(\.key) == ["sync.outbox"] && kept.first?.value.stringValue?.isEmpty == false)
      // The version of the server on which the entry was based is lost, so the difference is a conflict.
      store.resolve(Tag.self) { _ in .local }
      let report = try await store.sync()
      #expect(report.damaged.isEmpty && report.waiting == 0)
      #expect(
        try await MemoryModelStore(server).list(Tag.self).compactMap(\.label.value) == ["Saved again", "Edited b"])
      try await close(store)
    }
  }

  @Test func `An entry whose bytes changed in the open file can be discarded with all local records`() async throws {
    try await withFolder { folder in
      let store = try await storeWithDamagedEntry(folder, reopens: false)
      try await store.removeLocalRecords(discardUnsynced: true)
      #expect(try await store.handle.outbox().damaged.isEmpty)
      #expect(try await store.sync().pulled == 2)
      #expect(try await store.list(Tag.self).map(\.label.value) == ["A", "B"])
      try await close(store)
    }
  }

  @Test func `A store opened over a damaged entry names it, and sends the others after a repair`() async throws {
    try await withFolder { folder in
      let store = try await storeWithDamagedEntry(folder, reopens: true)
      let error = await #expect(throws: ModelStoreError.self) { try await store.sync() }
      #expect(error?.code == .corrupt && error?.message.contains(#""Tag/a""#) == true)
      #expect(error?.message.contains("repair()") == true)
      let repair = try await FileModelStore(store.handle.local).repair()
      #expect(repair.losses.map(\.identifier) == ["Tag/a"])
      #expect(try await store.sync().waiting == 0)
      #expect(try await MemoryModelStore(server).list(Tag.self).map(\.label.value) == ["A", "Edited b"])
      try await close(store)
    }
  }
}

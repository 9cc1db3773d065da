import MemoryStore
import StoreProtocol
import SyncStore
import Testing

@Suite struct `Deleting everything in a synchronised store` {
  let shelf = Shelf()

  @Test func `The server gets the deletions, and a record that it never had is not sent`() async throws {
    let store = shelf.client()
    try await store.save(Book.titled("Emma"))
    try await store.save(Tag.labeled("a", "A"))
    try await store.sync()
    try await store.save(Book.titled("Unsent"))
    #expect(try await store.deleteAll() == 3)
    #expect(try await store.outbox().count == 2)
    try await store.sync()
    #expect(try await shelf.store.list(Book.self).isEmpty)
    #expect(try await shelf.store.list(Tag.self).isEmpty)
    #expect(try await store.outbox().isEmpty)
    #expect(try await store.deleteAll() == 0)
  }

  @Test func `The local store rejects deleteAll, and keeps unsent changes`() async throws {
    let local = MemoryModelStore()
    let store = shelf.client(local.handle)
    try await store.save(Book.titled("Emma"))
    try await store.sync()
    try await store.save(Book.titled("Unsent"))
    let error = await #expect(throws: ModelStoreError.self) { try await local.deleteAll() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("SyncModelStore") == true)
    #expect(try await store.list(Book.self).count == 2)
    try await store.sync()
    #expect(try await shelf.store.list(Book.self).count == 2)
  }
}

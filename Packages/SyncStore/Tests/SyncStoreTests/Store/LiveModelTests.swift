import Foundation
import MemoryStore
import RESTService
import RESTStore
import StoreProtocol
import SyncStore
import Testing

/// The live models of a synchronised store have the values of its records, whatever changed these.
@Suite struct `Live models of a synchronised store` {
  let shelf = Shelf()

  @Test(arguments: [true, false])
  func `A discarded edit of a value that was nil is gone from the live model`(isPulled: Bool) async throws {
    let store = shelf.client()
    let book = Book.titled("Emma")
    if isPulled { try await shelf.store.create(book) } else { try await store.save(book) }
    try await store.sync()
    let mine = try #require(try await store.list(Book.self).first)
    mine.rating.value = 5
    try await store.save(mine)
    try await store.discardChanges(try #require(try await store.outbox().first))
    #expect(mine.rating.value == nil && !mine.isDirty)
    #expect(try await store.list(Book.self).first === mine)
  }

  @Test func `A value that the server's version lacks is gone from the live model after a conflict`() async throws {
    let (first, second) = (shelf.client(), shelf.client())
    try await first.save(Book.titled("Emma"))
    try await first.sync()
    try await second.sync()
    let mine = try #require(try await first.list(Book.self).first)
    let theirs = try #require(try await second.list(Book.self).first)
    (mine.rating.value, mine.title.value) = (5, "Mine")
    try await first.save(mine)
    theirs.title.value = "Theirs"
    try await second.save(theirs)
    try await second.sync()
    first.resolve(Book.self) { _ in .remote }
    try await first.sync()
    #expect(mine.title.value == "Theirs" && mine.rating.value == nil && !mine.isDirty)
  }

  @Test(arguments: [true, false])
  func `After a sign-out and a sign-in another object has the record, with the server's values`(
    isNew: Bool
  ) async throws {
    let url = try #require(URL(string: "http://api.test"))
    let service = RESTService(shelf.server, serving: [Author.self, Book.self, Tag.self])
    let store = shelf.client(remote: RESTModelStore(baseURL: url, transport: service))
    if isNew { try await store.save(Book.titled("Emma")) } else { try await shelf.store.create(Book.titled("Emma")) }
    try await store.sync()
    let book = try #require(try await store.list(Book.self).first)
    book.rating.value = 5
    try await store.save(book)
    try await store.removeLocalRecords(discardUnsynced: true)
    #expect(try await store.list(Book.self).isEmpty)
    try await store.sync()
    let found = try #require(try await store.list(Book.self).first)
    #expect(found.rating.value == nil && found !== book)
  }
}

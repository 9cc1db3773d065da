import Foundation
import MemoryStore
import RESTStore
import StoreProtocol
import Testing

@testable import SyncStore

@Suite struct `A creation that is sent again` {
  let server = RESTFixture()

  /// A client whose creation took effect, without an answer.
  private func client<M: Model>(creating model: M, _ copy: M) async throws -> MemorySyncStore {
    let store = SyncModelStore(local: MemoryModelStore(), remote: server.store(), types: [Book.self, Tag.self])
    try await store.save(model)
    server.plan(list, list, HTTPResponseData(status: 504))
    try await store.sync()
    let entry = try #require(try await store.outbox().first)
    let key = try #require(entry.flight?.key)
    _ = try await IdempotencyKey.with(key) { [server] in try await server.store().create(copy) }
    return store
  }

  private let list = HTTPResponseData(status: 200, body: Data("[]".utf8))

  @Test func `The record is as the server has it now, although the stored answer is older`() async throws {
    let book = Book.titled("Emma", rating: 1)
    let store = try await client(creating: book, Book.titled("Emma", rating: 1))
    let theirs = try await server.store().lookup(Book.self, identifier: "1")
    theirs.pages.value = 300
    try await server.store().update(theirs, fields: [theirs.pages], onConflict: .overwrite)
    try await store.sync()
    #expect(book.pages.value == 300 && book.rating.value == 1)
    #expect(try await store.outbox().isEmpty)
  }

  @Test func `The record is removed if the server deleted it meanwhile`() async throws {
    let store = try await client(creating: Book.titled("Emma"), Book.titled("Emma"))
    try await server.store().delete(try await server.store().lookup(Book.self, identifier: "1"))
    try await store.sync()
    #expect(try await store.list(Book.self).isEmpty)
    #expect(try await server.store().list(Book.self).isEmpty)
    #expect(try await store.outbox().isEmpty)
  }

  @Test func `A record with a client-made identifier that was deleted meanwhile is not created again`() async throws {
    let store = try await client(creating: Tag.labeled("a", "A"), Tag.labeled("a", "A"))
    try await server.store().delete(try await server.store().lookup(Tag.self, identifier: "a"))
    try await store.sync()
    #expect(try await server.store().list(Tag.self).isEmpty)
    #expect(try await store.list(Tag.self).isEmpty)
    #expect(try await store.outbox().isEmpty)
  }

  @Test func `The key is kept if the record can't be read`() async throws {
    let store = try await client(creating: Book.titled("Emma"), Book.titled("Emma"))
    let answer = HTTPResponseData(status: 201, body: Data(#"{"id": 1, "title": "Emma"}"#.utf8))
    server.plan(list, list, answer, HTTPResponseData(status: 500))
    #expect(try await store.sync().waiting == 1)
    try await store.sync()
    #expect(try await store.outbox().isEmpty)
    let keys = server.requests.filter { $0.method == .post }.map { $0.headers["Idempotency-Key"] }
    #expect(keys.count == 4 && Set(keys).count == 1)
  }

  @Test func `The stored answer counts if the client may not read the record any more`() async throws {
    let book = Book.titled("Emma")
    let store = try await client(creating: book, Book.titled("Emma"))
    let answer = HTTPResponseData(status: 201, body: Data(#"{"id": 1, "title": "Emma"}"#.utf8))
    server.plan(list, list, answer, HTTPResponseData(status: 403))
    try await store.sync()
    #expect(book.identifier == "1")
    #expect(try await store.outbox().isEmpty)
  }
}

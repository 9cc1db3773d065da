@_spi(ModelKitInternals) import FieldKit
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

  @Test(.timeLimit(.minutes(30)))
  func `An edit is saved although the record gets the server's identifier while it is written`() async throws {
    let shelf = Shelf()
    let exchange = Lock<(@Sendable () async throws -> Void)?>(nil)
    let local = KillableEngine(
      MemoryModelStore().handle,
      willCommit: { _ in
        let first = exchange.withLock { exchange in
          defer { exchange = nil }
          return exchange
        }
        try await first?()
      }, shouldDie: { false })
    let engine = SyncEngine(local)
    let store = SyncModelStore(engine, remote: shelf.store, types: [Book.self])
    let book = Book.titled("Emma")
    try await store.save(book)
    book.title.value = "Persuasion"
    exchange.withLock { hook in
      hook = { _ = try await SyncModelStore(engine, remote: shelf.store, types: [Book.self]).sync() }
    }
    try await store.save(book)
    #expect(try await shelf.store.list(Book.self).map(\.title.value) == ["Emma"])
    #expect(try await store.sync().waiting == 0)
    #expect(try await shelf.store.list(Book.self).map(\.title.value) == ["Persuasion"])
    #expect(try await store.list(Book.self).map(\.title.value) == ["Persuasion"])
    #expect(try await store.list(Book.self).first === book)
  }

  @Test func `A record that waits refers to the identifier that a pull finds`() async throws {
    /// A server that carries out a creation and does not answer.
    struct Losing: HTTPTransport {
      let server: RESTFixture
      let loses: Lock<Bool>

      func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let answer = try await server.send(request)
        let isLost = request.method == .post && loses.withLock { $0 }
        if isLost { throw ModelStoreError(.timeout, "The answer was lost.") }
        return answer
      }
    }
    let loses = Lock(false)
    let url = try #require(URL(string: "http://api.test"))
    let remote = RESTModelStore(baseURL: url, transport: Losing(server: server, loses: loses))
    let store = SyncModelStore(
      local: MemoryModelStore(), remote: remote, types: [Author.self, Book.self, Tag.self])
    let author = Author()
    author.name.value = "Jane"
    try await store.save(author)
    let book = Book.titled("Emma")
    book.author.value = author
    // The book waits for the tag, which the server rejects.
    try await store.transaction { store in
      try await store.save(Tag.labeled("a", "poison"))
      try await store.save(book)
    }
    server.plan(list, list, list, HTTPResponseData(status: 503))
    #expect(try await store.sync().waiting == 3)
    loses.withLock { $0 = true }
    _ = try? await store.sync()
    loses.withLock { $0 = false }
    #expect(try await store.sync().waiting == 2)
    #expect(author.identifier == "1")
    #expect(try await store.list(Book.self, where: { $0.author == author }).count == 1)
  }

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

  @Test func `An edit of the record that was pulled before the repeated answer discards nothing`() async throws {
    let book = Book.titled("Emma", rating: 1)
    let store = try await client(creating: book, Book.titled("Emma", rating: 1))
    let theirs = try await server.store().lookup(Book.self, identifier: "1")
    theirs.rating.value = 2
    try await server.store().update(theirs, fields: [theirs.rating], onConflict: .overwrite)
    let changed = Data(#"[{"id": 1, "title": "Emma", "rating": 2}]"#.utf8)
    server.plan(HTTPResponseData(status: 200, body: changed), list, HTTPResponseData(status: 504))
    try await store.sync()
    let pulled = try await store.lookup(Book.self, identifier: "1")
    #expect(pulled !== book)
    pulled.rating.value = 5
    try await store.save(pulled)
    #expect(try await store.sync().waiting == 0)
    #expect(try await store.discardedValues().isEmpty)
    #expect(try await store.list(Book.self).map(\.rating.value) == [5])
    #expect(try await server.store().list(Book.self).map(\.rating.value) == [5])
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

  @Test func `The stored answer is used if the client may no longer read the record`() async throws {
    let book = Book.titled("Emma")
    let store = try await client(creating: book, Book.titled("Emma"))
    let answer = HTTPResponseData(status: 201, body: Data(#"{"id": 1, "title": "Emma"}"#.utf8))
    server.plan(list, list, answer, HTTPResponseData(status: 403))
    try await store.sync()
    #expect(book.identifier == "1")
    #expect(try await store.outbox().isEmpty)
  }

  @Test
  func `The answer to a repeated creation is read although the record waits for a rejected one of its transaction`()
    async throws
  {
    let (tag, book) = (Tag.labeled("a", "poison"), Book.titled("Emma"))
    let store = SyncModelStore(local: MemoryModelStore(), remote: server.store(), types: [Book.self, Tag.self])
    try await store.save(tag)
    try await store.sync()
    try await store.save(book)
    server.plan(list, list, HTTPResponseData(status: 504))
    try await store.sync()
    let key = try #require(try await store.outbox().last?.flight?.key)
    _ = try await IdempotencyKey.with(key) { [server] in try await server.store().create(Book.titled("Emma")) }
    try await store.transaction { store in
      tag.label.value = "other poison"
      try await store.save(tag)
      book.rating.value = 5
      try await store.save(book)
    }
    server.plan(list, list, HTTPResponseData(status: 422))
    #expect(try await store.sync().waiting == 2)
    #expect(book.identifier == "1")
    let entries = try await store.outbox()
    #expect(entries.map(\.state) == [.parked, .queued])
    #expect(entries.last?.changes.map(\.key) == ["rating"])
    #expect(try await store.list(Book.self).count == 1)
    #expect(try await server.store().list(Book.self).map(\.rating.value) == [nil])
    tag.label.value = "A"
    try await store.save(tag)
    #expect(try await store.sync().waiting == 0)
    #expect(try await server.store().list(Book.self).map(\.rating.value) == [5])
  }
}

@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import RESTStore
import StoreEngine
import StoreProtocol
import Testing

@testable import SyncStore

/// Records that the server does not show to a client, or does not list.
@Suite struct `A record that the server does not show` {
  let server = RESTFixture()

  /// Returns a client whose requests get other responses than those of the server.
  private func client(
    _ respond: @escaping @Sendable (HTTPRequestData) throws -> HTTPResponseData?
  ) -> MemorySyncStore {
    SyncModelStore(
      local: MemoryModelStore(), remote: server.store(over: RespondingTransport(server: server, respond: respond)),
      types: [Author.self, Book.self, Tag.self])
  }

  @Test(arguments: [404, 403])
  func `A hidden record stays referenced on the server after an edit of another field`(status: Int) async throws {
    let (author, book) = (Author(), Book.titled("Emma"))
    author.name.value = "Jane"
    book.author.value = author
    let others = server.store()
    try await others.save(book, including: .related)
    let store = client { request in
      if request.url.path == "/authors" { return HTTPResponseData(status: 200, body: Data("[]".utf8)) }
      return request.url.path.hasPrefix("/authors/") ? HTTPResponseData(status: status) : nil
    }
    try await store.sync()
    let mine = try #require(try await store.list(Book.self).first)
    mine.title.value = "Emma Woodhouse"
    try await store.save(mine)
    let report = try await store.sync()
    #expect(report.failures.isEmpty && report.waiting == 0)
    let theirs = try await server.store().lookup(Book.self, identifier: try #require(book.identifier))
    #expect(theirs.title.value == "Emma Woodhouse" && theirs.author.value?.identifier == author.identifier)
    #expect(try await store.discardedValues().isEmpty)
  }

  @Test func `A new record may reference one that the server only denies to read`() async throws {
    let author = Author()
    author.name.value = "Jane"
    try await server.store().save(author)
    let store = client { request in
      if request.url.path == "/authors" { return HTTPResponseData(status: 200, body: Data("[]".utf8)) }
      return request.url.path.hasPrefix("/authors/") ? HTTPResponseData(status: 403) : nil
    }
    try await store.save(Book.from(dictionaryValue: ["title": "Emma", "author": 1], in: store.scope, as: .edit))
    #expect(try await store.sync().waiting == 0)
    #expect(try await server.store().list(Book.self).first?.author.value?.identifier == "1")
  }

  @Test func `A server that answers every path with 404 removes no record, and discards no edit`() async throws {
    let isBroken = Lock(false)
    let store = client { _ in isBroken.withLock { $0 } ? HTTPResponseData(status: 404) : nil }
    let tag = Tag.labeled("a", "A")
    try await store.save(tag)
    try await store.sync()
    tag.label.value = "B"
    try await store.save(tag)
    isBroken.withLock { $0 = true }
    for _ in 1...2 {
      let report = try await store.sync()
      #expect(report.waiting == 1 && Set(report.failures.map(\.type)) == ["Author", "Book", "Tag"])
    }
    #expect(try await store.list(Tag.self).map(\.label.value) == ["B"])
    #expect(try await store.discardedValues().isEmpty)
    isBroken.withLock { $0 = false }
    #expect(try await store.sync().waiting == 0)
    #expect(try await server.store().list(Tag.self).map(\.label.value) == ["B"])
  }

  @Test func `The login page of a network parks nothing, and all is sent after the login`() async throws {
    let isCaptured = Lock(false)
    let store = client { _ in
      let page = HTTPResponseData(
        status: 200, headers: ["Content-Type": "text/html"], body: Data("<html>Sign in</html>".utf8))
      return isCaptured.withLock { $0 } ? page : nil
    }
    let (tag, author) = (Tag.labeled("a", "A"), Author())
    try await store.save(tag)
    try await store.sync()
    tag.label.value = "B"
    author.name.value = "Jane"
    try await store.save(tag)
    try await store.save(author)
    try await store.save(Tag.labeled("b", "New"))
    isCaptured.withLock { $0 = true }
    for _ in 1...2 {
      #expect(try await store.sync().waiting == 3)
      #expect(try await store.failures().isEmpty)
    }
    isCaptured.withLock { $0 = false }
    #expect(try await store.sync().waiting == 0)
    #expect(try await server.store().list(Tag.self).map(\.label.value) == ["B", "New"])
    #expect(try await server.store().list(Author.self).map(\.name.value) == ["Jane"])
  }

  @Test func `A dirty record that may not be read any more does not stop the pull of its type`() async throws {
    let isDenied = Lock(false)
    let store = client { request in
      guard isDenied.withLock({ $0 }) else { return nil }
      if request.url.path == "/tags/a" { return HTTPResponseData(status: 403) }
      let rest = #"[{"id": "c", "label": "C"}]"#
      return request.url.path == "/tags" ? HTTPResponseData(status: 200, body: Data(rest.utf8)) : nil
    }
    let (first, second) = (Tag.labeled("a", "A"), Tag.labeled("b", "B"))
    try await store.createAll([first, second])
    try await store.sync()
    first.label.value = "Edited"
    try await store.save(first)
    isDenied.withLock { $0 = true }
    let report = try await store.sync()
    #expect(report.failures.map(\.identifier) == ["a"])
    #expect(try await store.list(Tag.self, sort: [.ascending(\.id)]).map(\.label.value) == ["Edited", "C"])
  }

  @Test func `Lists without an answer in time do not hold the changes back`() async throws {
    let store = client { request in
      let isList = request.method == .get && request.url.path.split(separator: "/").count == 1
      if isList { throw ModelStoreError(.timeout, "The server did not answer in time.") }
      return nil
    }
    try await store.save(Tag.labeled("a", "A"))
    let report = try await store.sync()
    #expect(report.pushed == 1 && report.waiting == 0 && report.failures.count == 3)
    #expect(try await server.store().list(Tag.self).map(\.label.value) == ["A"])
  }
}

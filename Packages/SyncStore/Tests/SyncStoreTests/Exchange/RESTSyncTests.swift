import FieldKit
import Foundation
import MemoryStore
import RESTStore
import StoreEngine
import StoreProtocol
import Testing

@testable import SyncStore

@Suite struct `A synchronised store over REST` {
  let server = RESTFixture()

  private func client(_ local: MemoryEngine = MemoryModelStore().handle) -> MemorySyncStore {
    SyncModelStore(local: MemoryModelStore(local), remote: server.store(), types: [Author.self, Book.self, Tag.self])
  }

  private func body(_ request: HTTPRequestData?) -> JSONValue? { request?.body.flatMap { try? JSONValue(json: $0) } }

  @Test func `A record that is deleted and created again before it is sent has no values of the deleted one`()
    async throws
  {
    let server = RESTFixture()
    let store = SyncModelStore(local: MemoryModelStore(), remote: server.store(), types: [Tag.self, Book.self])
    let (tag, book) = (Tag.labeled("a", "A"), Book.titled("Emma", rating: 5))
    try await store.save(tag)
    try await store.save(book)
    try await store.sync()
    for model in [tag, book] as [any Model] { try await store.delete(model) }
    let (nextTag, nextBook) = (Tag(), Book.titled("Emma"))
    nextTag.id.value = "a"
    nextBook.id.value = book.id.value
    try await store.save(nextTag)
    try await store.save(nextBook)
    #expect(try await store.sync().waiting == 0)
    #expect(nextTag.label.value == nil && nextBook.rating.value == nil)
    let (remote, remoteBook) = (try await server.store().list(Tag.self), try await server.store().list(Book.self))
    #expect(remote.map(\.label.value) == [nil])
    #expect(remoteBook.map(\.rating.value) == [nil])
    #expect(try await store.discardedValues().isEmpty)
  }

  @Test func `A creation has no temporary identifier on the wire, and its references are the server's`() async throws {
    let store = client()
    let (author, book) = (Author(), Book.titled("Emma", rating: 3))
    author.name.value = "Jane"
    book.author.value = author
    try await store.save(book, including: .related)
    try await store.sync()
    let posts = server.requests.filter { $0.method == .post }
    #expect(posts.map(\.url.path) == ["/authors", "/books"])
    #expect(body(posts.last) == ["title": "Emma", "rating": 3, "author": 1])
    #expect(server.requestsWithTemporaryIdentifiers.isEmpty)
    #expect(book.identifier == "1" && author.identifier == "1")
  }

  @Test func `A record that waits gets the identifier that its reference received during the edit`() async throws {
    let remote = SimulatedRemote(server.store())
    let store = SyncModelStore(
      local: MemoryModelStore(), remote: remote, types: [Author.self, Book.self, Tag.self])
    let (rejected, author, book) = (Author(), Author(), Book.titled("Emma"))
    (rejected.name.value, author.name.value, book.author.value) = ("", "Jane", rejected)
    try await store.save(book, including: .related)
    remote.beforeRequest = { [server] in
      if server.lines.count == 3 { server.plan(HTTPResponseData(status: 422)) }
    }
    #expect(try await store.sync().failures.map(\.type) == ["Author"])
    try await store.save(author)
    // During the creation of the author, after the lists.
    remote.beforeRequest = { [server] in
      guard server.lines.count == 7 else { return }
      book.author.value = author
      try await store.save(book)
    }
    #expect(try await store.sync().waiting == 2)
    #expect(server.lines.filter { $0 == "POST /authors" }.count == 2)
    let record = try await store.handle.local.read("Book", try #require(book.identifier))
    #expect(try JSONValue(json: try #require(record).bytes)["author"] == 1)
  }

  @Test func `A value that was removed here is removed on the server, and the other way round`() async throws {
    let store = client()
    let (first, second) = (Book.titled("Emma", rating: 5), Book.titled("Persuasion", rating: 4))
    try await store.createAll([first, second])
    try await store.sync()
    first.rating.value = nil
    try await store.save(first)
    let others = server.store()
    let theirs = try await others.lookup(Book.self, identifier: try #require(second.identifier))
    theirs.rating.value = nil
    try await others.update(theirs, fields: [theirs.rating], onConflict: .overwrite)
    try await store.sync()
    #expect(body(server.requests.last { $0.url.path == "/books/1" && $0.method != .get }) == ["rating": .null])
    #expect(second.rating.value == nil && !second.isDirty)
    #expect(try await server.store().list(Book.self).map(\.rating.value) == [nil, nil])
  }

  @Test func `A record that waits for a rejected one loses its reference to a record that the server deleted`()
    async throws
  {
    let remote = SimulatedRemote(server.store())
    let store = SyncModelStore(
      local: MemoryModelStore(), remote: remote, types: [Author.self, Book.self, Tag.self])
    store.policy(Author.self, .keep(where: { $0.city != "Nowhere" }))
    let (author, rejected, book) = (Author(), Tag.labeled("a", "A"), Book.titled("Emma"))
    author.name.value = "Jane"
    try await store.save(author)
    try await store.sync()
    book.author.value = author
    try await store.transaction { store in
      try await store.create(rejected)
      try await store.create(book)
    }
    remote.beforeRequest = { [server] in
      if server.lines.last == "GET /tags" { server.plan(HTTPResponseData(status: 422)) }
    }
    #expect(try await store.sync().failures.map(\.type) == ["Tag"])
    remote.beforeRequest = {}
    let others = server.store()
    try await others.delete(try await others.lookup(Author.self, identifier: "1"))
    #expect(try await store.sync().waiting == 2)
    #expect(try await store.discardedValues().map(\.key) == ["author"])
    let record = try await store.handle.local.read("Book", try #require(book.identifier))
    #expect(try JSONValue(json: try #require(record).bytes)["author"] ?? .null == .null)
  }

  @Test func `A record whose new creation was not sent is deleted and created again by another process`() async throws {
    server.replacesIntegers = true
    let local = MemoryModelStore().handle
    let first = client(local), author = Author()
    author.name.value = "Jane"
    try await first.save(author)
    try await first.sync()
    try await first.delete(author)
    try await first.sync()
    try await first.create(author)
    let second = client(local)
    let again = try await second.lookup(Author.self, identifier: "1")
    try await second.delete(again)
    try await second.create(again)
    #expect(try await second.sync().waiting == 0)
    #expect(again.identifier == "2")
    #expect(try await second.list(Author.self).map(\.identifier) == ["2"])
    #expect(try await server.store().list(Author.self).map(\.identifier) == ["2"])
  }

  @Test func `A record that is created again gets the identifier that the server assigns`() async throws {
    let store = client()
    server.replacesIntegers = true
    let author = Author()
    author.name.value = "Jane"
    try await store.save(author)
    try await store.sync()
    try await server.store().delete(try await server.store().lookup(Author.self, identifier: "1"))
    author.city.value = "Bath"
    try await store.save(author)
    let book = Book.titled("Emma")
    book.author.value = author
    try await store.save(book)
    store.resolve(Author.self) { $0.remote == nil ? .local : .merge }
    #expect(try await store.sync().failures.isEmpty)
    #expect(try await store.outbox().isEmpty)
    #expect(author.id.value == 2 && author.city.value == "Bath" && !author.isDirty)
    for identifier in ["1", "2"] {
      #expect(try await store.lookup(Author.self, identifier: identifier) === author)
    }
    #expect(try await store.list(Author.self).count == 1)
    #expect(try await server.store().list(Author.self).map(\.name.value) == ["Jane"])
    try await store.sync()
    #expect(server.requests.count { $0.method == .post && $0.url.path == "/authors" } == 2)
  }

  @Test func `A record that is kept although the server deleted it keeps its references`() async throws {
    let store = client()
    server.replacesIntegers = true
    let (author, book) = (Author(), Book.titled("Emma"))
    author.name.value = "Jane"
    try await store.save(author)
    try await store.sync()
    try await server.store().delete(try await server.store().lookup(Author.self, identifier: "1"))
    author.city.value = "Bath"
    try await store.save(author)
    book.author.value = author
    try await store.save(book)
    store.resolve(Author.self) { $0.remote == nil ? .local : .merge }
    #expect(try await store.sync().pulled == 0)
    #expect(book.author.value === author && !book.isDirty)
    #expect(try await store.discardedValues().isEmpty)
    #expect(body(server.requests.last { $0.method == .post }) == ["title": "Emma", "author": 2])
  }

  @Test func `A record whose deletion is a conflict that waits keeps its references`() async throws {
    let store = client()
    let (author, book) = (Author(), Book.titled("Emma"))
    author.name.value = "Jane"
    try await store.save(author)
    try await store.sync()
    try await server.store().delete(try await server.store().lookup(Author.self, identifier: "1"))
    author.city.value = "Bath"
    try await store.save(author)
    book.author.value = author
    try await store.save(book)
    store.resolve(Author.self) { _ in .wait }
    #expect(try await store.sync().failures.map(\.error.code).contains(.conflict))
    #expect(book.author.value === author)
    #expect(try await store.discardedValues().isEmpty)
    try await store.resolve(try #require(try await store.conflicts().first), with: .local)
    for entry in try await store.failures() { try await store.retry(entry) }
    #expect(try await store.sync().failures.isEmpty)
    let theirs = try #require(try await server.store().list(Book.self).first)
    #expect(theirs.author.value?.identifier == author.identifier)
  }

  /// A client with an edited author that the server deleted, and a book of the author that the server does not have
  /// yet.
  private func clientWithDeletedAuthor(isBookNew: Bool) async throws -> (MemorySyncStore, Book) {
    let store = client()
    let (author, book) = (Author(), Book.titled("Emma"))
    author.name.value = "Jane"
    try await store.save(author)
    if !isBookNew { try await store.save(book) }
    try await store.sync()
    try await server.store().delete(try await server.store().lookup(Author.self, identifier: "1"))
    author.city.value = "Bath"
    book.author.value = author
    try await store.save(author)
    try await store.save(book)
    return (store, book)
  }

  @Test(arguments: [true, false])
  func `A reference to an edited record that the server deleted is removed, although a list was not answered`(
    isBookNew: Bool
  ) async throws {
    let (store, book) = try await clientWithDeletedAuthor(isBookNew: isBookNew)
    server.plan(HTTPResponseData(status: 500))
    #expect(try await store.sync().failures.map(\.type) == ["Author"])
    #expect(try await store.outbox().isEmpty)
    #expect(book.author.value == nil && !book.isDirty)
    let discarded = try await store.discardedValues().map { "\($0.type) \($0.key ?? "")" }
    #expect(discarded.sorted() == ["Author ", "Book author"])
    #expect(try await server.store().list(Book.self).map(\.title.value) == ["Emma"])
  }

  @Test func `A reference that the server rejected is removed once the deletion of its record is known`() async throws {
    let (store, book) = try await clientWithDeletedAuthor(isBookNew: false)
    let entry = try #require(try await store.outbox().first { $0.type == "Book" })
    // As if the process had ended between the removal of the author and that of the reference.
    try store.handle.local.commit(RecordBatch([.delete("Author", "1"), .delete("sync.outbox", "Author/1")]))
    server.plan(HTTPResponseData(status: 500))
    try await store.sync()
    #expect(try await store.failures().map(\.identifier) == [entry.identifier])
    #expect(try await store.sync().failures.isEmpty)
    #expect(try await store.outbox().isEmpty)
    #expect(book.author.value == nil && !book.isDirty)
  }

  @Test func `A record whose sent deletion is undone gets the identifier that the server assigns`() async throws {
    let store = client()
    server.replacesIntegers = true
    let (author, book) = (Author(), Book.titled("Emma"))
    author.name.value = "Jane"
    book.author.value = author
    try await store.save(book, including: .related)
    try await store.sync()
    let undo = ModelUndo(store.scope)
    try await store.delete(author)
    try await store.sync()
    #expect(try await server.store().list(Author.self).isEmpty)
    try await store.save(undo.undo())
    #expect(try await store.sync().failures.isEmpty)
    #expect(try await store.outbox().isEmpty)
    #expect(author.id.value == 2 && book.author.value === author && !book.isDirty)
    #expect(try await store.lookup(Author.self, identifier: "1") === author)
    let theirs = try #require(try await server.store().list(Book.self).first)
    #expect(theirs.author.value?.identifier == "2")
    try await store.sync()
    #expect(server.requests.count { $0.method == .post && $0.url.path == "/authors" } == 2)
    // Again, under its new identifier.
    try await store.delete(author)
    try await store.sync()
    try await store.save(undo.undo())
    #expect(try await store.sync().failures.isEmpty)
    #expect(author.id.value == 3)
  }

  @Test func `An update sends the changed field and the entity tag of the version that was merged`() async throws {
    let store = client()
    let tag = Tag.labeled("a", "Old")
    try await store.save(tag)
    try await store.sync()
    tag.label.value = "New"
    try await store.save(tag)
    try await store.sync()
    let patch = try #require(server.requests.last { $0.method == .patch })
    #expect(body(patch) == ["label": "New"])
    #expect(patch.headers["If-Match"] == "\"1\"")
  }

  @Test func `A change of another client between reading a record and sending it is not overwritten`() async throws {
    let remote = SimulatedRemote(server.store())
    let store = SyncModelStore(local: MemoryModelStore(), remote: remote, types: [Tag.self])
    try await store.save(Tag.labeled("a", "Old"))
    try await store.sync()
    let tag = try await store.lookup(Tag.self, identifier: "a")
    tag.label.value = "Mine"
    try await store.save(tag)
    var requests = 0
    remote.beforeRequest = { [server] in
      requests += 1
      // After the list of all, and the version that is merged.
      guard requests == 3, let theirs = try? await server.store().lookup(Tag.self, identifier: "a") else { return }
      theirs.label.value = "Theirs"
      _ = try? await server.store().update(theirs, fields: [theirs.label], onConflict: .overwrite)
    }
    try await store.sync()
    #expect(tag.label.value == "Theirs")
    #expect(try await store.discardedValues().map(\.value) == ["Mine"])
    #expect(try await server.store().lookup(Tag.self, identifier: "a").label.value == "Theirs")
  }

  @Test func `A creation without an answer is sent again with the same key`() async throws {
    let store = client()
    try await store.save(Book.titled("Emma"))
    for _ in 0..<3 {
      server.plan(list, list, list, HTTPResponseData(status: 504))
      try await store.sync()
    }
    try await store.sync()
    let keys = server.requests.filter { $0.method == .post }.map { $0.headers["Idempotency-Key"] }
    #expect(keys.count == 4 && Set(keys).count == 1)
  }

  private let list = HTTPResponseData(status: 200, body: Data("[]".utf8))

  @Test func `The status 403 parks one record, and the others are sent`() async throws {
    let store = client()
    try await store.save(Tag.labeled("a", "A"))
    try await store.save(Tag.labeled("b", "B"))
    server.plan(list, list, list, HTTPResponseData(status: 403))
    let report = try await store.sync()
    #expect(report.pushed == 1 && report.failures.map(\.identifier) == ["a"])
    #expect(try await store.failures().map(\.identifier) == ["a"])
  }

  @Test(arguments: [401, 429])
  func `The statuses 401 and 429 end the exchange and park nothing`(status: Int) async throws {
    let store = client()
    try await store.save(Tag.labeled("a", "A"))
    try await store.save(Tag.labeled("b", "B"))
    server.plan(list, list, list, HTTPResponseData(status: status, headers: ["Retry-After": "7"]))
    let error = try await #require(throws: ModelStoreError.self) { try await store.sync() }
    #expect(error.refusal == ServerRefusal(status: status, retryAfter: .seconds(7)))
    #expect(server.requests.count == 4)
    #expect(try await store.failures().isEmpty)
    #expect(try await store.sync().pushed == 2)
  }

  @Test func `A server error delays only one record, which is sent last the next time`() async throws {
    let store = client()
    try await store.save(Tag.labeled("a", "A"))
    try await store.save(Tag.labeled("b", "B"))
    server.plan(list, list, list, HTTPResponseData(status: 500))
    #expect(try await store.sync().pushed == 1)
    try await store.save(Tag.labeled("c", "C"))
    try await store.sync()
    let posts = server.requests.filter { $0.method == .post }.map { body($0)?["id"]?.stringValue }
    #expect(posts == ["a", "b", "c", "a"])
  }

  @Test func `A server that answers nonsense parks the record with an error that names the value`() async throws {
    let store = client()
    let tag = Tag.labeled("a", "A")
    try await store.save(tag)
    try await store.sync()
    tag.label.value = "B"
    try await store.save(tag)
    let nonsense = HTTPResponseData(status: 200, body: Data(#"{"id": "a", "label": [1]}"#.utf8))
    server.plan(list, list, HTTPResponseData(status: 200, body: Data(#"[{"id": "a", "label": "A"}]"#.utf8)), nonsense)
    try await store.sync()
    let entry = try #require(try await store.failures().first)
    #expect(entry.error?.contains("GET /tags/a") == true && entry.error?.contains("label") == true)
    #expect(tag.label.value == "B")
    try await store.retry(entry)
    #expect(try await store.sync().pushed == 1)
    #expect(try await server.store().lookup(Tag.self, identifier: "a").label.value == "B")
  }

  @Test func `An unreadable answer parks a creation, and its key identifies it on the next attempt`() async throws {
    let store = client()
    try await store.save(Book.titled("Emma"))
    server.plan(list, list, list, HTTPResponseData(status: 201, body: Data("{".utf8)))
    #expect(try await store.sync().failures.count == 1)
    let entry = try #require(try await store.failures().first)
    #expect(entry.state == .parked && entry.flight != nil)
    try await store.retry(entry)
    try await store.sync()
    #expect(try await server.store().list(Book.self).count == 1)
    #expect(try await store.outbox().isEmpty)
  }

  @Test func `A list that can't be read fails by itself, and nothing is deleted for it`() async throws {
    let store = client()
    try await store.save(Tag.labeled("a", "A"))
    try await store.sync()
    server.plan(HTTPResponseData(status: 500), HTTPResponseData(status: 500), HTTPResponseData(status: 500))
    let report = try await store.sync()
    #expect(report.failures.map(\.type) == ["Author", "Book", "Tag"])
    #expect(try await store.list(Tag.self).count == 1)
  }

  @Test func `The server's messages about fields are in the error of the outbox entry`() async throws {
    let store = client()
    try await store.save(Tag.labeled("a", "poison"))
    let report = try await store.sync()
    #expect(report.failures.first?.error.message.contains("label is poison") == true)
    #expect(try await store.failures().first?.error?.contains("status 422") == true)
  }

  @Test func `Deletions reach the server`() async throws {
    let store = client()
    try await store.save(Tag.labeled("a", "A"))
    try await store.sync()
    try await store.delete(try await store.lookup(Tag.self, identifier: "a"))
    try await store.sync()
    #expect(server.lines.last == "DELETE /tags/a")
    #expect(try await store.outbox().isEmpty)
    #expect(try await server.store().list(Tag.self).isEmpty)
  }

  @Test func `An offline store works, and reports that when it synchronises`() async throws {
    let store = client()
    try await store.save(Tag.labeled("a", "A"))
    try await store.sync()
    let address = try #require(URL(string: "http://api.test"))
    let offline = SyncModelStore(
      store.handle, remote: RESTModelStore(baseURL: address, transport: NoNetwork()), types: [Tag.self])
    let tag = try await offline.lookup(Tag.self, identifier: "a")
    tag.label.value = "B"
    try await offline.save(tag)
    try await offline.save(Tag.labeled("b", "B"))
    let error = try await #require(throws: ModelStoreError.self) { try await offline.sync() }
    #expect(error.code == .offline)
    #expect(try await offline.outbox().count == 2)
    #expect(try await store.sync().pushed == 2)
  }
}

struct NoNetwork: HTTPTransport {
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    throw ModelStoreError(.offline, "There is no network.")
  }
}

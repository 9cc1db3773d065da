@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import RESTStore
import StoreProtocol
import SyncStore
import Testing

@Suite struct `An answer of the server` {
  let server = RESTFixture()
  private let list = HTTPResponseData(status: 200, body: Data("[]".utf8))

  private func client(_ local: MemoryEngine = MemoryModelStore().handle) -> MemorySyncStore {
    SyncModelStore(local: MemoryModelStore(local), remote: server.store(), types: [Tag.self, Author.self])
  }

  private func answer(_ json: String, status: Int = 200) -> HTTPResponseData {
    HTTPResponseData(status: status, headers: ["Content-Type": "application/json"], body: Data(json.utf8))
  }

  /// A client with a tag of which a change waits.
  private func withEdit() async throws -> (store: MemorySyncStore, tag: Tag) {
    let (store, tag) = (client(), Tag.labeled("a", "A"))
    try await store.save(tag)
    try await store.sync()
    tag.label.value = "B"
    try await store.save(tag)
    return (store, tag)
  }

  // MARK: Messages by field

  @Test(arguments: [409, 422])
  func `The messages of a rejection are on the fields of the model`(status: Int) async throws {
    let (store, tag) = (client(), Tag.labeled("a", "A"))
    try await store.save(tag)
    server.plan(list, list, answer(#"{"errors": {"label": ["is taken", "is short"]}}"#, status: status))
    #expect(try await store.sync().waiting == 1)
    #expect(tag.validationErrors.map(\.description) == ["label is taken", "label is short"])
    tag.label.value = "Other"
    try await store.save(tag)
    #expect(try await store.sync().waiting == 0)
    #expect(tag.validationErrors.isEmpty)
  }

  @Test func `A message about a field of an update is on the field of the model`() async throws {
    let (store, tag) = try await withEdit()
    tag.label.value = "poison"
    try await store.save(tag)
    try await store.sync()
    #expect(tag.validationErrors.map(\.message) == ["is poison"])
  }

  @Test func `An entry of an import that the server rejects delays no other`() async throws {
    let store = client()
    let entries = (0..<5).map { "{\"id\": \"\($0)\", \"label\": \"\($0 == 2 ? "poison" : "A")\"}" }
    let json = "[\(entries.joined(separator: ","))]"
    #expect(try await store.importModels(Tag.self, fromJSON: Data(json.utf8)).created.count == 5)
    let report = try await store.sync()
    #expect(report.failures.map(\.identifier) == ["2"] && report.waiting == 1)
    #expect(try await server.store().list(Tag.self).count == 4)
  }

  // MARK: Discarded changes

  @Test func `A record is sent without its reference to a new one whose changes were discarded`() async throws {
    let store = SyncModelStore(local: MemoryModelStore(), remote: server.store(), types: [Author.self, Book.self])
    let (author, book) = (Author(), Book.titled("Emma"))
    book.author.value = author
    try await store.save(book, including: .related)
    server.plan(list, list, answer(#"{"message": "forbidden"}"#, status: 403))
    try await store.sync()
    let failure = try #require(try await store.failures().first)
    try await store.discardChanges(failure)
    #expect(!author.isPersisted)
    #expect(try await store.list(Author.self).isEmpty)
    #expect(try await store.sync().waiting == 0)
    #expect(book.author.value == nil && !book.isDirty)
    #expect(try await store.outbox().isEmpty)
    #expect(try await store.brokenLinks(of: [Book.self]).isEmpty)
    #expect(try await store.discardedValues().map(\.key) == ["author"])
    #expect(try await server.store().list(Book.self).map(\.title.value) == ["Emma"])
  }

  // MARK: Nonsense

  @Test func `An update that is answered with another identifier is parked`() async throws {
    let (store, tag) = try await withEdit()
    server.plan(answer(#"[{"id": "a", "label": "A"}]"#), list, answer(#"{"id": "a", "label": "A"}"#))
    server.plan(answer(#"{"id": "z", "label": "B"}"#), answer(#"{"id": "z", "label": "B"}"#))
    try await store.sync()
    let entry = try #require(try await store.failures().first)
    #expect(entry.error?.contains("/tags/a") == true, "\(entry.error ?? "")")
    #expect(entry.error?.contains(#"id: expected "a", found "z""#) == true, "\(entry.error ?? "")")
    #expect(tag.id.value == "a" && tag.label.value == "B")
    try await store.retry(entry)
    #expect(try await store.sync().waiting == 0)
    #expect(try await server.store().lookup(Tag.self, identifier: "a").label.value == "B")
  }

  @Test(arguments: [#"{"id": "z", "label": "B"}"#, "<html>Sign in</html>", #"{"id": "a", "label": [1]}"#])
  func `An update whose answer can't be read is parked after one request if the server did not carry it out`(
    body: String
  ) async throws {
    let (store, tag) = try await withEdit()
    server.plan(answer(#"[{"id": "a", "label": "A"}]"#), list, answer(#"{"id": "a", "label": "A"}"#), answer(body))
    let report = try await store.sync()
    #expect(report.failures.map(\.identifier) == ["a"] && report.waiting == 1)
    #expect(server.requests.count { $0.method == .patch } == 1)
    let entry = try #require(try await store.failures().first)
    #expect(entry.error?.contains("PATCH /tags/a") == true, "\(entry.error ?? "")")
    #expect(tag.label.value == "B")
    try await store.retry(entry)
    #expect(try await store.sync().waiting == 0)
    #expect(try await server.store().lookup(Tag.self, identifier: "a").label.value == "B")
  }

  @Test func `An update whose answer can't be read is done if the server has its values`() async throws {
    let (store, _) = try await withEdit()
    server.plan(answer(#"[{"id": "a", "label": "A"}]"#), list, answer(#"{"id": "a", "label": "A"}"#), answer("<html>"))
    server.plan(answer(#"{"id": "a", "label": "B"}"#))
    let report = try await store.sync()
    #expect(report.failures.isEmpty && report.waiting == 0)
  }

  @Test func `A record that is read before an update with another identifier is parked`() async throws {
    let (store, _) = try await withEdit()
    server.plan(answer(#"[{"id": "a", "label": "A"}]"#), list, answer(#"{"id": "z", "label": "A"}"#))
    try await store.sync()
    let entry = try #require(try await store.failures().first)
    #expect(entry.error?.contains(#"GET /tags/a"#) == true, "\(entry.error ?? "")")
    #expect(entry.error?.contains(#"id: expected "a", found "z""#) == true, "\(entry.error ?? "")")
    try await store.retry(entry)
    #expect(try await store.sync().waiting == 0)
  }

  @Test func `A creation that is answered with another identifier than its own is parked`() async throws {
    let (store, tag) = (client(), Tag.labeled("a", "A"))
    try await store.save(tag)
    server.plan(list, list, answer(#"{"id": "z", "label": "A"}"#, status: 201))
    let report = try await store.sync()
    #expect(report.failures.map(\.identifier) == ["a"] && report.waiting == 1)
    let entry = try #require(try await store.failures().first)
    #expect(entry.error?.contains(#"The server stored the Tag "a" with the identifier "z""#) == true)
    #expect(tag.id.value == "a")
    #expect(try await store.lookup(Tag.self, identifier: "a") === tag)
    // It is not sent again by itself.
    let count = server.requests.count { $0.method == .post }
    try await store.sync()
    #expect(server.requests.count { $0.method == .post } == count)
  }

  @Test func `A value of another type in an answer parks a creation with request, field and type`() async throws {
    let (store, tag) = (client(), Author())
    tag.name.value = "Jane"
    try await store.save(tag)
    server.plan(list, list, answer(#"{"id": 1, "name": {"first": "Jane"}}"#, status: 201))
    try await store.sync()
    let entry = try #require(try await store.failures().first)
    for part in ["POST /authors", "name", "a string", "an object"] {
      #expect(entry.error?.contains(part) == true, "\(entry.error ?? "")")
    }
  }

  @Test func `A page of a proxy instead of JSON parks nothing for ever that a retry does not send`() async throws {
    let (store, tag) = (client(), Tag.labeled("a", "A"))
    try await store.save(tag)
    server.plan(list, list, HTTPResponseData(status: 200, body: Data("<html>Sign in</html>".utf8)))
    try await store.sync()
    #expect(tag.label.value == "A")
    for entry in try await store.failures() { try await store.retry(entry) }
    try await store.sync()
    #expect(try await server.store().lookup(Tag.self, identifier: "a").label.value == "A")
    #expect(try await store.outbox().isEmpty)
  }
}

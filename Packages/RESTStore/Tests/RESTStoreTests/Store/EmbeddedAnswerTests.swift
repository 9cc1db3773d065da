import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

private final class Author: Model {
  let books: ModelArrayField<Book> = ModelField(inverse: \.author)*
  let id = Field<Int>()
  let name = Field<String>()
  let born = Field<Int>()
  override var identifierField: AnyField? { id }
}

private final class Book: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let author = ModelField<Author>(inverse: \.books)
  let publisher = ModelField<Publisher>(foreignKey: true, inverse: \.books)
  override var identifierField: AnyField? { id }
}

private final class Publisher: Model {
  let id = Field<String>()
  let name = Field<String>()
  let books: ModelArrayField<Book> = ModelField(foreignKey: true)*
  override var identifierField: AnyField? { id }
}

/// A dialect, and the answer of its server with a record or a list.
private struct Wrapping: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let dialect: any RESTDialect
  let one: @Sendable (String) -> String
  let list: @Sendable (String) -> String

  static let all = [
    Wrapping(testDescription: "JSON", dialect: JSONDialect(), one: { $0 }, list: { "[\($0)]" }),
    Wrapping(
      testDescription: "enveloped", dialect: EnvelopedDialect(), one: { #"{"data": \#($0)}"# },
      list: { #"{"data": [\#($0)]}"# }),
    Wrapping(
      testDescription: "Django", dialect: DjangoRESTDialect(), one: { $0 },
      list: { #"{"count": 1, "next": null, "results": [\#($0)]}"# }),
    Wrapping(testDescription: "PostgREST", dialect: PostgRESTDialect(), one: { $0 }, list: { "[\($0)]" }),
  ]

  func store(_ body: String, status: Int = 200) throws -> RESTModelStore {
    try RESTModelStore(StubTransport(status: status, body), dialect: dialect)
  }
}

/// The back reference to author 1 in each of the books.
private let backReferences = [
  #"{"id": 1}"#, #"{"id": 1, "name": "Ada"}"#, #"{"name": "Ada", "id": 1}"#,
  #"{"id": 1, "name": "Ada", "born": 1815}"#, #"{"id": 1, "books": [{"id": 10}]}"#,
  #"{"id": 1, "books": [{"id": 10, "title": "Notes"}, {"id": 11, "author": {"id": 1}}]}"#,
  #"{"id": 1, "books": []}"#, #"{"id": 1, "books": null}"#, #"{"id": 1, "books": [{"id": 11}, {"id": 10}]}"#,
  #"{"id": 1, "books": [{"id": 10, "author": null}, {"id": 12, "title": "Other"}]}"#,
  #"{"id": 1, "name": "Wrong", "born": null}"#, #"{"id": 1, "name": null, "books": [{"id": 10, "title": "Notes"}]}"#,
  #"{"name": "Ada"}"#, #"{}"#, #"{"id": null, "name": "Ada"}"#, #"{"id": "1"}"#, #"{"id": 2, "name": "Mary"}"#, "1",
  "2", "null",
]

private func author(_ back: String, first: Bool = false) -> String {
  let books =
    #""books": [{"id": 10, "title": "Notes", "author": \#(back)}, {"id": 11, "author": \#(back), "title": "Letters"}]"#
  return first
    ? #"{\#(books), "id": 1, "name": "Ada", "born": 1815}"# : #"{"id": 1, "name": "Ada", "born": 1815, \#(books)}"#
}

/// Returns the differences from author 1 with the books 10 and 11, each read once and clean.
private func problems(_ author: Author, in scope: ModelScope) -> [String] {
  let books = author.books.value ?? []
  let conditions = [
    ("values", author.id.value == 1 && author.name.value == "Ada" && author.born.value == 1815),
    ("members", books.map(\.id.value) == [10, 11]), ("titles", books.map(\.title.value) == ["Notes", "Letters"]),
    ("inverses", books.allSatisfy { $0.author.value === author }),
    ("load states", ([author.loadState] + books.map(\.loadState)).allSatisfy { $0 == .loaded }),
    ("clean", !author.isDirty && books.allSatisfy { !$0.isDirty }),
    ("identity", author.canonicalInstance(in: scope) === author),
    ("identity of books", books.allSatisfy { $0.canonicalInstance(in: scope) === $0 }),
  ]
  return conditions.filter { !$0.1 }.map(\.0)
}

@Suite struct `Answers with embedded records` {
  @Test(arguments: Wrapping.all)
  fileprivate func `A refresh keeps unsaved edits of other models whose records are in the answer`(
    wrapping: Wrapping
  ) async throws {
    let store = try wrapping.store(
      wrapping.one(#"{"id": 10, "title": "Notes", "author": {"id": 1, "name": "Ada", "born": 1815}}"#))
    let book = try await store.lookup(Book.self, identifier: "10")
    let author = try #require(book.author.value)
    author.name.value = "Ada Lovelace"
    book.title.value = "Notebook"
    try await store.refresh(book)
    #expect(book.title.value == "Notes" && !book.title.isDirty)
    #expect(author.name.value == "Ada Lovelace" && author.name.isDirty)
    #expect(author.born.value == 1815)
  }

  @Test(arguments: Wrapping.all, backReferences)
  private func `A looked-up record wins over the back references inside it`(_ server: Wrapping, _ back: String)
    async throws
  {
    for isFirst in [false, true] {
      let store = try server.store(server.one(author(back, first: isFirst)))
      let found = try await store.lookup(Author.self, identifier: "1")
      #expect(problems(found, in: store.scope) == [])
      #expect(try await store.lookup(Author.self, identifier: "1") === found)
      try await store.refresh(found)
      #expect(problems(found, in: store.scope) == [])
    }
  }

  @Test(arguments: Wrapping.all, backReferences)
  private func `A listed record wins over the back references inside it`(_ server: Wrapping, _ back: String)
    async throws
  {
    for isFirst in [false, true] {
      let store = try server.store(server.list(author(back, first: isFirst)))
      let found = try #require(try await store.list(Author.self).first)
      #expect(problems(found, in: store.scope) == [])
      #expect(try await store.list(Author.self).first === found)
      #expect(problems(found, in: store.scope) == [])
    }
  }

  @Test(arguments: Wrapping.all, backReferences)
  private func `The answer to a creation references the new model in its relations`(
    _ server: Wrapping, _ back: String
  ) async throws {
    for isFirst in [false, true] {
      let store = try server.store(server.one(author(back, first: isFirst)), status: 201)
      let new = Author()
      new.name.value = "Ada"
      new.born.value = 1815
      try await store.create(new)
      #expect(problems(new, in: store.scope) == [])
    }
  }

  @Test(arguments: backReferences)
  private func `A document takes precedence over the back references inside it`(_ back: String) throws {
    for isFirst in [false, true] {
      let text = author(back, first: isFirst)
      let scope = ModelScope()
      let read = try #require(try Author.list(fromJSON: Data("[\(text)]".utf8), in: scope).first)
      #expect(problems(read, in: scope) == [])
      let tree = ModelScope()
      let object = try #require(try JSONValue(json: Data(text.utf8)).objectValue)
      #expect(problems(try Author.from(dictionaryValue: object, in: tree), in: tree) == [])
      #expect(try Author.from(dictionaryValue: object, in: scope) === read)
      #expect(problems(read, in: scope) == [])
    }
  }

  @Test func `JSON:API: the answer to a creation references the new model from included resources`() async throws {
    let body = #"""
      {"data": {"type": "authors", "id": "1", "attributes": {"name": "Ada", "born": 1815},
        "relationships": {"books": {"data": [{"type": "books", "id": "10"}, {"type": "books", "id": "11"}]}}},
       "included": [
        {"type": "books", "id": "10", "attributes": {"title": "Notes"},
         "relationships": {"author": {"data": {"type": "authors", "id": "1"}}}},
        {"type": "books", "id": "11", "attributes": {"title": "Letters"},
         "relationships": {"author": {"data": {"type": "authors", "id": "1"}}}},
        {"type": "authors", "id": "1", "attributes": {"name": "Wrong"}}]}
      """#
    for status in [200, 201] {
      let store = try RESTModelStore(StubTransport(status: status, body), dialect: JSONAPIDialect())
      let author = Author()
      if status == 201 {
        author.name.value = "Ada"
        try await store.create(author)
      }
      let found = status == 201 ? author : try await store.lookup(Author.self, identifier: "1")
      #expect(problems(found, in: store.scope) == [])
    }
  }

  @Test func `A model whose values came with another record has no entity tag`() async throws {
    let body = #"{"id": 1, "name": "Ada"}"#, tag: HTTPHeaderList = ["ETag": "\"2\""]
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, headers: tag, body: Data(body.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(#"[{"id": 10, "author": {"id": 1, "name": "Old"}}]"#.utf8))),
      .success(HTTPResponseData(status: 200, headers: tag, body: Data(body.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(#"[{"id": 10, "author": {"id": 1}}]"#.utf8))),
      .success(HTTPResponseData(status: 304)),
    ])
    let store = try RESTModelStore(transport)
    let author = try await store.lookup(Author.self, identifier: "1")
    let books = try await store.list(Book.self)
    #expect(author.name.value == "Old")
    _ = try await store.lookup(Author.self, identifier: "1")
    #expect(author.name.value == "Ada")
    // A reference has no values.
    #expect(try await store.list(Book.self) == books)
    _ = try await store.lookup(Author.self, identifier: "1")
    #expect(transport.requests.map { $0.headers["If-None-Match"] } == [nil, nil, nil, nil, "\"2\""])
  }

  @Test func `The answer to an update takes the entity tags of other models whose values it has`() async throws {
    let transport = StubTransport([
      .success(
        HTTPResponseData(
          status: 200, headers: ["ETag": "\"2\""], body: Data(#"{"id": 1, "name": "Ada", "born": 1815}"#.utf8))),
      .success(
        HTTPResponseData(
          status: 200, headers: ["ETag": "\"7\""],
          body: Data(#"{"id": 10, "title": "New", "author": {"id": 1, "name": "Old"}}"#.utf8))),
      .success(HTTPResponseData(status: 204)),
    ])
    let store = try RESTModelStore(transport)
    let author = try await store.lookup(Author.self, identifier: "1")
    let book = try Book.from(dictionaryValue: ["id": 10, "title": "Old"], in: store.scope)
    book.title.value = "New"
    try await store.update(book)
    book.title.value = "Newer"
    try await store.update(book)
    author.born.value = 1816
    try await store.update(author)
    #expect(transport.requests.map { $0.headers["If-Match"] } == [nil, nil, "\"7\"", nil])
  }

  @MainActor
  @Test(arguments: [JSONDialect(), EnvelopedDialect()] as [any RESTDialect])
  func `A model that was saved during the request of a list keeps its values inside other records`(
    _ dialect: any RESTDialect
  ) async throws {
    let isEnveloped = dialect is EnvelopedDialect
    let transport = GatedTransport(holding: { $0.url.path.hasSuffix("/books") }) { request in
      if request.method == .patch { return HTTPResponseData(status: 204, headers: ["ETag": "\"3\""]) }
      let list = #"[{"id": 10, "author": {"id": 1, "name": "Old", "born": 1815}}]"#
      return HTTPResponseData(status: 200, body: Data((isEnveloped ? #"{"data": \#(list)}"# : list).utf8))
    }
    let store = try RESTModelStore(transport, dialect: dialect)
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Old"], in: store.scope)
    let list = Task { _ = try await store.list(Book.self).count }
    await transport.arrived(1)
    author.name.value = "New"
    try await store.update(author)
    transport.open()
    try await list.value
    #expect(author.name.value == "New" && !author.isDirty)
    author.name.value = "Newer"
    try await store.update(author)
    #expect(transport.requests.last?.headers["If-Match"] == "\"3\"")
  }

  @Test func `A value that does not fit in a nested record is reported with its key path`() async throws {
    let store = try RESTModelStore(
      StubTransport(status: 200, #"{"id": 1, "books": [{"id": 10, "author": {"id": 1, "books": [{"id": {}}]}}]}"#))
    let error = try await storeError { _ = try await store.lookup(Author.self, identifier: "1") }
    #expect(error.code == .server)
    #expect(error.message.contains("books[0].author.books[0].id"))
  }
}

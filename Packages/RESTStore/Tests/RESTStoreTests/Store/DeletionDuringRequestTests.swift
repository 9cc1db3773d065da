import Foundation
import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

private final class Author: Model {
  let id = Field<Int>()
  let books: ModelArrayField<Book> = ModelField(inverse: \.author)*
  let favourite = ModelField<Book>()
  override var identifierField: AnyField? { id }
}

private final class Book: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let author = ModelField<Author>(inverse: \.books)
  override var identifierField: AnyField? { id }
}

@Suite struct `A deletion during a request` {
  /// The book 10, an answer with it that is older than what follows, and more answers.
  private func store(_ answer: String, _ more: [HTTPResponseData]) throws -> RESTModelStore {
    let bodies = [#"{"id": 10, "title": "Notes"}"#, answer]
    let answers = bodies.map { HTTPResponseData(status: 200, body: Data($0.utf8)) } + more
    return try RESTModelStore(StubTransport(answers.map { .success($0) }))
  }

  @Test(arguments: [
    #"{"id": 1, "books": [{"id": 10, "title": "Notes"}, {"id": 11}]}"#, #"{"id": 1, "books": [10, 11]}"#,
    #"{"id": 1, "books": [11], "favourite": {"id": 10, "title": "Notes"}}"#,
  ])
  func `A model that was deleted during a request is not made again from a record inside the answer`(
    answer: String
  ) async throws {
    let store = try store(answer, [HTTPResponseData(status: 204)])
    let book = try await store.lookup(Book.self, identifier: "10")
    let result = try await store.request(.get, "/authors/1")
    try await store.delete(book)
    let author = try result.model(Author.self)
    #expect(author.books.value?.map(\.identifier) == ["11"] && author.favourite.value == nil)
    #expect(!author.isDirty && !book.isPersisted)
    #expect(store.scope.liveModel(Book.self, identifier: "10") == nil)
  }

  @Test func `A model that was created again during a request is linked by a record inside the answer`() async throws {
    let created = HTTPResponseData(status: 201, body: Data(#"{"id": 10, "title": "New"}"#.utf8))
    let store = try store(
      #"{"id": 1, "books": [{"id": 10, "title": "Notes"}]}"#, [HTTPResponseData(status: 204), created])
    let former = try await store.lookup(Book.self, identifier: "10")
    let result = try await store.request(.get, "/authors/1")
    try await store.delete(former)
    let book = Book()
    (book.id.value, book.title.value) = (10, "New")
    try await store.create(book)
    let author = try result.model(Author.self)
    #expect(author.books.value == [book])
    #expect(book.isPersisted && !book.isDirty && book.title.value == "New")
    #expect(store.scope.liveModel(Book.self, identifier: "10") === book)
  }
}

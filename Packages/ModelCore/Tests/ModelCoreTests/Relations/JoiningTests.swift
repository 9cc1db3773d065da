import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

@Suite struct `A list that was changed before a store has read it` {
  /// A record of author 1, as a tree and as a document.
  enum Record: CaseIterable {
    case tree, document

    @discardableResult
    func read(books identifiers: [Int]?, in scope: ModelScope, keepsLocalChanges: Bool = true) throws -> Author {
      let books = identifiers.map { JSONValue.array($0.map { ["id": .int($0)] }) } ?? .null
      let record: AttributeDictionary = ["id": 1, "name": "Ada", "books": books]
      let authors =
        switch self {
        case .tree: try scope.models(Author.self, from: [record], keepsLocalChanges: keepsLocalChanges)
        case .document:
          try scope.models(
            Author.self, fromJSON: JSONValue.array([.object(record)]).jsonData(), keepsLocalChanges: keepsLocalChanges)
        }
      return try #require(authors.first)
    }
  }

  private func identifiers(_ author: Author) -> [Int] { author.books.value?.compactMap(\.id.value) ?? [] }

  @Test(arguments: Record.allCases)
  func `A list that was changed before a store has read it has what was added, after what is stored`(record: Record)
    throws
  {
    let scope = ModelScope()
    let author = Author.with(identifier: "1", in: scope)
    let added = try Book.from(dictionaryValue: ["id": 3], in: scope)
    author.books.add(added)
    var seen: [[Int]] = []
    let token = author.books.addObserver { seen.append($0?.compactMap(\.id.value) ?? []) }
    try record.read(books: [1, 2], in: scope)
    #expect(identifiers(author) == [1, 2, 3])
    #expect(author.books.loadState == .loaded && author.books.isDirty)
    #expect(author.books.value?.allSatisfy { $0.author.value === author } == true)
    #expect(seen.last == [1, 2, 3])
    token.cancel()
    author.revert()
    #expect(identifiers(author) == [1, 2])
    #expect(!author.isDirty && added.author.value == nil)
  }

  @Test(arguments: Record.allCases)
  func `A list that was changed before a store has read it does not get back what was removed`(record: Record) throws {
    let scope = ModelScope()
    let removed = try Book.from(dictionaryValue: ["id": 1, "author": 1], in: scope)
    let author = try #require(removed.author.value)
    author.books.remove(removed)
    try record.read(books: [1, 2], in: scope)
    #expect(identifiers(author) == [2])
    #expect(author.books.loadState == .loaded && author.books.isDirty)
    #expect(removed.author.value == nil && removed.isDirty)
    author.revert()
    #expect(identifiers(author) == [1, 2])
    #expect(removed.author.value === author)
  }

  @Test(arguments: Record.allCases)
  func `A list that was changed before a store has read it is not dirty any more if that is what is stored`(
    record: Record
  ) throws {
    let scope = ModelScope()
    let author = Author.with(identifier: "1", in: scope)
    author.books.add(try Book.from(dictionaryValue: ["id": 1], in: scope))
    try record.read(books: [1], in: scope)
    #expect(identifiers(author) == [1])
    #expect(author.books.loadState == .loaded && !author.books.isDirty)
  }

  @Test(arguments: Record.allCases)
  func `A list that was changed before a store has read it is whole when nothing is stored`(record: Record) throws {
    let scope = ModelScope()
    let author = Author.with(identifier: "1", in: scope)
    author.books.add(try Book.from(dictionaryValue: ["id": 1], in: scope))
    try record.read(books: nil, in: scope)
    #expect(identifiers(author) == [1])
    #expect(author.books.loadState == .loaded && author.books.isDirty)
  }

  @Test(arguments: Record.allCases)
  func `A list that was changed before a store has read it stays as it was set, if it was set`(record: Record) throws {
    let scope = ModelScope()
    let author = Author.with(identifier: "1", in: scope)
    author.books.value = [try Book.from(dictionaryValue: ["id": 3], in: scope)]
    try record.read(books: [1, 2], in: scope)
    #expect(identifiers(author) == [3])
  }

  @Test(arguments: Record.allCases)
  func `A list that was changed before it was read is the stored one if changes are overwritten`(record: Record)
    throws
  {
    let scope = ModelScope()
    let author = Author.with(identifier: "1", in: scope)
    author.books.add(try Book.from(dictionaryValue: ["id": 3], in: scope))
    try record.read(books: [1, 2], in: scope, keepsLocalChanges: false)
    #expect(identifiers(author) == [1, 2])
    #expect(!author.books.isDirty)
  }
}

@Suite struct `A record of a store` {
  @Test func `A record of a store is all of a model, also if it has nothing but the identifier`() throws {
    let scope = ModelScope()
    let author = try #require(try scope.models(Author.self, from: [["id": 1]], keepsLocalChanges: true).first)
    #expect(author.loadState == .loaded)
    let other = try scope.models(Author.self, fromJSON: Data(#"[{"id":2}]"#.utf8), keepsLocalChanges: true).first
    #expect(other?.loadState == .loaded)
    // Nil where a document is read by way of a tree only.
    let third = scope.model(Author.self, fromJSON: Data(#"{"id":3}"#.utf8), identifier: "3", keepsLocalChanges: true)
    #expect(third == nil || third?.loadState == .loaded)
  }

  @Test func `A record of a store only refers to the models inside of which it has the identifier`() throws {
    let scope = ModelScope()
    let books = try scope.models(Book.self, from: [["id": 1, "author": ["id": 2]]], keepsLocalChanges: true)
    #expect(books.first?.author.value?.loadState == .incomplete)
  }
}

@Suite struct `A list in no record` {
  @Test func `A list in no record follows the other side again after it was reverted`() throws {
    let scope = ModelScope()
    let author = try #require(
      try scope.models(Author.self, from: [["id": 1, "name": "Ada"]], keepsLocalChanges: true).first)
    author.books.add(Book(title: "A"))
    author.revert()
    #expect(!author.isDirty && author.books.loadState == .notLoaded)
    let book = Book(title: "B")
    book.author.value = author
    #expect(author.isDirty)
    author.markWhollySaved(asOf: .next())
    #expect(!author.isDirty)
    #expect(author.books.value == [book])
  }
}

import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

@Suite struct `An incomplete list with local changes` {
  /// A record of author 1, as a tree and as a document.
  enum Record: CaseIterable {
    case tree, document

    @discardableResult
    func read(books identifiers: [Int]?, in scope: ModelScope, localChanges: LocalChanges = .keep) throws -> Author {
      let books = identifiers.map { JSONValue.array($0.map { ["id": .int($0)] }) } ?? .null
      let record: AttributeDictionary = ["id": 1, "name": "Ada", "books": books]
      let authors =
        switch self {
        case .tree: try scope.models(Author.self, from: [record], localChanges: localChanges)
        case .document:
          try scope.models(
            Author.self, fromJSON: JSONValue.array([.object(record)]).jsonData(), localChanges: localChanges)
        }
      return try #require(authors.first)
    }
  }

  private func identifiers(_ author: Author) -> [Int] { author.books.value?.compactMap(\.id.value) ?? [] }

  @Test(arguments: Record.allCases)
  func `An incomplete list has added members after the stored ones when it is loaded`(record: Record)
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
  func `An incomplete list does not restore removed members when it is loaded`(record: Record) throws {
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
  func `An incomplete list is clean if it equals the stored list when it is loaded`(
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
  func `An incomplete list is complete when it is loaded and the store has no members`(record: Record) throws {
    let scope = ModelScope()
    let author = Author.with(identifier: "1", in: scope)
    author.books.add(try Book.from(dictionaryValue: ["id": 1], in: scope))
    try record.read(books: nil, in: scope)
    #expect(identifiers(author) == [1])
    #expect(author.books.loadState == .loaded && author.books.isDirty)
  }

  @Test(arguments: Record.allCases)
  func `A list that was set keeps its members when the store reads it`(record: Record) throws {
    let scope = ModelScope()
    let author = Author.with(identifier: "1", in: scope)
    author.books.value = [try Book.from(dictionaryValue: ["id": 3], in: scope)]
    try record.read(books: [1, 2], in: scope)
    #expect(identifiers(author) == [3])
  }

  @Test(arguments: Record.allCases)
  func `A changed list is replaced by the stored one if local changes are overwritten`(record: Record)
    throws
  {
    let scope = ModelScope()
    let author = Author.with(identifier: "1", in: scope)
    author.books.add(try Book.from(dictionaryValue: ["id": 3], in: scope))
    try record.read(books: [1, 2], in: scope, localChanges: .overwrite)
    #expect(identifiers(author) == [1, 2])
    #expect(!author.books.isDirty)
  }
}

@Suite struct `A record of a store` {
  @Test func `A model is fully loaded from a record with only the identifier`() throws {
    let scope = ModelScope()
    let author = try #require(try scope.models(Author.self, from: [["id": 1]], localChanges: .keep).first)
    #expect(author.loadState == .loaded)
    let other = try scope.models(Author.self, fromJSON: Data(#"[{"id":2}]"#.utf8), localChanges: .keep).first
    #expect(other?.loadState == .loaded)
    // Nil if the document is read on the tree path only.
    let third = scope.model(Author.self, fromJSON: Data(#"{"id":3}"#.utf8), identifier: "3", localChanges: .keep)
    #expect(third == nil || third?.loadState == .loaded)
  }

  @Test func `An embedded object with only an identifier is read as an unloaded reference`() throws {
    let scope = ModelScope()
    let books = try scope.models(Book.self, from: [["id": 1, "author": ["id": 2]]], localChanges: .keep)
    #expect(books.first?.author.value?.loadState == .incomplete)
  }
}

@Suite struct `A list in no record` {
  @Test func `A list that is in no record is saved with its inverse again after a revert`() throws {
    let scope = ModelScope()
    let author = try #require(
      try scope.models(Author.self, from: [["id": 1, "name": "Ada"]], localChanges: .keep).first)
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

import Foundation
import ModelCore
import Testing

private enum First {
  final class Item: Model {
    let id = Field<Int>()
    let name = Field<String>()
    override var identifierField: AnyField? { id }
  }
}

private enum Second {
  final class Item: Model {
    let id = Field<Int>()
    let name = Field<String>()
    override var identifierField: AnyField? { id }
  }
}

@Suite struct `A scope` {
  @Test func `A scope has one object per identifier`() throws {
    let scope = ModelScope()
    let author = Author.with(identifier: "10", in: scope)
    #expect(Author.with(identifier: "10", in: scope) === author)
    #expect(Author.with(identifier: "11", in: scope) !== author)
    #expect(author.identifier == "10")
    #expect(author.scope === scope)
    #expect(author.loadState == .incomplete)
    #expect(!author.isDirty)
    #expect(try Author.from(dictionaryValue: ["id": 10, "name": "Ada"], in: scope) === author)
    #expect(author.loadState == .loaded)
    #expect(author.name == "Ada")
  }

  @Test func `A link between models of two scopes is reported`() throws {
    let (scope, other) = (ModelScope(), ModelScope())
    let book = Book.with(identifier: "1", in: scope), author = Author.with(identifier: "10", in: other)
    let issues = ReportedIssues.about("references a model of another scope (Author)") { book.author.value = author }
    #expect(issues.count == 1 && issues.first?.contains("author") == true)
    let none = ReportedIssues.about("references a model of another scope (Author)") {
      book.author.value = Author.with(identifier: "10", in: scope)
      book.author.value = Author()
    }
    #expect(none.isEmpty)
  }

  @Test func `The handler of issues is called directly, however often it was read before`() {
    for _ in 0..<300_000 { _ = ModelIssue.handler }
    let book = Book.with(identifier: "2", in: ModelScope()), author = Author.with(identifier: "20", in: ModelScope())
    let issues = ReportedIssues.about("references a model of another scope (Author)") { book.author.value = author }
    #expect(!issues.isEmpty)
  }

  @Test func `A scope does not retain models without unsaved changes`() throws {
    let scope = ModelScope()
    var author: Author? = try Author.from(dictionaryValue: ["id": 10, "name": "Ada"], in: scope)
    weak let ghost = author
    author = nil
    #expect(ghost == nil)
    #expect(Author.with(identifier: "10", in: scope).name.value == nil)
  }

  @Test func `A scope removes deallocated models, however many there were`() {
    let scope = ModelScope()
    let kept = Author.with(identifier: "0", in: scope)
    for id in 1...1_000 { _ = Author.with(identifier: String(id), in: scope) }
    #expect(Author.with(identifier: "0", in: scope) === kept)
  }

  @Test func `A scope is retained by its models`() {
    var scope: ModelScope? = ModelScope()
    let author = scope.map { Author.with(identifier: "10", in: $0) }
    scope = nil
    #expect(author?.scope != nil)
  }

  @Test func `A scope is independent of other scopes`() {
    let scope = ModelScope()
    let other = ModelScope()
    let author = Author.with(identifier: "10", in: scope)
    #expect(Author.with(identifier: "10", in: other) !== author)
  }

  @Test func `A scope distinguishes types with the same short name`() {
    let scope = ModelScope()
    let first = First.Item.with(identifier: "1", in: scope)
    let second = Second.Item.with(identifier: "1", in: scope)
    first.name.value = "first"
    #expect(second.name.value == nil)
    #expect(First.Item.with(identifier: "1", in: scope) === first)
    #expect(Second.Item.with(identifier: "1", in: scope) === second)
  }

  @Test func `A scope does not register models without identifier`() throws {
    let scope = ModelScope()
    let first = try Author.from(dictionaryValue: ["name": "Ada"], in: scope)
    #expect(try Author.from(dictionaryValue: ["name": "Ada"], in: scope) !== first)
    #expect(Order.with(identifier: "1", in: scope) !== Order.with(identifier: "1", in: scope))
  }

  @Test func `A scope resolves references that precede their object`() throws {
    let scope = ModelScope()
    let json = Data(
      #"""
      [{"id": 1, "title": "A", "author": {"id": 7}}, {"id": 2, "title": "B", "author": {"id": 7, "name": "Ada"}},
       {"id": 3, "title": "C", "author": 7}]
      """#.utf8)
    let books = try Book.list(fromJSON: json, in: scope)
    let author = try #require(books[0].author.value)
    #expect(books.allSatisfy { $0.author.value === author })
    #expect(author.name == "Ada")
    #expect(author.loadState == .loaded)
    #expect(author.books.value == books)
    #expect(Author.with(identifier: "7", in: scope) === author)
  }

  @Test func `Equal identifiers in one document are one object without a scope`() throws {
    let json = Data(
      #"""
      [{"title": "A", "author": 7}, {"title": "B", "author": {"id": 7, "name": "Ada"}}, {"title": "C", "author": {"id": 7}}]
      """#.utf8)
    let books = try Book.list(fromJSON: json)
    let author = try #require(books[0].author.value)
    #expect(books.allSatisfy { $0.author.value === author })
    #expect(author.name == "Ada")
    #expect(author.scope == nil)
    #expect(try Book.list(fromJSON: json)[0].author.value !== author)
  }

  @Test func `A scope reads into its live object and notifies the observers of that`() throws {
    let scope = ModelScope()
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"], in: scope)
    var names: [String?] = []
    author.name --> { names.append($0) }
    _ = try Author.from(dictionaryValue: ["id": 1, "name": "Bob"], in: scope)
    #expect(names == ["Ada", "Bob"])
  }

  @Test func `Models that are related to a model of a scope join it`() {
    let scope = ModelScope()
    let author = Author.with(identifier: "1", in: scope)
    let first = Book(id: 2, title: "A")
    let second = Book(id: 3, title: "B")
    author.books.add(first)
    second.author.value = author
    #expect(first.scope === scope)
    #expect(second.scope === scope)
    #expect(Book.with(identifier: "2", in: scope) === first)
    #expect(Book.with(identifier: "3", in: scope) === second)
  }

  @Test func `A scope keeps its registered model when a second one with the same identifier joins`() {
    let scope = ModelScope()
    let first = Book.with(identifier: "2", in: scope)
    let second = Book(id: 2, title: "A")
    let author = Author.with(identifier: "1", in: scope)
    author.books.add(second)
    #expect(Book.with(identifier: "2", in: scope) === first)
    #expect(author.books.value == [second])
  }

  @Test func `A scope applies its transformers to the models that are read in it`() throws {
    var transformers = ValueTransformerContext()
    transformers.transform(
      String.self, importValue: { $0.stringValue?.uppercased() }, exportValue: { .string($0.lowercased()) })
    let scope = ModelScope(transformers: transformers)
    let author = try Author.from(dictionaryValue: ["name": "ada"], in: scope)
    #expect(author.name == "ADA")
    #expect(author.dictionaryValue(fields: author.fields, in: scope) == ["name": "ada"])
  }
}

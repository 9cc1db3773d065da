import ModelCore
import Testing

@Suite struct `A list of related models` {
  @Test func `A list of related models is incomplete when it is known only from its inverses`() {
    let author = Author(name: "Ada")
    let book = Book(title: "A")
    book.author.value = author
    #expect(author.books.loadState == .incomplete)
    author.books.add(Book(title: "B"))
    #expect(author.books.loadState == .incomplete)
    book.author.value = nil
    #expect(author.books.loadState == .incomplete)
  }

  @Test func `A list of related models is loaded once it is set`() {
    let author = Author(name: "Ada")
    let book = Book(title: "A")
    book.author.value = author
    author.books.value = [book]
    #expect(author.books.loadState == .loaded)
  }

  @Test func `A list of related models stays loaded when members are added and removed`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 2]]])
    let book = Book(title: "A")
    book.author.value = author
    #expect(author.books.loadState == .loaded)
    book.author.value = nil
    #expect(author.books.loadState == .loaded)
  }

  @Test func `A list of related models is incomplete in an unloaded reference`() {
    let author = Author.with(identifier: "1", in: ModelScope())
    author.books.add(Book(title: "A"))
    #expect(author.books.loadState == .incomplete)
  }

  @Test func `A list of related models is written by a new model, whose lists are complete`() {
    let author = Author(name: "Ada")
    let book = Book(title: "A")
    book.author.value = author
    #expect(author.dictionaryValue == ["name": "Ada", "books": [["title": "A"]]])
  }

  @Test func `A list of related models is written by a stored model only if the list was read`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"])
    let book = Book(title: "A")
    book.author.value = author
    #expect(author.dictionaryValue == ["id": 1, "name": "Ada"])
    author.books.value = [book]
    #expect(author.dictionaryValue["books"] != nil)
  }

  @Test func `A list of related models is loaded after reading it, and keeps earlier members`() throws {
    let scope = ModelScope()
    let book = try Book.from(dictionaryValue: ["id": 2, "author": 1], in: scope)
    let author = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 2], ["id": 3]]], in: scope)
    #expect(author.books.loadState == .loaded)
    #expect(author.books.count == 2)
    #expect(author.books.contains(book))
  }
}

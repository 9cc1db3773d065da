import ModelCore
import Testing

@Suite struct `A list of related models` {
  @Test func `A list of related models is incomplete when it is known only from its members`() {
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

  @Test func `A list of related models stays loaded when members come and go`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 2]]])
    let book = Book(title: "A")
    book.author.value = author
    #expect(author.books.loadState == .loaded)
    book.author.value = nil
    #expect(author.books.loadState == .loaded)
  }

  @Test func `A list of related models is incomplete in a model of which only the identifier is known`() {
    let author = Author.with(identifier: "1", in: ModelScope())
    author.books.add(Book(title: "A"))
    #expect(author.books.loadState == .incomplete)
  }

  @Test func `A list of related models is written by a new model, which knows all there is`() {
    let author = Author(name: "Ada")
    let book = Book(title: "A")
    book.author.value = author
    #expect(author.dictionaryValue == ["name": "Ada", "books": [["title": "A"]]])
  }

  @Test func `A list of related models is not written by a model that was read, unless it was read itself`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"])
    let book = Book(title: "A")
    book.author.value = author
    #expect(author.dictionaryValue == ["id": 1, "name": "Ada"])
    author.books.value = [book]
    #expect(author.dictionaryValue["books"] != nil)
  }

  @Test func `A list of related models is loaded after reading it, and keeps members that were seen before`() throws {
    let scope = ModelScope()
    let book = try Book.from(dictionaryValue: ["id": 2, "author": 1], in: scope)
    let author = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 2], ["id": 3]]], in: scope)
    #expect(author.books.loadState == .loaded)
    #expect(author.books.count == 2)
    #expect(author.books.contains(book))
  }
}

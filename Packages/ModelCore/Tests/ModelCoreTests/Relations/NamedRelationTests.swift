import ModelCore
import Testing

private final class Publisher: Model {
  let titles = ModelField<Book>(key: "published_titles")*
}

@Suite struct `A relation found by name` {
  private let ada = Author(name: "Ada")
  private let book = Book(title: "A")

  @Test func `A relation found by name adds models, on both sides`() throws {
    try ada.add(book, forKey: "books")
    #expect(ada.books.value == [book])
    #expect(book.author.value === ada)
    try ada.add([book, Book(title: "B")], forKey: "books")
    #expect(ada.books.count == 2)
    try ada.remove(book, forKey: "books")
    #expect(book.author.value == nil)
    try ada.remove(book, forKey: "books")
    #expect(ada.books.count == 1)
  }

  @Test func `A to-one relation found by name is set with its inverse, and to nil`() throws {
    try book.set(ada, forKey: "author")
    #expect(book.author.value === ada)
    #expect(ada.books.value == [book])
    try book.set(nil as Author?, forKey: "author")
    #expect(ada.books.value == [])
  }

  @Test func `A to-many relation found by name is set as a list`() throws {
    let books = [book, Book(title: "B")]
    try ada.set(books, forKey: "books")
    #expect(ada.books.value == books)
    try ada.set([], forKey: "books")
    #expect(book.author.value == nil)
  }

  @Test func `A to-many relation found by name accepts members after it was set to nil`() throws {
    ada.books.value = nil
    try ada.add(book, forKey: "books")
    #expect(ada.books.value == [book])
  }

  @Test func `A relation is found by its key and by its property`() throws {
    let publisher = Publisher()
    try publisher.add(book, forKey: "published_titles")
    try publisher.add(Book(title: "B"), forKey: "titles")
    let relation = try publisher.relation(forKey: "titles")
    #expect(relation.relatedModels.count == 2)
  }

  @Test func `A relation that is not found by its name is an error`() {
    #expect(refusal { try ada.add(book, forKey: "novels") } == .notFound)
    #expect(refusal { try ada.set(book, forKey: "name") } == .notFound)
    #expect(refusal { try ada.remove(book, forKey: "x") } == .notFound)
  }

  @Test func `A relation found by name rejects models of another class, all or none`() throws {
    let error = #expect(throws: FieldError.self) { try ada.add([book, ada], forKey: "books") }
    #expect(error?.description == "The relation \"books\" was not changed: it refers to Book, not to Author.")
    #expect(ada.books.value == [])
    #expect(refusal { try book.set(book, forKey: "author") } == .wrongType)
    #expect(book.author.value == nil)
  }

  @Test func `A to-one relation found by name rejects operations of lists, and the reverse`() {
    #expect(refusal { try book.add(ada, forKey: "author") } == .wrongCardinality)
    #expect(refusal { try book.set([ada], forKey: "author") } == .wrongCardinality)
    #expect(refusal { try ada.set(book, forKey: "books") } == .wrongCardinality)
    #expect(refusal { try ada.set(nil as Book?, forKey: "books") } == .wrongCardinality)
  }
}

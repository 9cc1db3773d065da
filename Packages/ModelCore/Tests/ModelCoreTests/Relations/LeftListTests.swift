import ModelCore
import Testing

@Suite struct `A list with deallocated members` {
  @Test func `A list with deallocated members stays incomplete when it is set to the remaining ones`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "books": []])
    let book = Book(title: "A")
    book.author.value = author
    addBookThatGoes(to: author)
    #expect(author.books.value == [book])
    author.books.value = author.books.value
    #expect(author.books.loadState == .incomplete)
    author.books.value = []
    #expect(author.books.loadState == .loaded)
  }

  @Test func `A list whose members are all deallocated stays incomplete when it is set to an empty list`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"])
    addBookThatGoes(to: author)
    #expect(author.books.value == [])
    author.books.value = author.books.value
    #expect(author.books.loadState == .incomplete)
    #expect(author.dictionaryValue["books"] == nil)
  }

  @Test func `A list with deallocated members is emptied by removeAll`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"])
    addBookThatGoes(to: author)
    #expect(author.books.value == [])
    author.books.removeAll()
    #expect(author.books.loadState == .loaded)
    #expect(author.books.isDirty)
    #expect(author.dictionaryValue["books"] == [])
  }

  private func addBookThatGoes(to author: Author) {
    let book = Book(title: "B")
    withExtendedLifetime(book) { book.author.value = author }
  }
}

import ModelCore
import Testing

@Suite struct `A field of a model` {
  @Test func `A field of a model has its model as owner and the name of its property as key`() {
    let book = Book()
    #expect(book.title.owner === book)
    #expect(book.title.key == "title")
    #expect(book.author.owner === book)
    #expect(book.author.key == "author")
  }

  @Test func `A field of a model keeps the key it was declared with`() {
    final class Song: Model {
      let title = Field<String>(name: "Title", key: "song_title")
      let tags = ArrayField(Field<String>(key: "labels"))
    }
    let song = Song()
    #expect(song.title.key == "song_title")
    #expect(song.title.name == "Title")
    #expect(song.tags.key == "labels")
  }

  @Test func `A field of a model has no owner and no key once its model is deallocated`() {
    var book: Book? = Book(title: "T")
    let title = book?.title
    let author = book?.author
    #expect(title?.owner === book)
    book = nil
    #expect(title?.owner == nil)
    #expect(title?.key == nil)
    #expect(author?.owner == nil)
    #expect(title?.value == "T")
    title?.value = "still works"
    #expect(title?.value == "still works")
  }

  @Test func `A field that outlives its model can be set to a related model`() {
    let author = Author(name: "Ada")
    let field = Book().author
    field.value = author
    #expect(field.value === author)
    #expect(author.books.value == [])
    field.value = nil
    #expect(field.value == nil)
  }

  @Test func `A field that outlives its model keeps a list`() {
    let book = Book(title: "T")
    let field = Author(name: "Ada").books
    #expect(field.add(book))
    #expect(!field.add(book))
    #expect(field.value == [book])
    #expect(book.author.value == nil)
    #expect(field.remove(book))
    #expect(field.value == [])
  }

  @Test func `A field of a model without model has neither owner nor property name`() {
    let field = Field<Int>()
    #expect(field.owner == nil)
    #expect(field.key == nil)
  }

  @Test func `A field of a model starts unset, relations too`() {
    let author = Author()
    #expect(author.fields.allSatisfy { $0.loadState == .notLoaded })
    #expect(author.books.value == [])
    #expect(author.loadState == .loaded)
    #expect(!author.isDirty)
  }

  @Test func `A field of a model makes its model dirty on a change`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"])
    #expect(!author.isDirty)
    author.name.value = "Ada"
    #expect(!author.isDirty)
    author.name.value = "Bob"
    #expect(author.isDirty)
    try author.read(["name": "Cy"])
    #expect(!author.isDirty)
  }
}

import Foundation
import ModelCore
import Testing

@Suite struct `Reading a model` {
  @Test func `A model that was read has loaded fields and is not dirty`() throws {
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "T", "year": 1900])
    #expect(book.title == "T")
    #expect(book.year == 1900)
    #expect(book.title.loadState == .loaded)
    #expect(book.loadState == .loaded)
    #expect(!book.isDirty)
  }

  @Test func `Reading a model creates nested models, which reference their owner`() throws {
    let author = try Author.from(dictionaryValue: [
      "name": "Ada", "books": [["title": "A"], ["title": "B"]],
    ])
    #expect(author.books.value?.map(\.title.value) == ["A", "B"])
    #expect(author.books.loadState == .loaded)
    #expect(author.books.value?.allSatisfy { $0.author.value === author } == true)
  }

  @Test(arguments: ["7", "7.0", "7e0", "\"7\""])
  func `A foreign key is read in each spelling of its integer`(spelling: String) throws {
    let track = try Track.from(json: Data("{\"album\": \(spelling)}".utf8))
    #expect(track.album.value?.id.value == 7)
    let album = try Album.from(json: Data("{\"tracks\": [\(spelling)]}".utf8))
    #expect(album.tracks.value?.map(\.id.value) == ["7"])
  }

  @Test func `A foreign key is no fraction`() {
    #expect(throws: ModelDecodingError.self) { try Track.from(dictionaryValue: ["album": 7.5]) }
    #expect(throws: ModelDecodingError.self) { try Album.from(dictionaryValue: ["tracks": [7.5]]) }
  }

  @Test func `Reading a model makes neither side of a relation dirty`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 2], ["id": 3, "title": "B"]]])
    #expect(!author.isDirty)
    #expect(author.books.value?.contains(where: \.isDirty) == false)
    let book = try Book.from(dictionaryValue: ["id": 4, "author": ["id": 5, "name": "Bob"]])
    #expect(!book.isDirty)
    #expect(book.author.value?.isDirty == false)
  }

  @Test func `Reading a model keeps the unsaved changes of its inverses`() throws {
    let scope = ModelScope()
    let author = try Author.from(dictionaryValue: ["id": 1, "books": []], in: scope)
    author.books.add(Book(title: "new"))
    let book = try Book.from(dictionaryValue: ["id": 4, "author": 1], in: scope)
    #expect(author.books.count == 2)
    #expect(author.books.contains(book))
    #expect(author.books.isDirty)
  }

  @Test func `A model is read from the bytes of a document that is one object`() throws {
    let book = try Book.from(json: Data(#"{"title": "T", "author": {"name": "Ada"}}"#.utf8))
    #expect(book.title == "T")
    #expect(book.author.value?.name.value == "Ada")
  }

  @Test func `Models are read from lists, of the whole document or at a path`() throws {
    let list = try Author.list(fromJSON: Data(#"[{"name": "Ada"}, {"name": "Bob"}]"#.utf8))
    #expect(list.map(\.name.value) == ["Ada", "Bob"])
    let nested = Data(#"{"result": {"pages": [{"authors": [{"name": "Cy"}]}]}}"#.utf8)
    #expect(try Author.list(fromJSON: nested, at: "result.pages[0].authors").map(\.name.value) == ["Cy"])
    #expect(try Author.list(fromJSON: Data("[]".utf8)).isEmpty)
  }

  @Test func `Reading into a live model changes only the fields in the document`() throws {
    let author = Author(id: 1, name: "Ada")
    let kept = Book(id: 2, title: "A")
    author.books.add(kept)
    try author.read(["name": "Bob", "unknown": 1])
    #expect(author.id == 1)
    #expect(author.name == "Bob")
    #expect(author.books.value == [kept])
  }

  @Test func `Reading into a live model finds it again inside the document`() throws {
    let author = Author(id: 1, name: "Ada")
    let book = Book(id: 2, title: "A")
    author.books.add(book)
    try author.read(author.dictionaryValue)
    #expect(author.books.count == 1)
    #expect(author.books.value?.first?.author.value === author)
    let fresh = Author()
    try fresh.read(author.dictionaryValue)
    #expect(fresh.books.value?.first?.author.value === fresh)
  }

  @Test func `Reading a model notifies observers once, after all changes`() throws {
    let author = Author(id: 1, name: "Ada")
    var log: [String] = []
    author.name.addObserver(updateImmediately: false) { old, new in
      log.append("name \(old ?? "-") \(new ?? "-")")
    }
    author.books.addObserver(updateImmediately: false) { _, new in
      log.append("books \(new?.map { $0.title.value ?? "-" } ?? [])")
    }
    try author.read(["books": [["title": "A"], ["title": "B"]], "name": "Bob"])
    #expect(log == ["name Ada Bob", #"books ["A", "B"]"#])
  }

  @Test func `A relation is read from an identifier or an object`() throws {
    let book = try Book.from(dictionaryValue: ["title": "T", "author": 7])
    #expect(book.author.value?.identifier == "7")
    #expect(book.author.value?.loadState == .incomplete)
  }

  @Test func `A loaded model stays loaded when a reference to it is read`() throws {
    let scope = ModelScope()
    let author = try Author.from(dictionaryValue: ["id": 7, "name": "Ada"], in: scope)
    _ = try Book.from(dictionaryValue: ["title": "T", "author": ["id": 7]], in: scope)
    #expect(author.loadState == .loaded)
    #expect(author.name == "Ada")
  }

  @Test func `An unloaded reference is loaded when its model is read`() throws {
    let scope = ModelScope()
    let book = try Book.from(dictionaryValue: ["title": "T", "author": 7], in: scope)
    let author = try Author.from(dictionaryValue: ["id": 7, "name": "Ada"], in: scope)
    #expect(book.author.value === author)
    #expect(author.loadState == .loaded)
  }

  @Test func `Reading a list removes repeated members`() throws {
    let author = try Author.from(dictionaryValue: ["books": [["id": 1, "title": "A"], ["id": 1, "year": 1900]]])
    #expect(author.books.count == 1)
    #expect(author.books.value?.first?.title.value == "A")
    #expect(author.books.value?.first?.year.value == 1900)
  }
}

@_spi(ModelKitInternals) import ModelCore
import Testing

@Suite struct `Unsaved models` {
  @Test func `Unsaved models are kept by their scope until they are saved`() throws {
    let scope = ModelScope()
    var author: Author? = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"], in: scope)
    weak let ghost = author
    #expect(scope.unsavedModels.isEmpty)
    author?.name.value = "Bob"
    author = nil
    #expect(ghost?.name.value == "Bob")
    #expect(scope.unsavedModels.first === ghost)
    if let ghost { ghost.markSaved([ghost.name], asOf: .next()) }
    #expect(ghost == nil)
  }

  @Test func `Unsaved models are kept again when they are changed again`() throws {
    let scope = ModelScope()
    var author: Author? = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"], in: scope)
    for name in ["Bob", "Cyd"] {
      author?.name.value = name
      #expect(scope.unsavedModels.count == 1)
      if let author { author.markSaved(author.fields, asOf: .next()) }
      #expect(scope.unsavedModels.isEmpty)
    }
    weak let ghost = author
    author = nil
    #expect(ghost == nil)
  }

  @Test func `Unsaved models are kept as long as one change is left`() throws {
    let scope = ModelScope()
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "A", "year": 1], in: scope)
    book.title.value = "B"
    book.year.value = 2
    book.markSaved([book.title], asOf: .next())
    #expect(scope.unsavedModels == [book])
    try book.read(["year": 3])
    #expect(scope.unsavedModels.isEmpty)
  }

  @Test func `Unsaved models are new models too, once they are related to one of the scope`() {
    let scope = ModelScope()
    let author = Author.with(identifier: "1", in: scope)
    weak var book: Book?
    do {
      let new = Book(title: "T")
      new.author.value = author
      book = new
    }
    #expect(book?.title.value == "T")
    #expect(author.books.value?.first === book)
    if let book { scope.forget(book) }
    #expect(book == nil)
  }

  @Test func `Unsaved models are not what was only read, nor what another was read with`() throws {
    let scope = ModelScope()
    let author = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 2], ["id": 3]]], in: scope)
    try author.read(["name": "Ada", "books": [["id": 3], ["id": 4]]])
    _ = try Book.from(dictionaryValue: ["id": 4, "author": ["id": 5]], in: scope)
    #expect(scope.unsavedModels.isEmpty)
    #expect(author.books.count == 1)
  }

  @Test func `Unsaved models are let go with their scope, and still know each other`() throws {
    var scope: ModelScope? = ModelScope()
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"], in: scope)
    weak var lost: Author?
    do {
      let other = try Author.from(dictionaryValue: ["id": 2, "name": "Bob"], in: scope)
      other.name.value = "Robert"
      author.name.value = "Eve"
      lost = other
    }
    #expect(lost != nil)
    scope = nil
    #expect(lost == nil)
    let later = try #require(author.scope)
    #expect(Author.with(identifier: "1", in: later) === author)
  }

  @Test func `Unsaved models and their scope free each other`() {
    weak var ghost: Book?
    weak var ghostScope: ModelScope?
    do {
      let scope = ModelScope()
      let author = Author.with(identifier: "1", in: scope)
      let book = Book(title: "T")
      author.books.add(book)
      ghost = book
      ghostScope = scope
    }
    #expect(ghost == nil)
    #expect(ghostScope == nil)
  }

  @Test func `Unsaved models that are written inside another one are kept by that one`() throws {
    let scope = ModelScope()
    let author = Author(id: 1, name: "Ada")
    let book = Book(title: "T")
    author.books.add(book)
    scope.add(author)
    author.name.value = "Ada L."
    scope.add(book)
    #expect(scope.unsavedModels.count == 2)
    author.markSaved(author.fields, asOf: .next())
    #expect(scope.unsavedModels.isEmpty)
    book.title.value = "U"
    #expect(scope.unsavedModels == [book])
  }

  @Test func `Unsaved models tell their observers of states as before`() throws {
    let scope = ModelScope()
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "A"], in: scope)
    var states: [ValidationState] = []
    book.title.validationStates.addObserver(updateImmediately: false) { _, new in states.append(new) }
    book.title.value = "B"
    book.title.validate()
    book.title.value = "C"
    #expect(states.count == 2)
    #expect(scope.unsavedModels == [book])
  }
}

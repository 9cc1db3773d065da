import Testing

@_spi(ModelKitInternals) @testable import ModelCore

@Suite struct `Unsaved models` {
  @Test func `Unsaved models are retained by their scope until they are saved`() throws {
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

  @Test func `A saved model is retained by its scope again when it is changed again`() throws {
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

  @Test func `A transaction visits unsaved models only if one was edited since the last transaction`() throws {
    let scope = ModelScope()
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada", "books": [["id": 1]]], in: scope)
    let book = try #require(author.books.value?.first)
    author.name.value = "Bob"
    func begin() -> TransactionEdits {
      TransactionEdits(in: scope, onFailure: { _ in }, wasInside: { true }, where: { true })
    }
    #expect(scope.map.hasUnwatchedEdits)
    begin().end()
    let edits = begin()
    book.title.value = "Emma"
    author.markSaved(author.fields, asOf: .next())
    author.name.value = "Cyd"
    edits.end()
    #expect(!scope.map.hasUnwatchedEdits)
    for name in ["Dan", "Eve"] {
      author.name.value = name
      #expect(scope.map.hasUnwatchedEdits)
      let edits = begin()
      #expect(!scope.map.hasUnwatchedEdits)
      author.name.value = "Fay"
      book.title.value = "Persuasion"
      edits.revert {}
      #expect(author.name == name && book.title == "Emma")
    }
  }

  @Test func `A model is retained by its scope while one change is unsaved`() throws {
    let scope = ModelScope()
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "A", "year": 1], in: scope)
    book.title.value = "B"
    book.year.value = 2
    book.markSaved([book.title], asOf: .next())
    #expect(scope.unsavedModels == [book])
    try book.read(["year": 3])
    #expect(scope.unsavedModels.isEmpty)
  }

  @Test func `New models are retained by a scope once they are related to one of its models`() {
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
    if let book { scope.remove(book) }
    #expect(book == nil)
  }

  @Test func `Models that were only read are not among the unsaved models of a scope`() throws {
    let scope = ModelScope()
    let author = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 2], ["id": 3]]], in: scope)
    try author.read(["name": "Ada", "books": [["id": 3], ["id": 4]]])
    _ = try Book.from(dictionaryValue: ["id": 4, "author": ["id": 5]], in: scope)
    #expect(scope.unsavedModels.isEmpty)
    #expect(author.books.count == 1)
  }

  @Test func `Unsaved models are released with their scope, and other models keep its identity map`() throws {
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

  @Test func `Unsaved models and their scope form no retain cycle`() {
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

  @Test func `Embedded unsaved models are retained by the model that contains them`() throws {
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
    #expect(scope.unsavedModels == [author])
  }

  @Test func `Unsaved models in a scope notify their observers of states as before`() throws {
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

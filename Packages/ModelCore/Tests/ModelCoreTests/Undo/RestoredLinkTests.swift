import Testing

@_spi(ModelKitInternals) @testable import ModelCore

@Suite struct `Links of which one side is restored` {
  private func save(_ models: ModelObject...) {
    for model in models { model.markSaved(model.allStoredFields, asOf: .next()) }
  }

  @Test func `Both models are deallocated after another task saved one side beside a transaction that fails`() throws {
    weak var formerAuthor: Author?
    weak var formerBook: Book?
    do {
      let scope = ModelScope()
      let author = try Author.from(dictionaryValue: ["id": 1, "books": []], in: scope)
      let book = Book(id: 1, title: "Emma")
      book.author.value = author
      var isInside = true
      let edits = TransactionEdits(in: scope, onFailure: { _ in }, wasInside: { isInside }, where: { isInside })
      author.books.remove(book)
      author.books.add(book)
      isInside = false
      save(author)
      isInside = true
      edits.revert {}
      isInside = false
      save(book)
      #expect(author.books.value == [book] && book.author.value === author)
      #expect(!author.isDirty && !book.isDirty && scope.unsavedModels.isEmpty)
      (formerAuthor, formerBook) = (author, book)
    }
    #expect(formerAuthor == nil && formerBook == nil)
  }

  @Test func `Both models are deallocated after an undo of a step that removed a link and added it again`() throws {
    weak var formerAuthor: Author?
    weak var formerBook: Book?
    do {
      let scope = ModelScope()
      let author = Author(id: 1, name: "Ada").canonicalInstance(in: scope), book = Book(id: 1, title: "Emma")
      author.books.value = [book]
      let undo = ModelUndo(scope)
      undo.step {
        book.author.value = nil
        book.author.value = author
        author.books.add(Book(id: 2, title: "Persuasion"))
      }
      try undo.undo()
      #expect(author.books.value == [book] && book.author.value === author)
      undo.removeAll()
      save(author, book)
      #expect(scope.unsavedModels.isEmpty)
      (formerAuthor, formerBook) = (author, book)
    }
    #expect(formerAuthor == nil && formerBook == nil)
  }
}

import Testing

@_spi(ModelKitInternals) @testable import ModelCore

@Suite struct `Saves in transactions` {
  private final class Turn {
    var number = 0
  }

  private func save(_ model: ModelObject) { model.markSaved(model.allStoredFields, asOf: .next()) }

  @Test(arguments: [false, true])
  func `A commit of other fields by another store leaves a save uncommitted`(isTransaction: Bool) throws {
    let scope = ModelScope()
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "Emma"], in: scope)
    func begin() -> TransactionEdits {
      TransactionEdits(in: scope, onFailure: { _ in }, wasInside: { true }, where: { true })
    }
    let first = begin()
    book.title.value = "Persuasion"
    save(book)
    let second = isTransaction ? begin() : nil
    book.year.value = 1817
    book.markSaved([book.year], asOf: .next())
    if let second { second.commit {} } else { scope.noteCommit(of: book, writing: [book.year], asOf: .next()) }
    first.revert {}
    #expect(book.title.value == "Emma" && book.year.value == 1817)
    #expect(!book.isDirty)
  }

  @Test(arguments: [false, true])
  func `A save by another task leaves out fields that a failed nested transaction saved`(outerSaves: Bool) throws {
    let scope = ModelScope(), turn = Turn()
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"], in: scope)
    func begin(_ number: Int) -> TransactionEdits {
      TransactionEdits(
        in: scope, onFailure: { _ in }, wasInside: { turn.number >= number }, where: { turn.number >= number })
    }
    let outer = begin(1)
    turn.number = 1
    if outerSaves {
      author.name.value = "Bob"
      save(author)
    }
    let inner = begin(2)
    turn.number = 2
    author.name.value = "Cyd"
    save(author)
    turn.number = 1
    inner.revert {}
    turn.number = 0
    #expect(author.name.value == (outerSaves ? "Bob" : "Ada") && !author.isDirty)
    #expect(scope.fieldsToSave(of: author).isEmpty)
    #expect(author.storedBaseline(of: author.name)?.value == "Ada")
    turn.number = 1
    outer.revert {}
    #expect(author.name.value == "Ada" && !author.isDirty)
  }
}

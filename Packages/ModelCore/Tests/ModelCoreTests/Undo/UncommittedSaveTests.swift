import Testing

@_spi(ModelKitInternals) @testable import ModelCore

@Suite struct `Saves in transactions` {
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
}

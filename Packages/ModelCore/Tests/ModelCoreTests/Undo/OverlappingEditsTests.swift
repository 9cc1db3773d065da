import Testing

@_spi(ModelKitInternals) @testable import ModelCore

@Suite struct `Edits of one field by two transactions` {
  private final class Turn {
    var number = 0
  }

  @Test(arguments: [true, false])
  func `An edit over one of a transaction that failed is reverted to the value before both`(isDirty: Bool) throws {
    let scope = ModelScope(), turn = Turn()
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"], in: scope)
    if isDirty { author.name.value = "Bob" }
    let transactions = [1, 2].map { number in
      TransactionEdits(
        in: scope, onFailure: { _ in }, wasInside: { turn.number == number }, where: { turn.number == number })
    }
    for (transaction, name) in zip(1..., ["Cyd", "Dan"]) {
      turn.number = transaction
      author.name.value = name
    }
    turn.number = 1
    transactions[0].revert {}
    #expect(author.name.value == "Dan")
    turn.number = 2
    transactions[1].revert {}
    #expect(author.name.value == (isDirty ? "Bob" : "Ada"))
    #expect(author.isDirty == isDirty)
  }

  @Test func `An edit over one of a transaction that succeeds is reverted to that one`() throws {
    let scope = ModelScope(), turn = Turn()
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Ada"], in: scope)
    let transactions = [1, 2].map { number in
      TransactionEdits(
        in: scope, onFailure: { _ in }, wasInside: { turn.number == number }, where: { turn.number == number })
    }
    for (transaction, name) in zip(1..., ["Cyd", "Dan"]) {
      turn.number = transaction
      author.name.value = name
    }
    turn.number = 1
    transactions[0].end()
    turn.number = 2
    transactions[1].revert {}
    #expect(author.name.value == "Cyd")
    #expect(author.isDirty)
  }
}

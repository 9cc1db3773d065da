import Testing

@_spi(ModelKitInternals) @testable import ModelCore

private final class Firm: Model {
  let id = Field<Int>()
  let workers = ModelField<Worker>(foreignKey: true)*
  let guests = ModelField<Worker>()*
  override var identifierField: AnyField? { id }
}

private final class Worker: Model {
  let id = Field<Int>()
  let firm = ModelField<Firm>(foreignKey: true, inverse: \.workers)
  let host = ModelField<Firm>(foreignKey: true, inverse: \.guests)
  override var identifierField: AnyField? { id }

  convenience init(id: Int) {
    self.init()
    self.id.value = id
  }
}

@Suite struct `A rollback beside reads and saves of other tasks` {
  private final class Turn {
    var isInside = false
  }

  private let scope = ModelScope()
  private let turn = Turn()

  /// Begins a transaction, which the task is part of.
  private func begin() -> TransactionEdits {
    turn.isInside = true
    return TransactionEdits(
      in: scope, onFailure: { _ in }, wasInside: { [turn] in turn.isInside }, where: { [turn] in turn.isInside })
  }

  private func outside(_ body: () throws -> Void) rethrows {
    turn.isInside = false
    try body()
    turn.isInside = true
  }

  /// Deletes a model while another task's save of it ends, and rolls the transaction back.
  private func delete(
    _ model: ModelObject, in edits: TransactionEdits, besideASaveOf fields: [AnyField], asOf stamp: ChangeStamp,
    restoring state: ModelObject.StoreState
  ) {
    scope.noteDeletion(of: model)
    scope.remove(model)
    model.markDeleted(in: scope)
    outside {
      model.markSaved(fields, asOf: stamp)
      scope.noteCommit(of: model, writing: fields, asOf: stamp)
    }
    fail(edits) {
      model.restore(state)
      scope.addCreated(model)
    }
  }

  private func fail(_ edits: TransactionEdits, _ body: () -> Void = {}) {
    edits.revert(body)
    turn.isInside = false
  }

  @Test(arguments: [false, true])
  func `A link that a record has stays although its inverse is restored`(isDirty: Bool) throws {
    let firm = try Firm.from(dictionaryValue: ["id": 1, "workers": []], in: scope)
    if isDirty { firm.workers.add(Worker(id: 3)) }
    let edits = begin()
    firm.workers.add(Worker(id: 2))
    let read = { [scope] in try scope.models(Worker.self, from: [["id": 1, "firm": 1]], localChanges: .keep)[0] }
    var worker: Worker?
    if isDirty { try outside { worker = try read() } } else { worker = try read() }
    fail(edits)
    #expect(worker?.firm.value === firm && worker?.isDirty == false)
    #expect(firm.workers.value?.map(\.id.value) == (isDirty ? [3, 1] : [1]) && firm.isDirty == isDirty)
  }

  @Test func `A new model keeps its link to a list that another task changed`() {
    let firm = Firm()
    scope.add(firm)
    let edits = begin(), (theirs, ours) = (Worker(), Worker())
    outside { firm.guests.add(theirs) }
    ours.host.value = firm
    fail(edits)
    #expect(ours.host.value === firm && firm.guests.value == [theirs, ours])
  }

  @Test func `A link of a field that another task saved leaves a list that another task changed`() throws {
    let firm = try Firm.from(dictionaryValue: ["id": 1, "guests": []], in: scope)
    let worker = try Worker.from(dictionaryValue: ["id": 1, "host": .null], in: scope), other = Worker()
    let edits = begin()
    worker.host.value = firm
    outside {
      worker.markSaved([worker.host], asOf: .next())
      firm.guests.add(other)
    }
    // The list gets an edit of the transaction after that of the other task.
    firm.guests.add(Worker())
    worker.host.value = nil
    fail(edits)
    #expect((worker.host.value === firm) == (firm.guests.value?.contains(worker) == true))
  }

  @Test(arguments: [false, true])
  func `A save that ends after the deletion of its model stores only what it wrote`(editsAgain: Bool) throws {
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "Emma", "year": 1815], in: scope)
    let edits = begin()
    book.year.value = 1816
    book.markSaved([book.year], asOf: .next())
    let state = book.storeState
    var stamp = ChangeStamp.next()
    outside {
      book.title.value = "Persuasion"
      stamp = .next()
    }
    if editsAgain { book.title.value = "Sanditon" }
    delete(book, in: edits, besideASaveOf: [book.title], asOf: stamp, restoring: state)
    #expect(book.title.value == "Persuasion" && !book.title.isDirty)
    #expect(book.year.value == 1815 && !book.year.isDirty)
    book.revert()
    #expect(book.title.value == "Persuasion")
  }

  @Test func `A deletion after a save began restores a revert by the transaction`() throws {
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "Emma", "year": 1815], in: scope)
    (book.title.value, book.year.value) = ("Persuasion", 1816)
    let stamp = ChangeStamp.next(), state = book.storeState
    let edits = begin()
    book.revert()
    delete(book, in: edits, besideASaveOf: [book.title], asOf: stamp, restoring: state)
    #expect(book.year.value == 1816 && book.year.isDirty)
    #expect(book.title.value == "Persuasion" && !book.title.isDirty)
  }

  @Test func `A revert during a save is unsaved although a transaction edited the field in between, and failed`() throws
  {
    let book = try Book.from(dictionaryValue: ["id": 1, "title": "Emma"], in: scope)
    book.title.value = "Persuasion"
    let stamp = ChangeStamp.next()
    book.revert()
    let edits = begin()
    book.title.value = "Sanditon"
    outside { book.markSaved([book.title], asOf: stamp) }
    fail(edits)
    #expect(book.title.value == "Emma" && book.title.isDirty)
  }

  @Test func `A rollback of a deletion restores the identifier of a model that was deallocated`() throws {
    let worker = try Worker.from(dictionaryValue: ["id": 1, "host": .null], in: scope)
    do {
      let firm = try Firm.from(dictionaryValue: ["id": 1], in: scope)
      firm.guests.add(worker)
      for model in [worker, firm] as [ModelObject] { model.markSaved(model.allStoredFields, asOf: .next()) }
      firm.markWhollySaved(asOf: .next())
    }
    let again = try Firm.from(dictionaryValue: ["id": 1, "workers": []], in: scope)
    let edits = begin()
    #expect(worker.nullifyOneWayLinks(to: [again]).count == 1)
    fail(edits)
    #expect(worker.host.value === again && !worker.isDirty)
    #expect(again.guests.value?.contains(worker) == true)
  }

  @Test func `A link is retained on one side although another task changed that side beside a rollback`() throws {
    let firm = try Firm.from(dictionaryValue: ["id": 1], in: scope)
    weak var former: Worker?
    do {
      let worker = try Worker.from(dictionaryValue: ["id": 1, "host": .null], in: scope)
      firm.guests.add(worker)
      let other = try Worker.from(dictionaryValue: ["id": 2, "host": .null], in: scope)
      for model in [worker, firm] as [ModelObject] { model.markSaved(model.allStoredFields, asOf: .next()) }
      firm.markWhollySaved(asOf: .next())
      #expect(firm.guests.retainsLink(to: worker) && !firm.guests.isDirty)
      let edits = begin()
      firm.guests.remove(worker)
      worker.host.value = firm
      outside { firm.guests.add(other) }
      fail(edits)
      for model in [worker, other, firm] as [ModelObject] { model.markSaved(model.allStoredFields, asOf: .next()) }
      former = worker
    }
    #expect(former != nil && firm.guests.value?.contains { $0 === former } == true)
    #expect(scope.unsavedModels.isEmpty)
  }

  @Test func `An undo waits for a transaction of another task that creates a model of the step`() throws {
    let firm = try Firm.from(dictionaryValue: ["id": 1, "workers": []], in: scope)
    let undo = ModelUndo(scope)
    let worker = Worker(id: 2)
    firm.workers.add(worker)
    let edits = begin()
    let state = worker.storeState
    scope.noteUncommittedCreation(of: worker)
    worker.markSaved(worker.allStoredFields, asOf: .next())
    outside { #expect(throws: ModelUndoError.self) { try undo.undo() } }
    fail(edits) { worker.restore(state) }
    try undo.undo()
    #expect(worker.scope == nil && firm.workers.value == [])
  }
}

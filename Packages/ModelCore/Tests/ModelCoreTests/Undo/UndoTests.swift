import Foundation
import Testing

@_spi(ModelKitInternals) @testable import ModelCore

/// A value that can't be compared.
private struct Address: Codable {
  var city = ""
}

private final class Guest: Model {
  let id = Field<Int>()
  let address = Field<Address>()
  override var identifierField: AnyField? { id }
}

/// The steps of a history, and the states of fields after an undo and a redo.
@Suite struct `Undoing edits` {
  private let scope = ModelScope()

  private func book(_ id: Int = 1, _ title: String = "Emma") throws -> Book {
    try Book.from(dictionaryValue: ["id": .int(id), "title": .string(title)], in: scope)
  }

  private func save(_ models: ModelObject...) {
    for model in models { model.markSaved(model.allStoredFields, asOf: .next()) }
  }

  @Test func `A step is undone and redone with its label`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    #expect(!undo.canUndo && !undo.canRedo)
    undo.step("Rename") {
      book.title.value = "Persuasion"
      book.year.value = 1817
    }
    #expect(undo.canUndo && undo.undoLabel == "Rename")
    #expect(try undo.undo().label == "Rename")
    #expect(book.title.value == "Emma" && book.year.value == nil)
    #expect(!book.isDirty && scope.unsavedModels.isEmpty)
    #expect(!undo.canUndo && undo.canRedo && undo.redoLabel == "Rename")
    try undo.redo()
    #expect(book.title.value == "Persuasion" && book.year.value == 1817)
    #expect(book.title.isDirty && book.year.isDirty)
    try undo.undo()
    #expect(book.year.isUnset)
  }

  @Test func `A conflict of a redo has the value before the edit and that of the edit, as one of an undo`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    undo.step("Rename") { book.title.value = "Mine" }
    try undo.undo()
    try book.read(["title": "Theirs"])
    let error = #expect(throws: ModelUndoError.self) { try undo.redo() }
    let conflict = try #require(error?.conflicts.first)
    #expect(conflict.base == "Emma" && conflict.mine == "Mine" && conflict.theirs == "Theirs")
  }

  @Test func `Each edit of a value that can't be compared is a step`() throws {
    let guest = try Guest.from(dictionaryValue: ["id": 1, "address": ["city": "Bath"]], in: scope)
    let undo = ModelUndo(scope)
    for city in ["Rome", "Oslo"] { undo.step(city) { guest.address.value = Address(city: city) } }
    #expect(undo.undoLabel == "Oslo")
    try undo.undo()
    #expect(guest.address.value?.city == "Rome" && undo.undoLabel == "Rome")
    try undo.undo()
    #expect(guest.address.value?.city == "Bath" && !guest.isDirty && !undo.canUndo)
    for city in ["Rome", "Oslo"] {
      try undo.redo()
      #expect(guest.address.value?.city == city)
    }
  }

  @Test func `An observer can remove all steps during an undo and a redo`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    var isClosing = false
    let observation = book.title.addObserver(updateImmediately: false) { _ in if isClosing { undo.removeAll() } }
    defer { observation.cancel() }
    undo.step("Rename") { book.title.value = "Persuasion" }
    isClosing = true
    try undo.undo()
    #expect(book.title.value == "Emma" && !undo.canUndo && !undo.canRedo)
    isClosing = false
    undo.step("Rename") { book.title.value = "Persuasion" }
    try undo.undo()
    isClosing = true
    try undo.redo()
    #expect(book.title.value == "Persuasion" && !undo.canUndo && !undo.canRedo)
    isClosing = false
    book.title.value = "Emma"
    #expect(undo.canUndo)
  }

  @Test func `A history whose steps are removed inside a transaction retains none of them`() throws {
    let undo = ModelUndo(scope)
    undo.stepRecorded = { _, _ in }
    let book = try book()
    let edits = TransactionEdits(in: scope, onFailure: { _ in }, wasInside: { true }, where: { true })
    book.title.value = "Edited"
    #expect(undo.unregistered.count == 1)
    undo.removeAll()
    #expect(undo.unregistered.isEmpty)
    edits.end()
  }

  @Test func `A history counts the reads and saves of the fields of its steps only`() throws {
    let undo = ModelUndo(scope, limit: 2)
    for id in 1...100 {
      let book = try book(id)
      book.title.value = "Edited"
      save(book)
    }
    #expect(undo.epochs.count < 10)
  }

  @Test func `A transaction is one step, and so is an edit outside of one`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    transaction {
      book.title.value = "A"
      book.year.value = 1
    }
    book.title.value = "B"
    book.title.value = "C"
    try undo.undo()
    #expect(book.title.value == "B")
    try undo.undo()
    #expect(book.title.value == "A" && book.year.value == 1)
    try undo.undo()
    #expect(book.title.value == "Emma" && book.year.value == nil)
    #expect(!undo.canUndo)
  }

  @Test func `Fields that were dirty before are recorded, and stay dirty`() throws {
    let book = try book()
    book.title.value = "Draft"
    let undo = ModelUndo(scope)
    book.title.value = "Final"
    try undo.undo()
    #expect(book.title.value == "Draft" && book.title.isDirty)
    book.revert()
    #expect(book.title.value == "Emma")
    try undo.undo()
    #expect(book.title.value == "Draft" && book.title.isDirty)
  }

  @Test func `A saved step is undone as a new change`() throws {
    let book = try book()
    save(book)
    let undo = ModelUndo(scope)
    book.title.value = "Persuasion"
    save(book)
    let changes = try undo.undo()
    #expect(changes.modelsToSave == [book] && changes.modelsToDelete.isEmpty)
    #expect(book.title.value == "Emma" && book.title.isDirty)
    try undo.redo()
    #expect(!book.isDirty)
  }

  @Test func `A step that is undone while it is being saved stays to be saved`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    book.title.value = "Persuasion"
    let save = book.noteSaveBegins()
    let stamp = ChangeStamp.next()
    try undo.undo()
    #expect(book.title.value == "Emma" && book.title.isDirty)
    withExtendedLifetime(save) { book.markSaved(book.allStoredFields, asOf: stamp) }
    #expect(book.title.isDirty)
  }

  @Test func `A value from elsewhere is a conflict with both values, and is overwritten by choice`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    undo.step("Rename") {
      book.title.value = "Persuasion"
      book.year.value = 1817
    }
    try book.read(["title": "Sanditon"])
    let error = #expect(throws: ModelUndoError.self) { try undo.undo() }
    let conflict = try #require(error?.conflicts.first)
    #expect(error?.conflicts.count == 1 && error?.label == "Rename")
    #expect(conflict.key == "title" && conflict.typeName == "Book" && conflict.identifier == "1")
    #expect(conflict.base == "Emma" && conflict.mine == "Persuasion" && conflict.theirs == "Sanditon")
    #expect(book.title.value == "Sanditon" && book.year.value == 1817 && undo.canUndo)
    try undo.undo(onConflict: .overwrite)
    #expect(book.title.value == "Emma" && book.title.isDirty && book.year.value == nil)
  }

  @Test func `A read is not undone`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    try book.read(["title": "Sanditon"])
    #expect(!undo.canUndo)
    book.title.value = "Persuasion"
    try undo.undo()
    #expect(book.title.value == "Sanditon" && !book.isDirty)
  }

  @Test func `A relation is undone on both sides`() throws {
    let authors = try Author.list(
      fromJSON: Data(#"[{"id": 1, "books": [{"id": 1}, {"id": 2}, {"id": 3}]}, {"id": 2, "books": []}]"#.utf8),
      in: scope)
    let (ada, bob, books) = (authors[0], authors[1], authors[0].books.value ?? [])
    let undo = ModelUndo(scope)
    books[0].author.value = bob
    ada.books.value = [books[2]]
    #expect(books[1].author.value == nil)
    try undo.undo()
    #expect(ada.books.value == [books[1], books[2]] && books[1].author.value === ada)
    try undo.undo()
    #expect(ada.books.value == books && bob.books.value == [] && books.allSatisfy { $0.author.value === ada })
    #expect(scope.unsavedModels.isEmpty)
    try undo.redo()
    try undo.redo()
    #expect(ada.books.value == [books[2]] && bob.books.value == [books[0]] && books[1].author.value == nil)
  }

  @Test func `A member that was read into a list stays when another one is undone`() throws {
    let ada = try Author.from(dictionaryValue: ["id": 1, "books": [["id": 1]]], in: scope)
    let undo = ModelUndo(scope)
    let new = Book(title: "New")
    ada.books.add(new)
    let late = try Book.from(dictionaryValue: ["id": 9, "author": 1], in: scope)
    #expect(ada.books.value?.contains(late) == true)
    try undo.undo()
    #expect(ada.books.value?.compactMap(\.id.value) == [1, 9])
    #expect(new.author.value == nil && late.author.value === ada)
  }

  @Test func `A new model leaves the scope when its creation is undone, and keeps its values for a redo`() throws {
    let ada = try Author.from(dictionaryValue: ["id": 1, "books": []], in: scope)
    let undo = ModelUndo(scope)
    let book = Book()
    undo.step("New book") {
      ada.books.add(book)
      book.title.value = "Emma"
    }
    #expect(scope.unsavedModels.contains(book))
    #expect(try undo.undo().isEmpty)
    #expect(book.scope == nil && ada.books.value == [] && scope.unsavedModels.isEmpty)
    try undo.redo()
    #expect(ada.books.value == [book] && book.title.value == "Emma" && book.scope === scope)
  }

  @Test func `A history keeps as many steps as its limit`() throws {
    let book = try book()
    let undo = ModelUndo(scope, limit: 2)
    for year in 1...4 { book.year.value = year }
    try undo.undo()
    try undo.undo()
    #expect(!undo.canUndo && book.year.value == 2)
    #expect(try undo.undo().isEmpty)
  }

  @Test func `An edit removes the steps that could be redone, and a step without edits is not recorded`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    book.year.value = 1
    try undo.undo()
    undo.step("Nothing") {}
    #expect(undo.canRedo && !undo.canUndo)
    book.title.value = "X"
    #expect(!undo.canRedo)
  }

  @Test func `An undo or a redo in an open step throws, and changes nothing`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    book.title.value = "A"
    book.title.value = "B"
    try undo.undo()
    undo.beginStep("Rename")
    let undoError = #expect(throws: ModelUndoError.self) { try undo.undo(onConflict: .overwrite) }
    #expect(undoError?.reason == .openStep && undoError?.label == "Rename")
    let redoError = #expect(throws: ModelUndoError.self) { try undo.redo() }
    #expect(redoError?.reason == .openStep && redoError?.label == "Rename")
    #expect(book.title.value == "A" && undo.canUndo && undo.canRedo)
    undo.endStep()
    try undo.redo()
    #expect(book.title.value == "B")
    undo.step {
      #expect(throws: ModelUndoError.self) { try undo.undo() }
    }
    try undo.undo()
    #expect(book.title.value == "A")
  }

  @Test func `An undo in an observer of an undo throws, and changes nothing`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    book.year.value = 1
    book.title.value = "A"
    var errors: [ModelUndoError.Reason?] = []
    let token = book.title.addObserver(updateImmediately: false) { _ in
      do throws(ModelUndoError) { try undo.undo() } catch { errors.append(error.reason) }
    }
    try undo.undo()
    token.cancel()
    #expect(errors == [.openStep] && book.year.value == 1 && undo.canUndo)
  }

  @Test func `An end of a step without a beginning is reported, and ends nothing`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    undo.step("Rename") { book.title.value = "A" }
    let issues = ReportedIssues.about("endStep() ended no step") { undo.endStep() }
    #expect(issues.count == 1)
    #expect(undo.undoLabel == "Rename")
    try undo.undo()
    #expect(book.title.value == "Emma")
    undo.step("Again") { book.title.value = "B" }
    #expect(undo.undoLabel == "Again")
  }

  @Test func `A history with a limit below one keeps one step`() throws {
    let book = try book()
    let undo = ModelUndo(scope, limit: 0)
    book.title.value = "A"
    book.title.value = "B"
    try undo.undo()
    #expect(book.title.value == "A" && !undo.canUndo)
  }

  @Test func `The state of a history is observable`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    var labels: [String?] = []
    let token = undo.states.addObserver(updateImmediately: false) { (state: ModelUndo.State) in
      labels.append(state.undoLabel)
    }
    undo.step("Rename") { book.title.value = "X" }
    try undo.undo()
    token.cancel()
    #expect(labels == ["Rename", nil])
  }

  @Test func `A released history stops recording, and retains no model`() throws {
    weak var kept: Book?
    let scope = ModelScope()
    do {
      let book = try Book.from(dictionaryValue: ["id": 1], in: scope)
      kept = book
      var undo: ModelUndo? = ModelUndo(scope)
      book.year.value = 1
      #expect(undo?.canUndo == true)
      undo = nil
      book.year.value = 2
      book.revert()
    }
    #expect(kept == nil && !scope.isRecorded)
  }

  @Test func `Two histories of one scope record each other's undo`() throws {
    let book = try book()
    let (first, second) = (ModelUndo(scope), ModelUndo(scope))
    book.year.value = 1
    try first.undo()
    #expect(book.year.value == nil)
    try second.undo()
    #expect(book.year.value == 1)
  }

  @Test func `A document that is read as an edit is one step`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    let edit: AttributeDictionary = ["title": "A", "year": 1, "author": ["id": 7, "name": "Jane"]]
    try book.read(edit, as: .edit)
    #expect(book.title.value == "A" && book.author.value?.name.value == "Jane")
    try undo.undo()
    #expect(book.title.value == "Emma" && book.year.isUnset && book.author.value == nil)
    #expect(!undo.canUndo)
    let list = Data(#"[{"id": 1, "title": "B", "year": 2}, {"id": 2, "title": "C", "author": {"id": 7}}]"#.utf8)
    _ = try Book.list(fromJSON: list, in: scope, as: .edit)
    try undo.undo()
    #expect(!undo.canUndo && !book.isDirty)
  }

  @Test func `A value that is set again is no step, whatever its type`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1, "name": "Jane", "books": []], in: scope)
    let undo = ModelUndo(scope)
    undo.step { author.name.value = "Emma" }
    try undo.undo()
    author.books.value = []
    author.name.value = "Jane"
    #expect(!undo.canUndo && undo.canRedo)
  }
}

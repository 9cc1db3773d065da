@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import Testing

/// The load states and both sides of relations after an undo.
@Suite struct `An undo of a relation` {
  private let scope = ModelScope()

  @Test func `A list of which only a part is known stays incomplete`() throws {
    let jane = try Author.from(dictionaryValue: ["id": 1], in: scope)
    let emma = try Book.from(dictionaryValue: ["id": 1, "author": ["id": 1]], in: scope)
    #expect(jane.books.loadState == .incomplete)
    let undo = ModelUndo(scope)
    jane.books.remove(emma)
    jane.unload()
    try undo.undo(onConflict: .overwrite)
    #expect(jane.books.value == [emma] && jane.books.loadState == .incomplete)
  }

  @Test func `A list of an unloaded reference stays incomplete when an edit is redone`() throws {
    let jane = Author.with(identifier: "1", in: scope), emma = Book(id: 1, title: "Emma")
    scope.add(emma)
    let undo = ModelUndo(scope)
    jane.books.add(emma)
    #expect(jane.books.loadState == .incomplete)
    try undo.undo()
    jane.unload()
    try undo.redo(onConflict: .overwrite)
    #expect(jane.books.value == [emma] && jane.books.loadState == .incomplete)
  }

  @Test func `A reverted list of which only a part is known is incomplete again`() throws {
    let jane = try Author.from(dictionaryValue: ["id": 1], in: scope)
    let emma = try Book.from(dictionaryValue: ["id": 1], in: scope)
    emma.author.value = jane
    #expect(jane.books.loadState == .incomplete && jane.books.isDirty)
    let undo = ModelUndo(scope)
    emma.revert()
    #expect(jane.books.value?.isEmpty != false && !jane.isDirty)
    jane.markSaved([jane.books], asOf: .next())
    try undo.undo()
    #expect(jane.books.value == [emma] && jane.books.loadState == .incomplete)
  }

  @Test func `An explicit nil is set again when its revert is undone`() throws {
    let book = try Book.from(dictionaryValue: ["id": 1], in: scope)
    book.author.value = nil
    book.year.value = nil
    #expect(book.author.isDirty && book.year.isDirty)
    let undo = ModelUndo(scope)
    book.revert()
    #expect(book.author.isUnset && book.year.isUnset && !book.isDirty)
    try undo.undo()
    #expect(book.year.isDirty && book.year.loadState == .loaded)
    #expect(book.author.isDirty && book.author.loadState == .loaded)
    try undo.redo()
    #expect(book.author.isUnset && book.year.isUnset && !book.isDirty)
  }

  @Test func `An explicit empty list is set again when its revert is undone`() throws {
    let author = try Author.from(dictionaryValue: ["id": 1], in: scope)
    author.books.value = []
    #expect(author.books.isDirty)
    let undo = ModelUndo(scope)
    author.revert()
    #expect(author.books.isUnset)
    try undo.undo()
    #expect(author.books.isDirty && author.books.loadState == .loaded)
  }

  @Test(arguments: [false, true])
  func `A link to a new model outside of the scope is cut on both sides`(isInner: Bool) throws {
    let jane = Author(name: "Jane"), emma = Book(title: "Emma")
    scope.add(isInner ? jane : emma)
    let undo = ModelUndo(scope)
    emma.author.value = jane
    try undo.undo()
    #expect(emma.author.value == nil && jane.books.value == [])
    try undo.redo()
    #expect(emma.author.value === jane && jane.books.value == [emma])
    try undo.undo()
    #expect(emma.author.value == nil && jane.books.value == [])
  }

  @Test(arguments: [false, true])
  func `A member that is new and outside of the scope is removed on both sides`(isInner: Bool) throws {
    let jane = Author(name: "Jane"), emma = Book(title: "Emma")
    scope.add(isInner ? jane : emma)
    let undo = ModelUndo(scope)
    jane.books.add(emma)
    try undo.undo()
    #expect(emma.author.value == nil && jane.books.value == [])
    try undo.redo()
    #expect(emma.author.value === jane && jane.books.value == [emma])
  }
}

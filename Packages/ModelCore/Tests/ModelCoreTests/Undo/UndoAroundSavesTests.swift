import Testing

@_spi(ModelKitInternals) @testable import ModelCore

private final class Plate: Model {
  let label = Field<Int>()
}

private final class Shelf: Model {
  let id = Field<Int>()
  let label = Field<Int>()
  let first = ModelField<Book>(foreignKey: true)
  let books = ModelField<Book>(foreignKey: true)*
  let plate = ModelField<Plate>()
  override var identifierField: AnyField? { id }
}

@Suite struct `Undoing edits around a save` {
  enum Edited: CaseIterable {
    case label, first, books, embedded
  }

  /// A stored model of which one field is edited. Its values are numbers, at first 0.
  private struct World {
    let edited: Edited
    let scope = ModelScope()
    let shelf: Shelf
    let books: [Book]

    init(_ edited: Edited) throws {
      self.edited = edited
      shelf = try Shelf.from(
        dictionaryValue: ["id": 1, "label": 0, "first": 0, "books": [0], "plate": ["label": 0]], in: scope)
      books = (0...3).map { [scope] in Book.with(identifier: "\($0)", in: scope) }
    }

    var field: AnyField {
      switch edited {
      case .label: shelf.label
      case .first: shelf.first
      case .books: shelf.books
      case .embedded: shelf.plate.value?.label ?? shelf.plate
      }
    }

    var value: Int? {
      switch edited {
      case .label: shelf.label.value
      case .first: shelf.first.value?.id.value
      case .books: shelf.books.value?.first?.id.value
      case .embedded: shelf.plate.value?.label.value
      }
    }

    func set(_ number: Int) {
      switch edited {
      case .label: shelf.label.value = number
      case .first: shelf.first.value = books[number]
      case .books: shelf.books.value = [books[number]]
      case .embedded: shelf.plate.value?.label.value = number
      }
    }
  }

  @Test(arguments: Edited.allCases, [false, true])
  func `A value from before a save is unsaved although another edit followed during the save`(
    edited: Edited, isReverted: Bool
  ) throws {
    let world = try World(edited)
    let undo = ModelUndo(world.scope)
    world.set(1)
    let save = world.shelf.noteSaveBegins(), stamp = ChangeStamp.next()
    if isReverted { world.shelf.revert() } else { world.set(2) }
    withExtendedLifetime(save) { world.shelf.markSaved(world.shelf.allStoredFields, asOf: stamp) }
    #expect(world.value == (isReverted ? 0 : 2) && world.field.isDirty)
    for number in [1, 0] {
      #expect(try undo.undo().modelsToSave.last === world.shelf)
      #expect(world.value == number && world.field.isDirty)
    }
    // The stored value is 1, which is not known here.
    world.shelf.revert()
    #expect(world.value == 0 && world.field.isDirty)
  }

  @Test(arguments: Edited.allCases)
  func `A value from before a save is unsaved although a transaction failed that edited it during the save`(
    edited: Edited
  ) throws {
    let world = try World(edited)
    let undo = ModelUndo(world.scope)
    world.set(1)
    world.set(2)
    let save = world.shelf.noteSaveBegins(), stamp = ChangeStamp.next()
    var isInside = true
    let edits = TransactionEdits(
      in: world.scope, onFailure: { _ in }, wasInside: { isInside }, where: { isInside })
    world.set(3)
    isInside = false
    withExtendedLifetime(save) { world.shelf.markSaved(world.shelf.allStoredFields, asOf: stamp) }
    isInside = true
    edits.revert {}
    isInside = false
    #expect(world.value == 2 && !world.field.isDirty)
    for number in [1, 0] {
      try undo.undo()
      #expect(world.value == number && world.field.isDirty)
    }
    world.shelf.revert()
    #expect(world.value == 2 && !world.field.isDirty)
  }
}

import Testing

@_spi(ModelKitInternals) @testable import ModelCore

/// Two stacks of actions, as the undo manager of Foundation has them.
@MainActor
private final class StackUndoManager: UndoManaging {
  private typealias Entry = (label: String?, action: @MainActor () -> Void)

  private enum Mode { case recording, undoing, redoing }

  private var undoEntries: [Entry] = []
  private var redoEntries: [Entry] = []
  private var mode = Mode.recording

  var labels: [String?] { undoEntries.map(\.label) }
  var redoLabels: [String?] { redoEntries.map(\.label) }

  func register(_ label: String?, _ action: @escaping @MainActor () -> Void) {
    switch mode {
    case .recording:
      undoEntries.append((label, action))
      redoEntries = []
    case .undoing: redoEntries.append((label, action))
    case .redoing: undoEntries.append((label, action))
    }
  }

  func undo() {
    mode = .undoing
    defer { mode = .recording }
    undoEntries.popLast()?.action()
  }

  func redo() {
    mode = .redoing
    defer { mode = .recording }
    redoEntries.popLast()?.action()
  }
}

@MainActor
@Suite struct `The undo manager of a window` {
  private let scope = ModelScope()
  private let manager = StackUndoManager()

  private func book(_ id: Int = 1) throws -> Book {
    try Book.from(dictionaryValue: ["id": .int(id), "title": "Emma"], in: scope)
  }

  private func history(limit: Int = 100) -> ModelUndo {
    let undo = ModelUndo(scope, limit: limit)
    undo.register(with: manager, onChanges: { _ in }, onError: { Issue.record($0) })
    return undo
  }

  @Test func `The undo manager can undo an edit as soon as it is made`() throws {
    let book = try book()
    let undo = history()
    book.title.value = "Persuasion"
    manager.undo()
    #expect(book.title.value == "Emma" && !undo.canUndo)
    manager.redo()
    #expect(book.title.value == "Persuasion" && undo.canUndo)
  }

  @Test func `The undo manager undoes and redoes edits, transactions and labelled steps in order`() throws {
    let book = try book()
    let undo = history()
    undo.step("Rename") { book.title.value = "A" }
    book.title.value = "B"
    transaction {
      book.title.value = "C"
      book.year.value = 1
    }
    #expect(manager.labels == ["Rename", nil, nil])
    for _ in 0..<2 {
      manager.undo()
      #expect(book.title.value == "B" && book.year.value == nil)
      manager.undo()
      #expect(book.title.value == "A")
      manager.undo()
      #expect(book.title.value == "Emma" && manager.redoLabels == [nil, nil, "Rename"])
      manager.redo()
      #expect(book.title.value == "A")
      manager.redo()
      manager.redo()
      #expect(book.title.value == "C" && book.year.value == 1 && undo.canUndo && !undo.canRedo)
    }
  }

  @Test func `An edit after an undo removes the steps that the undo manager could redo`() throws {
    let book = try book()
    let undo = history()
    book.title.value = "A"
    book.year.value = 1
    manager.undo()
    book.title.value = "B"
    #expect(manager.labels.count == 2 && manager.redoLabels.isEmpty && !undo.canRedo)
    manager.undo()
    #expect(book.title.value == "A")
    manager.undo()
    #expect(book.title.value == "Emma")
  }

  @Test func `The undo manager does nothing for steps that the history removed`() throws {
    let book = try book()
    let undo = history(limit: 1)
    book.title.value = "A"
    book.title.value = "B"
    manager.undo()
    #expect(book.title.value == "A" && !undo.canUndo)
    manager.undo()
    #expect(book.title.value == "A")
    undo.step("Nothing") {
      book.year.value = 1
      book.year.value = nil
    }
    book.title.value = "C"
    undo.removeAll()
    manager.undo()
    #expect(book.title.value == "C")
  }

  @Test func `An undo while a step is open is an error, and its step stays the next one`() async throws {
    let book = try book()
    let undo = ModelUndo(scope)
    var errors: [ModelUndoError] = []
    undo.register(with: manager, onChanges: { _ in }, onError: { errors.append($0) })
    for (year, title) in ["A", "B"].enumerated() { undo.step(title) { book.year.value = year } }
    undo.beginStep("Rename")
    book.title.value = "C"
    manager.undo()
    #expect(errors.count == 1 && book.title.value == "C" && book.year.value == 1)
    while manager.labels.count < 2 { await Task.yield() }
    undo.endStep()
    #expect(manager.labels == ["A", "B", "Rename"])
    manager.undo()
    #expect(book.title.value == "Emma" && book.year.value == 1)
    manager.undo()
    #expect(book.year.value == 0)
    manager.undo()
    #expect(book.year.value == nil && errors.count == 1 && !undo.canUndo)
  }

  @Test func `The models to save after an undo and a redo are passed on`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    var saved: [[ModelObject]] = []
    undo.register(with: manager, onChanges: { saved.append($0.modelsToSave) }, onError: { Issue.record($0) })
    book.title.value = "A"
    book.markSaved(book.allStoredFields, asOf: .next())
    manager.undo()
    #expect(saved == [[book]])
    book.markSaved(book.allStoredFields, asOf: .next())
    manager.redo()
    #expect(saved == [[book], [book]])
  }

  @Test func `A step with a conflict stays the next one of the undo manager`() async throws {
    let book = try book()
    let undo = ModelUndo(scope)
    var errors: [ModelUndoError] = []
    undo.register(with: manager, onChanges: { _ in }, onError: { errors.append($0) })
    undo.step("Set year") { book.year.value = 1 }
    undo.step("Rename") { book.title.value = "A" }
    try book.read(["title": "B"])
    for count in 1...2 {
      manager.undo()
      #expect(errors.count == count && book.title.value == "B" && book.year.value == 1)
      while manager.labels.count < 2 { await Task.yield() }
      #expect(manager.labels == ["Set year", "Rename"])
    }
    try book.read(["title": "A"])
    manager.undo()
    #expect(errors.count == 2 && book.title.value == "Emma" && book.year.value == 1)
    manager.undo()
    #expect(book.year.value == nil)
  }

  @Test func `A conflict is reported, and the history still has the step`() throws {
    let book = try book()
    let undo = ModelUndo(scope)
    var errors: [ModelUndoError] = []
    undo.register(with: manager, onChanges: { _ in Issue.record("nothing was undone") }, onError: { errors.append($0) })
    book.title.value = "A"
    try book.read(["title": "B"])
    manager.undo()
    #expect(errors.map { $0.conflicts.map(\.key) } == [["title"]])
    #expect(book.title.value == "B" && undo.canUndo && manager.redoLabels.isEmpty)
  }

  @Test func `The undo manager retains the history, which does not retain the undo manager`() throws {
    let book = try book()
    weak var kept: ModelUndo?
    weak var manager: StackUndoManager?
    do {
      let strong = StackUndoManager()
      let undo = ModelUndo(scope)
      undo.register(with: strong, onChanges: { _ in }, onError: { Issue.record($0) })
      (kept, manager) = (undo, strong)
      book.title.value = "A"
      withExtendedLifetime(strong) {}
      #expect(kept != nil)
      withExtendedLifetime(strong) {
        strong.undo()
        #expect(book.title.value == "Emma")
      }
    }
    #expect(manager == nil && kept == nil)
  }
}

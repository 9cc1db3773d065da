import ModelKit
import Testing

private struct Refusal: Error {}

/// A model with a rule, and a link to another one.
private final class Note: Model {
  @Field var id: Int?
  @Required(.notBlank) var text = "Text"
  @Field var count: Int?
  @ModelField(foreignKey: true) var next: Note?
  override var identifierField: AnyField? { $id }
}

private final class Score: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let loans = ModelField<Loan>()*
  override var identifierField: AnyField? { id }
}

private final class Loan: Model {
  let id = Field<Int>()
  let score: ModelField<Score> = ModelField(foreignKey: true, inverse: \.loans)
  override var identifierField: AnyField? { id }
}

@Suite struct `Undoing after a failure` {
  private func fail(in world: UndoWorld, _ body: () async throws -> Void) async throws {
    await #expect(throws: Refusal.self) {
      try await world.transaction {
        try await body()
        throw Refusal()
      }
    }
  }

  @Test func `Linked new models stay together after a transaction that fails`() async throws {
    let store = MemoryModelStore()
    let undo = ModelUndo(store.scope)
    let first = Note(), second = Note()
    first.next = second
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        try await store.save(second)
        first.next = nil
        throw Refusal()
      }
    }
    #expect(first.next == nil && !undo.canUndo)
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        first.next = second
        try await store.save(second)
        first.next = nil
        throw Refusal()
      }
    }
    #expect(first.next == nil)
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        try await store.save(second)
        first.next = second
        throw Refusal()
      }
    }
    #expect(first.next === second && first.scope === second.scope)
    #expect(try await store.count(Note.self) == 0)
    try await store.save(first, including: .related)
    #expect(try await store.count(Note.self) == 2)
  }

  @Test func `A transaction that is repeated leaves no models of the attempts that failed`() async throws {
    let store = MemoryModelStore()
    let score = Score()
    try await store.save(score)
    for attempt in 0..<3 {
      try? await store.transaction { store in
        let first = Loan(), second = Loan()
        first.score.value = score
        score.loans.add(second)
        try await store.save(first)
        try await store.save(second)
        if attempt < 2 { throw Refusal() }
      }
      #expect(score.loans.value?.allSatisfy(\.isPersisted) != false)
    }
    score.title.value = "Mass"
    try await store.save(score, including: .related)
    #expect(try await store.count(Loan.self) == 2)
    #expect(try await store.list(in: score.loans).count == 2 && !score.isDirty)
  }

  @Test func `A read in a transaction that fails leaves an earlier edit undoable`() async throws {
    let store = MemoryModelStore(), other = MemoryModelStore(store.handle)
    let note = Note()
    try await store.save(note)
    let undo = ModelUndo(store.scope)
    note.text = "mine"
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        try await store.refresh(note)
        note.count = 1
        throw Refusal()
      }
    }
    #expect(note.text == "mine" && note.count == nil)
    try undo.undo()
    #expect(note.text == "Text")
    try undo.redo()
    try await store.save(note)
    let same = try await other.lookup(Note.self, identifier: "1")
    same.text = "theirs"
    try await other.save(same)
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        _ = try await store.lookup(Note.self, identifier: "1")
        throw Refusal()
      }
    }
    #expect(note.text == "theirs")
    #expect(throws: ModelUndoError.self) { try undo.undo() }
    #expect(note.text == "theirs")
  }

  @MainActor
  @Test func `The edit of a transaction that fails leaves the history, although another task edited the field before`()
    async throws
  {
    let store = MemoryModelStore()
    let note = Note()
    try await store.save(note)
    let undo = ModelUndo(store.scope)
    await #expect(throws: Refusal.self) {
      try await store.transaction { _ in
        await Task.detached { @MainActor in note.text = "theirs" }.value
        note.text = "mine"
        await Task.detached { @MainActor in note.count = 1 }.value
        throw Refusal()
      }
    }
    #expect(note.text == "theirs" && note.count == 1)
    try undo.undo()
    #expect(note.count == nil)
    try undo.undo()
    #expect(note.text == "Text" && !undo.canUndo)
  }

  @Test(arguments: UndoStoreKind.allCases, [nil, "Open"])
  func `A transaction that fails leaves the history as it was`(kind: UndoStoreKind, label: String?) async throws {
    try await kind.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let beginning = world.liveSnapshot
      let undo = ModelUndo(store.scope, limit: 3)
      let book = world.books[0]
      undo.step("First") { book.title = "A" }
      undo.step("Second") {
        book.title = "B"
        book.author = world.authors[1]
      }
      undo.step("Third") { world.tags[0].word = "x" }
      try undo.undo()
      let (state, live) = (undo.states.value, world.liveSnapshot)
      #expect(state.undoLabel == "Second" && state.redoLabel == "Third")
      if let label { undo.beginStep(label) }
      try await fail(in: world) {
        for title in ["C", "D"] {
          book.title = title
          try await store.save(book)
        }
        book.author = world.authors[0]
        try await world.addAuthor()
        try await world.transaction { world.authors[0].name = "Inner" }
        await #expect(throws: Refusal.self) {
          try await world.transaction {
            book.title = "E"
            throw Refusal()
          }
        }
        try await store.delete(world.tags[1])
      }
      if label != nil { undo.endStep() }
      #expect(undo.states.value == state)
      #expect(world.liveSnapshot == live)
      try undo.redo()
      #expect(world.tags[0].word == "x")
      try undo.undo()
      try undo.undo()
      #expect(book.title == "A" && book.author === world.authors[0])
      #expect(undo.undoLabel == "First")
      try undo.undo()
      #expect(world.liveSnapshot == beginning && !book.isDirty && !undo.canUndo)
    }
  }

  @Test(arguments: UndoStoreKind.allCases)
  func `A transaction that fails reverses an undo or redo in it`(kind: UndoStoreKind) async throws {
    try await kind.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let undo = ModelUndo(store.scope)
      let book = world.books[0]
      undo.step("Rename") { book.title = "A" }
      try await store.save(book)
      undo.beginStep("Add")
      try await world.addBook(of: nil, tags: [])
      undo.endStep()
      undo.beginStep("Delete")
      try await store.delete(world.books[1])
      undo.endStep()
      let (state, live, records) = (undo.states.value, world.liveSnapshot, try await world.snapshot())
      try await fail(in: world) {
        for _ in 0..<3 { try await store.save(undo.undo()) }
        #expect(!undo.canUndo && book.title == "Untitled")
        for _ in 0..<2 { try await store.save(undo.redo()) }
      }
      #expect(undo.states.value == state)
      #expect(world.liveSnapshot == live)
      #expect(try await world.snapshot() == records)
      for _ in 0..<3 { try await store.save(undo.undo()) }
      #expect(book.title == "Untitled" && world.books[1].isPersisted && !world.books[4].isPersisted)
      #expect(!undo.canUndo)
    }
  }

  @Test func `An edit of another task during a transaction that fails stays a step`() async throws {
    try await UndoStoreKind.memory.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let undo = ModelUndo(store.scope)
      let task = OtherTask(world)
      try await fail(in: world) {
        world.books[0].title = "A"
        await task.rename()
        world.books[2].title = "C"
      }
      #expect(world.books.map(\.title) == ["Untitled", "Other", "Untitled", "Untitled"])
      try undo.undo()
      #expect(world.books[1].title == "Untitled" && !world.books[1].isDirty && !undo.canUndo)
    }
  }

  @Test(arguments: [false, true])
  func `An undo by another task waits until a transaction that edits models has ended`(fails: Bool) async throws {
    try await UndoStoreKind.memory.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let undo = ModelUndo(store.scope)
      undo.step("Rename") { world.books[0].title = "A" }
      let task = OtherTask(world, undo)
      func edit() async throws {
        world.books[1].title = "B"
        #expect(await task.undoReason() == .openStep)
        world.books[2].title = "C"
        #expect(await task.undoReason() == .openStep)
      }
      if fails { try await fail(in: world, edit) } else { try await world.transaction(edit) }
      #expect(undo.undoLabel == (fails ? "Rename" : nil))
      if !fails { try undo.undo() }
      #expect(world.books.map(\.title) == ["A", "Untitled", "Untitled", "Untitled"])
      try undo.undo()
      #expect(world.books[0].title == "Untitled" && !undo.canUndo)
    }
  }

  @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
  func `An undo by another task waits until a transaction that undoes or redoes a step has ended`(
    isRedo: Bool, fails: Bool
  ) async throws {
    try await UndoStoreKind.memory.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let undo = ModelUndo(store.scope)
      undo.step("First") { world.books[0].title = "A" }
      undo.step("Second") { world.books[0].title = "B" }
      if isRedo { try undo.undo() }
      let before = undo.states.value
      let task = OtherTask(world, undo)
      func move() async throws {
        if isRedo { try undo.redo() } else { try undo.undo() }
        #expect(await task.undoReason() == .openStep)
      }
      if fails { try await fail(in: world, move) } else { try await world.transaction(move) }
      #expect((undo.states.value == before) == fails)
      while undo.canUndo { try undo.undo() }
      #expect(world.books[0].title == "Untitled" && !world.books[0].isDirty)
      while undo.canRedo { try undo.redo() }
      #expect(world.books[0].title == "B")
    }
  }

  @Test(arguments: UndoStoreKind.allCases)
  func `A transaction that fails restores a new model of the scope, also before its first save`(kind: UndoStoreKind)
    async throws
  {
    try await kind.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let book = UndoBook()
      book.title = "X"
      world.authors[0].$books.add(book)
      try await fail(in: world) {
        book.title = "Y"
        try await store.save(book)
        book.title = "Z"
      }
      #expect(book.title == "X" && !book.isPersisted && book.id == nil && book.author === world.authors[0])
      try await store.save(book)
      #expect(book.title == "X" && !book.isDirty)
    }
  }

  @Test func `A step is undone to a clean field after its save failed`() async throws {
    let store = MemoryModelStore(), note = Note()
    try await store.save(note)
    let undo = ModelUndo(store.scope)
    note.text = ""
    await #expect(throws: ModelStoreError.self) { try await store.save(note) }
    try undo.undo()
    #expect(note.text == "Text" && !note.isDirty)
    let other = MemoryModelStore(store.handle)
    let theirs = try await other.lookup(Note.self, identifier: "1")
    theirs.count = 1
    try await other.save(theirs)
    note.count = 2
    await #expect(throws: ModelStoreError.self) { try await store.save(note) }
    try undo.undo()
    #expect(note.count == nil && !note.isDirty)
    try await other.delete(theirs)
    note.text = "Again"
    await #expect(throws: ModelStoreError.self) { try await store.save(note) }
    try undo.undo()
    #expect(note.text == "Text" && !note.isDirty && store.scope.unsavedModels.isEmpty)
  }

  @Test(arguments: UndoStoreKind.allCases, [false, true])
  func `A new model that a failed transaction linked and saved is saved again`(kind: UndoStoreKind, isNested: Bool)
    async throws
  {
    try await kind.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let book = UndoBook()
      try await fail(in: world) {
        book.tags = [world.tags[0]]
        if isNested { try await world.transaction { try await store.save(book) } } else { try await store.save(book) }
      }
      #expect(book.id == nil && !book.$id.isDirty)
      try await store.save(book)
      #expect(!book.isDirty && book.tags == [world.tags[0]])
      book.title = "A"
      try await store.save(book)
      book.revert()
      #expect(book.id != nil && book.title == "A")
    }
  }

  @Test func `A transaction that fails keeps an earlier step whose edits cancel each other`() async throws {
    try await UndoStoreKind.memory.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let undo = ModelUndo(store.scope), book = world.books[0]
      undo.step("Cancel") {
        book.title = "A"
        book.title = "Untitled"
      }
      try await store.save(book)
      try undo.undo()
      try undo.redo()
      try await fail(in: world) { book.title = "B" }
      #expect(undo.undoLabel == "Cancel")
    }
  }
}

/// A task that is not part of the transaction of a test, because it began before.
private final class OtherTask {
  private let world: UndoWorld
  private let undo: ModelUndo?

  init(_ world: UndoWorld, _ undo: ModelUndo? = nil) { (self.world, self.undo) = (world, undo) }

  /// Returns why an undo by this task fails.
  func undoReason() async -> ModelUndoError.Reason? {
    nonisolated(unsafe) let undo = undo
    return await Task.detached {
      do { try undo?.undo() } catch { return (error as? ModelUndoError)?.reason }
      return nil
    }.value
  }

  /// Renames a book as a task outside of any transaction does.
  func rename() async {
    nonisolated(unsafe) let book = world.books[1]
    // The caller waits, so that no other code uses the model meanwhile.
    await Task.detached { book.title = "Other" }.value
  }
}

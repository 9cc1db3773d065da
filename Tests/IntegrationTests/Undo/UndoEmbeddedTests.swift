import ModelKit
import Testing

private final class Item: Model {
  @Required var text = ""
  @Required var isDone = false
  @ModelArrayField var parts: [Item]?
}

private final class Job: Model {
  @Field var id: Int?
  @Required var title = ""
  @ModelField var main: Item?
  @ModelArrayField(deleteRule: .cascade) var items: [Item]?
  @ModelField(foreignKey: true, inverse: \.$subjobs) var parent: Job?
  @ModelArrayField(deleteRule: .cascade) var subjobs: [Job]?
  override var identifierField: AnyField? { $id }
}

private final class Crate: Model {
  @Field var id: Int?
  @Required var title = ""
  @ModelField(inverse: \.$crate) var lid: Lid?
  override var identifierField: AnyField? { $id }
}

private final class Lid: Model {
  @Required var text = ""
  @ModelField var crate: Crate?
}

@Suite struct `Undoing edits of embedded models` {
  /// The position of an embedded model.
  enum Position: CaseIterable, Sendable {
    case list, toOne, nested

    fileprivate func add(_ item: Item, to job: Job) {
      switch self {
      case .list: job.items = [item]
      case .toOne: job.main = item
      case .nested:
        let outer = Item()
        outer.parts = [item]
        job.items = [outer]
      }
    }

    fileprivate func item(of job: Job) throws -> Item {
      switch self {
      case .list: try #require(job.items?.first)
      case .toOne: try #require(job.main)
      case .nested: try #require(job.items?.first?.parts?.first)
      }
    }
  }

  private let store = MemoryModelStore()

  private func job(with position: Position, parent: Job? = nil) async throws -> Job {
    let job = Job()
    job.parent = parent
    position.add(Item(), to: job)
    try await store.save(job)
    return job
  }

  private func storedText(_ position: Position) async throws -> String {
    try position.item(of: try await MemoryModelStore(store.handle).lookup(Job.self, identifier: "1")).text
  }

  @Test(arguments: Position.allCases, [false, true])
  func `An edit that was saved within its step is undone and redone in the store`(position: Position, isRead: Bool)
    async throws
  {
    let made = try await job(with: position)
    let store = isRead ? MemoryModelStore(store.handle) : store
    let job = isRead ? try await store.lookup(Job.self, identifier: "1") : made
    let item = try position.item(of: job)
    let undo = ModelUndo(store.scope)
    item.text = "edited"
    try await store.save(job)
    let changes = try undo.undo()
    #expect(changes.modelsToSave == [job])
    #expect(item.text == "" && item.isDirty && job.isDirty)
    try await store.save(changes)
    #expect(try await storedText(position) == "")
    #expect(!job.isDirty && store.scope.unsavedModels.isEmpty)
    try await store.save(undo.redo())
    #expect(try await storedText(position) == "edited")
    #expect(!undo.canRedo && !job.isDirty)
  }

  @Test(arguments: Position.allCases, [false, true])
  func `A step is undone after a document with equal embedded models was read`(position: Position, isEdit: Bool)
    async throws
  {
    let job = isEdit ? try await job(with: position) : Job()
    if !isEdit { try await store.save(job) }
    let undo = ModelUndo(store.scope)
    undo.step("Edit") {
      job.title = "edited"
      if isEdit, let item = try? position.item(of: job) { item.text = "edited" } else { position.add(Item(), to: job) }
    }
    try await store.save(job)
    try job.read(job.dictionaryValue)
    try await store.save(undo.undo())
    let stored = try await MemoryModelStore(store.handle).lookup(Job.self, identifier: "1")
    #expect(stored.title == "" && !job.isDirty)
    if isEdit {
      #expect(try position.item(of: stored).text == "")
    } else {
      #expect(stored.main == nil && stored.items ?? [] == [])
    }
    try await store.save(undo.redo())
    #expect(try await storedText(position) == (isEdit ? "edited" : ""))
    try job.read(["title": "edited", "main": ["text": "newer"], "items": [["text": "newer"], ["text": "newest"]]])
    #expect(throws: ModelUndoError.self) { try undo.undo() }
  }

  @Test func `A step is undone after a document with an equal embedded model that references its container was read`()
    async throws
  {
    let crate = Crate()
    try await store.save(crate)
    let undo = ModelUndo(store.scope)
    undo.step("Edit") {
      crate.title = "edited"
      crate.lid = Lid()
    }
    try await store.save(crate)
    let document: AttributeDictionary = ["title": "edited", "lid": ["text": ""]]
    try crate.read(document)
    try await store.save(undo.undo())
    #expect(crate.lid == nil && crate.title == "" && !crate.isDirty)
    try await store.save(undo.redo())
    #expect(crate.lid?.crate == crate && crate.title == "edited")
    try crate.read(["lid": ["text": "newer"]])
    #expect(throws: ModelUndoError.self) { try undo.undo() }
  }

  @Test func `An undo of an edit keeps an unsaved order of the members`() async throws {
    let job = Job(), items = [Item(), Item()]
    job.items = items
    try await store.save(job)
    let undo = ModelUndo(store.scope)
    job.items = items.reversed()
    items[0].text = "edited"
    try undo.undo()
    #expect(job.items == items.reversed() && items[0].text == "" && job.isDirty)
    try undo.undo()
    #expect(job.items == items && !job.isDirty)
  }

  @Test(arguments: Position.allCases)
  func `A transaction that fails leaves an unsaved edit that it saved dirty`(position: Position) async throws {
    let job = try await job(with: position)
    let item = try position.item(of: job)
    item.text = "edited"
    await #expect(throws: CancellationError.self) {
      try await store.transaction { store in
        try await store.save(job)
        throw CancellationError()
      }
    }
    #expect(item.text == "edited" && item.isDirty && job.isDirty)
    try await store.save(job)
    #expect(try await storedText(position) == "edited")
  }

  @Test(arguments: Position.allCases)
  func `Edits over unsaved ones from before the history are steps`(position: Position) async throws {
    let job = try await job(with: position)
    let item = try position.item(of: job)
    item.text = "before"
    let undo = ModelUndo(store.scope)
    undo.step("First") { item.text = "first" }
    item.isDone = true
    item.text = "second"
    try undo.undo()
    #expect(item.text == "first" && item.isDone && undo.undoLabel == nil)
    try undo.undo()
    #expect(undo.undoLabel == "First" && !item.isDone)
    try undo.undo()
    #expect(item.text == "before" && item.isDirty && job.isDirty && !undo.canUndo)
    while undo.canRedo { try undo.redo() }
    try await store.save(job)
    #expect(try await storedText(position) == "second")
  }

  @Test(arguments: Position.allCases)
  func `A transaction that fails restores an edit that was unsaved before`(position: Position) async throws {
    let job = try await job(with: position)
    let item = try position.item(of: job)
    item.text = "before"
    await #expect(throws: CancellationError.self) {
      try await store.transaction { _ in
        item.text = "edited"
        throw CancellationError()
      }
    }
    #expect(item.text == "before" && item.isDirty && job.isDirty)
  }

  @Test(arguments: Position.allCases, [false, true])
  func `An embedded model is neither saved nor deleted itself`(position: Position, isCascade: Bool) async throws {
    let parent = Job()
    try await store.save(parent)
    let job = Job()
    job.parent = parent
    job.items = []
    try await store.save(job)
    let undo = ModelUndo(store.scope)
    undo.beginStep("Add")
    position.add(Item(), to: job)
    try await store.save(job)
    undo.endStep()
    undo.beginStep("Delete")
    try await store.delete(isCascade ? parent : job)
    undo.endStep()
    for _ in 0..<2 {
      let restored = try undo.undo()
      #expect(Set(restored.modelsToSave).isSuperset(of: [job]) && restored.modelsToSave.allSatisfy { $0 is Job })
      try await store.save(restored)
      let removed = try undo.undo()
      #expect(removed.modelsToSave == [job] && removed.modelsToDelete.isEmpty)
      try await store.save(removed)
      let reader = MemoryModelStore(store.handle)
      let read = try await reader.lookup(Job.self, identifier: "2")
      #expect(read.items ?? [] == [] && read.main == nil && !job.isDirty)
      try await store.save(undo.redo())
      let again = try await MemoryModelStore(store.handle).lookup(Job.self, identifier: "2")
      #expect(try position.item(of: again).text == "")
      let deleted = try undo.redo()
      #expect(deleted.modelsToDelete.allSatisfy { $0 is Job } && deleted.modelsToSave.allSatisfy { $0 is Job })
      try await store.save(deleted)
      #expect(try await store.count(Job.self) == (isCascade ? 0 : 1))
    }
  }

  @Test(arguments: Position.allCases)
  func `A creation with an embedded model is undone and redone in the store`(position: Position) async throws {
    let undo = ModelUndo(store.scope)
    let job = try await job(with: position)
    for _ in 0..<2 {
      try await store.save(undo.undo())
      #expect(!undo.canUndo && undo.canRedo)
      #expect(try await store.count(Job.self) == 0)
      try await store.save(undo.redo())
      #expect(job.isPersisted && !job.isDirty && undo.canUndo && !undo.canRedo)
      #expect(try await storedText(position) == "")
    }
  }

  @Test(arguments: Position.allCases, [0, 1, 2, 3])
  func `A transaction that fails leaves no step of an embedded model`(position: Position, saves: Int) async throws {
    struct Refusal: Error {}
    let job = Job()
    try await store.save(job)
    let undo = ModelUndo(store.scope)
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        let item = Item()
        position.add(item, to: job)
        if saves & 1 != 0 { try await store.save(job) }
        item.text = "x"
        if saves & 2 != 0 { try await store.save(job) }
        throw Refusal()
      }
    }
    #expect(!undo.canUndo && !undo.canRedo)
    #expect(!job.isDirty && job.items?.isEmpty != false && job.main == nil)
  }

  @Test func `A deleted model that an embedded one references returns as the object of its identifier`() async throws {
    let label = try await store.create(EmbeddedLabel()), owner = EmbeddedOwner()
    owner.part = EmbeddedPart()
    owner.part?.label = label
    try await store.create(owner)
    let undo = ModelUndo(store.scope)
    try await store.delete(label)
    _ = try await store.list(EmbeddedOwner.self)
    var conflicts = 0
    store.scope.conflictHandler = { _ in conflicts += 1 }
    try await store.save(undo.undo())
    #expect(conflicts == 0)
    #expect(try await store.lookup(EmbeddedLabel.self, identifier: "1") === label)
    try await store.refresh(owner)
    #expect(owner.part?.label === label)
  }
}

private final class EmbeddedLabel: Model {
  @Field var id: Int?
  override var identifierField: AnyField? { $id }
}

private final class EmbeddedPart: Model {
  @ModelField(foreignKey: true) var label: EmbeddedLabel?
}

private final class EmbeddedOwner: Model {
  @Field var id: Int?
  @ModelField var part: EmbeddedPart?
  override var identifierField: AnyField? { $id }

  @Test func `An undo after a refresh adds no embedded model twice`() async throws {
    let store = MemoryModelStore()
    let job = Job(), old = Item(), new = Item()
    (old.text, new.text) = ("old", "new")
    job.items = [old]
    try await store.save(job)
    let undo = ModelUndo(store.scope)
    job.items = [new]
    try await store.refresh(job)
    #expect(throws: ModelUndoError.self) { try undo.undo() }
    #expect(job.items?.map(\.text) == ["old"] && !job.isDirty)
    try undo.undo(onConflict: .overwrite)
    #expect(job.items?.map(\.text) == ["old"])
    try await store.save(job)
    #expect(try await MemoryModelStore(store.handle).lookup(Job.self, identifier: "1").items?.map(\.text) == ["old"])
  }
}

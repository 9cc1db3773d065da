import ModelKit
import Testing

private final class Part: Model {
  @Required var name = ""
}

private final class Owner: Model {
  @Field var id: Int?
  @Required var name = ""
  @ModelArrayField var parts: [Part]?
  @ModelArrayField(foreignKey: true, inverse: \.$owners) var tags: [Label]?
  override var identifierField: AnyField? { $id }
}

private final class Label: Model {
  @Field var id: Int?
  @ModelArrayField var owners: [Owner]?
  override var identifierField: AnyField? { $id }
}

private struct Refusal: Error {}

/// Histories of embedded models and of many-to-many relations with deletions in them.
@Suite struct `Undoing deletions beside other edits` {
  private let store = MemoryModelStore()

  private func stored() async throws -> Owner {
    try await MemoryModelStore(store.handle).lookup(Owner.self, identifier: "1")
  }

  @Test func `A nested transaction that failed leaves no intermediate value`() async throws {
    let owner = Owner(), labels = [Label(), Label()]
    try await store.createAll(labels)
    try await store.create(owner)
    let undo = ModelUndo(store.scope)
    try await store.transaction { store in
      owner.$tags.add(labels[1])
      await #expect(throws: Refusal.self) {
        try await store.transaction { store in
          owner.tags = [labels[0]]
          try await store.save(owner)
          try await store.delete(labels[0])
          throw Refusal()
        }
      }
      owner.tags = [labels[0]]
      try await store.save(owner)
    }
    try await store.save(undo.undo())
    #expect(owner.tags?.isEmpty == true && !owner.isDirty && !undo.canUndo)
    #expect(try await stored().tags?.isEmpty == true)
  }

  @Test func `An undone transaction is saved with embedded models and deleted members`() async throws {
    let owner = Owner(), label = Label()
    try await store.create(owner)
    try await store.create(label)
    let undo = ModelUndo(store.scope)
    try await store.transaction { store in
      owner.$parts.add(Part())
      try await store.save(owner)
      label.$owners.add(owner)
      try await store.save(owner, including: .related)
      try await store.delete(label)
    }
    try await store.save(undo.undo())
    #expect(owner.parts?.isEmpty == true && owner.tags?.isEmpty == true && !owner.isDirty && label.isPersisted)
    #expect(try await stored().parts?.isEmpty != false)
    try await store.save(undo.redo())
    #expect(owner.parts?.count == 1 && !owner.isDirty && !label.isPersisted)
    #expect(try await stored().parts?.count == 1)
  }

  @Test func `An undo never returns an embedded model to save`() async throws {
    let owner = Owner(), label = Label(), part = Part()
    part.name = "a"
    try await store.create(owner)
    try await store.create(label)
    let undo = ModelUndo(store.scope)
    owner.$parts.add(part)
    try await store.save(owner)
    owner.$tags.add(label)
    try await store.save(owner)
    try await store.delete(label)
    undo.step("Edit") { part.name = "b" }
    undo.step("Remove") { owner.$parts.remove(part) }
    undo.step("Revert") { owner.revert() }
    let changes = try undo.undo()
    #expect(changes.modelsToSave == [owner])
    try await store.save(changes)
    #expect(owner.parts?.isEmpty == true && !owner.isDirty)
    #expect(try await stored().parts?.isEmpty != false)
    while undo.canUndo { try await store.save(undo.undo()) }
    while undo.canRedo { try await store.save(undo.redo()) }
    #expect(owner.parts == [part] && part.name == "a" && !owner.isDirty)
  }

  @Test func `A draft does not bring a member back that a revert of its original removed`() async throws {
    let owner = Owner(), labels = [Label(), Label()]
    try await store.createAll(labels)
    try await store.create(owner)
    owner.$tags.add(labels[0])
    let draft = owner.draft()
    draft.$tags.add(labels[1])
    owner.revert()
    #expect(try draft.apply().tags == [labels[1]])
  }

  @Test func `Models that return are saved before those that reference them`() async throws {
    let owner = Owner(), labels = [Label(), Label()]
    owner.tags = labels
    try await store.save(owner, including: .related)
    let undo = ModelUndo(store.scope)
    undo.beginStep("Delete")
    try await store.delete(owner)
    for label in labels { try await store.delete(label) }
    undo.endStep()
    let changes = try undo.undo()
    #expect(Set(changes.modelsToSave) == Set([owner] + labels as [ModelObject]))
    #expect(changes.modelsToSave.last === owner)
    try await store.save(changes)
    #expect(try await stored().tags?.count == 2)
  }
}

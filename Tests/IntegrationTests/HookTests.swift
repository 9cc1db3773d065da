import Foundation
import ModelKit
import Testing

private final class Note: Model {
  @Field var id: Int?
  @Field var title: String?
  @Field var memo: String?
  @Field var searchTitle: String?
  @Field var edits: Int?
  override var identifierField: AnyField? { $id }
  override func beforeSave() {
    searchTitle = title?.lowercased()
    edits = (edits ?? 0) + 1
  }
}

/// A note with a rule that takes time.
private final class Checked: Model {
  @Field var id: Int?
  @Field(configure: { $0.require(code: "taken") { (_: String) in true } }) var title: String?
  @Field var searchTitle: String?
  override var identifierField: AnyField? { $id }
  override func beforeSave() { searchTitle = title?.lowercased() }
}

@Suite struct `Changes by beforeSave()` {
  private func stored(_ store: MemoryModelStore) async throws -> Note {
    try #require(try await MemoryModelStore(store.handle).list(Note.self).first)
  }

  @Test func `A change by beforeSave() is written with chosen fields, and by updateAll`() async throws {
    let store = MemoryModelStore()
    let note = Note()
    note.title = "Emma"
    try await store.save(note)
    #expect(try await store.updateAll(Note.self, where: { $0.title == "Emma" }) { $0.title = "EMMA II" } == 1)
    #expect(try await stored(store).searchTitle == "emma ii")
    #expect(try await stored(store).edits == 2)
    #expect(!note.isDirty && store.scope.unsavedModels.isEmpty)
    (note.title, note.memo) = ("Emma III", "unsaved")
    try await store.update(note, fields: [note.$title])
    #expect(try await stored(store).searchTitle == "emma iii")
    #expect(try await stored(store).memo == nil)
    #expect(note.$memo.isDirty && !note.$searchTitle.isDirty && !note.$edits.isDirty)
  }

  @Test func `A change by beforeSave() is written with chosen fields after an asynchronous rule`() async throws {
    let store = MemoryModelStore()
    let note = Checked()
    note.title = "Emma"
    try await store.save(note)
    note.title = "EMMA II"
    try await store.update(note, fields: [note.$title])
    let again = try await MemoryModelStore(store.handle).list(Checked.self).first
    #expect(again?.searchTitle == "emma ii")
    #expect(!note.isDirty)
  }
}

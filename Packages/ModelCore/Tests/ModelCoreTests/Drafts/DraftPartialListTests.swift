@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import Testing

/// Lists of which not all members are loaded.
@Suite struct `A draft of a list that is not loaded` {
  private let scope = ModelScope()
  private let album: Album
  private let track: Track

  init() throws {
    album = try Album.from(dictionaryValue: ["id": 1, "title": "One"], in: scope)
    track = try Track.from(dictionaryValue: ["id": "a"], in: scope)
    album.markLoaded()
  }

  private func expectPartial(_ members: [Track], isDirty: Bool = true) {
    #expect(album.tracks.value == members && album.tracks.count == nil)
    #expect(album.tracks.loadState == .incomplete && album.tracks.isDirty == isDirty)
    #expect(members.allSatisfy { $0.album.value === album })
  }

  @Test func `An added member leaves the list incomplete, in the draft and when it is applied`() throws {
    let draft = album.draft()
    draft.tracks.add(track)
    #expect(draft.model.tracks.loadState == .incomplete && draft.model.tracks.count == nil)
    #expect(draft.changes.compactMap(\.key) == ["tracks"] && album.tracks.loadState == .notLoaded)
    try draft.apply()
    expectPartial([track])
    #expect(draft.model.tracks.loadState == .incomplete && !draft.isDirty)
  }

  @Test func `A discarded addition leaves the list unloaded`() throws {
    let draft = album.draft()
    draft.tracks.add(track)
    draft.discard()
    #expect(draft.model.tracks.loadState == .notLoaded && draft.model.tracks.value == nil && !draft.isDirty)
    draft.tracks.add(track)
    try draft.apply()
    expectPartial([track])
  }

  @Test func `A member that references the draft leaves the list incomplete`() throws {
    let draft = album.draft()
    let new = draft.makeModel(Track.self)
    new.album.value = draft.model
    #expect(draft.model.tracks.loadState == .incomplete)
    try draft.apply()
    expectPartial([new])
  }

  @Test func `A member of a draft with both sides leaves the list incomplete`() throws {
    track.album.value = album
    track.markSaved(track.allStoredFields, asOf: .next())
    let draft = track.draft(including: [track.album])
    let new = draft.makeModel(Track.self)
    draft.album.value?.tracks.add(new)
    try draft.apply()
    expectPartial([track, new])
  }

  @Test func `A removed member leaves the list incomplete`() throws {
    let other = try Track.from(dictionaryValue: ["id": "b", "album": 1], in: scope)
    _ = try track.read(["album": 1])
    #expect(album.tracks.loadState == .incomplete)
    let draft = album.draft()
    draft.tracks.remove(other)
    #expect(draft.model.tracks.loadState == .incomplete)
    try draft.apply()
    #expect(album.tracks.value == [track] && album.tracks.loadState == .incomplete)
    #expect(other.album.value == nil)
  }

  @Test func `Members that both sides added leave the list incomplete`() throws {
    let other = try Track.from(dictionaryValue: ["id": "b"], in: scope)
    let draft = album.draft()
    draft.tracks.add(track)
    album.tracks.add(other)
    try draft.apply()
    expectPartial([other, track])
  }

  @Test func `A list that is set in a draft is complete, as one that is set directly`() throws {
    let draft = album.draft()
    draft.tracks.value = [track]
    #expect(draft.model.tracks.loadState == .loaded)
    try draft.apply()
    #expect(album.tracks.value == [track] && album.tracks.loadState == .loaded && album.tracks.isDirty)
  }

  @Test func `An undo unloads the list again, and a redo leaves it incomplete`() throws {
    let undo = ModelUndo(scope)
    let draft = album.draft()
    draft.tracks.add(track)
    try draft.apply()
    for _ in 0..<2 {
      try undo.undo()
      #expect(album.tracks.value == nil && album.tracks.loadState == .notLoaded && !album.isDirty)
      try undo.redo()
      expectPartial([track])
    }
  }

  @Test func `An undo of a set list that is merged with a newer value leaves the list incomplete`() throws {
    let other = try Album.from(dictionaryValue: ["id": 2, "tracks": []], in: scope)
    let late = try Track.from(dictionaryValue: ["id": "c"], in: scope)
    let undo = ModelUndo(scope)
    undo.step {
      album.tracks.value = [track]
      other.title.value = "Two"
      other.tracks.value = [late]
    }
    _ = try Track.from(dictionaryValue: ["id": "d", "album": 2], in: scope)
    try undo.undo(onConflict: .overwrite)
    #expect(album.tracks.value?.isEmpty != false && album.tracks.count == nil && album.tracks.loadState != .loaded)
    #expect(track.album.value == nil)
  }

  @Test func `An undone edit by a document leaves a partial list incomplete`() throws {
    album.tracks.add(track)
    expectPartial([track])
    let edit = try scope.edit(Album.self, from: ["id": 1, "tracks": ["a", "z"]])
    #expect(album.tracks.value?.count == 2 && album.tracks.loadState == .loaded)
    edit.undo()
    expectPartial([track])
  }

  @Test func `A merge does not take a list of which only a part is known`() throws {
    let other = Album.with(identifier: "1", in: ModelScope())
    other.tracks.add(Track())
    album.merge(from: other)
    #expect(album.tracks.value == nil && album.tracks.loadState == .notLoaded)
  }
}

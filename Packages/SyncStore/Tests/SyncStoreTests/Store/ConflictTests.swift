import Foundation
import MemoryStore
import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import SyncStore
import Testing

private final class Playlist: Model {
  @Field var id: String?
  @Required var songs: Set<String> = []
  override var identifierField: AnyField? { $id }
}

private final class Speaker: Model {
  @Field var id: String?
  @Required var volume = 0
  override var identifierField: AnyField? { $id }
}

/// The next version of the class.
private final class LimitedSpeaker: Model {
  @Field var id: String?
  @Required(configure: { $0.constrain(to: 0...10) }) var volume = 0
  override var identifierField: AnyField? { $id }
  override class var typeName: String { Speaker.typeName }
}

@Suite struct `A conflict` {
  let shelf = Shelf()

  /// Two clients, of which the first has sent a change of a tag, and the second has not sent another one.
  private func clients(deletingFirst: Bool = false) async throws -> (mine: MemorySyncStore, tag: Tag) {
    let (theirs, mine) = (shelf.client(), shelf.client())
    try await theirs.save(Tag.labeled("a", "Old"))
    try await theirs.sync()
    try await mine.sync()
    let (first, second) = (
      try await theirs.lookup(Tag.self, identifier: "a"), try await mine.lookup(Tag.self, identifier: "a")
    )
    if deletingFirst {
      try await theirs.delete(first)
    } else {
      first.label.value = "Theirs"
      try await theirs.save(first)
    }
    second.label.value = "Mine"
    try await mine.save(second)
    try await theirs.sync()
    return (mine, second)
  }

  @Test func `Without a resolver the server's value is kept, and the local one is noted`() async throws {
    let (mine, tag) = try await clients()
    #expect(try await mine.sync().discarded == 1)
    #expect(tag.label.value == "Theirs")
    let notes = try await mine.discardedValues()
    #expect(notes.map(\.key) == ["label"] && notes.map(\.value) == ["Mine"] && notes.map(\.identifier) == ["a"])
    #expect(try await mine.outbox().isEmpty)
    try await mine.acknowledge(notes)
    #expect(try await mine.discardedValues().isEmpty)
  }

  @Test func `Discarding local changes while a conflict waits restores the server's present version`() async throws {
    let (mine, tag) = try await clients()
    mine.resolve(Tag.self) { _ in .wait }
    try await mine.sync()
    try await mine.discardChanges(try #require(try await mine.outbox().first))
    #expect(tag.label.value == "Theirs")
    #expect(try await mine.syncState(of: tag) == .synced)
  }

  @Test func `Discarding local changes while a conflict waits removes a record that the server deleted`() async throws {
    let (mine, tag) = try await clients(deletingFirst: true)
    mine.resolve(Tag.self) { _ in .wait }
    try await mine.sync()
    try await mine.discardChanges(try #require(try await mine.outbox().first))
    #expect(!tag.isKnownToStore)
    #expect(try await mine.list(Tag.self).isEmpty)
  }

  @Test func `A deletion is sent again if another client changed a field that the class lacks`() async throws {
    let server = RESTFixture()
    let store = SyncModelStore(local: MemoryModelStore(), remote: server.store(), types: [Tag.self])
    let tag = Tag.labeled("a", "A")
    try await store.save(tag)
    try await store.sync()
    try await store.delete(tag)
    let json = Data(#"{"id": "a", "label": "A"}"#.utf8)
    server.plan(
      HTTPResponseData(status: 200, body: Data("[\(String(decoding: json, as: UTF8.self))]".utf8)),
      HTTPResponseData(status: 200, headers: ["ETag": "\"0\""], body: json), HTTPResponseData(status: 412))
    #expect(try await store.sync().failures.isEmpty)
    #expect(try await store.outbox().isEmpty)
    #expect(server.lines.suffix(1) == ["DELETE /tags/a"])
  }

  @Test func `An edited set is not in conflict with the same set on the server`() async throws {
    let playlist = Playlist()
    (playlist.id, playlist.songs) = ("a", Set((0..<20).map { "Song \($0)" }))
    try await shelf.store.create(playlist)
    let mine = SyncModelStore(local: MemoryModelStore(), remote: shelf.store, types: [Playlist.self])
    try await mine.sync()
    let copy = try await mine.lookup(Playlist.self, identifier: "a")
    copy.songs.insert("New")
    try await mine.save(copy)
    #expect(try await mine.sync().discarded == 0)
    let theirs = try await shelf.store.lookup(Playlist.self, identifier: "a")
    #expect(theirs.songs == copy.songs && theirs.songs.count == 21)
  }

  @Test func `An edit is not in conflict with a value that only a new version of the class spells differently`()
    async throws
  {
    let speaker = Speaker()
    (speaker.id, speaker.volume) = ("a", 15)
    try await shelf.store.create(speaker)
    let local = MemoryModelStore().handle
    try await SyncModelStore(local: MemoryModelStore(local), remote: shelf.store, types: [Speaker.self]).sync()
    let mine = SyncModelStore(local: MemoryModelStore(local), remote: shelf.store, types: [LimitedSpeaker.self])
    let copy = try await mine.lookup(LimitedSpeaker.self, identifier: "a")
    copy.volume = 7
    try await mine.save(copy)
    #expect(try await mine.sync().discarded == 0)
    #expect(try await shelf.store.lookup(Speaker.self, identifier: "a").volume == 7)
  }

  @Test func `A resolver can keep the local value`() async throws {
    let (mine, tag) = try await clients()
    mine.resolve(Tag.self) { conflict in
      #expect(
        conflict.base?["label"] == "Old" && conflict.local?["label"] == "Mine" && conflict.remote?["label"] == "Theirs")
      return .local
    }
    #expect(try await mine.sync().discarded == 0)
    #expect(tag.label.value == "Mine")
    #expect(try await shelf.store.lookup(Tag.self, identifier: "a").label.value == "Mine")
  }

  @Test func `A resolver can join both values`() async throws {
    let (mine, tag) = try await clients()
    mine.resolve(Tag.self) { conflict in
      var record = conflict.remote ?? [:]
      record["label"] = .string(
        "\(conflict.remote?["label"]?.stringValue ?? "") and \(conflict.local?["label"]?.stringValue ?? "")")
      return .record(record)
    }
    try await mine.sync()
    #expect(tag.label.value == "Theirs and Mine")
    #expect(try await shelf.store.lookup(Tag.self, identifier: "a").label.value == "Theirs and Mine")
    #expect(try await mine.outbox().isEmpty)
  }

  @Test(arguments: [SyncResolution.local, .remote])
  func `A deferred conflict waits in the outbox until it is resolved`(resolution: SyncResolution) async throws {
    let (mine, tag) = try await clients()
    mine.resolve(Tag.self) { _ in .wait }
    let report = try await mine.sync()
    #expect(report.failures.map(\.error.code) == [.conflict] && report.waiting == 1)
    #expect(tag.label.value == "Mine")
    #expect(try await shelf.store.lookup(Tag.self, identifier: "a").label.value == "Theirs")
    #expect(try await mine.sync().failures.isEmpty)
    let conflict = try #require(try await mine.conflicts().first)
    #expect(conflict.keys == ["label"] && conflict.remote?["label"] == "Theirs")
    try await mine.resolve(conflict, with: resolution)
    #expect(try await mine.conflicts().isEmpty)
    try await mine.sync()
    #expect(tag.label.value == (resolution == .local ? "Mine" : "Theirs"))
    #expect(try await shelf.store.lookup(Tag.self, identifier: "a").label.value == tag.label.value)
    #expect(try await mine.outbox().isEmpty)
  }

  @Test(arguments: [true, false])
  func `A record chosen for an older version of a conflict is refused, and no later edit is lost`(
    isLocal: Bool
  ) async throws {
    let (mine, tag) = try await clients()
    mine.resolve(Tag.self) { _ in .wait }
    try await mine.sync()
    let conflict = try #require(try await mine.conflicts().first)
    if isLocal {
      tag.label.value = "Mine again"
      try await mine.save(tag)
    } else {
      let theirs = try await shelf.store.lookup(Tag.self, identifier: "a")
      theirs.label.value = "Theirs again"
      try await shelf.store.save(theirs)
      try await mine.sync()
    }
    let chosen = SyncResolution.record(conflict.merged(keepingLocal: ["label"]))
    let error = await #expect(throws: ModelStoreError.self) { try await mine.resolve(conflict, with: chosen) }
    #expect(error?.code == .conflict && error?.message.contains("Read the conflict again.") == true)
    let current = try #require(try await mine.conflicts().first)
    #expect(current.local?["label"] == (isLocal ? "Mine again" : "Mine"))
    #expect(current.remote?["label"] == (isLocal ? "Theirs" : "Theirs again"))
    try await mine.resolve(current, with: .record(current.merged(keepingLocal: ["label"])))
    try await mine.sync()
    let label = try await shelf.store.lookup(Tag.self, identifier: "a").label.value
    #expect(label == (isLocal ? "Mine again" : "Mine"))
  }

  @Test func `An edited record that the server deleted is noted as a whole`() async throws {
    let (mine, _) = try await clients(deletingFirst: true)
    try await mine.sync()
    #expect(try await mine.list(Tag.self).isEmpty)
    let note = try #require(try await mine.discardedValues().first)
    #expect(note.key == nil && note.value.objectValue?["label"] == "Mine")
  }

  @Test func `A resolver can create a deleted record again`() async throws {
    let (mine, tag) = try await clients(deletingFirst: true)
    mine.resolve(Tag.self) { conflict in
      #expect(conflict.remote == nil && conflict.keys.isEmpty)
      return .local
    }
    try await mine.sync()
    #expect(try await shelf.store.lookup(Tag.self, identifier: "a").label.value == "Mine")
    #expect(try await mine.lookup(Tag.self, identifier: "a") === tag)
  }

  @Test func `A deferred conflict about a deletion has no keys`() async throws {
    let (mine, _) = try await clients(deletingFirst: true)
    mine.resolve(Tag.self) { _ in .wait }
    try await mine.sync()
    let conflict = try #require(try await mine.conflicts().first)
    #expect(conflict.keys.isEmpty && conflict.remote == nil && conflict.local?["label"] == "Mine")
    try await mine.resolve(conflict, with: .merge)
    #expect(try await mine.list(Tag.self).isEmpty)
    #expect(try await mine.outbox().isEmpty)
  }

  @Test func `A local deletion of a record that the server changed is undone and noted`() async throws {
    let (theirs, mine) = (shelf.client(), shelf.client())
    try await theirs.save(Tag.labeled("a", "Old"))
    try await theirs.sync()
    try await mine.sync()
    try await mine.delete(try await mine.lookup(Tag.self, identifier: "a"))
    let tag = try await theirs.lookup(Tag.self, identifier: "a")
    tag.label.value = "Theirs"
    try await theirs.save(tag)
    try await theirs.sync()
    try await mine.sync()
    #expect(try await mine.list(Tag.self).map(\.label.value) == ["Theirs"])
    #expect(try await mine.discardedValues().map(\.value) == [.null])
  }
}

@Suite struct `A rejected record` {
  let shelf = Shelf()

  /// A remote store that refuses some labels.
  private func strict(_ client: MemoryEngine) -> MemorySyncStore {
    shelf.client(client, remote: StrictStore(shelf.server))
  }

  @Test func `A rejected record is parked with the server's message, and delays no unrelated record`() async throws {
    let store = strict(MemoryModelStore().handle)
    try await store.save(Tag.labeled("a", "poison"))
    try await store.save(Tag.labeled("b", "Good"))
    let report = try await store.sync()
    #expect(report.failures.map(\.identifier) == ["a"] && report.pushed == 1 && report.waiting == 1)
    let entry = try #require(try await store.failures().first)
    #expect(entry.state == .parked && entry.error == "The label is poison: 503.")
    #expect(try await shelf.store.list(Tag.self).map(\.id.value) == ["b"])
    #expect(try await store.sync().pushed == 0)
  }

  @Test func `An edit of a rejected record sends it again`() async throws {
    let store = strict(MemoryModelStore().handle)
    let tag = Tag.labeled("a", "poison")
    try await store.save(tag)
    try await store.sync()
    tag.label.value = "Good"
    try await store.save(tag)
    try await store.sync()
    #expect(try await store.failures().isEmpty)
    #expect(try await shelf.store.list(Tag.self).map(\.label.value) == ["Good"])
  }

  @Test func `Discarding the changes of a rejected record restores the server's record`() async throws {
    let store = strict(MemoryModelStore().handle)
    let tag = Tag.labeled("a", "Good")
    try await store.save(tag)
    try await store.sync()
    tag.label.value = "poison"
    try await store.save(tag)
    try await store.sync()
    try await store.discardChanges(try #require(try await store.failures().first))
    #expect(tag.label.value == "Good")
    #expect(try await store.outbox().isEmpty)
  }

  @Test func `Discarding a record that was never sent removes it`() async throws {
    let store = strict(MemoryModelStore().handle)
    try await store.save(Tag.labeled("a", "poison"))
    try await store.sync()
    try await store.discardChanges(try #require(try await store.failures().first))
    #expect(try await store.list(Tag.self).isEmpty)
  }

  @Test func `A rejected record delays the records that reference it`() async throws {
    let store = strict(MemoryModelStore().handle)
    let (author, book) = (Author(), Book.titled("Emma"))
    author.name.value = "poison"
    book.author.value = author
    try await store.save(book, including: .related)
    #expect(try await store.sync().waiting == 2)
    #expect(try await shelf.store.list(Book.self).isEmpty)
    author.name.value = "Jane"
    try await store.save(author)
    #expect(try await store.sync().waiting == 0)
    #expect(try await shelf.store.list(Book.self).count == 1)
  }
}

/// A store that refuses some values.
final class StrictStore: ModelStore {
  private let base: MemoryModelStore
  var scope: ModelScope { base.scope }

  init(_ handle: MemoryEngine) { base = MemoryModelStore(handle) }

  private func check(_ model: ModelObject) throws {
    if (model as? Tag)?.label.value == "poison" || (model as? Author)?.name.value == "poison" {
      throw ModelStoreError(.invalid, "The label is poison: 503.", fields: ["label": ["is poison"]])
    }
  }

  func create<M: Model>(_ model: M) async throws -> M {
    try check(model)
    return try await base.create(model)
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try check(model)
    return try await base.update(model, fields: fields)
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy) async throws -> M {
    try check(model)
    return try await base.update(model, fields: fields, onConflict: policy)
  }

  func delete<M: Model>(_ model: M) async throws -> M { try await base.delete(model) }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await base.lookup(type, identifier: identifier)
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await base.list(query) }
}

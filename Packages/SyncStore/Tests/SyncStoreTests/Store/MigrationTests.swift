@_spi(ModelKitInternals) import FieldKit
import FileStore
import Foundation
import RESTStore
import StoreProtocol
import Testing

@testable import SyncStore

/// The first version of the model.
private final class OldNote: Model {
  let id = Field<String>()
  let text = Field<String>()
  let stars = Field<Int>()
  override var identifierField: AnyField? { id }
  override class var typeName: String { "Note" }
}

/// The second version: the text is the title, and the stars are words.
private final class Note: Model {
  let id = Field<String>()
  let title = Field<String>()
  let stars = Field<String>()
  let isPinned = Field<Bool>()
  override var identifierField: AnyField? { id }
  override class var typeName: String { "Note" }
}

@Suite struct `A migration of a synchronised store in files` {
  /// The server of the first version of the app.
  private let old = WriteBlockingServer()
  /// The server after its own migration.
  private let new = RESTFixture()

  private static let migration = Migration("Note", to: 2) { record in
    try record.rename("text", to: "title")
    try record.convert("stars") { .string("\($0.intValue ?? 0) stars") }
    record.setDefault(false, for: "isPinned")
    if record["title"]?.stringValue?.hasPrefix("Obsolete") == true { record.remove() }
  }

  /// Writes with the first version of the app, then returns the store as the second version opens it.
  private func withMigrated(
    _ folder: URL, _ write: (SyncModelStore<FileStoreHandle>) async throws -> Void,
    then body: (SyncModelStore<FileStoreHandle>) async throws -> Void
  ) async throws {
    let first = SyncModelStore(
      local: FileModelStore(directory: folder, options: FileStoreOptions(durability: .none)), remote: old.store(),
      types: [OldNote.self])
    for id in ["a", "b", "c"] { try await first.save(oldNote(id, "Text \(id)", 1)) }
    try await first.sync()
    try await write(first)
    try await FileModelStore(first.handle.local).close()
    let options = FileStoreOptions(durability: .none, migrations: [Self.migration])
    let second = SyncModelStore(
      local: FileModelStore(directory: folder, options: options), remote: new.store(), types: [Note.self])
    for id in ["a", "b", "c"] {
      let note = Note()
      (note.id.value, note.title.value, note.stars.value) = (id, "Text \(id)", "1 stars")
      note.isPinned.value = false
      try await new.store().create(note)
    }
    try await body(second)
    try await FileModelStore(second.handle.local).close()
  }

  private func oldNote(_ id: String, _ text: String, _ stars: Int) -> OldNote {
    let note = OldNote()
    (note.id.value, note.text.value, note.stars.value) = (id, text, stars)
    return note
  }

  private func edit(
    _ store: SyncModelStore<FileStoreHandle>, _ id: String, text: String? = nil, stars: Int? = nil
  ) async throws {
    let note = try await store.lookup(OldNote.self, identifier: id)
    if let text { note.text.value = text }
    if let stars { note.stars.value = stars }
    try await store.save(note)
  }

  private func onServer(_ id: String) async throws -> [String?] {
    let note = try await new.store().lookup(Note.self, identifier: id)
    return [note.title.value, note.stars.value]
  }

  private var patches: [JSONValue?] {
    new.requests.filter { $0.method == .patch }.map { $0.body.flatMap { try? JSONValue(json: $0) } }
  }

  @Test func `Edits of renamed and converted fields, and creations, are sent with the new fields`() async throws {
    try await withFolder { folder in
      try await withMigrated(folder) { store in
        try await edit(store, "a", text: "Mine")
        try await edit(store, "b", stars: 5)
        try await store.save(oldNote("d", "Created", 2))
      } then: { store in
        let report = try await store.sync()
        #expect(report.discarded == 0 && report.waiting == 0 && report.pushed == 3)
        #expect(try await onServer("a") == ["Mine", "1 stars"])
        #expect(try await onServer("b") == ["Text b", "5 stars"])
        #expect(try await onServer("d") == ["Created", "2 stars"])
        #expect(patches == [["title": "Mine"], ["stars": "5 stars"]])
      }
    }
  }

  @Test func `A creation whose answer was lost is sent again with the new fields and its key`() async throws {
    try await withFolder { folder in
      var key: String?
      try await withMigrated(folder) { store in
        try await store.save(oldNote("d", "Created", 2))
        old.isBlocked = true
        await #expect(throws: ModelStoreError.self) { try await store.sync() }
        key = try #require(try await store.outbox().first?.flight?.key)
      } then: { store in
        try await store.sync()
        #expect(try await onServer("d") == ["Created", "2 stars"])
        #expect(new.requests.last { $0.method == .post }?.headers["Idempotency-Key"] == key)
        #expect(try await store.outbox().isEmpty)
      }
    }
  }

  @Test func `An update whose answer was lost sends its new fields, and nothing is discarded`() async throws {
    try await withFolder { folder in
      try await withMigrated(folder) { store in
        try await edit(store, "a", text: "Mine")
        old.isBlocked = true
        await #expect(throws: ModelStoreError.self) { try await store.sync() }
        try await edit(store, "a", stars: 4)
      } then: { store in
        let flight = try #require(try await store.outbox().first?.flight)
        #expect(flight.body == ["title": "Mine"] && flight.record?["stars"] == "1 stars")
        let report = try await store.sync()
        #expect(report.discarded == 0 && report.waiting == 0)
        #expect(try await onServer("a") == ["Mine", "4 stars"])
      }
    }
  }

  @Test func `A deletion that waits is sent, even if no other record of its type is left`() async throws {
    try await withFolder { folder in
      try await withMigrated(folder) { store in
        for note in try await store.list(OldNote.self) { try await store.delete(note) }
      } then: { store in
        let report = try await store.sync()
        #expect(report.discarded == 0 && report.waiting == 0)
        #expect(try await new.store().list(Note.self).isEmpty)
      }
    }
  }

  @Test func `A conflict that waits is shown with the new fields`() async throws {
    try await withFolder { folder in
      try await withMigrated(folder) { store in
        let theirs = try await old.store().lookup(OldNote.self, identifier: "a")
        theirs.text.value = "Theirs"
        try await old.store().update(theirs, fields: [theirs.text], onConflict: .overwrite)
        try await edit(store, "a", text: "Mine")
        store.resolve(OldNote.self) { _ in .wait }
        try await store.sync()
      } then: { store in
        let conflict = try #require(try await store.conflicts().first)
        #expect(conflict.keys == ["title"])
        let titles = [conflict.base, conflict.local, conflict.remote].map { $0?["title"]?.stringValue }
        #expect(titles == ["Text a", "Mine", "Theirs"])
      }
    }
  }

  @Test func `A record that a migration removes is not deleted on the server`() async throws {
    try await withFolder { folder in
      try await withMigrated(folder) { store in
        try await edit(store, "a", text: "Obsolete")
        try await store.save(oldNote("d", "Obsolete, too", 2))
      } then: { store in
        #expect(try await store.outbox().isEmpty)
        #expect(try await store.list(Note.self).map(\.id.value) == ["b", "c"])
        try await store.sync()
        #expect(try await new.store().list(Note.self).map(\.id.value) == ["a", "b", "c"])
      }
    }
  }
}

/// A server that stops receiving writes.
private final class WriteBlockingServer: HTTPTransport {
  private let base = RESTFixture()
  private let blocked = Lock(false)
  var isBlocked: Bool {
    get { blocked.withLock { $0 } }
    set { blocked.withLock { $0 = newValue } }
  }

  func store() -> RESTModelStore { base.store(over: self) }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    if isBlocked, request.method != .get { throw ModelStoreError(.offline, "The connection was lost.") }
    return try await base.send(request)
  }
}

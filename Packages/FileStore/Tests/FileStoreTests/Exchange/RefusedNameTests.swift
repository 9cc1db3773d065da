import Foundation
import StoreProtocolTesting
import Testing

@testable import FileStore

/// Names that belong to the store, and keys that are there twice.
@Suite struct `Names that a file store rejects` {
  private final class Versions: Model {
    let id = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "@model-versions" }
  }

  private final class Note: Model {
    let id = Field<Int>()
    let text = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Note" }
  }

  private func note(_ text: String) -> Note {
    let note = Note()
    note.text.value = text
    return note
  }

  @Test func `A class with the name of the store's own records is refused by every call, and the store opens again`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      try await store.create(note("kept"))
      let versions = Versions()
      versions.id.value = "1"
      func refused(_ body: () async throws -> Void) async throws {
        let error = await #expect(throws: ModelStoreError.self) { try await body() }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains("@model-versions") == true)
      }
      try await refused { try await store.create(versions) }
      try await refused { _ = try await store.list(Versions.self) }
      try await refused { _ = try await store.list(Versions.self, where: { $0.id == "1" }) }
      try await refused { _ = try await store.count(Versions.self) }
      try await refused { _ = try await store.identifiers(ModelQuery(Versions.self)) }
      try await refused { _ = try await store.lookup(Versions.self, identifier: "1") }
      try await refused {
        try await store.transaction { store in _ = try await store.create(versions) }
      }
      try await store.close()
      let again = FileModelStore(directory: directory)
      #expect(try await again.open() == [])
      #expect(try await again.list(Note.self).map(\.text.value) == ["kept"])
      try await again.close()
    }
  }

  @Test func `A migration of the store's own records is refused, and changes nothing`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      try await store.create(note("kept"))
      try await store.close()
      for name in ["@model-versions", "@anything"] {
        let options = FileStoreOptions(migrations: [Migration(name, to: 2) { _ in }])
        let error = await #expect(throws: ModelStoreError.self) {
          try await FileModelStore(directory: directory, options: options).open()
        }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains(name) == true)
      }
      let again = FileModelStore(directory: directory)
      #expect(try await again.open() == [])
      #expect(try await again.list(Note.self).count == 1)
      try await again.close()
    }
  }

  @Test func `A store into which such a migration was written can be opened again`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      try await store.create(note("kept"))
      let contents = try await store.handle.engine.contents()
      _ = contents
      try await store.handle.engine.service.writing { writer in
        let journal = try writer.journal("")
        let records: [Change] = [
          .create("@model-versions", "@model-versions", Array(#"{"version":2}"#.utf8)),
          .create("@model-versions", "1", Array(#"{"id":"1"}"#.utf8)),
        ]
        for result in journal.commit([records], isDurable: true) { _ = try result.get() }
      }
      try await store.close()
      let again = FileModelStore(directory: directory)
      #expect(try await again.open() == [])
      #expect(try await again.list(Note.self).count == 1)
      try await again.close()
    }
  }

  @Test func `An export to a file with a name of the store's own is refused`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      try await store.create(note("kept"))
      for name in ["manifest.json", "manifest.json.new", "manifest-1.quarantine", "lock", "groups/x.json"] {
        let error = await #expect(throws: ModelStoreError.self) {
          try await store.exportJSON(to: directory.appending(path: name))
        }
        #expect(error?.code == .invalid, "\(name)")
      }
      try await store.exportJSON(to: directory.appending(path: "notes.json"))
      try await store.close()
    }
  }

  @Test(arguments: [
    (#"{"format":"modelkit-models","models":[],"models":[]}"#, "models", 40),
    (#"{"format":"modelkit-models","format":"modelkit-models","models":[]}"#, "format", 28),
    (#"{"format":"modelkit-models","modelVersions":{"A":1,"A":2},"models":[]}"#, "A", 51),
    (
      #"{"format":"modelkit-models","models":[{"type":"Note","type":"Note","identifier":"1","value":{"id":1}}]}"#,
      "type", 53
    ),
    (
      #"{"format":"modelkit-models","models":[{"type":"Note","identifier":"1","value":{"id":1,"text":"a","text":"b"}}]}"#,
      "text", 97
    ),
    (
      #"{"format":"modelkit-models","models":[{"type":"X","identifier":"1","value":{"a":[{"b":1,"c":{},"\u0062":2}]}}]}"#,
      "b", 95
    ),
  ])
  func `An import with a key that is there twice is refused with its position`(
    json: String, key: String, offset: Int
  ) async throws {
    try await withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let file = directory.appending(path: "notes.json")
      try Data(json.utf8).write(to: file)
      let store = FileModelStore(directory: directory.appending(path: "store"))
      let error = await #expect(throws: ModelStoreError.self) { try await store.importJSON(from: file) }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("the key \"\(key)\" occurs twice") == true, "\(String(describing: error))")
      #expect(error?.message.contains("line 1, offset \(offset):") == true, "\(String(describing: error))")
      #expect(try await store.count(Note.self) == 0)
      try await store.close()
    }
  }
}

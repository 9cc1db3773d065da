@_spi(ModelKitInternals) import FileStore
import Foundation
import Testing

@Suite struct `A file of JSON` {
  final class Book: Model {
    let id = Field<String>()
    let title = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Book" }
  }

  final class Reader: Model {
    let id = Field<Int>()
    let name = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Reader" }
  }

  private func book(_ identifier: String, _ title: String) -> Book {
    let book = Book()
    book.id.value = identifier
    book.title.value = title
    return book
  }

  /// Runs a test with a store, an empty one, and the path of a file.
  private func withStores(_ body: (FileModelStore, FileModelStore, URL) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let options = FileStoreOptions(durability: .none)
      let store = FileModelStore(directory: directory, options: options)
      let other = FileModelStore(directory: directory.appendingPathExtension("other"), options: options)
      try await store.open()
      defer { try? FileManager.default.removeItem(at: directory.appendingPathExtension("other")) }
      try await body(store, other, directory.appending(path: "export.json"))
      try await store.close()
      try await other.close()
    }
  }

  @Test func `A file of JSON has the models of all types, and makes the same store of them`() async throws {
    try await withStores { store, other, url in
      try await store.createAll([book("é\"\n\\", "Émile"), book("2", "Line\nbreak"), book("3", "gone")])
      let reader = Reader()
      reader.name.value = "Ada"
      try await store.create(reader)
      try await store.delete(try await store.lookup(Book.self, identifier: "3"))
      var progress: [FileStoreProgress] = []
      #expect(try await store.exportJSON(to: url) { progress.append($0) } == 3)
      #expect(progress.last?.modelCount == 3)
      #expect(progress.last?.fractionCompleted == 1)

      // Anybody can read it.
      let whole = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
      let models = try #require(whole["models"] as? [[String: Any]])
      #expect(models.map { $0["type"] as? String } == ["Book", "Book", "Reader"])
      #expect(models.first?["identifier"] as? String == "é\"\n\\")

      progress = []
      let outcome = try await other.importJSON(from: url) { progress.append($0) }
      #expect(outcome.createdCount == 3)
      #expect(progress.last?.fractionCompleted == 1)
      #expect(try await other.list(Book.self).map(\.title.value) == ["Émile", "Line\nbreak"])
      #expect(try await other.lookup(Reader.self, identifier: "1").name.value == "Ada")
    }
  }

  @Test func `The versions of migrated models are not counted as models`() async throws {
    try await withTemporaryDirectory { directory in
      let options = FileStoreOptions(migrations: [Migration(Book.self, to: 2) { _ in }])
      let store = FileModelStore(directory: directory, options: options)
      try await store.create(book("1", "Emma"))
      var progress: [FileStoreProgress] = []
      #expect(try await store.exportJSON(to: directory.appending(path: "books.json")) { progress.append($0) } == 1)
      #expect(progress.last?.fractionCompleted == 1)
      #expect(try await store.repair().recoveredCount == 1)
      try await store.close()
    }
  }

  @Test func `A store of migrated models is maintained without their migrations`() async throws {
    try await withTemporaryDirectory { directory in
      let (file, folder) = (directory.appending(path: "books.json"), directory.appending(path: "store"))
      func store(_ migrations: [Migration] = [Migration(Book.self, to: 2) { _ in }]) -> FileModelStore {
        FileModelStore(directory: folder, options: FileStoreOptions(migrations: migrations))
      }
      let migrated = store()
      try await migrated.create(book("1", "Emma"))
      try await migrated.exportJSON(to: file)
      try await migrated.close()
      await #expect(throws: ModelStoreError.self) { try await store([]).open() }
      for mode in [FileStoreMode.readOnly, .readWrite] {
        var options = FileStoreOptions(mode: mode)
        options.acceptsAnyVersion = true
        let maintained = FileModelStore(directory: folder, options: options)
        #expect(try await maintained.open() == [])
        #expect(try await maintained.exportJSON(to: file) == 1)
        if mode == .readWrite {
          #expect(try await maintained.repair().losses == [])
          try await maintained.compact()
          #expect(try await maintained.importJSON(from: file, existing: .replace).replacedCount == 1)
          let text = try String(contentsOf: file, encoding: .utf8)
          for version in [1, 3] {
            try Data(text.replacing("\"Book\":2", with: "\"Book\":\(version)").utf8).write(to: file)
            let error = await #expect(throws: ModelStoreError.self) {
              try await maintained.importJSON(from: file, existing: .replace)
            }
            #expect(error?.message.contains("have version \(version)") == true)
          }
        }
        try await maintained.close()
      }
      let again = store()
      #expect(try await again.list(Book.self).map(\.title.value) == ["Emma"])
      try await again.close()
    }
  }

  @Test func `A file of JSON may be laid out by others, with more in it`() async throws {
    try await withStores { store, _, url in
      let text = """
        { "comment": {"a": [1, "}"]},
          "format": "modelkit-models", "version": 1,
          "models": [
            {
              "identifier": "1", "note": null,
              "value": { "id": "1",
                         "title": "Emma" },
              "type": "Book"
            } , {"type":"Book","identifier":"2","value":{"id":"2","title":"Sanditon"}}
          ], "end": true }
        """
      try Data(text.utf8).write(to: url)
      #expect(try await store.importJSON(from: url).createdCount == 2)
      #expect(try await store.list(Book.self).map(\.title.value) == ["Emma", "Sanditon"])
      #expect(try await store.verify() == [])
    }
  }

  @Test func `A file of JSON of many models goes through in pieces`() async throws {
    try await withStores { store, other, url in
      try await store.createAll((0..<20_000).map { book("\($0)", String(repeating: "x", count: 300)) })
      var steps = 0
      #expect(try await store.exportJSON(to: url) { _ in steps += 1 } == 20_000)
      #expect(steps > 4)
      #expect(try await other.importJSON(from: url).createdCount == 20_000)
      #expect(try await other.count(Book.self) == 20_000)
    }
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let text: String
    let place: String
    var testDescription: String { place }
  }

  private static let start = #"{"format":"modelkit-models","version":1,"models":["#
  private static let good = #"{"type":"Book","identifier":"1","value":{"id":"1"}}"#

  @Test(arguments: [
    Mistake(text: "", place: "line 1, offset 0"),
    Mistake(text: "[]", place: "line 1, offset 0"),
    Mistake(text: #"{"format":"else","models":[]}"#, place: "line 1, offset 10"),
    Mistake(text: #"{"models":[]}"#, place: "line 1, offset 1"),
    Mistake(text: start + "\n" + good + "\n", place: "line 3, offset 103"),
    Mistake(text: start + "\n" + good + ",\n{\"type\":\"Book\"}]}", place: "line 3, offset 104"),
    Mistake(text: start + "\n" + good + ",\n{\"type\":\"Book\",\"identifier\":\"2\",\"value\":7}]}", place: "line 3"),
    Mistake(text: start + "\n" + good + ",\n{\"type\":\"Book\",\n\"identifier\":2,\"value\":{}}]}", place: "line 4"),
    Mistake(text: start + "\n" + good + ",\n{\"type\":\"Book\",\"value\":{\"a\":[}}]}", place: "line 3"),
    Mistake(text: start + "\n" + good + "]} rest", place: "line 2"),
    Mistake(text: start + good + "],\n\"modelVersions\":{\"Book\":2}}", place: "line 2"),
    Mistake(
      text: start + good + ",\n{\"type\":\"Book\",\"identifier\":\"2\",\"value\":{\"id\":\"2\",\"title\":"
        + String(repeating: "[", count: 505) + String(repeating: "]", count: 505) + "}}]}", place: "line 2"),
    Mistake(text: start + "\n" + good + ",\n{\"type\":\"Bo", place: "line 3, offset 104"),
  ])
  func `A file of JSON that is wrong is refused with line and offset, and nothing of it is imported`(mistake: Mistake)
    async throws
  {
    try await withStores { store, _, url in
      try Data(mistake.text.utf8).write(to: url)
      let error = await #expect(throws: ModelStoreError.self) { try await store.importJSON(from: url) }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains(mistake.place) == true, "\(error?.message ?? "")")
      #expect(try await store.count(Book.self) == 0)
    }
  }

  @Test func `A file of JSON of a newer version is refused`() async throws {
    try await withStores { store, _, url in
      try Data(#"{"format":"modelkit-models","version":2,"models":[]}"#.utf8).write(to: url)
      let error = await #expect(throws: ModelStoreError.self) { try await store.importJSON(from: url) }
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains("version 2") == true)
    }
  }

  @Test func `A file of JSON with models that are there already is refused, or they are kept or replaced`() async throws
  {
    try await withStores { store, other, url in
      try await store.createAll([book("1", "Emma"), book("2", "Sanditon")])
      try await store.exportJSON(to: url)
      try await other.create(book("2", "Mine"))
      let error = await #expect(throws: ModelStoreError.self) { try await other.importJSON(from: url) }
      #expect(error?.code == .conflict)
      #expect(error?.identifier == "2")
      #expect(try await other.count(Book.self) == 1)
      let kept = try await other.importJSON(from: url, existing: .keep)
      #expect((kept.createdCount, kept.keptCount, kept.replacedCount) == (1, 1, 0))
      #expect(try await FileModelStore(other.handle).lookup(Book.self, identifier: "2").title.value == "Mine")
      let replaced = try await other.importJSON(from: url, existing: .replace)
      #expect((replaced.createdCount, replaced.keptCount, replaced.replacedCount) == (0, 0, 2))
      #expect(try await FileModelStore(other.handle).lookup(Book.self, identifier: "2").title.value == "Sanditon")
    }
  }

  @Test func `A file of JSON with a model twice is refused`() async throws {
    try await withStores { store, _, url in
      try Data("\(Self.start)\(Self.good),\n\(Self.good)]}".utf8).write(to: url)
      let error = await #expect(throws: ModelStoreError.self) { try await store.importJSON(from: url) }
      #expect(error?.code == .conflict)
      #expect(error?.message.contains("line 2") == true)
      #expect(try await store.count(Book.self) == 0)
    }
  }

  struct Misfit: Sendable, CustomTestStringConvertible {
    let record: String
    let identifier: String
    let reason: String
    var testDescription: String { record }
  }

  @Test(arguments: [
    Misfit(
      record: #""type":"Book","identifier":"2","value":{"id":"3"}"#, identifier: "2", reason: #"the identifier "3""#),
    Misfit(
      record: #""type":"Book","identifier":"2","value":{"id":"1"}"#, identifier: "2", reason: #"the identifier "1""#),
    Misfit(record: #""type":"Book","identifier":"2","value":{}"#, identifier: "2", reason: "no identifier"),
    Misfit(
      record: #""type":"Book","identifier":"e\u0301","value":{"id":"\u00e9"}"#, identifier: "e\u{301}",
      reason: "the identifier"),
    Misfit(
      record: #""type":"Book","identifier":"2","value":{"id":"2","title":[7]}"#, identifier: "2",
      reason: "title: expected"),
    Misfit(record: #""type":"Reader","identifier":"x","value":{"id":"x"}"#, identifier: "x", reason: "id: expected"),
    Misfit(
      record: #""type":"Reader","identifier":"07","value":{"id":7}"#, identifier: "07", reason: #"the identifier "7""#),
  ])
  func `A file of JSON with a model that does not fit its class is refused with its position, and not imported`(
    misfit: Misfit
  ) async throws {
    try await withStores { store, _, url in
      try Data("\(Self.start)\n\(Self.good),\n{\(misfit.record)}]}".utf8).write(to: url)
      let error = await #expect(throws: ModelStoreError.self) {
        try await store.importJSON(from: url, existing: .replace, checking: [Book.self, Reader.self])
      }
      #expect(error?.code == .invalid)
      #expect(error?.identifier == misfit.identifier)
      let message = error?.message ?? ""
      #expect(message.hasPrefix("Nothing was imported from '\(url.path)', line 3, offset 104: "), "\(message)")
      #expect(message.contains(misfit.reason), "\(message)")
      #expect(message.hasSuffix("Correct it in the file, or remove it."))
      #expect(try await store.identifiers(ModelQuery(Book.self)) == [])
      #expect(try await store.identifiers(ModelQuery(Reader.self)) == [])
    }
  }

  @Test func `A file of JSON is compared with the classes that the store has used`() async throws {
    try await withStores { store, _, url in
      try await store.create(book("0", "Emma"))
      try Data(#"\#(Self.start){"type":"Book","identifier":"2","value":{"id":"3"}}]}"#.utf8).write(to: url)
      await #expect(throws: ModelStoreError.self) { try await store.importJSON(from: url) }
      #expect(try await store.list(Book.self).map(\.id.value) == ["0"])
    }
  }

  @Test(arguments: ["list", "count", "lookup"])
  func `A file of JSON is compared with the classes that the store has only read, even without a record`(
    read: String
  ) async throws {
    try await withStores { store, _, url in
      switch read {
      case "list": #expect(try await store.list(Book.self).isEmpty)
      case "count": #expect(try await store.count(Book.self) == 0)
      default: _ = try? await store.lookup(Book.self, identifier: "1")
      }
      try Data(#"\#(Self.start){"type":"Book","identifier":"2","value":{"id":"3"}}]}"#.utf8).write(to: url)
      let error = await #expect(throws: ModelStoreError.self) { try await store.importJSON(from: url) }
      #expect(error?.code == .invalid)
      #expect(try await store.count(Book.self) == 0)
    }
  }

  @Test func `A file of JSON with unknown classes is imported, and unreadable records are named and can be deleted`()
    async throws
  {
    try await withStores { store, _, url in
      let wrong = #"{"type":"Book","identifier":"2","value":{"id":"2","title":[7]}}"#
      try Data("\(Self.start)\(Self.good),\n\(wrong)]}".utf8).write(to: url)
      #expect(try await store.importJSON(from: url).createdCount == 2)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.list(Book.self) }
      #expect(error?.code == .corrupt)
      #expect(error?.identifier == "2")
      #expect(error?.message.contains(#"The stored Book "2" can't be read: title: expected"#) == true)
      #expect(error?.message.contains("delete it") == true)
      #expect(try await store.lookup(Book.self, identifier: "1").id.value == "1")
      try await store.delete(Book.with(identifier: "2", in: store.scope))
      #expect(try await store.list(Book.self).map(\.id.value) == ["1"])
    }
  }

  @Test func `A record whose value has another identifier is not read as that model`() async throws {
    try await withStores { store, _, url in
      let text = """
        {"format": "modelkit-models", "version": 1, "models": [
          {"type": "Reader", "identifier": "6", "value": {"id": 7, "name": "wrong"}},
          {"type": "Reader", "identifier": "7", "value": {"id": 7, "name": "Ada"}},
          {"type": "Reader", "identifier": "8", "value": {"name": "none"}},
          {"type": "Book", "identifier": "1", "value": {"id": "2"}}]}
        """
      try Data(text.utf8).write(to: url)
      try await store.importJSON(from: url)
      let ada = try await store.lookup(Reader.self, identifier: "7")
      for identifier in ["6", "8"] {
        let error = await #expect(throws: ModelStoreError.self) {
          _ = try await store.lookup(Reader.self, identifier: identifier)
        }
        #expect(error?.code == .corrupt)
        #expect(error?.identifier == identifier)
        #expect(error?.message.contains(identifier == "6" ? "has the identifier \"7\"" : "no identifier") == true)
      }
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.list(Reader.self) }
      #expect(error?.code == .corrupt)
      #expect(error?.identifier == "6")
      await #expect(throws: ModelStoreError.self) { _ = try await store.list(Book.self) }
      #expect(ada.name.value == "Ada")
      #expect(!ada.isDirty)
      for identifier in ["6", "8"] { try await store.delete(Reader.with(identifier: identifier, in: store.scope)) }
      #expect(try await store.list(Reader.self) == [ada])
    }
  }

  @Test func `A file of JSON that is imported for two classes of one name is refused`() async throws {
    final class Other: Model {
      let id = Field<String>()
      override var identifierField: AnyField? { id }
      override class var typeName: String { "Book" }
    }
    try await withStores { store, _, url in
      try Data("\(Self.start)\(Self.good)]}".utf8).write(to: url)
      let error = await #expect(throws: ModelStoreError.self) {
        try await store.importJSON(from: url, checking: [Book.self, Other.self])
      }
      #expect(error?.code == .invalid)
      #expect(try await store.count(Book.self) == 0)
    }
  }

  @Test func `An export of JSON that fails reports the part of the file that exists`() async throws {
    try await withStores { store, other, url in
      try await store.createAll([book("1", "Emma"), book("2", "Emma")])
      try await store.exportJSON(to: url)
      try await other.index(\Book.title, unique: true)
      let error = await #expect(throws: ModelStoreError.self) { try await other.importJSON(from: url) }
      #expect(error?.code == .conflict)
      #expect(error?.message.hasPrefix("Nothing was imported.") == true)
      #expect(try await other.count(Book.self) == 0)
    }
  }

  @Test func `A file of JSON is written without changing a file with its temporary name`() async throws {
    try await withStores { store, other, url in
      try await store.create(book("1", "Emma"))
      for suffix in ["new", "new-2"] { try Data("mine".utf8).write(to: url.appendingPathExtension(suffix)) }
      try await store.exportJSON(to: url)
      for suffix in ["new", "new-2"] {
        #expect(try String(contentsOf: url.appendingPathExtension(suffix), encoding: .utf8) == "mine")
      }
      #expect(!FileManager.default.fileExists(atPath: url.path + ".new-3"))
      #expect(try await other.importJSON(from: url).createdCount == 1)
    }
  }

  @Test(arguments: [true, false])
  func `A file of JSON is written to the target of a symbolic link`(isThere: Bool) async throws {
    try await withStores { store, other, url in
      try await store.create(book("1", "Emma"))
      let folder = url.deletingLastPathComponent().appending(path: "folder")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      if isThere { try Data("old".utf8).write(to: folder.appending(path: "people.json")) }
      let between = folder.appending(path: "link")
      try FileManager.default.createSymbolicLink(atPath: between.path, withDestinationPath: "people.json")
      try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "folder/link")
      try await store.exportJSON(to: url)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: url.path) == "folder/link")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["link", "people.json"])
      #expect(try await other.importJSON(from: folder.appending(path: "people.json")).createdCount == 1)
      try FileManager.default.removeItem(at: between)
      try FileManager.default.createSymbolicLink(atPath: between.path, withDestinationPath: "link")
      await #expect(throws: ModelStoreError.self) { try await store.exportJSON(to: url) }
    }
  }

  @Test(arguments: ["manifest.json", "lock", "groups", "groups/@default/000001.journal"])
  func `A file of JSON is never one of the files of the store`(path: String) async throws {
    try await withStores { store, _, url in
      try await store.create(book("1", "Emma"))
      let error = await #expect(throws: ModelStoreError.self) {
        try await store.exportJSON(to: url.deletingLastPathComponent().appending(path: path))
      }
      #expect(error?.code == .invalid)
      #expect(try await store.verify() == [])
    }
  }

  @Test func `A file of JSON that can't be written leaves nothing`() async throws {
    try await withStores { store, _, url in
      try await store.create(book("1", "Emma"))
      let missing = url.deletingLastPathComponent().appending(path: "nowhere/export.json")
      let error = await #expect(throws: ModelStoreError.self) { try await store.exportJSON(to: missing) }
      #expect(error?.message.contains("There is no folder '\(missing.deletingLastPathComponent().path)'") == true)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      await #expect(throws: ModelStoreError.self) { try await store.exportJSON(to: url) }
      #expect(!FileManager.default.fileExists(atPath: url.path + ".new"))
    }
  }
}

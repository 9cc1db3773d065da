import Foundation
import Testing

@testable import FileStore

@Suite struct `A migration of a file store` {
  private final class Person: Model {
    let id = Field<Int>()
    let first = Field<String>()
    let last = Field<String>()
    let age = Field<String>()
    let nickname = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "ContractPerson" }
  }

  private struct Failure: Error {}

  private static let toTwo = Migration(Person.self, to: 2) { record in
    try record.rename("name", to: "fullName")
    try record.rename("names.nick", to: "nickname")
    record.drop("names")
    record.drop("tags")
  }

  private static let toThree = Migration(Person.self, to: 3) { record in
    try record.split("fullName") { name in
      let parts = (name.stringValue ?? "").split(separator: " ", maxSplits: 1).map(String.init)
      return ["first": .string(parts.first ?? ""), "last": .string(parts.count > 1 ? parts[1] : "")]
    }
    try record.convert("age") { .string("\($0.intValue ?? 0) years") }
    record.setDefault("unknown", for: "age")
    if record.identifier == "5" { record.remove() }
  }

  private func open(_ directory: URL, _ migrations: [Migration]) async throws -> FileModelStore {
    let store = FileModelStore(directory: directory, options: FileStoreOptions(migrations: migrations))
    try await store.open()
    return store
  }

  private func withFixture(_ name: String, _ body: (URL) async throws -> Void) async throws {
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/\(name)")
    try await withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        at: directory.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: fixture, to: directory)
      try await body(directory)
    }
  }

  private func check(_ store: FileModelStore) async throws {
    let people = try await store.list(Person.self)
    #expect(people.map(\.id.value) == [1, 2, 3])
    #expect(people.map(\.first.value) == ["Ada", "Zoë", "Person"])
    #expect(people.map(\.last.value) == ["", "\"Z\"", "3"])
    #expect(people.first?.nickname.value == "Countess")
    #expect(people.allSatisfy { $0.age.value?.isEmpty == false })
  }

  @Test(arguments: ["version-1", "version-1-crashed"])
  func `A migration of a file store changes the records of every old format, once`(fixture: String) async throws {
    try await withFixture(fixture) { directory in
      let store = try await open(directory, [Self.toThree, Self.toTwo])
      try await check(store)
      let record = try #require(try await store.handle.engine.read("ContractPerson", "2"))
      let value = String(decoding: record.value, as: UTF8.self)
      #expect(!value.contains("tags"))
      #expect(!value.contains("fullName"))
      try await store.compact()
      try await store.close()
      // Nothing is due any more: a step that ran now would fail.
      let failing = Migration(Person.self, to: 2) { _ in throw Failure() }
      let failingToo = Migration(Person.self, to: 3) { _ in throw Failure() }
      let again = try await open(directory, [failing, failingToo])
      try await check(again)
      #expect(try await again.handle.engine.types().contains("@model-versions") == false)
      try await again.close()
    }
  }

  @Test func `A migration keeps a value around the key of a default, and fails if it would replace one`() throws {
    func migrate(_ body: @escaping @Sendable (inout MigratingRecord) throws -> Void) throws -> String? {
      let plan = MigrationPlan([Migration("Person", to: 2, body)])
      let record = Array(#"{"address":"Main St 1","town":"Bern"}"#.utf8)
      return try plan.migrate(record, of: "Person", "1", from: 1).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(
      try migrate { $0.setDefault("unknown", for: "address.city") } == #"{"address":"Main St 1","town":"Bern"}"#)
    #expect(
      try migrate { $0.setDefault("CH", for: "home.land") }
        == #"{"address":"Main St 1","home":{"land":"CH"},"town":"Bern"}"#)
    #expect(throws: FileEngineError.self) { try migrate { try $0.rename("town", to: "address.city") } }
    #expect(throws: FileEngineError.self) { try migrate { try $0.split("town") { ["address.city": $0] } } }
  }

  @Test func `A migration of a file store continues from the version of an older program`() async throws {
    try await withFixture("version-1") { directory in
      let first = try await open(directory, [Self.toTwo])
      try await first.close()
      let second = try await open(directory, [Self.toTwo, Self.toThree])
      try await check(second)
      try await second.close()
    }
  }

  @Test func `A migration of a file store that fails names the record and changes nothing`() async throws {
    try await withFixture("version-1") { directory in
      let failing = Migration(Person.self, to: 3) { record in
        if record.identifier == "3" { throw Failure() }
        record.drop("fullName")
      }
      let error = await #expect(throws: ModelStoreError.self) { _ = try await open(directory, [Self.toTwo, failing]) }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("to version 3 failed at \"3\"") == true, "\(error?.message ?? "")")
      let store = try await open(directory, [Self.toTwo, Self.toThree])
      try await check(store)
      try await store.close()
    }
  }

  @Test func `A migration of a file store is needed by every program that opens it, and the error names the version`()
    async throws
  {
    try await withFixture("version-1") { directory in
      let store = try await open(directory, [Self.toTwo, Self.toThree])
      try await store.close()
      for migrations in [[], [Self.toTwo]] {
        let error = await #expect(throws: ModelStoreError.self) { _ = try await open(directory, migrations) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("up to version 3") == true)
      }
      let reader = FileModelStore(directory: directory, options: FileStoreOptions(mode: .readOnly))
      await #expect(throws: ModelStoreError.self) { _ = try await reader.open() }
    }
  }

  @Test func `A reader of a file store needs the migration that another program runs on it`()
    async throws
  {
    try await withFixture("version-1") { directory in
      let reader = FileModelStore(directory: directory, options: FileStoreOptions(mode: .readOnly))
      try await reader.open()
      let writer = try await open(directory, [Self.toTwo, Self.toThree])
      for _ in 1...2 {
        let error = await #expect(throws: ModelStoreError.self) { _ = try await reader.count(Person.self) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("up to version 3") == true)
      }
      try await reader.close()
      try await writer.close()
    }
  }

  @Test func `A migration of a file store that is due is left to a program that may write`() async throws {
    try await withFixture("version-1") { directory in
      let options = FileStoreOptions(mode: .readOnly, migrations: [Self.toTwo])
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await FileModelStore(directory: directory, options: options).open()
      }
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains("for reading and writing once") == true)
    }
  }

  @Test func `A migration of a file store is not needed by a new store, which has the last version at once`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let failing = [2, 3].map { Migration(Person.self, to: $0) { _ in throw Failure() } }
      let store = try await open(directory, failing)
      let person = Person()
      person.first.value = "Ada"
      try await store.create(person)
      try await store.close()
      let again = try await open(directory, failing)
      #expect(try await again.list(Person.self).map(\.first.value) == ["Ada"])
      try await again.close()
      await #expect(throws: ModelStoreError.self) { _ = try await open(directory, []) }
    }
  }

  @Test(arguments: [[3], [2, 4], [2, 2], [1, 2]])
  func `A migration of a file store whose steps don't go together is refused`(versions: [Int]) async throws {
    try await withFixture("version-1") { directory in
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await open(directory, versions.map { Migration(Person.self, to: $0) { _ in } })
      }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("are inconsistent") == true)
    }
  }

  @Test func `A migration of a file store applies to imported records of an older version`() async throws {
    try await withFixture("version-1") { directory in
      let old = try await open(directory, [])
      let url = directory.appending(path: "export.json")
      try await old.exportJSON(to: url)
      try await old.close()
      let store = try await open(directory.appendingPathExtension("new"), [Self.toTwo, Self.toThree])
      defer { try? FileManager.default.removeItem(at: directory.appendingPathExtension("new")) }
      try await store.importJSON(from: url)
      try await check(store)
      // And what it exports is of its own version.
      let newer = directory.appending(path: "newer.json")
      try await store.exportJSON(to: newer)
      try await store.close()
      let older = try await open(directory, [Self.toTwo])
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await older.importJSON(from: newer, existing: .replace)
      }
      #expect(error?.message.contains("version 3") == true)
      try await older.close()
    }
  }
}

@Suite struct `A migrated journal` {
  private static let plan = MigrationPlan([
    Migration("Book", to: 2) { record in record["title"] = .string("new \(record.identifier)") },
    Migration("Author", to: 2) { record in if record.identifier == "2" { record.remove() } },
  ])

  private func makeOld() throws -> FaultyFileSystem {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    for number in 1...5 { try journal.write([.create("Book", "\(number)", Array("{\"title\":\"old\"}".utf8))]) }
    try journal.write([.create("Author", "1", Array("{}".utf8)), .create("Author", "2", Array("{}".utf8))])
    try journal.close()
    return fileSystem
  }

  @Test func `A migrated journal is old or new after a crash at any call, and the next opening completes it`() throws {
    let healthy = try makeOld()
    let journal = try Journal.scripted(healthy)
    let old = try journal.snapshot()
    let before = healthy.calls
    try journal.migrate(Self.plan)
    let new = try journal.snapshot()
    #expect(new != old)
    for call in 1...(healthy.calls - before + 1) {
      for loss in [.dropped, .kept] as [FaultyFileSystem.Loss] {
        let fileSystem = try makeOld()
        let crashed = try Journal.scripted(fileSystem)
        fileSystem.stop(at: fileSystem.calls + call)
        _ = try? crashed.migrate(Self.plan)
        let again = try Journal.scripted(fileSystem.disk(after: loss))
        let found = try again.snapshot()
        #expect(found == old || found == new, "call \(call), \(loss)")
        try again.migrate(Self.plan)
        #expect(try again.snapshot() == new, "call \(call), \(loss)")
      }
    }
  }

  private static let counting = MigrationPlan([
    Migration("Book", to: 2) { $0["count"] = .int(($0["count"]?.intValue ?? 0) + 1) },
    Migration("Book", to: 3) { $0["count"] = .int(($0["count"]?.intValue ?? 0) + 10) },
  ])

  /// The offsets of the lines in a file that have a text.
  private func lines(with text: String, in bytes: [UInt8]) -> [Range<Int>] {
    var start = 0
    return bytes.split(separator: 0x0a, omittingEmptySubsequences: false).compactMap { line in
      defer { start += line.count + 1 }
      return String(decoding: line, as: UTF8.self).contains(text) ? start..<start + line.count : nil
    }
  }

  @Test(arguments: [false, true])
  func `A migration does not run again over its records although any byte of a version is damaged`(
    isCompacted: Bool
  ) throws {
    let healthy = try makeOld()
    let journal = try Journal.scripted(healthy)
    try journal.migrate(Self.counting)
    if isCompacted { try journal.compact() }
    let expected = try journal.snapshot().types["Book"]
    try journal.close()
    let path = try #require(healthy.paths.first { $0.hasSuffix(".journal") && healthy.bytes($0)?.count ?? 0 > 100 })
    let sound = try #require(healthy.bytes(path))
    let versions = lines(with: "@model-versions", in: sound)
    #expect(versions.count == 2)
    for line in versions {
      for place in line {
        let fileSystem = healthy.disk()
        var bytes = sound
        bytes[place] ^= 1
        fileSystem.overwrite(path, with: bytes)
        let again = try Journal.scripted(fileSystem)
        try again.migrate(Self.counting)
        #expect(try again.snapshot().types["Book"] == expected, "byte \(place)")
      }
    }
  }

  @Test func `A migration is refused, and not repeated, if no version of its records is readable`() throws {
    let healthy = try makeOld()
    let journal = try Journal.scripted(healthy)
    try journal.migrate(Self.counting)
    let expected = try journal.snapshot().types["Book"]
    try journal.close()
    let path = try #require(healthy.paths.first { $0.hasSuffix(".journal") })
    var bytes = try #require(healthy.bytes(path))
    for line in lines(with: "@model-versions", in: bytes) { bytes[line.upperBound - 4] ^= 1 }
    healthy.overwrite(path, with: bytes)
    let again = try Journal.scripted(healthy)
    let error = #expect(throws: FileEngineError.self) { try again.migrate(Self.counting) }
    guard case .unknownVersion("Book", _)? = error else { throw try #require(error) }
    #expect(try again.snapshot().types["Book"] == expected)
  }

  @Test func `The next opening copies the version of a migration that an older program has run`() throws {
    let fileSystem = try makeOld()
    let journal = try Journal.scripted(fileSystem)
    try journal.write([.create(ModelVersions.typeName, "Book", Array(#"{"version":3}"#.utf8))])
    let expected = try journal.snapshot().types["Book"]
    try journal.migrate(Self.counting)
    #expect(try journal.snapshot().types["Book"] == expected)
    #expect(try journal.snapshot().types[ModelVersions.typeName]?.map(\.identifier) == ["Book", "@copy/Book"])
  }
}

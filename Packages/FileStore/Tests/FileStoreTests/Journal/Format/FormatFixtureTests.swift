import Foundation
import Testing

@testable import FileStore

@Suite struct `A store of an older format version` {
  private final class Book: Model {
    let id = Field<String>()
    let title = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Book" }
  }

  private final class Company: Model {
    let id = Field<String>()
    let name = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "ContractCompany" }
  }

  private final class Person: Model {
    let id = Field<Int>()
    let name = Field<String>()
    let age = Field<Int>()
    let tags = Field<String>()*
    let nickname = Field<String>(key: "names.nick")
    override var identifierField: AnyField? { id }
    override class var typeName: String { "ContractPerson" }
  }

  /// Runs a test with a copy of a directory that an older version has written.
  private func withFixture(_ name: String, _ body: (URL) async throws -> Void) async throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let fixture = tests.appending(path: "Fixtures/\(name)")
    try await withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        at: directory.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: fixture, to: directory)
      try await body(directory)
    }
  }

  private func checkContents(_ store: FileModelStore) async throws {
    let people = try await store.list(Person.self)
    try #require(people.map(\.id.value) == [1, 2, 3, 5])
    #expect(people.map(\.name.value) == ["Ada", "Zoë \"Z\"", "Person 3", "Person 5"])
    #expect(people[0].nickname.value == "Countess")
    #expect(people[1].tags.value == [])
    #expect(try await store.list(Company.self).map(\.name.value) == ["Acme", "Ä\n"])
    let books = try await store.group("rare books").handle.engine.identifiers("Book")
    #expect(books.map { Array($0.utf8) } == [Array("é".utf8), Array("e\u{301}".utf8)])
    #expect(try await store.group("rare books").lookup(Book.self, identifier: "é").title.value == "Codex")
  }

  private func version(_ directory: URL) throws -> String {
    let manifest = try String(contentsOf: directory.appending(path: "manifest.json"), encoding: .utf8)
    return String(manifest.split(separator: ",").last ?? "")
  }

  @Test(arguments: [1, 2])
  func `A store of an older format version is read, converted to version 3, and can be written`(
    older: Int
  ) async throws {
    try await withFixture("version-\(older)") { directory in
      let store = FileModelStore(directory: directory)
      #expect(try await store.open() == [])
      #expect(try version(directory) == "\"version\":3}\n")
      try await checkContents(store)
      let person = Person()
      person.name.value = "New"
      try await store.create(person)
      #expect(person.id.value == 7, "6 was the number of a model that was deleted")
      try await store.delete(person)
      try await store.compact()
      try await checkContents(store)
      #expect(try await store.verify() == [])
      try await store.close()
      let again = FileModelStore(directory: directory)
      #expect(try await again.open() == [])
      try await checkContents(again)
      try await again.close()
    }
  }

  @Test(arguments: [1, 2])
  func `A read-only store does not change a store of an older format version`(older: Int) async throws {
    try await withFixture("version-\(older)") { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(mode: .readOnly))
      try await checkContents(store)
      #expect(try version(directory) == "\"version\":\(older)}\n")
      try await store.close()
    }
  }

  @Test func `A store of format version 1 that was not closed loses only unacknowledged changes`() async throws {
    try await withFixture("version-1-crashed") { directory in
      let store = FileModelStore(directory: directory)
      #expect(try await store.open() == [])
      let issues = try await store.group("rare books").open()
      #expect(issues.count == 1)
      guard case .tornTail? = issues.first?.kind else {
        Issue.record("\(issues)")
        return
      }
      try await checkContents(store)
      try await store.close()
    }
  }
}

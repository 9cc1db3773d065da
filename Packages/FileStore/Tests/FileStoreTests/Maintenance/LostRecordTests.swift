import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import StoreProtocolTesting
import Testing

@testable import FileStore

/// Records whose lines were damaged while the store was closed.
@Suite struct `A store with lost records` {
  private final class Note: Model {
    let id = Field<String>()
    let text = Field<String>()
    let size = Field<Int>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Note" }
  }

  private final class Label: Model {
    let id = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Label" }
  }

  private func segment(_ directory: URL) -> URL { directory.appending(path: "groups/@default/000001.journal") }

  private func note(_ number: Int) -> Note {
    let note = Note()
    note.id.value = "\(number)"
    note.text.value = "text \(number)"
    note.size.value = number
    return note
  }

  /// Five notes, of which the second was updated, and a label; closed.
  private func makeStore(_ directory: URL) async throws {
    let store = FileModelStore(directory: directory)
    for number in 1...3 { try await store.create(note(number)) }
    let label = Label()
    label.id.value = "red"
    try await store.create(label)
    let second = try await store.lookup(Note.self, identifier: "2")
    second.text.value = "changed"
    try await store.save(second)
    try await store.createAll([note(4), note(5)])
    try await store.close()
  }

  private func edit(_ file: URL, _ text: String, _ body: (inout Data, Range<Int>) -> Void) throws {
    var data = try Data(contentsOf: file)
    let range = try #require(data.range(of: Data(text.utf8)))
    body(&data, range)
    try data.write(to: file)
  }

  private func flip(_ text: String, in directory: URL) throws {
    try edit(segment(directory), text) { $0[$1.lowerBound] ^= 1 }
  }

  private func zero(_ text: String, in directory: URL) throws {
    try edit(segment(directory), text) { $0.replaceSubrange($1, with: Data(count: $1.count)) }
  }

  private func expectRefusal(_ read: () async throws -> Void, _ line: Int = #line) async {
    let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
    let error = await #expect(throws: ModelStoreError.self, sourceLocation: location) { try await read() }
    #expect(error?.code == .corrupt, sourceLocation: location)
    #expect(error?.message.contains("000001.journal' is damaged at offset") == true, sourceLocation: location)
    #expect(error?.message.contains("repair() keeps them") == true, sourceLocation: location)
  }

  /// All reads of a type that may lack records.
  private func expectRefusedReads(_ store: FileModelStore) async throws {
    await expectRefusal { _ = try await store.list(Note.self) }
    await expectRefusal { _ = try await store.list(Note.self, where: { $0.size > 3 }) }
    await expectRefusal { _ = try await store.list(Note.self, sort: [.ascending(\.text)], limit: 1) }
    await expectRefusal { _ = try await store.first(Note.self, where: { $0.text == "text 1" }) }
    await expectRefusal { _ = try await store.count(Note.self) }
    await expectRefusal { _ = try await store.count(Note.self, where: { $0.size > 3 }) }
    await expectRefusal { _ = try await store.sum(Note.self, of: { $0.size }) }
    await expectRefusal { _ = try await store.identifiers(ModelQuery(Note.self)) }
    await expectRefusal { _ = try await store.page(ModelQuery(Note.self), after: nil) }
    await expectRefusal { for try await _ in store.stream(Note.self) {} }
    await expectRefusal {
      try await store.exportJSON(to: FileManager.default.temporaryDirectory.appending(path: "no.json"))
    }
    var results = store.observe(Note.self).makeAsyncIterator()
    #expect(await results.next()?.error?.code == .corrupt)
  }

  @Test(arguments: [false, true])
  func `Lists and counts throw until a repair, and intact records, other types and writes work`(isIndexed: Bool)
    async throws
  {
    try await withTemporaryDirectory { directory in
      try await makeStore(directory)
      try flip("text 4", in: directory)
      let store = FileModelStore(directory: directory)
      #expect(try await store.open().count == 1)
      if isIndexed {
        try await store.index(\Note.size)
        try await store.index(\Note.text)
      }
      try await expectRefusedReads(store)
      await expectRefusal { _ = try await store.lookup(Note.self, identifier: "4") }
      #expect(try await store.lookup(Note.self, identifier: "1").size.value == 1)
      #expect(try await store.lookup(Note.self, identifier: "2").text.value == "changed")
      #expect(try await store.lookup(Note.self, identifier: "5").size.value == 5)
      #expect(try await store.list(Label.self).map(\.id.value) == ["red"])
      #expect(try await store.count(Label.self) == 1)
      await #expect(throws: ModelStoreError.self) { try await store.compact() }
      // Writes go on.
      try await store.create(note(6))
      try await store.transaction { store in
        let first = try await store.lookup(Note.self, identifier: "1")
        first.text.value = "first"
        try await store.save(first)
        try await store.create(note(7))
      }
      try await store.delete(try await store.lookup(Note.self, identifier: "3"))
      try await store.close()

      let again = FileModelStore(directory: directory)
      try await expectRefusedReads(again)
      let repair = try await again.repair()
      #expect(repair.losses.map(\.identifier) == ["4"])
      #expect(try await again.list(Note.self).map(\.id.value) == ["1", "2", "5", "6", "7"])
      #expect(try await again.count(Note.self, where: { $0.size > 3 }) == 3)
      await #expect(throws: ModelStoreError.self) { _ = try await again.lookup(Note.self, identifier: "4") }
      try await again.compact()
      #expect(try await again.verify() == [])
      try await again.close()
      #expect(try await FileModelStore(directory: directory).open() == [])
    }
  }

  @Test func `A record that is older than a lost line of unknown content is not taken for the last one`() async throws {
    try await withTemporaryDirectory { directory in
      try await makeStore(directory)
      try zero("changed", in: directory)
      let store = FileModelStore(directory: directory)
      try await expectRefusedReads(store)
      await expectRefusal { _ = try await store.lookup(Note.self, identifier: "2") }
      await expectRefusal { _ = try await store.count(Label.self) }
      #expect(try await store.lookup(Note.self, identifier: "4").size.value == 4)
      try await store.repair()
      #expect(try await store.lookup(Note.self, identifier: "2").text.value == "text 2")
      #expect(try await store.count(Label.self) == 1)
      try await store.close()
    }
  }

  @Test(arguments: [#""Note","5""#, #""Label""#, #""batch",4"#])
  func `A line whose type, identifier or kind was damaged is found by its checksum`(text: String) async throws {
    try await withTemporaryDirectory { directory in
      try await makeStore(directory)
      try edit(segment(directory), text) { $0[$1.lowerBound + 1] ^= 2 }
      let store = FileModelStore(directory: directory)
      #expect(try await store.open().count == 1)
      switch text {
      case #""Label""#:
        #expect(try await store.count(Note.self) == 5)
        await expectRefusal { _ = try await store.count(Label.self) }
        await expectRefusal { _ = try await store.lookup(Label.self, identifier: "red") }
      case #""batch",4"#:
        #expect(try await store.count(Note.self) == 5)
        #expect(try await store.count(Label.self) == 1)
      default:
        #expect(try await store.count(Label.self) == 1)
        #expect(try await store.lookup(Note.self, identifier: "4").size.value == 4)
        await expectRefusal { _ = try await store.lookup(Note.self, identifier: "5") }
        await expectRefusal { _ = try await store.count(Note.self) }
      }
      try await store.close()
    }
  }

  @Test func `A store that skips unreadable records reports each loss and answers with the others`() async throws {
    try await withTemporaryDirectory { directory in
      try await makeStore(directory)
      try flip("changed", in: directory)
      let reports = Lock<[UnreadableRecord]>([])
      let store = FileModelStore(
        directory: directory,
        options: FileStoreOptions(unreadable: .skip { record in reports.withLock { $0.append(record) } }))
      func reported() -> Int {
        reports.withLock { reports in
          defer { reports = [] }
          for report in reports {
            #expect(report.typeName == "Note" && report.identifier == "2")
            #expect(report.file?.lastPathComponent == "000001.journal" && report.offset ?? 0 > 0)
          }
          return reports.count
        }
      }
      #expect(try await store.list(Note.self).count == 5)
      #expect(reported() == 1)
      #expect(try await store.list(Note.self, where: { $0.size > 3 }).count == 2)
      #expect(reported() == 1)
      #expect(try await store.count(Note.self) == 5)
      #expect(reported() == 1)
      #expect(try await store.lookup(Note.self, identifier: "2").text.value == "text 2")
      #expect(reported() == 1)
      #expect(try await store.lookup(Note.self, identifier: "1").text.value == "text 1")
      #expect(reported() == 0)
      try await store.close()
    }
  }

  @Test func `A reader of a store with lost records throws until the writer has repaired it`() async throws {
    try await withTemporaryDirectory { directory in
      try await makeStore(directory)
      try flip("text 4", in: directory)
      let reader = FileModelStore(directory: directory, options: FileStoreOptions(mode: .readOnly))
      await expectRefusal { _ = try await reader.list(Note.self) }
      await expectRefusal { _ = try await reader.count(Note.self) }
      await expectRefusal { _ = try await reader.lookup(Note.self, identifier: "4") }
      #expect(try await reader.lookup(Note.self, identifier: "5").size.value == 5)
      let writer = FileModelStore(directory: directory)
      try await writer.create(note(6))
      await expectRefusal { _ = try await reader.count(Note.self) }
      try await writer.repair()
      #expect(try await reader.count(Note.self) == 5)
      try await writer.close()
      try await reader.close()
    }
  }

  @Test func `A query by an index does not omit a record that was damaged before the index was built`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      for number in 1...3 { try await store.create(note(number)) }
      try flip("text 2", in: directory)
      try await store.index(\Note.size)
      let other = FileModelStore(store.handle)
      await expectRefusal { _ = try await other.list(Note.self, where: { $0.size == 2 }) }
      await expectRefusal { _ = try await other.count(Note.self, where: { $0.size >= 1 }) }
      try await store.handle.engine.write([.update("Note", "2", Array(#"{"id":"2","text":"new","size":2}"#.utf8))])
      #expect(try await other.count(Note.self, where: { $0.size >= 1 }) == 3)
      #expect(try await other.explain(ModelQuery(Note.self, where: { $0.size == 2 })).description.contains("index"))
      try await store.close()
    }
  }

  @Test func `A loss at the end of the journal is reported after the store was closed with it`() async throws {
    try await withTemporaryDirectory { directory in
      try await makeStore(directory)
      let data = try Data(contentsOf: segment(directory))
      let lines = data.split(separator: 0x0a)
      try Data(lines.dropLast(3).joined(separator: [0x0a]) + [0x0a]).write(to: segment(directory))
      for _ in 0..<3 {
        let store = FileModelStore(directory: directory)
        await #expect(throws: ModelStoreError.self) { _ = try await store.count(Note.self) }
        await #expect(throws: ModelStoreError.self) { try await store.compact() }
        try await store.close()
      }
      let store = FileModelStore(directory: directory)
      #expect(try await store.repair().losses.isEmpty == false)
      #expect(try await store.count(Note.self) == 3)
      try await store.close()
      #expect(try await FileModelStore(directory: directory).open() == [])
    }
  }

  @Test(arguments: [false, true])
  func `An emptied journal is reported until a repair, even after the store was closed with it`(
    isWritten: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      try await makeStore(directory)
      try Data().write(to: segment(directory))
      for number in 0..<3 {
        let store = FileModelStore(directory: directory)
        #expect(try await store.open().contains { $0.kind == .missing })
        await #expect(throws: ModelStoreError.self) { _ = try await store.count(Note.self) }
        if isWritten { try await store.create(note(10 + number)) }
        try await store.close()
      }
      let store = FileModelStore(directory: directory)
      #expect(try await store.repair().losses.isEmpty == false)
      #expect(try await store.count(Note.self) == (isWritten ? 3 : 0))
      try await store.close()
      let repaired = FileModelStore(directory: directory)
      #expect(try await repaired.open() == [])
      #expect(try await repaired.count(Note.self) == (isWritten ? 3 : 0))
      try await repaired.create(note(20))
      try await repaired.close()
      #expect(try await FileModelStore(directory: directory).open() == [])
    }
  }
}

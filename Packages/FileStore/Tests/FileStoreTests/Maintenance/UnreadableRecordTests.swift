import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import StoreProtocolTesting
import Testing

@testable import FileStore

@Suite struct `A record that can't be read` {
  private final class Note: Model {
    let id = Field<String>()
    let text = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Note" }
  }

  private func segment(_ directory: URL) -> URL { directory.appending(path: "groups/@default/000001.journal") }

  private func damage(_ text: String, in file: URL) throws {
    var data = try Data(contentsOf: file)
    let range = try #require(data.range(of: Data(text.utf8)))
    data[range.lowerBound] ^= 1
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: data)
    try handle.close()
  }

  /// Five notes: one is damaged, and of one the class can't be made.
  private func makeStore(_ directory: URL, _ options: FileStoreOptions) async throws -> FileModelStore {
    let store = FileModelStore(directory: directory, options: options)
    for number in 1...4 {
      let note = Note()
      note.id.value = "\(number)"
      note.text.value = "text \(number)"
      try await store.create(note)
    }
    try await store.handle.engine.write([.create("Note", "5", Array(#"{"id":"5","text":["no text"]}"#.utf8))])
    try damage("text 2", in: segment(directory))
    return FileModelStore(store.handle)
  }

  @Test func `A record that can't be read does not prevent lists, counts and exports of others, and is reported`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let reports = Lock<[UnreadableRecord]>([])
      let options = FileStoreOptions(unreadable: .skip { record in reports.withLock { $0.append(record) } })
      let store = try await makeStore(directory.appending(path: "store"), options)
      let offsets = try ["2", "5"].reduce(into: [String: UInt64]()) { offsets, identifier in
        let lines = try Data(contentsOf: segment(directory.appending(path: "store")))
        let name = try #require(lines.range(of: Data(#""Note","\#(identifier)""#.utf8)))
        offsets[identifier] = UInt64((lines[..<name.lowerBound].lastIndex(of: 0x0a) ?? 0) + 1)
      }
      func reported() -> Set<String> {
        reports.withLock { reports in
          defer { reports = [] }
          for report in reports {
            #expect(report.error.code == .corrupt)
            #expect(report.typeName == "Note")
            #expect(report.file?.lastPathComponent == "000001.journal")
            #expect(report.offset == offsets[report.identifier])
            #expect(!report.reason.isEmpty)
          }
          return Set(reports.map(\.identifier))
        }
      }
      #expect(try await store.list(Note.self).map(\.id.value) == ["1", "3", "4"])
      #expect(reported() == ["2", "5"])
      for sort in [[], [ModelSort<Note>.ascending(\.id)]] {
        var streamed: [String?] = []
        for try await note in store.stream(Note.self, sort: sort) { streamed.append(note.id.value) }
        #expect(streamed == ["1", "3", "4"])
        #expect(reported() == ["2", "5"])
      }
      #expect(try await store.list(Note.self, where: { $0.id != "3" }).map(\.id.value) == ["1", "4"])
      #expect(reported().contains("2"))
      #expect(try await store.count(ModelQuery(Note.self, where: { $0.text >= "text 3" })) == 2)
      #expect(reported().contains("2"))
      try await store.index(\Note.id)
      #expect(try await store.list(Note.self, where: { $0.id >= "1" }, sort: [.ascending(\.id)]).count == 3)
      _ = reported()
      let file = directory.appending(path: "notes.json")
      #expect(try await store.exportJSON(to: file) == 4)
      #expect(reported() == ["2"])
      #expect(try String(contentsOf: file, encoding: .utf8).contains("text 4"))
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.lookup(Note.self, identifier: "2") }
      #expect(error?.code == .corrupt)
      #expect(try await store.verify().count == 1)
      try await store.close()
    }
  }

  @Test func `A record that can't be read is named by the error of a store that does not skip it`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try await makeStore(directory, FileStoreOptions())
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.list(Note.self) }
      #expect(error?.identifier == "2")
      try await store.close()
    }
  }

  @Test func `A record that can't be read does not prevent a migration, even if only a checkpoint has it`() throws {
    let fileSystem = FaultyFileSystem()
    var options = FileEngineOptions()
    options.journal.checkpointInterval = 1
    options.journal.segmentSize = 300
    var writer = Writer(directory: "/store", options: options, fileSystem: fileSystem, clock: SystemClock())
    _ = try writer.open("")
    for number in 1...20 {
      try writer.journal("").write([.create("Book", "\(number)", JournalScript.json("title \(number)"))])
    }
    try writer.close()
    let path = try #require(fileSystem.paths.first { $0.hasSuffix("000001.journal") })
    var bytes = try #require(fileSystem.bytes(path))
    let place = try #require(Data(bytes).range(of: Data("title 1\"".utf8)))
    bytes[place.lowerBound] ^= 1
    fileSystem.overwrite(path, with: bytes)
    options.migrations = MigrationPlan([Migration("Book", to: 2) { $0["isOld"] = true }])
    var again = Writer(directory: "/store", options: options, fileSystem: fileSystem, clock: SystemClock())
    let contents = try again.open("")
    #expect(contents.issues.map(\.file) == [path])
    let books = try #require(contents.snapshot().types["Book"])
    #expect(books.count == 19)
    #expect(books.allSatisfy { $0.value.contains("isOld") })
    try again.close()
  }

  private final class Reading: Model {
    let id = Field<Int>()
    let place = Field<String>()
    let value = Field<Int>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Reading" }
  }

  @Test func `A record whose second sort key can't be read does not change the order of the others`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(unreadable: .skip { _ in }))
      try await store.create(Reading())
      let records = [#""place":"B","value":"old""#, #""place":"C","value":1"#, #""place":"A","value":2"#]
      for (index, values) in records.enumerated() {
        let record = Array("{\"id\":\(index + 2),\(values)}".utf8)
        try await store.handle.engine.write([.create("Reading", "\(index + 2)", record)])
      }
      let sorted = try await store.list(
        Reading.self, where: { $0.id > 1 }, sort: [.ascending(\.place), .ascending(\.value)])
      #expect(sorted.map(\.place.value) == ["A", "C"])
      let first = try await store.list(
        Reading.self, where: { $0.id > 1 }, sort: [.ascending(\.place), .ascending(\.value)], limit: 1)
      #expect(first.map(\.place.value) == ["A"])
      for try await result in store.observe(
        Reading.self, where: { $0.id > 1 }, sort: [.ascending(\.place), .ascending(\.value)])
      {
        #expect(result.models.map(\.place.value) == ["A", "C"])
        break
      }
    }
  }

  /// Values that are stored although no note can be made of them.
  private static let unfit = [#"{"id":"5","text":["no text"]}"#, "[1]", "7", #"{"id":"5","text":}"#]

  @Test(arguments: unfit)
  func `A record that fits no model does not prevent reads of the others, and is reported`(value: String) async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let reports = Lock<[UnreadableRecord]>([])
      let options = FileStoreOptions(unreadable: .skip { record in reports.withLock { $0.append(record) } })
      let writing = FileModelStore(directory: directory.appending(path: "store"), options: options)
      for number in 1...4 {
        let note = Note()
        note.id.value = "\(number)"
        note.text.value = "text \(number)"
        try await writing.create(note)
      }
      try await writing.handle.engine.write([.create("Note", "5", Array(value.utf8))])
      let store = FileModelStore(writing.handle)
      func isReported() -> Bool {
        reports.withLock { reports in
          defer { reports = [] }
          return reports.allSatisfy { $0.identifier == "5" && $0.typeName == "Note" } && !reports.isEmpty
        }
      }
      #expect(try await store.list(Note.self).map(\.id.value) == ["1", "2", "3", "4"])
      #expect(isReported())
      let all = ["text 1", "text 2", "text 3", "text 4"]
      #expect(try await store.values(Note.self, of: \.text, sort: [.ascending(\.id)]).compactMap(\.self) == all)
      #expect(try await store.values(Note.self, of: \.text, limit: 9).compactMap(\.self) == all)
      let query = ModelQuery(Note.self, sort: [.ascending(\.id)], limit: 9)
      let groups = try await store.groups(query, by: { $0.text }) { $0.count }
      #expect(groups.count == 4)
      #expect(isReported())
      for isIndexed in [false, true] {
        if isIndexed { try await store.index(\Note.text) }
        #expect(try await store.list(Note.self, where: { $0.text != "text 2" }).map(\.id.value) == ["1", "3", "4"])
        #expect(try await store.list(Note.self, sort: [.descending(\.text)]).map(\.id.value) == ["4", "3", "2", "1"])
        #expect(try await store.first(Note.self, where: { $0.text > "text 2" })?.id.value == "3")
        #expect(try await store.count(Note.self, where: { $0.text > "text 2" }) == 2)
      }
      #expect(try await store.count(Note.self) == 5)
      try await store.handle.engine.compact()
      #expect(try await store.verify() == [])
      #expect(try await store.repair().losses.isEmpty)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.lookup(Note.self, identifier: "5") }
      #expect(error?.code == .corrupt)
      try await store.close()
    }
  }

  @Test func `A damaged record is left out of live results, and reported`() async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let reports = Lock<[String]>([])
      let options = FileStoreOptions(
        unreadable: .skip { record in reports.withLock { $0.append(record.identifier) } })
      let store = try await makeStore(directory.appending(path: "store"), options)
      try await store.handle.engine.write([.delete("Note", "5")])
      let results = store.observe(Note.self, where: { $0.text >= "text 1" })
      var iterator = results.makeAsyncIterator()
      #expect(await iterator.next()?.models.map(\.id.value) == ["1", "3", "4"])
      #expect(reports.withLock { $0 } == ["2"])
      let note = try await store.lookup(Note.self, identifier: "3")
      note.text.value = "another"
      try await store.update(note)
      #expect(await iterator.next()?.models.map(\.id.value) == ["1", "4"])
      try await store.close()
    }
  }

  @Test(arguments: unfit)
  func `A record that fits no model is left out of live results until it is written again`(value: String) async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let reports = Lock<Set<String>>([])
      let options = FileStoreOptions(
        unreadable: .skip { record in reports.withLock { _ = $0.insert(record.identifier) } })
      let store = FileModelStore(directory: directory.appending(path: "store"), options: options)
      for number in 1...4 {
        let note = Note()
        note.id.value = "\(number)"
        note.text.value = "text \(number)"
        try await store.create(note)
      }
      let notes = try await store.list(Note.self)
      var all = store.observe(Note.self).makeAsyncIterator()
      var some = store.observe(Note.self, where: { $0.text != "text 1" }, sort: [.descending(\.text)], limit: 2)
        .makeAsyncIterator()
      var changes = store.changes(of: Note.self).makeAsyncIterator()
      #expect(await all.next()?.models.map(\.id.value) == ["1", "2", "3", "4"])
      #expect(await some.next()?.models.map(\.id.value) == ["4", "3"])
      // Two records at once: the one that can be read has to be followed.
      try await store.handle.engine.write([
        .create("Note", "5", Array(value.utf8)), .update("Note", "4", Array(value.utf8)),
        .update("Note", "3", Array(#"{"id":"3","text":"new"}"#.utf8)),
      ])
      #expect(await changes.next()?.changes.count == 3)
      #expect(notes[2].text.value == "new")
      #expect(await all.next()?.models.map(\.id.value) == ["1", "2", "3"])
      #expect(await some.next()?.models.map(\.id.value) == ["2", "3"])
      #expect(reports.withLock { $0 } == ["4", "5"])
      var fresh = store.observe(Note.self, sort: [.ascending(\.text)]).makeAsyncIterator()
      #expect(await fresh.next()?.models.map(\.id.value) == ["3", "1", "2"])
      try await store.handle.engine.write([
        .update("Note", "4", Array(#"{"id":"4","text":"text 4"}"#.utf8)),
        .update("Note", "5", Array(#"{"id":"5","text":"text 5"}"#.utf8)),
      ])
      #expect(await all.next()?.models.map(\.id.value) == ["1", "2", "3", "4", "5"])
      #expect(await some.next()?.models.map(\.id.value) == ["5", "4"])
      #expect(await fresh.next()?.models.map(\.id.value) == ["3", "1", "2", "4", "5"])
      try await store.close()
    }
  }

  @Test(arguments: unfit)
  func `A record that fits no model ends a live result with an error in a store that does not skip it`(
    value: String
  ) async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory.appending(path: "store"))
      let note = Note()
      note.id.value = "1"
      try await store.create(note)
      var all = store.observe(Note.self).makeAsyncIterator()
      #expect(await all.next()?.models.map(\.id.value) == ["1"])
      try await store.handle.engine.write([.create("Note", "5", Array(value.utf8))])
      let failed = await all.next()
      #expect(failed?.error?.code == .corrupt)
      #expect(failed?.error?.identifier == "5")
      #expect(failed?.models.map(\.id.value) == ["1"])
      try await store.handle.engine.write([.delete("Note", "5")])
      let mended = await all.next()
      #expect(mended?.error == nil)
      #expect(mended?.models.map(\.id.value) == ["1"])
      try await store.close()
    }
  }

  @Test(arguments: unfit)
  func `A record that fits no model rejects only its entry of an import`(value: String) async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory.appending(path: "store"))
      try await store.handle.engine.write([.create("Note", "5", Array(value.utf8))])
      let json = #"[{"id": "4", "text": "four"}, {"id": "5", "text": "five"}, {"id": "6", "text": "six"}]"#
      let report = try await store.importModels(Note.self, fromJSON: Data(json.utf8))
      #expect(report.created.map(\.id.value) == ["4", "6"])
      #expect(report.rejected.map(\.identifier) == ["5"])
      #expect(report.rejected.map(\.index) == [1])
      let stored = try await store.handle.engine.read("Note", "5")?.value
      #expect(stored == Array(value.utf8))
      try await store.close()
    }
  }
}

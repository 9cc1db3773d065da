import Foundation
import Testing

@testable import FileStore

@Suite struct `A journal` {
  @Test(arguments: [1 << 20, 300] as [UInt64])
  func `A reopened journal contains the written records`(segmentSize: UInt64) throws {
    let fileSystem = FaultyFileSystem()
    var journal = try Journal.scripted(fileSystem, segmentSize: segmentSize)
    for batch in JournalScript.batches {
      try journal.write(batch)
      let before = try journal.snapshot()
      try journal.close()
      journal = try Journal.scripted(fileSystem, segmentSize: segmentSize)
      #expect(try journal.snapshot() == before)
      #expect(journal.contents.issues == [])
    }
    let rows = try #require(try journal.snapshot().types["Book"])
    #expect(rows.map(\.identifier) == ["1", "3", "2"])
    #expect(rows.map(\.revision) == [2, 3, 1])
    #expect(
      rows.map(\.value) == [#"{"title":"Emma (1815)"}"#, #"{"title":"y"}"#, #"{"title":"Sense and Sensibility"}"#])
    let segments = fileSystem.paths.filter { $0.hasSuffix(".journal") }
    #expect(segments.count > (segmentSize == 300 ? 3 : 0))
  }

  @Test func `A journal writes a batch over several types with one call`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, preallocation: 1 << 16)
    try journal.write(JournalScript.batches[0])
    let before = fileSystem.log.count
    try journal.write(JournalScript.batches[1])
    let calls = fileSystem.log[before...].map { $0.prefix { $0 != " " } }
    #expect(calls == ["write", "synchronize"])
  }

  @Test func `A journal is a text that a person can read`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    try journal.write(JournalScript.batches[0])
    try journal.write([.delete("Author", "1")])
    try journal.close()
    let text = String(decoding: try #require(fileSystem.bytes(JournalScript.folder + "/000001.journal")), as: UTF8.self)
    let lines = text.split(separator: "\n").map { String($0.replacing(/[0-9a-f]{8}/, with: "*", maxReplacements: 1)) }
    let expected = [
      #"["*","segment",3,1,1,"books"]"#,
      #"["*","batch",1,1,0]"#,
      #"["*","create","Author","1",1,{"title":"Jane Austen"}]"#,
      #"["*","batch",2,1,1]"#,
      #"["*","delete","Author","1",2]"#,
    ]
    #expect(lines == expected)
  }

  @Test func `A journal rejects a batch with a change that does not fit the stored models`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    try journal.write(JournalScript.batches[0])
    let before = try journal.snapshot()
    let new = Change.create("Book", "1", JournalScript.json("Emma"))
    #expect(throws: FileEngineError.conflict(type: "Author", identifier: "1")) {
      try journal.write([new] + JournalScript.batches[0])
    }
    #expect(throws: FileEngineError.conflict(type: "Book", identifier: "1")) { try journal.write([new, new]) }
    #expect(throws: FileEngineError.notFound(type: "Book", identifier: "2")) {
      try journal.write([new, .update("Book", "2", JournalScript.json("x"))])
    }
    #expect(throws: FileEngineError.notFound(type: "Book", identifier: "1")) {
      try journal.write([new, .delete("Book", "1"), .delete("Book", "1")])
    }
    for value in ["", "{\n}", "\0"] {
      #expect(throws: FileEngineError.self) { try journal.write([new, .create("Book", "2", Array(value.utf8))]) }
    }
    #expect(try journal.snapshot() == before)
    try journal.close()
    #expect(try Journal.scripted(fileSystem).snapshot() == before)
  }

  @Test func `A journal checks batches that are written together one after the other`() throws {
    let journal = try Journal.scripted(FaultyFileSystem())
    let value = JournalScript.json("x")
    let results = journal.commit(
      [
        [.create("Book", "1", value), .delete("Book", "2")],
        [.create("Book", "1", value)], [.create("Book", "1", value)], [.update("Book", "1", value)],
        [.delete("Book", "1")], [.update("Book", "1", value)], [.create("Book", "1", value)],
      ], isDurable: true)
    #expect(results.map { try? $0.get() } == [nil, [1], nil, [2], [3], nil, [1]])
    #expect(try journal.snapshot().types["Book"]?.map(\.revision) == [1])
  }

  @Test func `A journal keeps identifiers and types apart that look alike`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    let names = ["", "a", "A", "é", "e\u{301}", "../../x", "\0", "😀", String(repeating: "k", count: 10_240)]
    try journal.write(names.flatMap { type in names.map { .create(type, $0, JournalScript.json("1")) } })
    for name in names { try journal.write([.update(name, name, JournalScript.json("2"))]) }
    try journal.close()
    let index = try Journal.scripted(fileSystem).contents.withIndex { $0 }
    #expect(index.types.count == names.count)
    for type in names {
      let number = try #require(index.number(of: type))
      #expect(index.types[number].liveCount == names.count)
      for name in names {
        let same = Array(name.utf8) == Array(type.utf8)
        #expect(index.entry(type: number, Array(name.utf8))?.revision == (same ? 2 : 1))
      }
    }
    #expect(fileSystem.paths.allSatisfy { $0 == "/" || $0.hasPrefix("/store") })
  }

  @Test func `A journal frees preallocated space when it is closed, and never reports it as damage`() throws {
    let fileSystem = FaultyFileSystem()
    let path = JournalScript.folder + "/000001.journal"
    let journal = try Journal.scripted(fileSystem, preallocation: 4_096)
    try journal.write(JournalScript.batches[0])
    #expect(fileSystem.bytes(path)?.count == 4_096)
    let crashed = try Journal.scripted(fileSystem.disk(), preallocation: 4_096)
    #expect(crashed.contents.issues == [])
    #expect(try crashed.snapshot() == journal.snapshot())
    try crashed.write(JournalScript.batches[1])
    try journal.close()
    #expect(fileSystem.bytes(path)?.last == 0x0a)
  }

  @Test func `A journal begins a new segment where the old is full, and never divides a batch`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, segmentSize: 200)
    let large = (1...20).map { Change.create("Book", "\($0)", JournalScript.json("\($0)")) }
    try journal.write(JournalScript.batches[0])
    try journal.write(large)
    try journal.write([.delete("Book", "20")])
    #expect(fileSystem.paths.filter { $0.hasSuffix(".journal") }.count == 3)
    let text = String(decoding: try #require(fileSystem.bytes(JournalScript.folder + "/000002.journal")), as: UTF8.self)
    #expect(text.split(separator: "\n").count == 22)
    let reopened = try Journal.scripted(fileSystem.disk(), segmentSize: 200)
    #expect(try reopened.snapshot() == journal.snapshot())
    #expect(reopened.contents.issues == [])
  }

  @Test func `A journal closes the gaps of deleted models and keeps the order of the others`() throws {
    let journal = try Journal.scripted(FaultyFileSystem(), preallocation: 0)
    let value = JournalScript.json("x")
    try journal.write((1...5_000).map { .create("Book", "\($0)", value) })
    var cursor = CreationCursor.start
    cursor = try #require(try journal.contents.chunk(of: "Book", after: cursor, limit: 2_500, byteLimit: .max).next)
    let deleted = (1...5_000).filter { $0 % 5 != 0 }
    try journal.write(deleted.map { .delete("Book", "\($0)") })
    try journal.write([.create("Book", "1", value)])
    #expect(journal.contents.withIndex { $0.types[0].entries.count } < 3_000)
    let rest = try journal.contents.chunk(of: "Book", after: cursor, limit: .max, byteLimit: .max)
    let expected: [String] = stride(from: 2_505, through: 5_000, by: 5).map { "\($0)" } + ["1"]
    #expect(rest.rows.map(\.identifier) == expected)
    #expect(rest.next == nil)
    #expect(journal.contents.withIndex { $0.reserveInteger(type: 0) } == 5_001)
  }

  @Test func `A journal is refused if a newer version wrote it, and left as it is`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    try journal.write(JournalScript.batches[0])
    try journal.close()
    let path = JournalScript.folder + "/000001.journal"
    let original = try #require(fileSystem.bytes(path))

    let future = Self.line(#"["00000000","segment",4,1,1,"books",{"more":true}]"#)
    fileSystem.overwrite(path, with: future + original.drop { $0 != 0x0a }.dropFirst())
    #expect(throws: FileEngineError.newerFormat(path: path, version: 4, supported: 3)) {
      try Journal.scripted(fileSystem)
    }
    fileSystem.overwrite(path, with: original + Self.line(#"["00000000","patch","Author","1",2,{}]"#))
    let error = #expect(throws: FileEngineError.self) { try Journal.scripted(fileSystem) }
    #expect(error == .unknownOperation(name: "patch", file: path, offset: UInt64(original.count)))
    #expect(error.map { "\($0)" }?.contains("operation \"patch\"") == true)
  }

  @Test func `A journal is refused in the folder of another group`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    try journal.close()
    let bytes = try #require(fileSystem.bytes(JournalScript.folder + "/000001.journal"))
    _ = try fileSystem.createDirectory("/store/films")
    fileSystem.overwrite("/store/films/000001.journal", with: bytes)
    #expect(throws: FileEngineError.wrongGroup(folder: "/store/films", expected: "films", found: "books")) {
      try Journal.open(group: "films", in: "/store", fileSystem: fileSystem)
    }
  }

  /// A line with its right checksum and a line break.
  static func line(_ text: String) -> [UInt8] {
    var bytes = Array(text.utf8)
    LineEncoder.writeChecksum(of: 0..<bytes.count, in: &bytes)
    return bytes + [0x0a]
  }
}

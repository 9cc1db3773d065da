import Foundation
import Testing

@testable import FileStore

@Suite struct `A reader of the journal of another process` {
  private func makeReader(_ fileSystem: FaultyFileSystem) throws -> JournalReader {
    try JournalReader(group: "books", in: JournalScript.directory, fileSystem: fileSystem)
  }

  @Test(arguments: [1 << 20, 300] as [UInt64], [false, true])
  func `A reader of another process's journal sees each batch when it follows, and changes nothing`(
    segmentSize: UInt64, compacts: Bool
  ) throws {
    let fileSystem = FaultyFileSystem()
    try fileSystem.createDirectories(JournalScript.directory)
    let reader = try makeReader(fileSystem)
    #expect(try reader.contents.snapshot() == Snapshot())
    let journal = try Journal.scripted(fileSystem, segmentSize: segmentSize)
    for (number, batch) in JournalScript.batches.enumerated() {
      try journal.write(batch, isDurable: number % 2 == 0)
      if compacts, number % 2 == 1 { try journal.compact() }
      let log = fileSystem.log.count
      try reader.follow()
      #expect(try reader.contents.snapshot() == journal.snapshot())
      #expect(try makeReader(fileSystem).contents.snapshot() == journal.snapshot())
      let changes = fileSystem.log[log...].filter {
        !["open", "read", "list", "size"].contains($0.prefix { $0 != " " })
      }
      #expect(changes.isEmpty, "\(changes)")
    }
    #expect(reader.contents.issues == [])
  }

  @Test func `A reader of another process's journal finds everything again after a long pause`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, segmentSize: 300)
    try journal.write(JournalScript.batches[0])
    let reader = try makeReader(fileSystem)
    for batch in JournalScript.batches.dropFirst() { try journal.write(batch) }
    try journal.compact()
    try journal.write([.create("Note", "1", JournalScript.json("x"))])
    try journal.compact()
    try journal.write([.create("Note", "2", JournalScript.json("x"))])
    try reader.follow()
    #expect(try reader.contents.snapshot() == journal.snapshot())
  }

  @Test func `A reader of another process's journal shows no part of a batch that is being written`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, preallocation: 4_096)
    try journal.write(JournalScript.batches[0])
    let reader = try makeReader(fileSystem)
    let before = try reader.contents.snapshot()
    let path = JournalScript.folder + "/000001.journal"
    let start = Int(journal.end)
    try journal.write(JournalScript.batches[1])
    let bytes = try #require(fileSystem.bytes(path))
    for count in 1..<Int(journal.end) - start {
      var partly = bytes
      for index in (start + count)..<Int(journal.end) { partly[index] = 0 }
      fileSystem.overwrite(path, with: partly)
      try reader.follow()
      #expect(try reader.contents.snapshot() == before, "\(count) bytes")
    }
    fileSystem.overwrite(path, with: bytes)
    try reader.follow()
    #expect(try reader.contents.snapshot() == journal.snapshot())
  }

  @Test(arguments: [EIO, EMFILE])
  func `A reader of another process's journal continues after any of its calls has failed during a restart`(code: Int32)
    throws
  {
    var call = 0
    var isDone = false
    while !isDone {
      let fileSystem = TracingFileSystem()
      try fileSystem.createDirectories(JournalScript.directory)
      var options = Journal.Options()
      options.segmentSize = 200
      options.preallocation = 1_024
      let journal = try Journal.open(
        group: "books", in: JournalScript.directory, options: options, fileSystem: fileSystem)
      for number in 1...6 { try journal.write([.create("Book", "\(number)", JournalScript.json("a"))]) }
      let reader = try JournalReader(group: "books", in: JournalScript.directory, fileSystem: fileSystem)
      try journal.compact()
      let start = fileSystem.callCount
      fileSystem.setFault(.init(kind: .error(code), calls: start + call..<start + call + 1))
      do { try reader.follow() } catch { #expect(error is FileSystemError) }
      isDone = fileSystem.callCount <= start + call
      fileSystem.setFault(nil)
      try reader.follow()
      reader.contents.closeFiles()
      #expect(try reader.contents.snapshot() == journal.snapshot(), "call \(call)")
      call += 1
    }
    #expect(call > 10)
  }

  /// A journal whose second batch could not be written: a follower reads before it is removed.
  private func makeRefused(
    preallocation: UInt64, _ fileSystem: FaultyFileSystem
  ) throws -> (journal: Journal, reader: JournalReader) {
    var options = Journal.Options()
    options.preallocation = preallocation
    options.filling = 0
    try fileSystem.createDirectories(JournalScript.directory)
    nonisolated(unsafe) var follower: JournalReader?
    let writing = HookedFileSystem(
      base: fileSystem, willTruncate: { _ in #expect(throws: Never.self) { try follower?.follow() } })
    let journal = try Journal.open(
      group: "books", in: JournalScript.directory, options: options, fileSystem: writing)
    try journal.write([.create("Book", "1", JournalScript.json("a"))])
    let reader = try makeReader(fileSystem)
    follower = reader
    // Two batches in one write: the disk takes a little more than the first.
    fileSystem.fail(fileSystem.calls + 1, with: ENOSPC)
    let long = JournalScript.json(String(repeating: "c", count: 60))
    let results = journal.commit(
      [[.create("Book", "2", JournalScript.json("b"))], [.create("Book", "3", long)]], isDurable: true)
    #expect(throws: FileSystemError.self) { try results[0].get() }
    #expect(reader.contents.withIndex { $0.liveCount } == 2, "it has seen what was not acknowledged")
    follower = nil
    return (journal, reader)
  }

  @Test(arguments: [0, 4_096] as [UInt64], ["4", "another"])
  func `A concurrent reader discards a rejected batch, and reads the one that replaces it`(
    preallocation: UInt64, identifier: String
  ) throws {
    let fileSystem = FaultyFileSystem()
    let (journal, reader) = try makeRefused(preallocation: preallocation, fileSystem)
    try reader.follow()
    #expect(try reader.contents.snapshot() == journal.snapshot())
    for number in [identifier, "5", "6"] {
      try journal.write([.create("Book", number, JournalScript.json("b"))])
      try reader.follow()
      #expect(try reader.contents.snapshot() == journal.snapshot(), "\(number)")
    }
  }

  @Test func `A reader beside a writer reads another batch of the same length in the place of a rejected one`() throws {
    let fileSystem = FaultyFileSystem()
    let (journal, reader) = try makeRefused(preallocation: 0, fileSystem)
    try journal.write([.create("Book", "4", JournalScript.json("b"))])
    try reader.follow()
    #expect(try reader.contents.snapshot() == journal.snapshot())
  }

  @Test func `A reader beside a writer keeps its position if only the compacted file is left`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    for number in 1...6 { try journal.write([.create("Book", "\(number)", JournalScript.json("a"))]) }
    try journal.compact()
    try journal.close()
    fileSystem.removeBehindTheBack(JournalScript.folder + "/000002.journal")
    let reader = try makeReader(fileSystem)
    let cursor = try #require(
      try reader.contents.chunk(of: "Book", after: .start, limit: 2, byteLimit: .max).next)
    try reader.follow()
    #expect(
      try reader.contents.chunk(of: "Book", after: cursor, limit: 9, byteLimit: .max).rows.map(\.identifier)
        == ["3", "4", "5", "6"])
    try Journal.scripted(fileSystem).write([.create("Book", "7", JournalScript.json("a"))])
    try reader.follow()
    #expect(try reader.contents.snapshot().types["Book"]?.last?.identifier == "7")
  }
}

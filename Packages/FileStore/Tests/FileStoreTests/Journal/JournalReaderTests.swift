import Foundation
import Testing

@testable import FileStore

@Suite struct `A reader of somebody else's journal` {
  private func makeReader(_ fileSystem: FaultyFileSystem) throws -> JournalReader {
    try JournalReader(group: "books", in: JournalScript.directory, fileSystem: fileSystem)
  }

  @Test(arguments: [1 << 20, 300] as [UInt64], [false, true])
  func `sees each batch when it follows, and changes nothing`(segmentSize: UInt64, compacts: Bool) throws {
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
    #expect(reader.contents.findings == [])
  }

  @Test func `that looks away for long finds everything again`() throws {
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

  @Test func `shows no part of a batch that is being written`() throws {
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
  func `goes on after any of its calls has failed while it began anew`(code: Int32) throws {
    var call = 0
    var isDone = false
    while !isDone {
      let fileSystem = TracingFileSystem()
      try fileSystem.createDirectories(JournalScript.directory)
      var options = Journal.Options()
      options.segmentSize = 200
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
}

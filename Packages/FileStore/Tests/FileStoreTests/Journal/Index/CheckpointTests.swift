import Foundation
import Testing

@testable import FileStore

@Suite struct `A checkpoint` {
  private let path = JournalScript.folder + "/index.checkpoint"

  private func makeJournal(isClosed: Bool = true) throws -> (fileSystem: FaultyFileSystem, snapshot: Snapshot) {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, segmentSize: 300, checkpointInterval: 1)
    for batch in JournalScript.batches {
      try journal.write(batch)
      try journal.writeDueCheckpoint()
    }
    if isClosed { try journal.close() }
    return (fileSystem, try Journal.scripted(fileSystem.disk(), segmentSize: 300).snapshot())
  }

  @Test func `A checkpoint lets opening read only the lines after it`() throws {
    let (fileSystem, snapshot) = try makeJournal()
    let before = fileSystem.log.count
    let journal = try Journal.scripted(fileSystem, segmentSize: 300)
    let reads = fileSystem.log[before...].filter { $0.hasPrefix("read") && $0.hasSuffix(".journal") }
    #expect(Set(reads).count == 1, "only the last segment is read: \(reads)")
    #expect(try journal.snapshot() == snapshot)
    #expect(journal.contents.issues == [])
    #expect(
      journal.contents.withIndex { index in index.number(of: "Book").map { index.types[$0].largestInteger } } == 3)
  }

  @Test func `An older checkpoint is completed by the records that were written since`() throws {
    let (fileSystem, snapshot) = try makeJournal(isClosed: false)
    let disk = fileSystem.disk(after: .dropped)
    #expect(disk.bytes(path) != nil)
    let journal = try Journal.scripted(disk, segmentSize: 300)
    #expect(try journal.snapshot() == snapshot)
    #expect(journal.contents.issues == [])
    try journal.write([.create("Book", "new", JournalScript.json("x"))])
    #expect(try Journal.scripted(disk.disk(after: .dropped)).snapshot() == journal.snapshot())
  }

  @Test func `A checkpoint that is damaged is ignored`() throws {
    let (fileSystem, snapshot) = try makeJournal()
    let bytes = try #require(fileSystem.bytes(path))
    for bit in stride(from: 0, to: bytes.count * 8, by: 7) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let disk = fileSystem.disk()
      disk.overwrite(path, with: damaged)
      #expect(try Journal.scripted(disk, segmentSize: 300).snapshot() == snapshot, "bit \(bit)")
    }
    for length in stride(from: 0, to: bytes.count, by: 11) {
      let disk = fileSystem.disk()
      disk.overwrite(path, with: Array(bytes[..<length]))
      #expect(try Journal.scripted(disk, segmentSize: 300).snapshot() == snapshot, "\(length) bytes")
    }
  }

  @Test func `A checkpoint hides no segment that is missing or shorter than it was`() throws {
    let (fileSystem, _) = try makeJournal()
    let segments = fileSystem.paths.filter { $0.hasSuffix(".journal") }
    #expect(segments.count > 2)
    for segment in segments {
      let disk = fileSystem.disk()
      disk.removeBehindTheBack(segment)
      #expect(try Journal.scripted(disk, segmentSize: 300).contents.issues.isEmpty == false, "\(segment)")
      let bytes = try #require(fileSystem.bytes(segment))
      let shorter = fileSystem.disk()
      shorter.overwrite(segment, with: Array(bytes.dropLast(3)))
      #expect(try Journal.scripted(shorter, segmentSize: 300).contents.issues.isEmpty == false, "\(segment)")
    }
  }

  @Test func `A checkpoint that the disk can't read is ignored`() throws {
    let (fileSystem, snapshot) = try makeJournal()
    let healthy = fileSystem.disk()
    _ = try Journal.scripted(healthy, segmentSize: 300)
    let calls = healthy.log.indices.filter { healthy.log[$0] == "read \(path)" }
    #expect(calls.count > 1)
    for call in calls {
      let disk = fileSystem.disk()
      disk.fail(call + 1, with: EIO)
      #expect(try Journal.scripted(disk, segmentSize: 300).snapshot() == snapshot)
    }
  }

  @Test(arguments: [false, true])
  func `A checkpoint that was not used is removed permanently`(isClosed: Bool) throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    try journal.write([.create("Book", "1", JournalScript.json("a"))])
    try journal.compact {
      for number in 2...6 { try journal.write([.create("Book", "\(number)", JournalScript.json("meanwhile"))]) }
    }
    try journal.close()
    #expect(fileSystem.bytes(path) != nil)
    // The disk loses the last three batches, which the checkpoint knows.
    let segment = JournalScript.folder + "/000002.journal"
    let lines = try #require(fileSystem.bytes(segment)).split(separator: 0x0a)
    fileSystem.overwrite(segment, with: lines.dropLast(6).flatMap { $0 + [0x0a] })
    let shorter = try Journal.scripted(fileSystem)
    #expect(!shorter.contents.issues.isEmpty)
    for number in 10...16 {
      try shorter.write([.create("Book", "\(number)", JournalScript.json("later, and a little longer"))])
    }
    let expected = try shorter.snapshot()
    if isClosed { try shorter.close() }
    #expect(try Journal.scripted(fileSystem.disk(after: .dropped)).snapshot() == expected)
  }

  @Test func `A check finds damage although there is a checkpoint`() throws {
    let (fileSystem, _) = try makeJournal()
    let segment = JournalScript.folder + "/000001.journal"
    var bytes = try #require(fileSystem.bytes(segment))
    bytes[bytes.count - 10] ^= 1
    fileSystem.overwrite(segment, with: bytes)
    let journal = try Journal.scripted(fileSystem, segmentSize: 300)
    #expect(journal.contents.issues == [])
    let issues = try JournalReader.verify(
      group: "books", folder: JournalScript.folder, upTo: journal.extent, fileSystem)
    #expect(issues.map(\.file) == [segment])
    #expect(issues.first.map { $0.offset < bytes.count && $0.offset + $0.length > bytes.count - 10 } == true)
  }
}

import Foundation
import Testing

@testable import FileStore

/// A batch that is written in several pieces, because it is long.
@Suite struct `A long batch` {
  private static let path = JournalScript.folder + "/000001.journal"

  /// Twelve records of 256 KiB.
  private static let batch: [Change] = (1...12).map { number in
    .create("Book", "\(number)", JournalScript.json(String(repeating: "\(number % 10)", count: 1 << 18)))
  }

  private static let short: [Change] = [.create("Book", "short", JournalScript.json("s"))]

  private func identifiers(_ journal: Journal) throws -> [String] {
    try journal.snapshot().types["Book"]?.map(\.identifier) ?? []
  }

  @Test(arguments: [1 << 20, 64 << 20] as [UInt64])
  func `A long batch is written piece by piece, and each record is found`(segmentSize: UInt64) throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, segmentSize: segmentSize)
    try journal.write(Self.short)
    let before = fileSystem.log.count
    try journal.write(Self.batch)
    #expect(fileSystem.log[before...].count { $0.hasPrefix("write") && $0.hasSuffix(".journal") } > 2)
    try journal.write([.update("Book", "short", JournalScript.json("t"))])
    let expected = try journal.snapshot()
    #expect(expected.types["Book"]?.map(\.identifier) == ["short"] + (1...12).map(String.init))
    #expect(expected.types["Book"]?[3].value.utf8.elementsEqual(Self.batch[2].value) == true)
    let opened = try Journal.scripted(fileSystem.disk(after: .dropped), segmentSize: segmentSize)
    #expect(try opened.snapshot() == expected)
    #expect(opened.contents.issues.isEmpty)
  }

  @Test func `A long batch is complete or absent wherever the machine stops`() throws {
    let healthy = FaultyFileSystem()
    let first = try Journal.scripted(healthy)
    try first.write(Self.short)
    let calls = healthy.calls
    try first.write(Self.batch)
    for number in calls + 1...healthy.calls {
      let fileSystem = FaultyFileSystem()
      let journal = try Journal.scripted(fileSystem)
      try journal.write(Self.short)
      fileSystem.stop(at: number)
      #expect(throws: FileSystemError.self) { try journal.write(Self.batch) }
      for loss in [.dropped, .kept] as [FaultyFileSystem.Loss] {
        let found = try identifiers(try Journal.scripted(fileSystem.disk(after: loss)))
        #expect([1, 13].contains(found.count), "stopped at \(healthy.log[number - 1]), \(loss)")
      }
    }
  }

  @Test func `A long batch leaves nothing behind if the disk is full in the middle of it`() throws {
    let healthy = FaultyFileSystem()
    let first = try Journal.scripted(healthy)
    try first.write(Self.short)
    let calls = healthy.calls
    try first.write(Self.batch)
    for number in calls + 1...healthy.calls where healthy.log[number - 1].hasPrefix("write") {
      let fileSystem = FaultyFileSystem()
      let journal = try Journal.scripted(fileSystem)
      try journal.write(Self.short)
      fileSystem.fail(number, with: ENOSPC)
      #expect(throws: FileSystemError.self) { try journal.write(Self.batch) }
      #expect(try identifiers(journal) == ["short"])
      try journal.write([.create("Book", "next", JournalScript.json("n"))])
      let opened = try Journal.scripted(fileSystem.disk(after: .dropped))
      #expect(try identifiers(opened) == ["short", "next"])
      #expect(opened.contents.issues.isEmpty)
    }
  }

  @Test(arguments: [0, 40, 64 << 10] as [UInt64])
  func `A long batch or a short one leaves the same file, with or without zeros behind it`(filling: UInt64) throws {
    func file(_ filling: UInt64) throws -> [UInt8]? {
      var options = Journal.Options()
      (options.preallocation, options.filling) = (1 << 16, filling)
      let fileSystem = FaultyFileSystem()
      try fileSystem.createDirectories(JournalScript.directory)
      let journal = try Journal.open(
        group: "books", in: JournalScript.directory, options: options, fileSystem: fileSystem)
      for batch in JournalScript.batches { try journal.write(batch) }
      #expect(try Journal.scripted(fileSystem.disk(after: .dropped)).snapshot() == journal.snapshot())
      return fileSystem.bytes(Self.path)
    }
    #expect(try file(filling) == file(1 << 16))
  }
}

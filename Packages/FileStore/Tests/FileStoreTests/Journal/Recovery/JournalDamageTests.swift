import Foundation
import StoreProtocolTesting
import Testing

@testable import FileStore

@Suite struct `A damaged journal` {
  private let path = JournalScript.folder + "/000001.journal"

  /// Five batches, of which the second and the last have three models; nothing is ever updated.
  private static let batches: [[Change]] = [1, 3, 1, 1, 3].enumerated().map { number, count in
    (1...count).map { .create("Book", "\(number).\($0)", JournalScript.json("J*:\u{4a} \(number)")) }
  }

  private func makeJournal(isClosed: Bool, segmentSize: UInt64 = 1 << 20) throws -> FaultyFileSystem {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, segmentSize: segmentSize, preallocation: 0)
    for batch in Self.batches { try journal.write(batch) }
    if isClosed { try journal.close() }
    return fileSystem
  }

  private func identifiers(_ journal: Journal) throws -> [String] {
    try journal.snapshot().types["Book"]?.map(\.identifier) ?? []
  }

  private static let all = batches.joined().map(\.identifier)

  /// The lines with their line breaks, and the identifier of the model that is in each.
  private func lines(_ bytes: [UInt8]) -> [(range: Range<Int>, identifier: String?)] {
    var start = 0
    return bytes.split(separator: 0x0a).map { line in
      defer { start += line.count + 1 }
      let parts = String(decoding: line, as: UTF8.self).split(separator: ",")
      return (start..<start + line.count + 1, parts[1] == #""create""# ? parts[3].filter { $0 != "\"" } : nil)
    }
  }

  @Test(arguments: [0, 1 << 62 + 1, .max] as [UInt64])
  func `A damaged journal reports a first line whose number no batch can have, and can be written`(firstBatch: UInt64)
    throws
  {
    let fileSystem = try makeJournal(isClosed: true)
    var line = LineEncoder()
    line.segment(number: 1, firstBatch: firstBatch, group: "books")
    let bytes = try #require(fileSystem.bytes(path))
    let firstLine = try #require(lines(bytes).first).range
    fileSystem.overwrite(path, with: line.bytes + bytes[firstLine.upperBound...])
    let journal = try Journal.scripted(fileSystem)
    #expect(journal.contents.issues.contains { $0.reason == "a journal can't have a batch \(firstBatch)" })
    #expect(try identifiers(journal) == Self.all)
    try journal.write([.create("Book", "after", JournalScript.json("x"))])
    try journal.close()
    #expect(try identifiers(Journal.scripted(fileSystem)) == Self.all + ["after"])
  }

  @Test(arguments: [true, false])
  func `A damaged journal reports every flipped bit and keeps all that it did not hit`(isClosed: Bool) throws {
    let fileSystem = try makeJournal(isClosed: isClosed)
    let bytes = try #require(fileSystem.bytes(path))
    let lines = lines(bytes)
    let lastBatch = try #require(lines.dropLast(3).last).range.lowerBound
    // 7 bits on: another bit of each byte, and each byte but few.
    for bit in TestEffort.sample(0..<bytes.count * 8, every: 7) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let disk = fileSystem.disk()
      disk.overwrite(path, with: damaged)
      let journal = try Journal.scripted(disk)
      #expect(!journal.contents.issues.isEmpty, "bit \(bit)")
      let line = try #require(lines.first { $0.range.contains(bit / 8) })
      let issue = journal.contents.issues.first {
        $0.file == path && $0.offset <= bit / 8 && $0.offset + $0.length > bit / 8
      }
      #expect(issue != nil, "bit \(bit): \(journal.contents.issues)")
      let found = try identifiers(journal)
      if !isClosed, bit / 8 >= lastBatch {
        // No line proves that the last batch was ever complete. A line break within it can be identified as the damage.
        #expect(found == Self.all || found == Self.all.dropLast(3), "bit \(bit)")
      } else if bit / 8 == line.range.upperBound - 1, line.range.upperBound < bytes.count {
        #expect(found == Self.all, "bit \(bit), a line break")
      } else {
        #expect(found == Self.all.filter { $0 != line.identifier }, "bit \(bit)")
      }
      try journal.write([.create("Book", "new", JournalScript.json("x"))])
      #expect(try identifiers(try Journal.scripted(disk.disk())) == found + ["new"], "bit \(bit)")
    }
  }

  @Test func `A damaged journal that was closed reports every missing end and keeps the rest`() throws {
    let fileSystem = try makeJournal(isClosed: true)
    let bytes = try #require(fileSystem.bytes(path))
    let lines = lines(bytes)
    for length in 0..<bytes.count {
      let disk = fileSystem.disk()
      disk.overwrite(path, with: Array(bytes[..<length]))
      let journal = try Journal.scripted(disk)
      let loss = journal.contents.issues.first { $0.kind == .missing && $0.offset == length }
      #expect(loss?.reason.hasPrefix("\(bytes.count - length) bytes, up to batch 5") == true, "\(length)")
      #expect(try identifiers(journal) == lines.filter { $0.range.upperBound <= length }.compactMap(\.identifier))
      try journal.write([.create("Book", "new", JournalScript.json("x"))])
      #expect(try identifiers(try Journal.scripted(disk.disk())).last == "new")
    }
  }

  @Test(arguments: [1, 16, 64, 150])
  func `A damaged journal reports blocks of zeros and keeps the lines around them`(size: Int) throws {
    let fileSystem = try makeJournal(isClosed: true)
    let bytes = try #require(fileSystem.bytes(path))
    let lines = lines(bytes)
    for start in 0..<bytes.count - size {
      var damaged = bytes
      damaged.replaceSubrange(start..<start + size, with: repeatElement(0, count: size))
      let disk = fileSystem.disk()
      disk.overwrite(path, with: damaged)
      let journal = try Journal.scripted(disk)
      #expect(!journal.contents.issues.isEmpty)
      let kept = lines.filter { !$0.range.dropLast().overlaps(start..<start + size) }
      // A line that lacks only its line break looks like one that was cut.
      let sure = kept.filter { !(start..<start + size).contains($0.range.upperBound - 1) }.compactMap(\.identifier)
      let found = try identifiers(journal)
      #expect(found.filter(sure.contains) == sure, "\(start)")
      #expect(Set(found).isSubset(of: kept.compactMap(\.identifier)), "\(start)")
    }
  }

  @Test func `A damaged journal keeps an intact line after a damaged one without its line break`() throws {
    let fileSystem = try makeJournal(isClosed: true)
    let bytes = try #require(fileSystem.bytes(path))
    let lines = lines(bytes)
    for (line, next) in zip(lines, lines.dropFirst()).dropFirst() where next.identifier != nil {
      var damaged = bytes
      damaged[line.range.upperBound - 1] = UInt8(ascii: "x")
      damaged[line.range.upperBound - 5] ^= 1
      let disk = fileSystem.disk()
      disk.overwrite(path, with: damaged)
      let found = try identifiers(Journal.scripted(disk))
      #expect(found == Self.all.filter { $0 != line.identifier }, "\(line)")
    }
  }

  @Test func `A damaged journal reports lines that were removed, doubled or moved`() throws {
    let fileSystem = try makeJournal(isClosed: true)
    let bytes = try #require(fileSystem.bytes(path))
    let lines = lines(bytes).map { Array(bytes[$0.range]) }
    func open(_ lines: [[UInt8]]) throws -> (issues: [String], identifiers: [String]) {
      let disk = fileSystem.disk()
      disk.overwrite(path, with: Array(lines.joined()))
      let journal = try Journal.scripted(disk)
      return (journal.contents.issues.map(\.reason), try identifiers(journal))
    }
    var edited = lines
    edited.removeSubrange(7...8)
    var (issues, found) = try open(edited)
    #expect(issues.contains("batch 3 is missing"))
    #expect(found == Self.all.filter { $0 != "2.1" })

    edited = lines
    edited.remove(at: 5)
    (issues, found) = try open(edited)
    #expect(issues.contains("batch 2 has 2 of its 3 records"))
    #expect(found == Self.all.filter { $0 != "1.2" })

    edited = lines
    edited.insert(contentsOf: lines[1...2], at: 9)
    (issues, found) = try open(edited)
    #expect(issues.contains("the line does not match its checksum"))
    #expect(found == Self.all)
  }

  @Test func `A damaged journal reports segments that are missing and keeps the others`() throws {
    let fileSystem = try makeJournal(isClosed: true, segmentSize: 1)
    let segments = fileSystem.paths.filter { $0.hasSuffix(".journal") }
    #expect(segments.count == 5)
    for (number, segment) in segments.enumerated() {
      let disk = fileSystem.disk()
      disk.removeBehindTheBack(segment)
      let journal = try Journal.scripted(disk)
      #expect(journal.contents.issues.contains { $0.kind == .missing && $0.file == segment })
      #expect(try identifiers(journal) == Self.all.filter { !$0.hasPrefix("\(number).") })
      try journal.write([.create("Book", "new", JournalScript.json("x"))])
      #expect(try identifiers(try Journal.scripted(disk.disk())).last == "new")
    }
  }

  @Test func `A damaged journal ignores file names that no journal has`() throws {
    let fileSystem = try makeJournal(isClosed: true)
    let names = ["0", "-1", "1", "000000", "4294967295", "1073741825", "000001.journal", "00000x", "x"]
    for name in names { fileSystem.overwrite(JournalScript.folder + "/\(name).journal", with: Array("x".utf8)) }
    #expect(try Journal.scripted(fileSystem).contents.issues == [])
    fileSystem.overwrite(JournalScript.folder + "/999999999.journal", with: [])
    let journal = try Journal.scripted(fileSystem)
    #expect(journal.contents.issues.map(\.reason) == ["999999997 files from this on are missing"])
    #expect(try identifiers(journal) == Self.all)
  }

  @Test func `A damaged journal reports a mark that is damaged and ignores it`() throws {
    let fileSystem = try makeJournal(isClosed: true)
    let mark = JournalScript.folder + "/closed.json"
    let bytes = try #require(fileSystem.bytes(mark))
    for bit in 0..<(bytes.count - 1) * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let disk = fileSystem.disk()
      disk.overwrite(mark, with: damaged)
      let journal = try Journal.scripted(disk)
      #expect(journal.contents.issues.map(\.file) == [mark])
      #expect(try identifiers(journal) == Self.all)
    }
  }

  @Test func `A journal reports a record that is damaged while it is open`() throws {
    let fileSystem = try makeJournal(isClosed: false)
    let journal = try Journal.scripted(fileSystem)
    let entry = try #require(journal.contents.entry("Book", "1.2"))
    let place = entry.place
    var bytes = try #require(fileSystem.bytes(path))
    bytes[Int(place.offset) + 40] ^= 1
    fileSystem.overwrite(path, with: bytes)
    let error = #expect(throws: FileEngineError.self) { try journal.contents.read(entry, "Book", "1.2") }
    guard case .damaged(let issue) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(issue.file == path)
    #expect(issue.offset == place.offset)
    let chunk = try journal.contents.chunk(of: "Book", after: .start, limit: 100, byteLimit: .max)
    #expect(chunk.damages == [issue])
    #expect(chunk.rows.map(\.identifier) == Self.all.filter { $0 != "1.2" })
  }
}

import Foundation
import Testing

@testable import FileStore

@Suite struct `A journal with missing parts` {
  /// The damage to the files of a store that was closed: three segments, or a compacted file and one segment.
  enum Loss: CaseIterable {
    case lastCutBetweenBatches, lastEmptied, lastRemoved, firstRemoved, compactedRemoved, markDamaged

    /// The file that has to be named.
    var file: String {
      let name =
        switch self {
        case .lastCutBetweenBatches, .lastEmptied, .lastRemoved: "000003.journal"
        case .firstRemoved: "000001.journal"
        case .compactedRemoved: "000003.compacted.journal"
        case .markDamaged: "closed.json"
        }
      return "\(JournalScript.folder)/\(name)"
    }
  }

  private func makeStore(_ loss: Loss, isClosed: Bool) throws -> (fileSystem: FaultyFileSystem, journal: Journal) {
    let fileSystem = FaultyFileSystem()
    let first = try Journal.scripted(fileSystem, segmentSize: 300, preallocation: 0)
    for number in 1...8 { try first.write([.create("Book", "\(number)", JournalScript.json("a"))]) }
    try first.close()
    let journal = try Journal.scripted(fileSystem, segmentSize: 300, preallocation: 0)
    #expect(journal.segment == 3)
    if loss == .compactedRemoved { try journal.compact() }
    if isClosed { try journal.close() }
    return (fileSystem, journal)
  }

  private func cause(_ loss: Loss, on fileSystem: FaultyFileSystem) throws {
    switch loss {
    case .lastCutBetweenBatches:
      let lines = try #require(fileSystem.bytes(loss.file)).split(separator: 0x0a)
      fileSystem.overwrite(loss.file, with: lines.dropLast(2).flatMap { $0 + [0x0a] })
    case .lastEmptied: fileSystem.overwrite(loss.file, with: [])
    case .lastRemoved, .firstRemoved, .compactedRemoved: fileSystem.removeBehindTheBack(loss.file)
    case .markDamaged:
      var bytes = try #require(fileSystem.bytes(loss.file))
      bytes[20] ^= 1
      fileSystem.overwrite(loss.file, with: bytes)
    }
  }

  private func verify(_ journal: Journal) throws -> [IntegrityIssue] {
    try JournalReader.verify(
      group: "books", folder: JournalScript.folder, upTo: journal.extent, journal.fileSystem)
  }

  @Test(arguments: Loss.allCases)
  func `A missing part of a journal is reported by opening, reading and checking until it is repaired`(loss: Loss)
    throws
  {
    let (fileSystem, _) = try makeStore(loss, isClosed: true)
    try cause(loss, on: fileSystem)
    // The compacted files that existed are unknown now.
    let file = loss == .compactedRemoved ? "\(JournalScript.folder)/000001.journal" : loss.file
    for readsAll in [false, true] {
      let reader = try JournalReader(
        group: "books", in: JournalScript.directory, fileSystem: fileSystem, readsAll: readsAll)
      #expect(reader.contents.issues.map(\.file) == [file])
    }
    let journal = try Journal.scripted(fileSystem)
    #expect(journal.contents.issues.map(\.file) == [file])
    #expect(try verify(journal).first?.file == file)
    try journal.write([.create("Book", "new", JournalScript.json("a"))])
    #expect(try verify(journal).first?.file == file)
    let expected = try journal.snapshot()
    let repair = try journal.repair()
    #expect(repair.losses.first?.issue.file == file)
    #expect(try verify(journal) == [])
    #expect(try journal.repair().losses == [])
    #expect(try journal.snapshot() == expected)
    for disk in [fileSystem.disk(after: .dropped), fileSystem.disk()] {
      let again = try Journal.scripted(disk)
      #expect(again.contents.issues == [])
      #expect(try again.snapshot() == expected)
    }
  }

  @Test(arguments: Loss.allCases)
  func `A journal of which something is missing is found out while it is open`(loss: Loss) throws {
    let (fileSystem, journal) = try makeStore(loss, isClosed: false)
    #expect(try verify(journal) == [])
    try cause(loss, on: fileSystem)
    #expect(try verify(journal).map(\.file) == [loss.file])
    #expect(try journal.repair().losses.map(\.issue.file) == [loss.file])
    #expect(try verify(journal) == [])
  }
}

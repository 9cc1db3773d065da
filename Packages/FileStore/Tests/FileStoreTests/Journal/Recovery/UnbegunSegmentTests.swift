import Foundation
import Testing

@testable import FileStore

@Suite struct `A segment that could not be begun` {
  private static let next = JournalScript.folder + "/000002.journal"

  /// Calls by which a segment is begun, behind two that give room back, and how they fail.
  private static let faults: [(place: Int, operation: String, path: String, code: Int32)] = [
    (3, "open", next, EMFILE), (3, "open", next, ENOSPC), (4, "write", next, ENOSPC),
    (6, "synchronize", JournalScript.folder, EMFILE),
  ]

  /// A journal with one batch that could not be compacted, since a call failed.
  private func makeJournal(_ number: Int) throws -> (journal: Journal, fileSystem: FaultyFileSystem) {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    try journal.write([.create("Book", "1", JournalScript.json("a"))])
    let (place, operation, path, code) = Self.faults[number]
    fileSystem.fail(fileSystem.calls + place, with: code)
    let error = #expect(throws: FileSystemError.self) { _ = try journal.beginCompaction() }
    #expect(error?.code == code)
    #expect(fileSystem.log.contains("\(operation) \(path)"))
    return (journal, fileSystem)
  }

  @Test(arguments: faults.indices)
  func `A segment that could not be begun leaves no file that would prove the previous one complete`(fault: Int)
    throws
  {
    let (journal, fileSystem) = try makeJournal(fault)
    #expect(!fileSystem.paths.contains(Self.next))
    try journal.write([.create("Book", "2", JournalScript.json("b"))])
    let acknowledged = try journal.snapshot()
    try journal.write(
      [.create("Book", "3", JournalScript.json("c")), .create("Book", "4", JournalScript.json("d"))],
      isDurable: false)
    let whole = try journal.snapshot()
    for count in 1..<200 {
      let opened = try Journal.scripted(fileSystem.disk(after: .torn(count)))
      #expect([acknowledged, whole].contains(try opened.snapshot()), "\(count) bytes")
    }
    try journal.compact()
    #expect(try Journal.scripted(fileSystem.disk(after: .dropped)).snapshot() == whole)
  }

  @Test
  func `A segment that could not be begun does not keep the store from being opened on a disk that is still full`()
    throws
  {
    let (_, fileSystem) = try makeJournal(2)
    let disk = fileSystem.disk()
    let calls = disk.calls
    let journal = try Journal.scripted(disk)
    #expect(!disk.log[calls...].contains { $0.hasSuffix(Self.next) }, "nothing is made that needs room")
    #expect(try journal.snapshot().types["Book"]?.count == 1)
  }

  @Test func `A segment that could not be begun lets nothing be written any more if it can't be removed`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    try journal.write([.create("Book", "1", JournalScript.json("a"))])
    let start = fileSystem.calls
    // Giving room back takes two calls; then the file is opened and written, and would be removed.
    fileSystem.fail(start + 4, with: ENOSPC)
    fileSystem.fail(start + 5, with: EIO)
    #expect(throws: FileSystemError.self) { _ = try journal.beginCompaction() }
    #expect(fileSystem.log.last == "remove \(Self.next)")
    guard case .refusesWrites? = #expect(throws: FileEngineError.self, performing: { try journal.sync() }) else {
      Issue.record("it goes on")
      return
    }
    #expect(try Journal.scripted(fileSystem.disk(after: .dropped)).snapshot() == journal.snapshot())
  }

  @Test func `A segment that could not be begun is discarded by a follower that had read it`() throws {
    let fileSystem = TracingFileSystem()
    try fileSystem.createDirectories(JournalScript.directory)
    let follower = try JournalReader(group: "books", in: JournalScript.directory, fileSystem: fileSystem)
    nonisolated(unsafe) let reader = follower
    let writing = HookedFileSystem(
      base: fileSystem, willRemove: { _ in #expect(throws: Never.self) { try reader.follow() } })
    let journal = try Journal.open(group: "books", in: JournalScript.directory, fileSystem: writing)
    try journal.write([.create("Book", "1", JournalScript.json("a"))])
    try follower.follow()
    // The last call with which the segment is begun.
    let call = fileSystem.callCount + 6
    fileSystem.setFault(.init(kind: .error(EMFILE), calls: call..<call + 1))
    #expect(throws: FileSystemError(.open, JournalScript.folder, code: EMFILE)) { _ = try journal.beginCompaction() }
    for number in 2...3 {
      try journal.write([.create("Book", "\(number)", JournalScript.json("b"))])
      try follower.follow()
      #expect(try follower.contents.snapshot() == journal.snapshot())
    }
  }
}

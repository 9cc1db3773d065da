import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@testable import FileStore

@Suite struct `Reading beside a writer` {
  /// Returns a journal with one batch, and a file system for its reader. Once `isDue` is set, the second read of the
  /// file comes after the writer has filled the preallocated space and written behind it.
  private func makeOvertaken() throws -> (journal: Journal, reading: HookedFileSystem, isDue: Lock<Bool>) {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, preallocation: 512)
    try journal.write([.create("Book", "1", JournalScript.json("first"))])
    let isDue = Lock(false)
    nonisolated(unsafe) let writer = journal
    let reading = HookedFileSystem(
      base: fileSystem,
      willRead: { path, offset in
        guard path.hasSuffix("000001.journal"), offset >= 512, isDue.take() else { return }
        #expect(throws: Never.self) {
          for number in 2...12 {
            try writer.write([.create("Book", "\(number)", JournalScript.json("written between two reads"))])
          }
        }
      })
    return (journal, reading, isDue)
  }

  @Test func `A concurrent reader does not report preallocated space that is filled meanwhile as damage`() throws {
    let (journal, reading, isDue) = try makeOvertaken()
    isDue.withLock { $0 = true }
    let reader = try JournalReader(
      group: "books", in: JournalScript.directory, fileSystem: reading, readsAll: true)
    #expect(reader.contents.issues == [])
    #expect(journal.lastBatch == 12)
  }

  @Test func `A concurrent reader reads batches that are written into preallocated space meanwhile`() throws {
    let (journal, reading, isDue) = try makeOvertaken()
    let reader = try JournalReader(group: "books", in: JournalScript.directory, fileSystem: reading)
    try journal.write([.create("Book", "next", JournalScript.json("x"))])
    isDue.withLock { $0 = true }
    try reader.follow()
    try reader.follow()
    #expect(journal.lastBatch == 13)
    #expect(try reader.contents.snapshot() == journal.snapshot())
  }
}

extension Lock<Bool> {
  /// Whether it was true; it is not any more.
  fileprivate func take() -> Bool {
    withLock { value in
      defer { value = false }
      return value
    }
  }
}

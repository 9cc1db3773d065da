import Foundation
import Testing

@testable import FileStore

@Suite struct `A journal on a failing disk` {
  private static let batches: [[Change]] = (1...6).map { number in
    (1...number % 3 + 1).map { .create("Book", "\(number).\($0)", JournalScript.json("\(number)")) }
  }

  @Test(arguments: [ENOSPC, EIO, EMFILE], [1 << 20, 300] as [UInt64])
  func `A journal on a failing disk keeps every acknowledged batch whichever call fails`(
    code: Int32, segmentSize: UInt64
  ) throws {
    let healthy = FaultyFileSystem()
    _ = try run(on: healthy, segmentSize: segmentSize)
    for number in 1...healthy.calls {
      let fileSystem = FaultyFileSystem()
      fileSystem.fail(number, with: code)
      let (acknowledged, refused) = try run(on: fileSystem, segmentSize: segmentSize)
      // Something fails, unless it is reserving room, which is only there for speed.
      let isReserving = healthy.log[number - 1].hasPrefix("preallocate")
      #expect(refused.isEmpty == isReserving, "\(healthy.log[number - 1])")
      for error in refused { #expect(error is FileSystemError || error is FileEngineError, "\(error)") }
      for loss in [.dropped, .kept] as [FaultyFileSystem.Loss] {
        let journal = try Journal.scripted(fileSystem.disk(after: loss), segmentSize: segmentSize)
        let found = Set(try journal.snapshot().types["Book"]?.map(\.identifier) ?? [])
        for (index, batch) in Self.batches.enumerated() {
          let identifiers = Set(batch.map(\.identifier))
          let isThere = found.isSuperset(of: identifiers)
          #expect(isThere || found.isDisjoint(with: identifiers), "call \(number), \(loss)")
          if acknowledged.contains(index) { #expect(isThere, "call \(number), \(loss), batch \(index)") }
        }
      }
    }
  }

  /// Writes all batches, opening again when writes are refused, and returns those that were acknowledged.
  private func run(
    on fileSystem: FaultyFileSystem, segmentSize: UInt64
  ) throws -> (acknowledged: Set<Int>, refused: [any Error]) {
    var acknowledged: Set<Int> = []
    var refused: [any Error] = []
    var journal: Journal?
    for (index, batch) in Self.batches.enumerated() {
      do {
        if journal == nil { journal = try Journal.scripted(fileSystem, segmentSize: segmentSize) }
        let open = try #require(journal)
        let before = try open.snapshot()
        do {
          try open.write(batch)
          acknowledged.insert(index)
        } catch {
          #expect(try open.snapshot() == before, "what was refused is not seen")
          throw error
        }
      } catch {
        refused.append(error)
        if case .refusesWrites = error as? FileEngineError { journal = nil }
      }
    }
    do { try journal?.close() } catch { refused.append(error) }
    return (acknowledged, refused)
  }

  @Test func `A journal on a failing disk writes nothing more after a sync that failed, until it is opened again`()
    throws
  {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, preallocation: 0)
    try journal.write(Self.batches[0])
    fileSystem.fail(fileSystem.calls + 2, with: EIO)
    let error = #expect(throws: FileSystemError.self) { try journal.write(Self.batches[1]) }
    #expect(error?.operation == .synchronize)
    let calls = fileSystem.calls
    for _ in 1...2 {
      let refusal = #expect(throws: FileEngineError.self) { try journal.write(Self.batches[2]) }
      guard case .refusesWrites(_, let cause) = refusal else {
        Issue.record("\(String(describing: refusal))")
        return
      }
      #expect(cause.contains("Input/output error"))
    }
    #expect(throws: FileEngineError.self) { try journal.sync() }
    #expect(throws: FileEngineError.self) { try journal.close() }
    #expect(fileSystem.calls == calls)
    #expect(try journal.snapshot().types["Book"]?.count == Self.batches[0].count)

    let reopened = try Journal.scripted(fileSystem.disk(after: .dropped))
    #expect(try reopened.snapshot() == journal.snapshot())
    try reopened.write(Self.batches[2])
  }

  @Test(arguments: [".journal", "/books"])
  func `A journal on a failing disk writes nothing more after the sync of a new segment or its name failed`(
    suffix: String
  ) throws {
    let healthy = FaultyFileSystem()
    let other = try Journal.scripted(healthy, segmentSize: 1)
    try other.write(Self.batches[0])
    let start = healthy.log.count
    try other.write(Self.batches[1])
    // The last of these calls before the batch itself is written.
    let number = try #require(
      healthy.log[start...].dropLast(3).lastIndex { $0.hasPrefix("synchronize") && $0.hasSuffix(suffix) })
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, segmentSize: 1)
    try journal.write(Self.batches[0])
    fileSystem.fail(number + 1, with: EIO)
    #expect(throws: FileSystemError.self) { try journal.write(Self.batches[1]) }
    guard
      case .refusesWrites? = #expect(throws: FileEngineError.self, performing: { try journal.write(Self.batches[1]) })
    else {
      Issue.record("it goes on")
      return
    }
    let reopened = try Journal.scripted(fileSystem.disk(after: .dropped), segmentSize: 1)
    #expect(try reopened.snapshot() == journal.snapshot())
    try reopened.write(Self.batches[1])
  }

  @Test func `An error of a journal on a failing disk has a remedy`() {
    func message(_ code: Int32) -> String { FileSystemError(.write, "/file", code: code).description }
    #expect(message(ENOSPC).hasSuffix("(errno \(ENOSPC)). Free space on the disk, then try again."))
    #expect(message(EMFILE).contains("Close files"))
    #expect(message(EACCES).contains("to read and write there"))
    #expect(message(EROFS).contains("with the mode readOnly"))
    #expect(message(ENOENT).contains("restore it"))
    #expect(message(EIO).hasSuffix("(errno \(EIO))."))
  }

  @Test func `A journal on a failing disk can be written after a full disk has space again`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, preallocation: 0)
    try journal.write(Self.batches[0])
    fileSystem.fail(fileSystem.calls + 1, with: ENOSPC)
    let error = #expect(throws: FileSystemError.self) { try journal.write(Self.batches[1]) }
    #expect(error.map { "\($0)" }?.hasPrefix("Could not write '/store/books/000001.journal': No space left") == true)
    try journal.write(Self.batches[2])
    let expected = try journal.snapshot()
    #expect(expected.types["Book"]?.count == Self.batches[0].count + Self.batches[2].count)
    let reopened = try Journal.scripted(fileSystem.disk(after: .dropped))
    #expect(try reopened.snapshot() == expected)
    #expect(reopened.contents.issues == [])
  }

  @Test func `A journal on a failing disk continues writes that the disk takes in pieces`() throws {
    let fileSystem = FaultyFileSystem()
    fileSystem.limitWrites(to: 7)
    let journal = try Journal.scripted(fileSystem)
    for batch in Self.batches { try journal.write(batch) }
    let reopened = try Journal.scripted(fileSystem.disk(after: .dropped))
    #expect(try reopened.snapshot() == journal.snapshot())
    #expect(reopened.contents.issues == [])
  }

  @Test func `A journal on a failing disk repeats only calls that a signal interrupted`() throws {
    var codes = [EINTR, EINTR, 0]
    let result = try retryingInterrupts(.read, "/file") { () -> Int in
      errno = codes.removeFirst()
      return errno == 0 ? 42 : -1
    }
    #expect(result == 42)
    #expect(throws: FileSystemError(.read, "/file", code: EIO)) {
      try retryingInterrupts(.read, "/file") { () -> Int in
        errno = EIO
        return -1
      }
    }
  }
}

import Foundation
import Testing

@testable import FileStore

@Suite struct `A journal after a crash` {
  /// The states that the script goes through: none, one, two… batches.
  private func states() throws -> [Snapshot] {
    let journal = try Journal.scripted(FaultyFileSystem())
    return try [Snapshot()]
      + JournalScript.batches.map { batch in
        try journal.write(batch)
        return try journal.snapshot()
      }
  }

  /// Checks that a journal goes on from a state as if nothing had been.
  private func checkItIsUsable(_ journal: Journal, on disk: FaultyFileSystem, segmentSize: UInt64) throws {
    try journal.write([.create("Note", "after", JournalScript.json("x"))])
    let snapshot = try journal.snapshot()
    try journal.close()
    let reopened = try Journal.scripted(disk.disk(after: .dropped), segmentSize: segmentSize)
    #expect(try reopened.snapshot() == snapshot)
    #expect(reopened.contents.issues == [])
  }

  @Test(arguments: [false, true])
  func `A journal after a crash that cut it anywhere holds exactly the batches that were complete`(
    hasReservedRoom: Bool
  ) throws {
    let states = try states()
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, preallocation: 0)
    let path = JournalScript.folder + "/000001.journal"
    var ends: [Int] = []
    for batch in JournalScript.batches {
      try journal.write(batch)
      ends.append(try #require(fileSystem.bytes(path)).count)
    }
    let bytes = try #require(fileSystem.bytes(path))
    for length in 0...bytes.count {
      let disk = fileSystem.disk()
      let room = [UInt8](repeating: 0, count: hasReservedRoom ? 2_048 - length : 0)
      disk.overwrite(path, with: Array(bytes[..<length]) + room)
      let reopened = try Journal.scripted(disk)
      let complete = ends.count { $0 <= length }
      #expect(try reopened.snapshot() == states[complete], "\(length) bytes")
      let isWhole = length == 0 || ends.contains(length) || bytes[..<length] == bytes.prefix { $0 != 0x0a } + [0x0a]
      #expect(reopened.contents.issues.count == (isWhole ? 0 : 1), "\(length) bytes")
      if let issue = reopened.contents.issues.first {
        guard case .tornTail(let quarantine) = issue.kind else {
          Issue.record("\(issue)")
          continue
        }
        #expect(issue.file == path)
        #expect(disk.bytes(quarantine) == Array(bytes[Int(issue.offset)..<length]))
      }
      try checkItIsUsable(reopened, on: disk, segmentSize: 1 << 20)
    }
  }

  @Test(arguments: [1 << 20, 300] as [UInt64])
  func `A journal after a crash at any call has every acknowledged change, and batches completely or not at all`(
    segmentSize: UInt64
  ) throws {
    let states = try states()
    let healthy = FaultyFileSystem()
    try run(on: healthy, segmentSize: segmentSize)
    let calls = healthy.calls
    var losses: [FaultyFileSystem.Loss] = [.dropped, .kept] + (0..<12).map { .reordered(seed: $0) }
    losses += stride(from: 0, to: 400, by: 13).map { .torn($0) }
    for stop in 1...calls + 1 {
      let fileSystem = FaultyFileSystem()
      fileSystem.stop(at: stop)
      var acknowledged = 0
      try? run(on: fileSystem, segmentSize: segmentSize) { acknowledged += 1 }
      for loss in losses {
        let disk = fileSystem.disk(after: loss)
        let journal = try Journal.scripted(disk, segmentSize: segmentSize)
        let found = try journal.snapshot()
        let possible = states[acknowledged...min(acknowledged + 1, states.count - 1)]
        #expect(possible.contains(found), "stopped at \(stop), \(loss): \(healthy.log[..<min(stop, calls)].suffix(1))")
        try checkItIsUsable(journal, on: disk, segmentSize: segmentSize)
      }
    }
  }

  @Test(arguments: [1 << 20, 400] as [UInt64])
  func `A journal after a crash that reordered unsynced writes has a prefix of them`(segmentSize: UInt64)
    throws
  {
    let states = try states()
    for size in [1, 2, 3, 6] {
      for seed in 0..<100 as Range<UInt64> {
        let fileSystem = FaultyFileSystem()
        let journal = try Journal.scripted(fileSystem, segmentSize: segmentSize, preallocation: 2_048)
        // Filling the first block makes the batches lie across block borders.
        let text = String(repeating: "f", count: 280 + Int(seed) * 2)
        try journal.write([.create("Filler", "1", JournalScript.json(text))])
        var rest = JournalScript.batches[...]
        while !rest.isEmpty {
          let results = journal.commit(Array(rest.prefix(size)), isDurable: false)
          #expect(results.allSatisfy { (try? $0.get()) != nil })
          rest = rest.dropFirst(size)
        }
        let disk = fileSystem.disk(after: .reordered(seed: seed))
        let reopened = try Journal.scripted(disk, segmentSize: segmentSize)
        var found = try reopened.snapshot()
        #expect(found.types.removeValue(forKey: "Filler")?.count == 1)
        #expect(states.contains(found), "seed \(seed): \(found)")
        try checkItIsUsable(reopened, on: disk, segmentSize: segmentSize)
      }
    }
  }

  @Test(arguments: [1 << 20, 300] as [UInt64])
  func `A journal after a crash of its process only shows nothing that a power cut could take`(segmentSize: UInt64)
    throws
  {
    let healthy = FaultyFileSystem()
    try run(on: healthy, segmentSize: segmentSize, isDurable: false)
    for stop in 1...healthy.calls + 1 {
      let fileSystem = FaultyFileSystem()
      fileSystem.stop(at: stop)
      try? run(on: fileSystem, segmentSize: segmentSize, isDurable: false)
      fileSystem.stop(at: .max)
      let seen = try Journal.scripted(fileSystem, segmentSize: segmentSize).snapshot()
      let journal = try Journal.scripted(fileSystem.disk(after: .dropped), segmentSize: segmentSize)
      #expect(try journal.snapshot() == seen, "stopped at \(stop)")
      #expect(journal.contents.issues == [])
    }
  }

  @Test(arguments: [1 << 20, 300] as [UInt64])
  func `A journal after a crash shows no record that a power cut could remove, even if a sync failed before`(
    segmentSize: UInt64
  ) throws {
    let healthy = FaultyFileSystem()
    try run(on: healthy, segmentSize: segmentSize)
    for (number, call) in healthy.log.enumerated() where call.hasPrefix("synchronize") && call.hasSuffix(".journal") {
      let fileSystem = FaultyFileSystem()
      fileSystem.fail(number + 1, with: EIO)
      #expect(throws: FileSystemError.self) { try run(on: fileSystem, segmentSize: segmentSize) }
      let seen = try Journal.scripted(fileSystem, segmentSize: segmentSize).snapshot()
      let journal = try Journal.scripted(fileSystem.disk(after: .dropped), segmentSize: segmentSize)
      #expect(try journal.snapshot() == seen, "\(number + 1)")
      #expect(journal.contents.issues == [])
    }
  }

  @Test func `A journal after a crash leaves no partial quarantine file when the disk has no space for it`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    try journal.write([.create("Book", "1", JournalScript.json("x"))])
    try journal.write([.create("Book", "2", JournalScript.json("x"))], isDurable: false)
    let crashed = fileSystem.disk(after: .torn(50))
    let healthy = crashed.disk()
    _ = try Journal.scripted(healthy)
    let call = try #require(healthy.log.firstIndex { $0.hasPrefix("write") && $0.hasSuffix(".quarantine") })
    let before = crashed.paths
    crashed.fail(call + 1, with: ENOSPC)
    #expect(throws: FileSystemError.self) { _ = try Journal.scripted(crashed) }
    #expect(crashed.paths == before)
    #expect(try Journal.scripted(crashed).contents.issues.count == 1)
  }

  @Test func `A journal after a crash does not lose the quarantined end of an earlier crash`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, preallocation: 0)
    try journal.write(JournalScript.batches[0])
    try journal.close()
    let path = JournalScript.folder + "/000001.journal"
    let bytes = try #require(fileSystem.bytes(path))
    for text in ["first", "second"] {
      fileSystem.overwrite(path, with: bytes + Array(text.utf8))
      _ = try Journal.scripted(fileSystem)
    }
    let disk = fileSystem.disk(after: .dropped)
    let quarantine = JournalScript.folder + "/000001-\(bytes.count)"
    #expect(disk.bytes(quarantine + ".quarantine") == Array("first".utf8))
    #expect(disk.bytes(quarantine + "-2.quarantine") == Array("second".utf8))
    #expect(disk.bytes(path) == bytes)
  }

  @Test func `A journal after a crash just after it was made has its first line`() throws {
    let fileSystem = FaultyFileSystem()
    _ = try Journal.scripted(fileSystem)
    let bytes = fileSystem.disk(after: .dropped).bytes(JournalScript.folder + "/000001.journal")
    #expect(bytes?.last == 0x0a)
  }

  /// Opens a journal, writes the script and closes it; `acknowledge` is called for each batch.
  private func run(
    on fileSystem: FaultyFileSystem, segmentSize: UInt64, isDurable: Bool = true, acknowledge: () -> Void = {}
  ) throws {
    let journal = try Journal.scripted(fileSystem, segmentSize: segmentSize)
    for batch in JournalScript.batches {
      try journal.write(batch, isDurable: isDurable)
      acknowledge()
    }
    try journal.close()
  }
}

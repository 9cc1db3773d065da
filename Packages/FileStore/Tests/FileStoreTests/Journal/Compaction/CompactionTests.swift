import Foundation
import Testing

@testable import FileStore

@Suite struct `A compacted journal` {
  private static let interval: UInt64 = 200

  private func journals(_ fileSystem: FaultyFileSystem) -> [String] {
    fileSystem.paths.filter { $0.hasSuffix(".journal") }.map { String($0.dropFirst(JournalScript.folder.count + 1)) }
  }

  @Test(arguments: [1 << 20, 300] as [UInt64])
  func `A compacted journal has the same records in less space, and can be written`(segmentSize: UInt64) throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, segmentSize: segmentSize)
    for batch in JournalScript.batches { try journal.write(batch) }
    let (before, size) = (try journal.snapshot(), journal.size)
    try journal.compact()
    #expect(try journal.snapshot() == before)
    #expect(journal.size < size)
    #expect(journals(fileSystem).count == 2)
    try journal.write([.create("Book", "new", JournalScript.json("x")), .delete("Author", "1")])
    let after = try journal.snapshot()
    for disk in [fileSystem.disk(after: .dropped), fileSystem.disk()] {
      let reopened = try Journal.scripted(disk, segmentSize: segmentSize)
      #expect(reopened.contents.issues == [])
      #expect(try reopened.snapshot() == after)
      try reopened.compact()
      #expect(try reopened.snapshot() == after)
      try reopened.close()
      let again = try Journal.scripted(disk, segmentSize: segmentSize)
      #expect(try again.snapshot() == after)
      #expect(again.contents.issues == [])
      #expect(try again.beginCompaction() == nil, "there is nothing left to gain")
    }
  }

  @Test(arguments: [EMFILE, EIO])
  func `A compacted journal is valid once it has its name, even if that can't be synced`(code: Int32) throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    for batch in JournalScript.batches { try journal.write(batch) }
    let expected = try journal.snapshot()
    let compaction = try #require(try journal.beginCompaction())
    let outcome = try compaction.run(fileSystem)
    fileSystem.fail(fileSystem.calls + 2, with: code)
    #expect(throws: FileSystemError.self) { try journal.finish(compaction, outcome) }
    #expect(journals(fileSystem).contains("000001.journal"), "the new name may be lost yet")
    #expect(try journal.snapshot() == expected)
    let issues = try JournalReader.verify(
      group: "books", folder: JournalScript.folder, upTo: journal.extent, fileSystem)
    #expect(issues == [])
    #expect(((try? journal.refuseAfterFailure()) == nil) == (code == EIO))
    for disk in [fileSystem.disk(after: .dropped), fileSystem.disk()] {
      let again = try Journal.scripted(disk)
      #expect(try again.snapshot() == expected)
      #expect(again.contents.issues == [])
    }
  }

  @Test func `A journal that is compacted has its types in the order in which they first appeared`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    try journal.write([.create("Book", "emma", JournalScript.json("a"))])
    try journal.write([.create("Author", "1", JournalScript.json("a"))])
    try journal.compact()
    fileSystem.removeBehindTheBack(JournalScript.folder + "/index.checkpoint")
    #expect(try Journal.scripted(fileSystem.disk()).contents.withIndex { $0.typeNames } == ["Book", "Author"])
  }

  @Test func `A journal that is compacted is a text that a person can read`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    for batch in JournalScript.batches { try journal.write(batch) }
    try journal.compact()
    let bytes = try #require(fileSystem.bytes(JournalScript.folder + "/000001.compacted.journal"))
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .map { String($0.replacing(/[0-9a-f]{8}/, with: "*", maxReplacements: 1)) }
    let expected = [
      #"["*","segment",3,1,7,"books",6]"#,
      #"["*","largest","Author",2]"#,
      #"["*","kept",6,2]"#,
      #"["*","create","Author","1",1,{"title":"Jane Austen"}]"#,
      #"["*","create","Author","2",1,{"title":"é"}]"#,
      #"["*","largest","Book",3]"#,
      #"["*","kept",6,3]"#,
      #"["*","update","Book","1",2,{"title":"Emma (1815)"}]"#,
      #"["*","update","Book","3",3,{"title":"y"}]"#,
      #"["*","create","Book","2",1,{"title":"Sense and Sensibility"}]"#,
      #"["*","kept",6,1]"#,
      #"["*","create","Tag","{\"a\",\u000a}",1,{"title":"t"}]"#,
    ]
    #expect(lines == expected)
  }

  @Test func `A journal that is compacted keeps the records that are written meanwhile`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    for batch in JournalScript.batches.prefix(2) { try journal.write(batch) }
    try journal.compact {
      for batch in JournalScript.batches.dropFirst(2) { try journal.write(batch) }
    }
    let other = try Journal.scripted(FaultyFileSystem())
    for batch in JournalScript.batches { try other.write(batch) }
    #expect(try journal.snapshot() == other.snapshot())
    #expect(try Journal.scripted(fileSystem.disk(after: .dropped)).snapshot() == other.snapshot())
  }

  @Test func `A compacted journal never gives the number of a deleted model to another one`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    try journal.write((1...5).map { .create("Book", "\($0)", JournalScript.json("x")) })
    try journal.write((2...5).map { .delete("Book", "\($0)") })
    try journal.compact()
    try journal.close()
    let reopened = try Journal.scripted(fileSystem.disk())
    #expect(reopened.contents.withIndex { $0.reserveInteger(type: 0) } == 6)
  }

  @Test func `A journal that is compacted continues its batch numbers when a compaction has left nothing`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    for name in ["1", "one"] {
      try journal.write([.create("Book", name, JournalScript.json("x"))])
      try journal.write([.delete("Book", name)])
    }
    // The power goes before there is a checkpoint, which would know the number too.
    let compaction = try #require(try journal.beginCompaction())
    try journal.finish(compaction, compaction.run(fileSystem))
    let crashed = fileSystem.disk(after: .dropped)
    let reopened = try Journal.scripted(crashed)
    try reopened.write([.create("Book", "after", JournalScript.json("y"))])
    let after = try reopened.snapshot()
    let again = try Journal.scripted(crashed.disk(after: .dropped))
    #expect(again.contents.issues == [])
    #expect(try again.snapshot() == after)
    #expect(!crashed.paths.contains { $0.contains("quarantine") })
  }

  @Test func `A journal that is compacted can stop at any point, and opening clears up`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    for batch in JournalScript.batches { try journal.write(batch) }
    let before = try journal.snapshot()
    let compaction = try #require(try journal.beginCompaction())
    var asked = 0
    #expect(throws: CancellationError.self) {
      try compaction.run(fileSystem) {
        asked += 1
        return asked == 2
      }
    }
    #expect(fileSystem.paths.contains { $0.hasSuffix(".new") })
    let calls = fileSystem.calls
    #expect(throws: CancellationError.self) { try compaction.run(fileSystem) { true } }
    #expect(fileSystem.calls == calls, "a compaction stopped before it begins changes nothing")
    #expect(try journal.snapshot() == before)
    let reopened = try Journal.scripted(fileSystem)
    #expect(try reopened.snapshot() == before)
    #expect(reopened.contents.issues == [])
    #expect(!fileSystem.paths.contains { $0.hasSuffix(".new") })
  }

  @Test func `A journal that is compacted removes nothing because of a file that only has the name of a compacted one`()
    throws
  {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, segmentSize: 300)
    for batch in JournalScript.batches { try journal.write(batch) }
    try journal.close()
    let before = journals(fileSystem)
    for bytes in [[], Array("x\n".utf8), try #require(fileSystem.bytes(JournalScript.folder + "/000001.journal"))] {
      let disk = fileSystem.disk()
      disk.overwrite(JournalScript.folder + "/000999.compacted.journal", with: bytes)
      let reopened = try Journal.scripted(disk, segmentSize: 300)
      #expect(try reopened.snapshot() == journal.snapshot())
      #expect(Set(journals(disk)).isSuperset(of: before))
    }
  }

  @Test func `A journal that is compacted is left as it is if a record in it can't be read`() throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem)
    for batch in JournalScript.batches { try journal.write(batch) }
    let path = JournalScript.folder + "/000001.journal"
    var bytes = try #require(fileSystem.bytes(path))
    let place = try #require(journal.contents.entry("Author", "2")).place
    bytes[Int(place.offset) + 40] ^= 1
    fileSystem.overwrite(path, with: bytes)
    let line = bytes[Int(place.offset)..<Int(place.offset) + Int(place.length)]
    let damage = Array(line).withUnsafeBytes { journal.contents.damage(at: place, in: $0) }
    #expect(throws: FileEngineError.damaged(damage)) { try journal.compact() }
    #expect(fileSystem.bytes(path)?.starts(with: bytes.prefix(100)) == true)
    try journal.write([.create("Book", "new", JournalScript.json("x"))])
  }

  @Test func `A journal that was damaged when it was opened is not compacted until it is repaired`() throws {
    let fileSystem = FaultyFileSystem()
    var journal = try Journal.scripted(fileSystem)
    for batch in JournalScript.batches { try journal.write(batch) }
    let path = JournalScript.folder + "/000001.journal"
    let place = try #require(journal.contents.entry("Author", "2")).place
    try journal.close()
    var bytes = try #require(fileSystem.bytes(path))
    bytes[Int(place.offset) + 40] ^= 1
    fileSystem.overwrite(path, with: bytes)
    journal = try Journal.scripted(fileSystem)
    let issue = try #require(journal.contents.issues.first)
    let before = journals(fileSystem)
    #expect(throws: FileEngineError.damaged(issue)) { try journal.compact() }
    #expect(!journal.wantsCompaction)
    #expect(journals(fileSystem) == before)
    let repair = try journal.repair()
    #expect(repair.losses.map(\.identifier) == ["2"])
    let quarantine = try #require(fileSystem.paths.first { $0.hasSuffix("repair-1.quarantine") })
    let kept = try #require(fileSystem.bytes(quarantine))
    let line = bytes[Int(place.offset)..<Int(place.offset) + Int(place.length)]
    #expect(String(decoding: kept, as: UTF8.self).contains(String(decoding: line, as: UTF8.self)))
    try journal.write([.create("Book", "new", JournalScript.json("x"))])
    let after = try journal.snapshot()
    try journal.compact()
    #expect(try journal.snapshot() == after)
  }

  @Test(arguments: [0, 256] as [UInt64])
  func `A journal that is compacted can be opened for writing on a disk that was too full to compact it`(
    preallocation: UInt64
  ) throws {
    let fileSystem = FaultyFileSystem()
    let journal = try Journal.scripted(fileSystem, preallocation: preallocation)
    for batch in JournalScript.batches { try journal.write(batch) }
    let before = try journal.snapshot()
    let files = journals(fileSystem)
    fileSystem.setFull(true)
    let error = #expect(throws: FileSystemError.self) { try journal.compact() }
    #expect(error?.code == ENOSPC)
    #expect(journals(fileSystem) == files)
    for disk in [fileSystem, fileSystem.disk()] {
      disk.setFull(true)
      let reopened = try Journal.scripted(disk, preallocation: preallocation)
      #expect(try reopened.snapshot() == before)
      #expect(reopened.contents.issues == [])
      disk.setFull(false)
      try reopened.write([.create("Book", "new", JournalScript.json("x"))])
      try reopened.compact()
      #expect(try Journal.scripted(disk.disk(after: .dropped)).snapshot() == reopened.snapshot())
    }
  }

  @Test(arguments: [1 << 20, 300] as [UInt64])
  func `A journal that is compacted has all acknowledged changes after a crash at any call`(segmentSize: UInt64) throws
  {
    var states: [Snapshot] = [Snapshot()]
    let healthy = FaultyFileSystem()
    try run(on: healthy, segmentSize: segmentSize) { states.append($0) }
    var losses: [FaultyFileSystem.Loss] = [.dropped, .kept] + (0..<6).map { .reordered(seed: $0) }
    losses += stride(from: 0, to: 400, by: 57).map { .torn($0) }
    for stop in 1...healthy.calls + 1 {
      let fileSystem = FaultyFileSystem()
      fileSystem.stop(at: stop)
      var acknowledged = 0
      try? run(on: fileSystem, segmentSize: segmentSize) { _ in acknowledged += 1 }
      for loss in losses {
        let disk = fileSystem.disk(after: loss)
        let journal = try scripted(disk, segmentSize: segmentSize)
        let found = try journal.snapshot()
        let possible = states[acknowledged...min(acknowledged + 1, states.count - 1)]
        #expect(
          possible.contains(found), "stopped at \(stop), \(loss): \(healthy.log[..<min(stop, healthy.calls)].suffix(1))"
        )
        try journal.write([.create("Note", "after", JournalScript.json("x"))])
        let after = try journal.snapshot()
        try journal.close()
        let reopened = try scripted(disk.disk(after: .dropped), segmentSize: segmentSize)
        #expect(try reopened.snapshot() == after)
        #expect(reopened.contents.issues == [])
      }
    }
  }

  @Test(arguments: [ENOSPC, EIO, EMFILE])
  func `A journal that is compacted keeps every acknowledged batch whichever call fails`(code: Int32) throws {
    let healthy = FaultyFileSystem()
    try run(on: healthy, segmentSize: 300) { _ in }
    for number in 1...healthy.calls {
      let fileSystem = FaultyFileSystem()
      fileSystem.fail(number, with: code)
      var last = Snapshot()
      try? run(on: fileSystem, segmentSize: 300) { last = $0 }
      fileSystem.stop(at: .max)
      for loss in [.dropped, .kept] as [FaultyFileSystem.Loss] {
        let journal = try scripted(fileSystem.disk(after: loss), segmentSize: 300)
        let found = try journal.snapshot()
        for (type, rows) in last.types {
          let identifiers = Set(found.types[type]?.map(\.identifier) ?? [])
          // The next batch may be there although its sync failed; none of them deletes what the one before has made.
          let kept = rows.map(\.identifier).filter { $0 != "2" }
          #expect(identifiers.isSuperset(of: kept), "call \(number), \(loss): \(healthy.log[number - 1])")
        }
      }
    }
  }

  private func scripted(_ fileSystem: FaultyFileSystem, segmentSize: UInt64) throws -> Journal {
    try Journal.scripted(fileSystem, segmentSize: segmentSize, checkpointInterval: Self.interval)
  }

  /// Writes the script with compactions and checkpoints in between; `acknowledge` is called with what is there after
  /// each batch.
  private func run(
    on fileSystem: FaultyFileSystem, segmentSize: UInt64, acknowledge: (Snapshot) -> Void
  ) throws {
    let journal = try scripted(fileSystem, segmentSize: segmentSize)
    for (number, batch) in JournalScript.batches.enumerated() {
      try journal.write(batch)
      acknowledge(try journal.snapshot())
      try journal.writeDueCheckpoint()
      if number % 3 == 1 { try journal.compact() }
    }
    try journal.close()
  }
}

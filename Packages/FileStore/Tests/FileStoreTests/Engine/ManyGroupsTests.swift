import Foundation
import Testing

@testable import FileStore

@Suite struct `A store of more groups than files may be open` {
  private static let path = "/store/groups/a/000001.journal"

  private func makeEngine(
    _ fileSystem: any FileSystem, in directory: String = "/store", openGroups: Int = 1, openFiles: Int = 1,
    isReadOnly: Bool = false
  ) -> FileEngine {
    var options = FileEngineOptions()
    options.openGroups = openGroups
    options.openFiles = openFiles
    options.isReadOnly = isReadOnly
    options.journal.preallocation = 256
    return FileEngine(directory: directory, options: options, fileSystem: fileSystem)
  }

  private func create(
    _ identifier: String, in engine: FileEngine, _ durability: Durability = .everyCommit
  ) async throws {
    try await engine.write([.create("Book", identifier, JournalScript.json(identifier))], durability: durability)
  }

  @Test func `A store of more groups than files may be open is written, read, copied, closed and opened again`()
    async throws
  {
    try await withTemporaryDirectory { (directory: String) in
      let fileSystem = LimitedFileSystem(base: PosixFileSystem(), limit: 24)
      let engine = makeEngine(fileSystem, in: directory + "/store", openGroups: 6, openFiles: 6)
      for round in 0..<2 {
        for number in 0..<80 { try await create("\(round)", in: engine.group("\(number)"), .none) }
      }
      for number in 0..<80 { #expect(try await engine.group("\(number)").readChunk("Book").rows.count == 2) }
      try await engine.group("7").compact()
      try await engine.backup(to: directory + "/copy.store")
      try await engine.close()
      #expect(fileSystem.openCount == 0)
      #expect(fileSystem.mostOpenCount <= 20)
      for name in ["store", "copy.store"] {
        let again = makeEngine(fileSystem, in: "\(directory)/\(name)", openGroups: 6, openFiles: 6)
        for number in 0..<80 {
          let group = again.group("\(number)")
          #expect(try await group.open() == [])
          #expect(try await group.identifiers("Book") == ["0", "1"])
          #expect(try await group.verify() == [])
        }
        try await again.close()
      }
    }
  }

  @Test func `A write to one of many open groups checks no other group for pending work`() async throws {
    let engine = makeEngine(FaultyFileSystem(), openGroups: 3, openFiles: 3)
    for number in 0..<100 { try await create("0", in: engine.group("\(number)")) }
    let before = try await engine.service.writing { writer in writer.careCount }
    for round in 1...10 { try await create("\(round)", in: engine.group("7")) }
    let after = try await engine.service.writing { writer in writer.careCount }
    #expect(after - before <= 11)
  }

  @Test func `A store of more groups than files may be open is followed by others with as few`() async throws {
    let disk = FaultyFileSystem()
    let writer = makeEngine(disk, openGroups: 3, openFiles: 3)
    for number in 0..<30 { try await create("0", in: writer.group("\(number)")) }
    let fileSystem = LimitedFileSystem(base: disk, limit: 10)
    let follower = makeEngine(fileSystem, openGroups: 3, openFiles: 3, isReadOnly: true)
    for number in 0..<30 { #expect(try await follower.group("\(number)").identifiers("Book") == ["0"]) }
    for number in 0..<30 { try await create("1", in: writer.group("\(number)")) }
    for number in [3, 4] {
      try await writer.group("\(number)").write([.delete("Book", "0")])
      try await writer.group("\(number)").compact()
      try await create("2", in: writer.group("\(number)"))
    }
    for number in 0..<30 {
      let group = follower.group("\(number)")
      #expect(try await group.identifiers("Book") == ([3, 4].contains(number) ? ["1", "2"] : ["0", "1"]))
      #expect(try await group.readChunk("Book").rows.count == 2)
    }
    try await follower.close()
    try await writer.close()
  }

  @Test(arguments: [Durability.none, .interval(.seconds(3_600))])
  func `A store with more groups than open files syncs each file that it closes`(
    durability: Durability
  ) async throws {
    let fileSystem = FaultyFileSystem()
    let engine = makeEngine(fileSystem)
    try await create("1", in: engine.group("a"), durability)
    try await create("1", in: engine.group("b"))
    let again = makeEngine(fileSystem.disk(after: .dropped))
    #expect(try await again.group("a").identifiers("Book") == ["1"])
    #expect(try await again.group("a").open() == [])
    try await again.close()
    try await engine.close()
  }

  @Test func `A store of many groups writes no more to a group whose sync failed`() async throws {
    let fileSystem = FaultyFileSystem()
    let engine = makeEngine(fileSystem)
    try await create("1", in: engine.group("b"))
    try await create("1", in: engine.group("a"))
    try await create("2", in: engine.group("a"), .none)
    // The next call is the sync of the one file, which must be closed before the other is opened.
    fileSystem.fail(fileSystem.calls + 1, with: EIO)
    try await create("2", in: engine.group("b"))
    let error = await #expect(throws: FileEngineError.self) { try await create("3", in: engine.group("a")) }
    if case .refusesWrites = error {} else { Issue.record("\(String(describing: error))") }
    #expect(try await engine.group("a").identifiers("Book") == ["1", "2"])
    await #expect(throws: FileEngineError.self) { try await engine.close() }
    let again = makeEngine(fileSystem.disk(after: .dropped))
    #expect(try await again.group("a").identifiers("Book") == ["1"])
    #expect(try await again.group("b").identifiers("Book") == ["1", "2"])
    try await again.close()
  }

  enum Change: Sendable, CaseIterable { case removed, cut, grown, lastByteChanged, otherFile }

  @Test(arguments: Change.allCases)
  func `A store of many groups writes no more to a closed file that was removed or replaced`(change: Change)
    async throws
  {
    let fileSystem = FaultyFileSystem()
    let engine = makeEngine(fileSystem)
    try await create("1", in: engine.group("a"))
    try await create("1", in: engine.group("b"))
    let bytes = try #require(fileSystem.bytes(Self.path))
    let end = try #require(bytes.lastIndex { $0 != 0 })
    switch change {
    case .removed: fileSystem.removeBehindTheBack(Self.path)
    case .cut: fileSystem.overwrite(Self.path, with: Array(bytes.dropLast()))
    case .grown: fileSystem.overwrite(Self.path, with: bytes + [0])
    case .lastByteChanged: fileSystem.overwrite(Self.path, with: bytes[..<end] + [0x20] + bytes[(end + 1)...])
    case .otherFile: fileSystem.overwrite(Self.path, with: fileSystem.bytes("/store/groups/b/000001.journal") ?? [])
    }
    let error = await #expect(throws: FileSystemError.self) { try await create("2", in: engine.group("a")) }
    #expect(error?.code == (change == .removed ? ENOENT : ESTALE))
    #expect(error?.description.contains(Self.path) == true)
    let after = fileSystem.bytes(Self.path)
    fileSystem.overwrite(Self.path, with: bytes)
    await #expect(throws: FileEngineError.self, "the changes made meanwhile are unknown") {
      try await create("2", in: engine.group("a"))
    }
    #expect(after == nil || after != bytes)
    #expect(fileSystem.bytes(Self.path) == bytes, "nothing was written")
    try await create("2", in: engine.group("b"))
    await #expect(throws: FileEngineError.self) { try await engine.close() }
  }

  @Test func `Closing a store of more groups than files may be open reports that a closed file was removed`()
    async throws
  {
    let fileSystem = FaultyFileSystem()
    let engine = makeEngine(fileSystem)
    try await create("1", in: engine.group("a"))
    try await create("1", in: engine.group("b"))
    fileSystem.removeBehindTheBack(Self.path)
    let error = await #expect(throws: FileSystemError.self) { try await engine.close() }
    #expect(error?.code == ENOENT)
  }

  @Test func `A store of more groups than files may be open continues once another file can be opened`()
    async throws
  {
    let fileSystem = LimitedFileSystem(base: FaultyFileSystem(), limit: 100)
    let engine = makeEngine(fileSystem)
    try await create("1", in: engine.group("a"))
    try await create("1", in: engine.group("b"))
    fileSystem.setLimit(0)
    let error = await #expect(throws: FileSystemError.self) { try await create("2", in: engine.group("a")) }
    #expect(error?.code == EMFILE)
    fileSystem.setLimit(100)
    try await create("2", in: engine.group("a"))
    #expect(try await engine.group("a").identifiers("Book") == ["1", "2"])
    try await engine.close()
  }

  @Test func `A store of more groups than files may be open closes the file of the group that was used least recently`()
  {
    var groups = RecentGroups(limit: 2)
    #expect(groups.use("a") == nil)
    #expect(groups.use("b") == nil)
    #expect(groups.use("a") == nil)
    #expect(groups.use("c") == "b")
    #expect(groups.use("b") == "a")
    #expect(groups.use("c") == nil)
  }

  @Test func `A store of many groups closes the file read least recently, and all files of a closed group`() throws {
    let disk = FaultyFileSystem()
    let fileSystem = LimitedFileSystem(base: disk, limit: 100)
    let files = OpenFiles(limit: 2)
    let (first, second) = (ObjectIdentifier(disk), ObjectIdentifier(fileSystem))
    func key(_ contents: ObjectIdentifier, _ number: UInt32) -> OpenFiles.Key {
      OpenFiles.Key(contents: contents, segment: SegmentNumber(number))
    }
    func keep(_ key: OpenFiles.Key) throws { files.keep(try fileSystem.open("/\(key.hashValue)", .create), as: key) }
    try keep(key(first, 1))
    try keep(key(second, 1))
    #expect(files.file(key(first, 1)) != nil)
    try keep(key(first, 2))
    #expect(files.file(key(second, 1)) == nil)
    #expect(fileSystem.openCount == 2)
    try keep(key(first, 2))
    #expect(fileSystem.openCount == 2)
    files.close(of: first)
    #expect(fileSystem.openCount == 0)
  }
}

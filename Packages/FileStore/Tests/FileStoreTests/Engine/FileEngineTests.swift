import Foundation
import Testing

@testable import FileStore

@Suite struct `A file engine` {
  private let value = JournalScript.json("x")

  private func makeEngine(_ fileSystem: FaultyFileSystem = FaultyFileSystem()) -> FileEngine {
    .simulated(on: fileSystem)
  }

  @Test func `A file engine reads the records of each group from a real disk`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/a/b/store"
      var engine = FileEngine(directory: path)
      let large = JournalScript.json(String(repeating: "é", count: 5_000_000))
      #expect(try await engine.write([.create("Book", "1", value), .create("Author", "1", large)]) == [1, 1])
      #expect(try await engine.write([.update("Book", "1", JournalScript.json("y"))]) == [2])
      #expect(try await engine.group("Films").write([.create("Film", "1", value)]) == [1])
      try await engine.close()

      engine = FileEngine(directory: path)
      #expect(try await engine.open() == [])
      for _ in 1...2 {
        let book = try #require(try await engine.read("Book", "1"))
        #expect(book.value == JournalScript.json("y"))
        #expect(UInt32(truncatingIfNeeded: book.revision) == 2)
      }
      #expect(try await engine.read("Author", "1")?.value == large)
      #expect(try await engine.read("Author", "2") == nil)
      #expect(try await engine.read("Film", "1") == nil)
      #expect(try await engine.group("Films").read("Film", "1")?.value == value)
      #expect(try await engine.types() == ["Book", "Author"])
      #expect(try await engine.count("Book") == 1)
      #expect(try await engine.count("Film") == 0)
      #expect(try await engine.contains("Book", "1"))
      #expect(try await !engine.contains("Book", "2"))
      try await engine.close()
      try checkPermissions(below: path)
      #expect(FileManager.default.fileExists(atPath: path + "/groups/%46ilms/000001.journal"))
    }
  }

  @Test func `A write that expects a model fails if the model was deleted and created again since`() async throws {
    let engine = makeEngine()
    try await engine.write([.create("Book", "1", value)])
    let first = try #require(try await engine.read("Book", "1"))
    try await engine.write([.delete("Book", "1")])
    try await engine.write([.create("Book", "1", JournalScript.json("again"))])
    for change in [
      Change.update("Book", "1", value, ifRevision: first.revision), .delete("Book", "1", ifRevision: first.revision),
    ] {
      await #expect(throws: FileEngineError.staleRevision(type: "Book", identifier: "1")) {
        try await engine.write([change])
      }
    }
    let second = try #require(try await engine.read("Book", "1"))
    #expect(second.value == JournalScript.json("again"))
    #expect(second.revision != first.revision)
    try await engine.write([.update("Book", "1", value, ifRevision: second.revision)])
    #expect(try await engine.read("Book", "1")?.value == value)
    try await engine.close()
  }

  @Test func `Writes at the same time that expect a model fail if one of them deletes and creates it again`() throws {
    let journal = try Journal.scripted(FaultyFileSystem())
    try journal.write([.create("Book", "1", value)])
    let version = try #require(journal.contents.entry("Book", "1").map { $0.version(ofRevision: $0.revision) })
    let results = journal.commit(
      [
        [.delete("Book", "1")], [.create("Book", "1", value)],
        [.update("Book", "1", JournalScript.json("stale"), ifRevision: version)],
        [.update("Book", "1", JournalScript.json("new"))],
      ], isDurable: true)
    #expect(results.map { (try? $0.get()) != nil } == [true, true, false, true])
    #expect(try journal.snapshot().types["Book"]?.map(\.value) == [#"{"title":"new"}"#])
  }

  private func checkPermissions(below path: String) throws {
    let files = try #require(FileManager.default.enumerator(atPath: path)).compactMap { $0 as? String }
    #expect(files.count >= 8)
    for name in files {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
      let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == (isDirectory ? 0o700 : 0o600), "\(name)")
    }
  }

  @Test func `A file engine lists models in the order of creation, chunk by chunk, while others are added and removed`()
    async throws
  {
    let engine = makeEngine()
    try await engine.write((1...100).map { .create("Book", "\($0)", JournalScript.json("\($0)")) })
    try await engine.write([.update("Book", "1", JournalScript.json("new"))])
    #expect(try await engine.identifiers("Book") == (1...100).map(String.init))
    var rows: [String] = []
    var cursor: CreationCursor? = .start
    while let position = cursor {
      let chunk = try await engine.readChunk("Book", after: position, limit: 7)
      #expect(chunk.rows.count <= 7)
      #expect(chunk.damages == [])
      rows += chunk.rows.map { "\($0.identifier) \(String(decoding: chunk.value($0), as: UTF8.self))" }
      if position == .start { try await engine.write([.delete("Book", "3"), .delete("Book", "9")]) }
      cursor = chunk.next
    }
    let expected = (1...100).filter { $0 != 9 }.map { #"\#($0) {"title":"\#($0 == 1 ? "new" : "\($0)")"}"# }
    #expect(rows == expected)
    #expect(try await engine.readChunk("Film").rows.isEmpty)
    #expect(try await engine.readChunk("Book", byteLimit: 1).rows.count == 1)
  }

  @Test func `A file engine gives no integer identifier twice`() async throws {
    let fileSystem = FaultyFileSystem()
    let engine = makeEngine(fileSystem)
    #expect(try await engine.reserveIntegerIdentifier("Book") == 1)
    #expect(try await engine.reserveIntegerIdentifier("Book") == 2)
    let identifiers = ["41", "7", "x", "-50", "+60", "070", "99999999999999999999"]
    try await engine.write(identifiers.map { .create("Book", $0, value) })
    #expect(try await engine.reserveIntegerIdentifier("Book") == 42)
    try await engine.write([.create("Book", "43", value)])
    try await engine.write([.delete("Book", "43")])
    #expect(try await engine.reserveIntegerIdentifier("Book") == 44)
    #expect(try await engine.reserveIntegerIdentifier("Film") == 1)
    try await engine.close()
    let reopened = makeEngine(fileSystem)
    #expect(try await reopened.reserveIntegerIdentifier("Book") == 44)
    try await reopened.write([.create("Book", "\(Int.max)", value)])
    await #expect(throws: FileEngineError.identifiersExhausted(type: "Book")) {
      try await reopened.reserveIntegerIdentifier("Book")
    }
  }

  @Test func `A file engine names the process that has the store open, and opens it once it is free`() async throws {
    try await withTemporaryDirectory { directory in
      let first = FileEngine(directory: directory)
      try await first.open()
      let second = FileEngine(directory: directory)
      for _ in 1...2 {
        let error = await #expect(throws: FileEngineError.self) { try await second.write([.delete("Book", "1")]) }
        guard case .locked(directory, let holder) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
        #expect(holder.hasPrefix("another store in this process (pid \(getpid()), since 20"))
      }
      try await first.close()
      try await second.open()
      await #expect(throws: FileEngineError.self) { try await FileEngine(directory: directory).open() }
      try await second.close()
    }
  }

  @Test func `A file engine can't be opened by another process while this one has it open`() async throws {
    try await withTemporaryDirectory { directory in
      let engine = FileEngine(directory: directory)
      try await engine.open()
      await #expect(processExitsWith: .success) { [directory = directory as String, pid = getpid() as Int32] in
        let error = await #expect(throws: FileEngineError.self) { try await FileEngine(directory: directory).open() }
        guard case .locked(_, let holder) = error else { exit(1) }
        if !holder.hasPrefix("another process (pid \(pid), since 20") { exit(2) }
      }
      try await engine.close()
    }
  }

  @Test func `A file engine refuses every call after it was closed, and closes once`() async throws {
    let fileSystem = FaultyFileSystem()
    let engine = makeEngine(fileSystem)
    try await engine.write([.create("Book", "1", value)])
    let other = engine.group("other")
    try await engine.close()
    let calls = fileSystem.calls
    try await engine.close()
    let closed = FileEngineError.closed(directory: "/store")
    await #expect(throws: closed) { try await engine.write([.create("Book", "2", value)]) }
    await #expect(throws: closed) { try await engine.read("Book", "1") }
    await #expect(throws: closed) { try await engine.readChunk("Book") }
    await #expect(throws: closed) { try await other.count("Book") }
    #expect(fileSystem.calls == calls)
    let unopened = makeEngine()
    try await unopened.close()
    await #expect(throws: closed) { try await unopened.open() }
  }

  @Test func `A file engine refuses a store of a newer version without changing it`() async throws {
    let fileSystem = FaultyFileSystem()
    let engine = makeEngine(fileSystem)
    try await engine.open()
    try await engine.close()
    let manifest = try #require(fileSystem.bytes("/store/manifest.json"))
    #expect(
      String(decoding: manifest, as: UTF8.self).hasSuffix(#","format":"modelkit-file-store","version":3}"# + "\n"))
    let rest = Array(#""format":"modelkit-file-store","version":4,"more":[]}"#.utf8)
    let checksum = String(rest.withUnsafeBytes { CRC32C.checksum($0) }, radix: 16)
    let padding = String(repeating: "0", count: 8 - checksum.count)
    let disk = fileSystem.disk()
    disk.overwrite("/store/manifest.json", with: Array(#"{"crc":"\#(padding + checksum)","#.utf8) + rest)
    let error = FileEngineError.newerFormat(path: "/store/manifest.json", version: 4, supported: 3)
    await #expect(throws: error) { try await makeEngine(disk).open() }
    #expect(error.description.contains("has format version 4, and this version of FileStore reads up to 3"))

    for bit in 0..<(manifest.count - 1) * 8 {
      let disk = fileSystem.disk()
      var damaged = manifest
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      disk.overwrite("/store/manifest.json", with: damaged)
      #expect(try await makeEngine(disk).open().map(\.file) == ["/store/manifest.json"], "bit \(bit)")
      #expect(disk.bytes("/store/manifest.json") == damaged)
    }
  }

  @Test func `A file engine explains in a sentence why a path can't be that of a store`() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory + "/file"
      try Data("x".utf8).write(to: URL(fileURLWithPath: file))
      for path in [file, file + "/store"] {
        let error = await #expect(throws: FileSystemError.self) { try await FileEngine(directory: path).open() }
        #expect(
          error.map { "\($0)" } == """
            Could not create the directory '\(path)': Not a directory (errno \(ENOTDIR)). A component of the path is \
            a file, not a folder: choose another path.
            """)
      }
    }
  }

  @Test
  func `A file engine that could not be opened can be opened later, and keeps the changes that it acknowledges then`()
    async throws
  {
    let healthy = FaultyFileSystem()
    let opened = makeEngine(healthy)
    try await opened.open()
    let calls = healthy.log
    // Only now: an engine without an owner closes itself, and the calls of that are not those of opening.
    try await opened.close()
    for number in 1...calls.count {
      let fileSystem = FaultyFileSystem()
      fileSystem.fail(number, with: EIO)
      let engine = makeEngine(fileSystem)
      // The first read of the directory only saves time if it succeeds, and a store can do without its reserve.
      let isNeeded = number > 1 && !calls[number - 1].hasSuffix("/reserve")
      if isNeeded { await #expect(throws: FileSystemError.self, "\(calls[number - 1])") { try await engine.open() } }
      #expect(try await engine.open().allSatisfy { $0.file.hasSuffix(".journal") }, "\(calls[number - 1])")
      try await engine.write([.create("Book", "1", value)])
      let restarted = makeEngine(fileSystem.disk(after: .dropped))
      #expect(try await restarted.identifiers("Book") == ["1"], "\(calls[number - 1])")
    }
  }

  @Test func `A file engine keeps its promises to many tasks at once`() async throws {
    try await withTemporaryDirectory { directory in
      let engine = FileEngine(directory: directory)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<16 {
          group.addTask {
            for number in 0..<20 {
              let identifier = try await engine.reserveIntegerIdentifier("Book")
              let durability: Durability = number % 4 == 0 ? .everyCommit : number % 4 == 1 ? .interval(.zero) : .none
              try await engine.write([.create("Book", "\(identifier)", value)], durability: durability)
              let written = JournalScript.json("\(task)")
              #expect(try await engine.write([.update("Book", "\(identifier)", written)], durability: .none) == [2])
              #expect(try await engine.read("Book", "\(identifier)")?.value == written)
              _ = try await engine.readChunk("Book", limit: 10)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await Set(engine.identifiers("Book")) == Set((1...320).map(String.init)))
      try await engine.close()
      let reopened = FileEngine(directory: directory)
      #expect(try await reopened.open() == [])
      #expect(try await reopened.count("Book") == 320)
      try await reopened.close()
    }
  }

  @Test func `A file engine closes itself when it is no longer used`() async throws {
    let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
    let fileSystem = FaultyFileSystem(onSync: { continuation.yield() })
    do {
      let engine = makeEngine(fileSystem)
      try await engine.write([.create("Book", "1", value)], durability: .none)
    }
    // One sync made the segment; the next is that of closing.
    var syncs = closed.makeAsyncIterator()
    for _ in 1...2 { await syncs.next() }
  }
}

/// Calls `body` with the path of an empty directory that is gone afterwards.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("FileStoreTests-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  try await body(url.path)
}

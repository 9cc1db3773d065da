import Testing

@testable import FileStore

@Suite struct `A compaction in the background` {
  private let fileSystem = FaultyFileSystem()
  private let engine: FileEngine
  private let folder = "/store/groups/@default"

  init() {
    var options = FileEngineOptions()
    options.journal.compactionThreshold = 2_000
    options.journal.preallocation = 0
    engine = FileEngine(directory: "/store", options: options, fileSystem: fileSystem)
  }

  private var compactedFiles: [String] { fileSystem.paths.filter { $0.hasSuffix(".compacted.journal") } }

  /// Writes new revisions of one model, and lets what has to be done in the background come to its end.
  private func update(_ count: Int) async throws {
    for number in 0..<count {
      try await engine.write([.update("Book", "1", JournalScript.json("revision \(number) of a book"))])
    }
    // This waits for the thread that compacts, and that for the one that writes.
    _ = try await engine.verify()
    try await engine.sync()
  }

  @Test func `A compaction in the background that fails is tried again when the journal has grown`() async throws {
    try await engine.write([.create("Book", "1", JournalScript.json("a book"))])
    // A folder is where the new file would be made.
    _ = try fileSystem.createDirectory("\(folder)/000001.compacted.journal.new")
    for _ in 0..<100 where !fileSystem.log.contains("open \(folder)/000001.compacted.journal.new") {
      try await update(1)
    }
    #expect(compactedFiles == [])
    try await update(1)
    #expect(compactedFiles == [])
    try await update(120)
    #expect(compactedFiles.count == 1)
    #expect(try await engine.count("Book") == 1)
    try await engine.close()
  }

  @Test func `A compaction in the background that can't begin is tried again when the journal has grown`() async throws
  {
    try await engine.write([.create("Book", "1", JournalScript.json("a book"))])
    // A folder is where the next segment would be made.
    _ = try fileSystem.createDirectory("\(folder)/000002.journal")
    func attempts() -> Int { fileSystem.log.count { $0 == "open \(folder)/000002.journal" } }
    for _ in 0..<100 where attempts() == 0 { try await update(1) }
    #expect(attempts() == 1)
    try await update(5)
    #expect(attempts() == 1)
    fileSystem.removeBehindTheBack("\(folder)/000002.journal")
    try await update(120)
    #expect(compactedFiles.count == 1)
    try await engine.close()
  }

  @Test func `A compaction in the background lets another one wait, which does the rest`() async throws {
    try await engine.write([.create("Book", "1", JournalScript.json("a book"))])
    try await update(20)
    async let first: Void = engine.compact()
    async let second: Void = engine.compact()
    _ = try await (first, second)
    #expect(compactedFiles.count == 1)
    // The writing thread hands a checkpoint over behind that, and the other thread writes it before it verifies.
    try await engine.sync()
    #expect(try await engine.verify() == [])
    #expect(fileSystem.paths.filter { $0.hasSuffix(".new") } == [])
    try await engine.close()
  }
}

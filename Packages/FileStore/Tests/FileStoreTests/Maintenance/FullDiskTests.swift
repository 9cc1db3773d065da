import Foundation
import Testing

@testable import FileStore
@testable import StoreProtocolTesting

@Suite struct `A full disk` {
  private let value = Array(#"{"text":"\#(String(repeating: "x", count: 400))"}"#.utf8)

  private func makeEngine(_ fileSystem: FaultyFileSystem, reserve: UInt64 = 128 << 10, segmentSize: UInt64 = 128 << 10)
    -> FileEngine
  {
    var options = FileEngineOptions()
    options.reserve = reserve
    options.journal.preallocation = 64 << 10
    options.journal.filling = 4 << 10
    options.journal.segmentSize = segmentSize
    return FileEngine(directory: "/store", options: options, fileSystem: fileSystem)
  }

  /// Creates models until there is no room, and returns how many.
  private func fill(_ engine: FileEngine, _ prefix: String) async throws -> Int {
    var count = 0
    while true {
      do {
        try await engine.write([.create("Note", "\(prefix)\(count)", value)])
        count += 1
      } catch let error as FileSystemError {
        #expect(error.isAboutRoom)
        return count
      }
    }
  }

  private func size(_ fileSystem: FaultyFileSystem) -> Int {
    fileSystem.paths.reduce(0) { $0 + (fileSystem.bytes($1)?.count ?? 0) }
  }

  @Test(arguments: [false, true])
  func `Models can be deleted on a full disk, and a compaction frees their space`(isReopened: Bool) async throws {
    let fileSystem = FaultyFileSystem()
    fileSystem.setCapacity(900 << 10)
    var engine = makeEngine(fileSystem)
    let count = try await fill(engine, "a")
    #expect(count > 1_000)
    if isReopened {
      try await engine.close()
      engine = makeEngine(fileSystem)
    }
    // Nothing was lost, and what is kept fits into the reserve.
    #expect(try await engine.count("Note") == count)
    let kept = 100
    for number in kept..<count { try await engine.write([.delete("Note", "a\(number)")]) }
    try await engine.compact()
    #expect(size(fileSystem) < 300 << 10)
    #expect(fileSystem.bytes("/store/reserve")?.count == 128 << 10)
    #expect(try await engine.verify() == [])
    let again = try await fill(engine, "b")
    #expect(again > 900)
    for number in 0..<again { try await engine.write([.delete("Note", "b\(number)")]) }
    try await engine.close()
    let reopened = makeEngine(fileSystem)
    #expect(try await reopened.open() == [])
    #expect(try await reopened.identifiers("Note").filter { $0.hasPrefix("a") } == (0..<kept).map { "a\($0)" })
    try await reopened.close()
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `All models can be deleted one by one on a full disk, in any order, and the others stay in their order`(
    seed: UInt64
  ) async throws {
    let fileSystem = FaultyFileSystem()
    fileSystem.setCapacity(900 << 10)
    let engine = makeEngine(fileSystem, segmentSize: 64 << 10)
    let count = try await fill(engine, "a")
    var random = RandomSource(seed: seed)
    var left = Set(0..<count)
    for number in (0..<count).shuffled(using: &random) {
      // A new revision stands elsewhere in the journal, and the model where it stood in the list.
      if number % 50 == 0, let other = left.randomElement(using: &random), other != number {
        try await engine.write([.delete("Note", "a\(number)"), .update("Note", "a\(other)", value)])
      } else {
        try await engine.write([.delete("Note", "a\(number)")])
      }
      left.remove(number)
      guard left.count % 400 == 0 else { continue }
      try? await engine.compact()
      #expect(try await engine.verify() == [])
      let disk = makeEngine(fileSystem.disk())
      #expect(try await disk.identifiers("Note") == left.sorted().map { "a\($0)" })
      try await disk.close()
    }
    try await engine.compact()
    #expect(size(fileSystem) < 200 << 10)
    #expect(try await fill(engine, "b") > 1_000)
    try await engine.close()
  }

  @Test func `A compaction without enough disk space reports how much it needs, and changes nothing`() async throws {
    let fileSystem = FaultyFileSystem()
    fileSystem.setCapacity(900 << 10)
    let engine = makeEngine(fileSystem, segmentSize: 1 << 20)
    let count = try await fill(engine, "a")
    for number in 0..<20 { try await engine.write([.delete("Note", "a\(number)")]) }
    let error = await #expect(throws: FileEngineError.self) { try await engine.compact() }
    guard case .noRoomToCompact(_, let bytes)? = error else { throw try #require(error) }
    let live = UInt64((count - 20) * 450)
    #expect(live..<live + live / 4 ~= bytes)
    #expect(ModelStoreError(try #require(error)).code == .full)
    #expect(!fileSystem.paths.contains { $0.hasSuffix(".new") })
    fileSystem.setCapacity(size(fileSystem) + Int(bytes))
    try await engine.compact()
    #expect(try await engine.count("Note") == count - 20)
    try await engine.close()
  }

  @Test func `A deletion that is written together with creations succeeds, and they are refused`() async throws {
    let fileSystem = FaultyFileSystem()
    fileSystem.setCapacity(400 << 10)
    let engine = makeEngine(fileSystem)
    let count = try await fill(engine, "a")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { try await engine.write([.delete("Note", "a\(number)")]) }
        group.addTask { [value] in
          await #expect(throws: FileSystemError.self) {
            try await engine.write([.create("Note", "new\(number)", value)])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await engine.count("Note") == count - 20)
    try await engine.close()
  }

  @Test func `A disk without space for the reserve is not an error`() async throws {
    let fileSystem = FaultyFileSystem()
    fileSystem.setCapacity(10 << 10)
    let engine = makeEngine(fileSystem)
    #expect(try await engine.open() == [])
    try await engine.write([.create("Note", "1", value)])
    try await engine.write([.delete("Note", "1")])
    try await engine.close()
  }
}

/// Limits the size of the files that this process writes.
private func limitFiles(to bytes: Int) {
  var limit = rlimit()
  limit.rlim_cur = rlim_t(bytes)
  limit.rlim_max = rlim_t(1 << 40)
  #if canImport(Darwin)
    _ = setrlimit(RLIMIT_FSIZE, &limit)
  #else
    _ = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  #endif
}

@Suite struct `A limit of the size of files` {
  @Test func `A write beyond the limit is an error, and does not end the process`() async {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { directory in
        let value = Array(#"{"text":"\#(String(repeating: "x", count: 1_000))"}"#.utf8)
        limitFiles(to: 64 << 10)
        let engine = FileEngine(directory: directory + "/a.store")
        var count = 0
        do {
          while true {
            try await engine.write([.create("Note", "\(count)", value)])
            count += 1
          }
        } catch let error as FileSystemError {
          precondition(error.isAboutRoom && error.code == EFBIG, "\(error)")
        }
        try? await engine.close()
        limitFiles(to: 1 << 30)
        let reopened = FileEngine(directory: directory + "/a.store")
        let found = try await reopened.identifiers("Note").count
        precondition(found == count)
        try await reopened.close()
      }
    }
  }
}

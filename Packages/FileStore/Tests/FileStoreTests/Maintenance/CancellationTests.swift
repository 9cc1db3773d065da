import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@testable import FileStore

@Suite struct `A check or a repair that is cancelled` {
  /// Cancels a task in the middle of what it does.
  private final class Trigger: Sendable {
    private let action = Lock<(@Sendable () -> Void)?>(nil)

    func set(_ action: (@Sendable () -> Void)?) { self.action.withLock { $0 = action } }

    func pull() { action.withLock { $0 }?() }
  }

  private let disk = FaultyFileSystem()
  private let trigger = Trigger()

  /// An engine whose task is cancelled when a certain file is read, or made.
  private func makeEngine(readingPath: String = "-", openingPath: String = "-", isReadOnly: Bool = false) -> FileEngine
  {
    let trigger = trigger
    let fileSystem = HookedFileSystem(
      base: disk, didOpen: { if $0.hasSuffix(openingPath) { trigger.pull() } },
      willRead: { path, _ in if path.hasSuffix(readingPath) { trigger.pull() } })
    var options = FileEngineOptions()
    options.journal.segmentSize = 300
    options.journal.compactionThreshold = nil
    options.isReadOnly = isReadOnly
    return FileEngine(directory: "/store", options: options, fileSystem: fileSystem)
  }

  private func fill(_ engine: FileEngine) async throws {
    for number in 1...20 { try await engine.write([.create("Book", "\(number)", JournalScript.json("\(number)"))]) }
  }

  /// Runs something in a task that is cancelled when the trigger is pulled.
  private func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let (start, continuation) = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in start {}
      return try await body()
    }
    trigger.set { task.cancel() }
    continuation.finish()
    defer { trigger.set(nil) }
    return try await task.value
  }

  private func damage(_ segment: Int) throws {
    let path = "/store/groups/@default/00000\(segment).journal"
    var bytes = try #require(disk.bytes(path))
    let place = try #require(bytes.lastIndex(of: UInt8(ascii: "}")))
    bytes[place] ^= 1
    disk.overwrite(path, with: bytes)
  }

  private func count(_ entry: String) -> Int { disk.log.count { $0.hasPrefix(entry) } }

  @Test(arguments: [false, true])
  func `A cancelled check or repair stops, and later calls work`(isReadOnly: Bool)
    async throws
  {
    let writer = makeEngine(readingPath: "000002.journal")
    try await fill(writer)
    let engine = isReadOnly ? makeEngine(readingPath: "000002.journal", isReadOnly: true) : writer
    #expect(try await engine.count("Book") == 20)
    let before = count("open /store/groups/@default/000004.journal")
    await #expect(throws: CancellationError.self) { try await cancelling { try await engine.verify() } }
    #expect(count("open /store/groups/@default/000004.journal") == before, "later files are not read")
    #expect(try await engine.verify() == [])
    try await engine.close()
    try await writer.close()
  }

  @Test func `A check or a repair that is cancelled leaves a compaction free to be made`() async throws {
    let engine = makeEngine(readingPath: "000002.journal")
    try await fill(engine)
    await #expect(throws: CancellationError.self) { try await cancelling { try await engine.verify() } }
    await #expect(throws: CancellationError.self) { try await cancelling { try await engine.repair() } }
    try await engine.compact()
    #expect(try await engine.count("Book") == 20)
    try await engine.close()
  }

  @Test func `A check or a repair that is cancelled changes nothing if it is cancelled before everything was read`()
    async throws
  {
    let engine = makeEngine(readingPath: "000004.journal")
    try await fill(engine)
    try damage(2)
    let (paths, bytes) = (disk.paths, disk.bytes("/store/groups/@default/000002.journal"))
    await #expect(throws: CancellationError.self) { try await cancelling { try await engine.repair() } }
    #expect(disk.paths == paths)
    #expect(disk.bytes("/store/groups/@default/000002.journal") == bytes)
    #expect(try await engine.verify().count == 1)
    try await engine.write([.create("Book", "new", JournalScript.json("new"))])
    let repair = try await engine.repair()
    #expect(repair.losses.count == 1)
    #expect(repair.recoveredCount == 20)
    #expect(try await engine.verify() == [])
    try await engine.close()
  }

  @Test
  func `A check or a repair that is cancelled after its first change completes`()
    async throws
  {
    let engine = makeEngine(openingPath: "repair-1.quarantine")
    try await fill(engine)
    try damage(2)
    let repair = try await cancelling { try await engine.repair() }
    #expect(repair.losses.count == 1)
    #expect(repair.recoveredCount == 19)
    #expect(try await engine.verify() == [])
    try await engine.close()
  }

  @Test func `A cancelled check or repair throws the store error for cancellation`() async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory)
      try await store.open()
      let handle = store.handle
      for body in [
        { @Sendable in _ = try await FileModelStore(handle).verify() },
        { @Sendable in _ = try await FileModelStore(handle).repair() },
      ] {
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          try await body()
        }
        let error = await #expect(throws: ModelStoreError.self) { try await task.value }
        #expect(error?.code == .cancelled)
      }
      try await store.close()
    }
  }
}

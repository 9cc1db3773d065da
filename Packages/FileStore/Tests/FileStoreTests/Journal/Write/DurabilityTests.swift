import Dispatch
import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@testable import FileStore

/// Tests of what happens around a sync, which a gate can hold.
@Suite struct `A write` {
  /// Blocks the syncs of a file system until it is opened, and reports each that begins.
  private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isShut = Lock(false)
    let syncs: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (syncs, continuation) = AsyncStream.makeStream() }

    func shut() { isShut.withLock { $0 = true } }

    /// Lets one sync through, and all that begin later.
    func open() {
      isShut.withLock { $0 = false }
      semaphore.signal()
    }

    func pass() {
      guard isShut.withLock({ $0 }) else { return }
      continuation.yield()
      semaphore.wait()
    }
  }

  private let gate: Gate
  private let fileSystem: FaultyFileSystem
  private let clock = ManualClock()
  private let engine: FileEngine

  init() {
    let gate = Gate()
    self.gate = gate
    fileSystem = FaultyFileSystem(onSync: { gate.pass() })
    engine = .simulated(on: fileSystem, clock: clock)
  }

  private func create(_ identifier: String, _ durability: Durability = .everyCommit) async throws {
    try await engine.write([.create("Book", identifier, JournalScript.json(identifier))], durability: durability)
  }

  /// The identifiers that are there when the power goes now.
  private func identifiersOnDisk() async throws -> [String] {
    let engine = FileEngine.simulated(on: fileSystem.disk(after: .dropped))
    let identifiers = try await engine.identifiers("Book")
    try await engine.close()
    return identifiers
  }

  /// Begins a durable write and returns when its sync has begun, which then waits for the gate.
  private func beginWrite(_ identifier: String) async throws -> Task<Void, any Error> {
    try await engine.open()
    gate.shut()
    let task = Task { try await create(identifier) }
    var syncs = gate.syncs.makeAsyncIterator()
    await syncs.next()
    return task
  }

  /// Returns when so many writes are in the queue.
  private func waitForWrites(_ count: Int) async {
    while engine.waitingJobs < count { await Task.yield() }
  }

  @Test func `A write shares a sync with all others that wait for the disk`() async throws {
    let first = try await beginWrite("first")
    let before = fileSystem.fileSyncs
    let others = (1...64).map { number in Task { try await create("\(number)") } }
    await waitForWrites(64)
    gate.open()
    try await first.value
    for task in others { try await task.value }
    #expect(fileSystem.fileSyncs - before == 2, "one for the first, one for the 64 others")
    #expect(try await Set(identifiersOnDisk()) == Set(["first"] + (1...64).map(String.init)))
  }

  @Test func `A write is not seen before it is on the disk, and reading does not wait for it`() async throws {
    try await create("0")
    let write = try await beginWrite("1")
    #expect(try await engine.read("Book", "0")?.value == JournalScript.json("0"))
    #expect(try await engine.identifiers("Book") == ["0"])
    #expect(try await engine.readChunk("Book").rows.map(\.identifier) == ["0"])
    gate.open()
    try await write.value
    #expect(try await engine.identifiers("Book") == ["0", "1"])
  }

  @Test func `A write that is cancelled in the queue is withdrawn, and one that was begun is completed`() async throws {
    let begun = try await beginWrite("begun")
    let queued = Task { try await create("queued") }
    await waitForWrites(1)
    queued.cancel()
    begun.cancel()
    await #expect(throws: CancellationError.self) { try await queued.value }
    let later = Task { try await create("later") }
    await waitForWrites(2)
    gate.open()
    try await begun.value
    try await later.value
    #expect(try await identifiersOnDisk() == ["begun", "later"])
  }

  @Test func `A write that is refused does not take its neighbours along`() async throws {
    let first = try await beginWrite("1")
    let twins = (1...2).map { _ in Task { try await create("2") } }
    let third = Task { try await create("3") }
    await waitForWrites(3)
    let before = fileSystem.fileSyncs
    gate.open()
    try await first.value
    var refusals: [String] = []
    for twin in twins {
      do { try await twin.value } catch { refusals.append("\(error)") }
    }
    #expect(refusals == ["\(FileEngineError.conflict(type: "Book", identifier: "2"))"])
    try await third.value
    #expect(fileSystem.fileSyncs - before == 2)
    #expect(try await Set(identifiersOnDisk()) == ["1", "2", "3"])
  }

  @Test func `A write is on the disk when it returns, with the names of its files`() async throws {
    for number in 1...3 {
      try await create("\(number)")
      #expect(try await identifiersOnDisk() == (1...number).map(String.init))
    }
  }

  @Test func `A write with an interval is on the disk when that has passed, and not before`() async throws {
    try await create("0", .none)
    try await engine.sync()
    try await create("1", .interval(.seconds(5)))
    clock.advance(by: .seconds(3))
    try await create("2", .interval(.seconds(5)))
    try await create("3", .none)
    #expect(try await identifiersOnDisk() == ["0"])
    clock.advance(by: .seconds(2))
    // The first wakes the thread, which finds that it is time; the second comes back after that.
    try await create("4", .none)
    try await create("5", .none)
    #expect(try await identifiersOnDisk() == ["0", "1", "2", "3", "4"])
  }

  @Test func `A write with an interval reaches the disk without another call`() async throws {
    let engine = FileEngine.simulated(on: fileSystem)
    try await engine.open()
    gate.shut()
    try await engine.write([.create("Book", "1", JournalScript.json("1"))], durability: .interval(.milliseconds(1)))
    var syncs = gate.syncs.makeAsyncIterator()
    await syncs.next()
    gate.open()
    try await engine.sync()
    #expect(try await identifiersOnDisk() == ["1"])
  }

  @Test func `A write without durability is on the disk after a sync or when the store was closed`() async throws {
    try await engine.open()
    let before = fileSystem.fileSyncs
    for number in 1...10 { try await create("\(number)", .none) }
    #expect(fileSystem.fileSyncs == before)
    #expect(try await identifiersOnDisk() == [])
    try await engine.sync()
    #expect(try await identifiersOnDisk().count == 10)
    try await create("11", .none)
    try await engine.close()
    #expect(try await identifiersOnDisk().count == 11)
  }

  @Test func `A write is refused after a sync in the background failed, and closing reports the failure`() async throws
  {
    try await create("1")
    // Opening read the segment's size last; the next call is the write, then comes the sync.
    fileSystem.fail(fileSystem.calls + 2, with: EIO)
    try await create("2", .interval(.zero))
    await #expect(throws: FileEngineError.self) { try await create("3") }
    #expect(try await engine.identifiers("Book") == ["1", "2"])
    await #expect(throws: FileEngineError.self) { try await engine.close() }
    #expect(try await identifiersOnDisk() == ["1"])
  }
}

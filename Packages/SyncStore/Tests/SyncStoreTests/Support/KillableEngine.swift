import MemoryStore
@_spi(ModelKitInternals) import StoreEngine
import StoreProtocol

/// A local engine whose process is killed at one of its commits.
final class KillableEngine: RecordEngine {
  struct Killed: Error {}

  let base: MemoryEngine
  private let shouldDie: @Sendable () -> Bool
  private let willRead: @Sendable () throws -> Void

  /// - Parameters:
  ///   - willRead: called before a read, which fails with the error that it throws.
  ///   - shouldDie: returns whether the process is killed now: before a commit, and after it.
  init(
    _ base: MemoryEngine, willRead: @escaping @Sendable () throws -> Void = {},
    shouldDie: @escaping @Sendable () -> Bool
  ) {
    (self.base, self.willRead, self.shouldDie) = (base, willRead, shouldDie)
  }

  var changeFeed: StoreChangeFeed { base.changeFeed }
  var conflictTrackers: ConflictTrackers { base.conflictTrackers }
  func snapshot(pinned: Bool) async throws -> MemoryEngine.Snapshot {
    try willRead()
    return base.snapshot(pinned: pinned)
  }

  func commit(_ batch: RecordBatch) async throws {
    if shouldDie() { throw Killed() }
    try base.commit(batch)
    if shouldDie() { throw Killed() }
  }

  func nextInteger(for type: String) async throws -> Int? { base.nextInteger(for: type) }
}

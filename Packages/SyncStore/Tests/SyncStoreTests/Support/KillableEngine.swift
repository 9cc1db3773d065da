@_spi(ModelKitInternals) import FieldKit
import MemoryStore
@_spi(ModelKitInternals) import StoreEngine
import StoreProtocol

/// A local engine whose process is killed at one of its commits, or does something else after a read.
final class KillableEngine: RecordEngine {
  struct Killed: Error {}

  let base: MemoryEngine
  /// The types and identifiers of records that can't be read until they are written again.
  let damaged = Lock<Set<[String]>>([])
  private let shouldDie: @Sendable () -> Bool
  private let willRead: @Sendable () throws -> Void
  private let didRead: @Sendable () async throws -> Void
  private let willCommit: @Sendable (RecordBatch) async throws -> Void
  private let didCommit: @Sendable () async -> Void

  /// - Parameters:
  ///   - willRead: called before a read, which fails with the error that it throws.
  ///   - didRead: called after a record was read, before the caller gets it.
  ///   - willCommit: called with each batch.
  ///   - didCommit: called after each commit, before the caller learns of it.
  ///   - shouldDie: returns whether the process is killed now: before a commit, and after it.
  init(
    _ base: MemoryEngine, willRead: @escaping @Sendable () throws -> Void = {},
    didRead: @escaping @Sendable () async throws -> Void = {},
    willCommit: @escaping @Sendable (RecordBatch) async throws -> Void = { _ in },
    didCommit: @escaping @Sendable () async -> Void = {}, shouldDie: @escaping @Sendable () -> Bool
  ) {
    (self.base, self.willRead, self.didRead) = (base, willRead, didRead)
    (self.willCommit, self.didCommit, self.shouldDie) = (willCommit, didCommit, shouldDie)
  }

  var changeFeed: StoreChangeFeed { base.changeFeed }
  var conflictTrackers: ConflictTrackers { base.conflictTrackers }
  func snapshot(pinned: Bool) async throws -> MemoryEngine.Snapshot {
    try willRead()
    return base.snapshot(pinned: pinned)
  }

  func read(_ type: String, _ identifier: String) async throws -> StoredRecord? {
    if damaged.withLock({ $0.contains([type, identifier]) }) {
      throw ModelStoreError(.corrupt, "The checksum of a record is wrong.", identifier: identifier)
    }
    let found = try await snapshot(pinned: false).record(type, identifier)
    try await didRead()
    return found
  }

  func commit(_ batch: RecordBatch) async throws {
    if shouldDie() { throw Killed() }
    try await willCommit(batch)
    try base.commit(batch)
    damaged.withLock { damaged in for each in batch.operations { damaged.remove([each.type, each.identifier]) } }
    if shouldDie() { throw Killed() }
    await didCommit()
  }

  func nextInteger(for type: String) async throws -> Int? { base.nextInteger(for: type) }
}

import ModelKit
import StoreEngine
import Synchronization

/// A store over another engine, which refuses commits on demand.
final class RefusingStore<Base: RecordEngine>: RecordStore<RefusingEngine<Base>>, TransactionalModelStore {}

/// An engine that refuses its next commit on demand.
nonisolated final class RefusingEngine<Base: RecordEngine>: RecordEngine, Refusing {
  private let base: Base
  private let isRefusing = Mutex(false)

  init(_ base: Base) { self.base = base }

  /// Refuses the next commit.
  func refuseNextCommit() { isRefusing.withLock { $0 = true } }

  /// Accepts commits again.
  ///
  /// - Returns: whether a commit was refused.
  func accept() -> Bool {
    isRefusing.withLock { isRefusing in
      defer { isRefusing = false }
      return !isRefusing
    }
  }

  func commit(_ batch: RecordBatch) async throws {
    let refuses = isRefusing.withLock { isRefusing in
      defer { isRefusing = false }
      return isRefusing
    }
    if refuses { throw ModelStoreError(.full, "The store is full.") }
    try await base.commit(batch)
  }

  var changeFeed: StoreChangeFeed { base.changeFeed }
  var conflictTrackers: ConflictTrackers { get async throws { try await base.conflictTrackers } }
  func snapshot(pinned: Bool) async throws -> Base.Snapshot { try await base.snapshot(pinned: pinned) }
  func nextInteger(for type: String) async throws -> Int? { try await base.nextInteger(for: type) }
  func writeState(of type: String) async throws -> WriteState? { try await base.writeState(of: type) }
}

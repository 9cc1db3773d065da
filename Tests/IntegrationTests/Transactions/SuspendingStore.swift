import ModelKit
import StoreEngine
import Synchronization

/// A store over an engine that suspends its callers.
final class SuspendingStore<Base: RecordEngine>: RecordStore<SuspendingEngine<Base>>, TransactionalModelStore {}

/// An engine that suspends its callers at random places, so that other tasks of their isolation run in between. A seed
/// determines the order.
nonisolated final class SuspendingEngine<Base: RecordEngine>: RecordEngine {
  private let base: Base
  private let random: Mutex<SplitMix>

  init(_ base: Base, seed: UInt64) {
    self.base = base
    random = Mutex(SplitMix(state: seed))
  }

  private func suspend() async {
    for _ in 0..<random.withLock({ Int.random(in: 0...3, using: &$0) }) { await Task.yield() }
  }

  func commit(_ batch: RecordBatch) async throws {
    await suspend()
    try await base.commit(batch)
    await suspend()
  }

  func snapshot(pinned: Bool) async throws -> Base.Snapshot {
    await suspend()
    let snapshot = try await base.snapshot(pinned: pinned)
    await suspend()
    return snapshot
  }

  func read(_ type: String, _ identifier: String) async throws -> StoredRecord? {
    await suspend()
    let record = try await base.read(type, identifier)
    await suspend()
    return record
  }

  func nextInteger(for type: String) async throws -> Int? {
    await suspend()
    return try await base.nextInteger(for: type)
  }

  var changeFeed: StoreChangeFeed { base.changeFeed }
  var conflictTrackers: ConflictTrackers { get async throws { try await base.conflictTrackers } }
  func writeState(of type: String) async throws -> WriteState? { try await base.writeState(of: type) }
}

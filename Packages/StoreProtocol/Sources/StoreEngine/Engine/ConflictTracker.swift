@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) public import StoreProtocol

/// The name of a record, compared byte by byte: strings that are equal in Swift can be different identifiers.
struct RecordName: Hashable, Sendable {
  let type: ExactText
  let identifier: ExactText

  init(_ type: String, _ identifier: String) { (self.type, self.identifier) = (ExactText(type), ExactText(identifier)) }
}

/// The records that were written since a transaction began.
///
/// ```swift
/// let trackers = ConflictTrackers()
/// trackers.note(batch.operations)  // while nobody reads
/// ```
public final class ConflictTracker: Sendable {
  private struct State {
    var position: UInt64 = 0
    var records: [RecordName: UInt64] = [:]
    var types: [String: UInt64] = [:]
    var replacement: UInt64 = 0
  }

  private let state = Lock(State())

  init() {}

  /// The number of commits so far.
  var position: UInt64 { state.withLock { $0.position } }

  fileprivate func note(_ operations: [RecordOperation]) {
    state.withLock { state in
      state.position += 1
      for operation in operations {
        state.records[RecordName(operation.type, operation.identifier)] = state.position
        state.types[operation.type] = state.position
      }
    }
  }

  fileprivate func noteReplacement() {
    state.withLock { state in
      state.position += 1
      state.replacement = state.position
    }
  }

  /// Returns whether a record was written since the tracker began, or after a position.
  func saw(_ type: String, _ identifier: String, after position: UInt64 = 0) -> Bool {
    state.withLock { state in
      max(state.records[RecordName(type, identifier)] ?? 0, state.replacement) > position
    }
  }

  /// Returns whether a record of a type was written after a position.
  func saw(_ type: String, after position: UInt64) -> Bool {
    state.withLock { max($0.types[type] ?? 0, $0.replacement) > position }
  }
}

/// The trackers of all open transactions of an engine.
///
/// An engine records each commit here before readers see it.
public final class ConflictTrackers: Sendable {
  private let trackers = Lock<[ConflictTracker]>([])

  /// Creates an empty list.
  public init() {}

  /// Begins to track the commits of the engine.
  public func begin() -> ConflictTracker {
    let tracker = ConflictTracker()
    trackers.withLock { $0.append(tracker) }
    return tracker
  }

  /// Ends tracking.
  public func end(_ tracker: ConflictTracker) { trackers.withLock { $0.removeAll { $0 === tracker } } }

  /// Records a commit. Call it before readers see the commit.
  ///
  /// - Complexity: O(1) if no transaction is open.
  public func note(_ operations: [RecordOperation]) {
    for tracker in trackers.withLock({ $0 }) { tracker.note(operations) }
  }

  /// Records that all records were replaced.
  public func noteReplacement() { for tracker in trackers.withLock({ $0 }) { tracker.noteReplacement() } }
}

/// The records that were read for a batch, each with the position of the tracker before.
@_spi(ModelKitInternals)
public struct TrackedReads: Sendable {
  let tracker: ConflictTracker
  let reads: TransactionReads

  /// The error of a batch that read records which were written since; nil if there are none.
  public var conflict: ModelStoreError? {
    reads.firstStale { part, position in
      part.identifier.map { tracker.saw(part.type, $0, after: position) } ?? tracker.saw(part.type, after: position)
    }?.conflict
  }

  /// The names of the types of which records were read.
  public var types: Set<String> { reads.typeNames }

  /// Returns whether one of these operations is on a record that was read.
  public func contain(_ operations: [RecordOperation]) -> Bool {
    operations.contains { reads.contains($0.type, $0.identifier) }
  }
}

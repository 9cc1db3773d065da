@_spi(ModelKitInternals) import FieldKit
import StoreEngine

/// An engine that runs a closure, such as another write, before or after its next commit, or before a snapshot.
final class InterruptedEngine: RecordEngine {
  private let shelves = ShelfEngine()
  typealias Interruption = @MainActor @Sendable () async throws -> Void
  private let interruptions = Lock<(before: Interruption?, after: Interruption?)>((nil, nil))

  private let snapshotInterruption = Lock<(count: Int, body: Interruption)?>(nil)

  var changeFeed: StoreChangeFeed { shelves.changeFeed }
  var conflictTrackers: ConflictTrackers { shelves.conflictTrackers }

  func snapshot(pinned: Bool) async throws -> ShelfEngine.Shelves {
    let body = snapshotInterruption.withLock { interruption -> Interruption? in
      interruption?.count -= 1
      guard let next = interruption, next.count == 0 else { return nil }
      interruption = nil
      return next.body
    }
    try await body?()
    return shelves.snapshot(pinned: pinned)
  }
  func nextInteger(for type: String) -> Int? { shelves.nextInteger(for: type) }

  func beforeNextCommit(_ body: @escaping Interruption) { interruptions.withLock { $0.before = body } }
  func afterNextCommit(_ body: @escaping Interruption) { interruptions.withLock { $0.after = body } }

  /// Runs a closure before a snapshot; 1 is the next one.
  func beforeSnapshot(_ count: Int, _ body: @escaping Interruption) {
    snapshotInterruption.withLock { $0 = (count, body) }
  }

  func commit(_ batch: RecordBatch) async throws {
    let (before, after) = interruptions.withLock { interruptions in
      defer { interruptions = (nil, nil) }
      return interruptions
    }
    try await before?()
    try shelves.commit(batch)
    try await after?()
  }
}

final class InterruptedStore: RecordStore<InterruptedEngine>, TransactionalModelStore {}

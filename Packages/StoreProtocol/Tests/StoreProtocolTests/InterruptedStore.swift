@_spi(ModelKitInternals) import FieldKit
import StoreEngine

/// An engine that runs a closure, such as another write, before or after its next commit.
final class InterruptedEngine: RecordEngine {
  private let shelves = ShelfEngine()
  typealias Interruption = @MainActor @Sendable () async throws -> Void
  private let interruptions = Lock<(before: Interruption?, after: Interruption?)>((nil, nil))

  var changeFeed: StoreChangeFeed { shelves.changeFeed }
  var conflictTrackers: ConflictTrackers { shelves.conflictTrackers }

  func snapshot(pinned: Bool) -> ShelfEngine.Shelves { shelves.snapshot(pinned: pinned) }
  func nextInteger(for type: String) -> Int? { shelves.nextInteger(for: type) }

  func beforeNextCommit(_ body: @escaping Interruption) { interruptions.withLock { $0.before = body } }
  func afterNextCommit(_ body: @escaping Interruption) { interruptions.withLock { $0.after = body } }

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

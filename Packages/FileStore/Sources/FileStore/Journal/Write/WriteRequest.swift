@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// A batch for the writing thread, and the task that waits for it.
final class WriteRequest: Sendable {
  typealias Continuation = CheckedContinuation<[UInt64], any Error>

  private enum State {
    case new
    case waiting(Continuation)
    case withdrawn
    case pickedUp(Continuation)
    case finished
  }

  let group: String
  let changes: [Change]
  let durability: Durability
  /// The reads that must still be valid when it is written.
  let reads: TrackedReads?

  /// Whether the disk is still full after a compaction.
  let isLastResort: Bool

  /// Whether it may use the reserve of a full disk.
  var isDeletion: Bool { Self.areDeletion(changes) }

  /// Returns whether changes delete models and create none.
  static func areDeletion(_ changes: [Change]) -> Bool {
    changes.contains { $0.operation == .delete } && !changes.contains { $0.operation == .create }
  }

  /// The approximate number of bytes that it adds to the journal.
  let size: Int
  private let state = Lock<State>(.new)

  init(
    group: String, changes: [Change], durability: Durability, after reads: TrackedReads? = nil,
    isLastResort: Bool = false
  ) {
    self.isLastResort = isLastResort
    self.reads = reads
    self.group = group
    self.changes = changes
    self.durability = durability
    size = changes.reduce(0) { $0 + $1.value.count + $1.identifier.utf8.count + $1.type.utf8.count + 64 }
  }

  /// Registers the continuation of the caller that waits.
  ///
  /// - Returns: False if the request was already withdrawn; then only resume `continuation`.
  func wait(with continuation: Continuation) -> Bool {
    state.withLock { state in
      guard case .new = state else { return false }
      state = .waiting(continuation)
      return true
    }
  }

  /// Withdraws the request, unless its write has begun.
  func withdraw() {
    let continuation = state.withLock { state -> Continuation? in
      switch state {
      case .new:
        state = .withdrawn
        return nil
      case .waiting(let continuation):
        state = .withdrawn
        return continuation
      case .withdrawn, .pickedUp, .finished: return nil
      }
    }
    continuation?.resume(throwing: CancellationError())
  }

  /// Begins the write. The request can't be withdrawn after that.
  ///
  /// - Returns: False if it was withdrawn before.
  func pickUp() -> Bool {
    state.withLock { state in
      guard case .waiting(let continuation) = state else { return false }
      state = .pickedUp(continuation)
      return true
    }
  }

  /// Resumes the waiting task.
  func finish(_ result: Result<[UInt64], any Error>) {
    let continuation = state.withLock { state -> Continuation? in
      switch state {
      case .waiting(let continuation), .pickedUp(let continuation):
        state = .finished
        return continuation
      case .new, .withdrawn, .finished: return nil
      }
    }
    continuation?.resume(with: result)
  }
}

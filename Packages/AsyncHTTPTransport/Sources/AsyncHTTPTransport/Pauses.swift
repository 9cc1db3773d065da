import Synchronization

/// A limit of the pauses in a transfer.
final class Pauses: Sendable {
  private let last = Mutex(ContinuousClock.now)
  private let limit: Duration

  init(limit: Duration) { self.limit = limit }

  /// Ends a pause: bytes were sent or received.
  func end() { last.withLock { $0 = .now } }

  /// Waits until a pause is longer than the limit.
  ///
  /// - Throws: `CancellationError`.
  func waitForLimit() async throws {
    while true {
      let deadline = last.withLock { $0 } + limit
      if deadline <= .now { return }
      try await Task.sleep(until: deadline, clock: .continuous)
    }
  }
}

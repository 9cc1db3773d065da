#if Postgres
  import Synchronization

  /// A lock for code that waits: one task at a time, in the order of their requests.
  final class AsyncGate: Sendable {
    private let state = Mutex((isHeld: false, waiters: [CheckedContinuation<Void, Never>]()))

    /// Calls a closure while no other call of this gate does.
    func pass<Result>(_ body: () async throws -> Result) async rethrows -> Result {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          if state.isHeld {
            state.waiters.append(continuation)
            return false
          }
          state.isHeld = true
          return true
        }
        if isFree { continuation.resume() }
      }
      defer {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
          if !state.waiters.isEmpty { return state.waiters.removeFirst() }
          state.isHeld = false
          return nil
        }
        next?.resume()
      }
      return try await body()
    }
  }
#endif

/// A state guarded by a lock. Tasks can wait for its changes.
///
/// ```swift
/// let isSettled = AwaitedState(false)
/// await isSettled.wait(isolation: #isolation) { $0 }
/// for task in isSettled.change({ $0 = true }) { task.resume() }  // elsewhere
/// ```
@_spi(ModelKitInternals)
public final class AwaitedState<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var value: Value
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var nextID: UInt64 = 0
  }

  private let state: Lock<State>

  /// Creates a state.
  public init(_ value: Value) { state = Lock(State(value: value)) }

  /// Calls a closure with the value, and wakes no task.
  public func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    state.withLock { body(&$0.value) }
  }

  /// Changes the value.
  ///
  /// - Returns: the tasks that waited, in their order. Resume them once no lock is held.
  public func change(_ body: (inout Value) -> Void) -> [CheckedContinuation<Void, Never>] {
    let waiting = state.withLock { state in
      body(&state.value)
      defer { state.waiting = [:] }
      return state.waiting
    }
    return waiting.count < 2 ? Array(waiting.values) : waiting.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Waits for the next change, or until the task is cancelled. Returns at once if the value meets a condition.
  ///
  /// - Parameter condition: called while the lock is held.
  public func wait(isolation actor: isolated (any Actor)?, until condition: (Value) -> Bool) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let resumesNow = state.withLock { state in
          // The value may have changed since.
          // A cancellation before this found no task to wake.
          if Task.isCancelled || condition(state.value) { return true }
          state.waiting[id] = continuation
          return false
        }
        if resumesNow { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }
  }
}

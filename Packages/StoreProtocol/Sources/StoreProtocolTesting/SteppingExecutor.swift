import Dispatch
@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

/// Runs a task piece by piece, from one suspension point to the next, and cancels it before a piece of a number.
final class SteppingExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "SteppingExecutor")
  private let state: Lock<(count: Int, cancel: (@Sendable () -> Void)?)>
  private let step: Int

  /// - Parameter step: the piece before which the task is cancelled, from 0.
  init(cancellingBefore step: Int) {
    self.step = step
    state = Lock((0, nil))
    // Nothing runs before the task is known.
    queue.suspend()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in
      let cancel = state.withLock { state -> (@Sendable () -> Void)? in
        state.count += 1
        return state.count - 1 == step ? state.cancel : nil
      }
      cancel?()
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Runs a task to its end.
  ///
  /// - Returns: whether it had as many pieces, so that it was cancelled.
  static func run(cancellingBefore step: Int, _ body: @escaping @Sendable () async throws -> Void) async throws -> Bool
  {
    let executor = SteppingExecutor(cancellingBefore: step)
    let task = Task(executorPreference: executor) { try await body() }
    executor.state.withLock { $0.cancel = { task.cancel() } }
    executor.queue.resume()
    do {
      try await task.value
    } catch is CancellationError {
    } catch let error as ModelStoreError where error.code == .cancelled {
    }
    return executor.state.withLock { $0.count } > step
  }
}

import Dispatch
@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

/// Runs a task step by step, from one suspension point to the next, and performs an action before a chosen step, such
/// as a cancellation.
final class SteppingExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "SteppingExecutor")
  private struct State {
    var count = 0
    var act: (@Sendable () -> Void)?
  }

  private let state = Lock(State())
  private let step: Int

  /// - Parameter step: the job before which the action runs, from 0.
  init(acting step: Int) {
    self.step = step
    // Nothing runs before the task is known.
    queue.suspend()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in
      let act = state.withLock { state -> (@Sendable () -> Void)? in
        state.count += 1
        return state.count - 1 == step ? state.act : nil
      }
      act?()
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Runs a task to its end, and cancels it before a job.
  ///
  /// - Returns: whether it had as many jobs, so that it was cancelled.
  static func run(cancellingBefore step: Int, _ body: @escaping @Sendable () async throws -> Void) async throws -> Bool
  {
    let executor = SteppingExecutor(acting: step)
    let task = Task(executorPreference: executor) { try await body() }
    return try await executor.run(task) { task.cancel() }
  }

  /// Runs a task to its end, and an action before a job, on the same thread.
  ///
  /// - Returns: whether it had as many jobs, so that the action ran.
  static func run(
    doing act: @escaping @Sendable () -> Void, before step: Int, _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> Bool {
    let executor = SteppingExecutor(acting: step)
    return try await executor.run(Task(executorPreference: executor) { try await body() }, act)
  }

  private func run(_ task: Task<Void, any Error>, _ act: @escaping @Sendable () -> Void) async throws -> Bool {
    state.withLock { $0.act = act }
    queue.resume()
    do {
      try await task.value
    } catch is CancellationError {
    } catch let error as ModelStoreError where error.code == .cancelled {
    }
    return state.withLock { $0.count } > step
  }
}

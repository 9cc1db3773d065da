@_spi(ModelKitInternals) import FieldKit
import Synchronization

/// A method of a model that stores call before or after a write.
///
/// A hook runs once for each write, even if a task repeats the write in further stores. Its changes are part of the
/// write, and are not edits.
@_spi(ModelKitInternals)
public enum ModelHook {
  case beforeSave, afterCreate, afterUpdate, afterDelete

  /// Runs the hook of a model.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - scope: the scope of the store, for a model that left it.
  ///   - isSkipped: whether the hook does not run. A hook that waits for the end of a transaction passes the value of
  ///     ``areSkipped`` at the time of the write.
  public func run(on model: ModelObject, in scope: ModelScope? = nil, unless isSkipped: Bool = Self.areSkipped) {
    if isSkipped { return }
    guard FieldRecording.isOn, let map = model.identityMap ?? scope?.map else { return call(model) }
    map.process { call(model) }
  }

  private func call(_ model: ModelObject) {
    switch self {
    case .beforeSave: model.beforeSave()
    case .afterCreate: model.afterCreate()
    case .afterUpdate: model.afterUpdate()
    case .afterDelete: model.afterDelete()
    }
  }

  // Tasks are registered instead of marked by a task-local value, which tasks that they start would inherit. A
  // registered task is running, so no other task has its identity.
  private static let repeatingTasks = Lock<Set<Int>>([])
  private static let repeatCount = Atomic<Int>(0)

  /// Whether the running task repeats a write whose hooks ran already.
  public static var areSkipped: Bool {
    guard repeatCount.load(ordering: .relaxed) != 0, let task = runningTask else { return false }
    return repeatingTasks.withLock { $0.contains(task) }
  }

  /// Runs a closure that repeats a write in another store, without the hooks of any model. Tasks that the closure
  /// starts run the hooks of their own writes.
  ///
  /// - Throws: the errors of `body`.
  public static func withoutHooks<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    guard let task = runningTask, repeatingTasks.withLock({ $0.insert(task).inserted }) else {
      return try await body()
    }
    repeatCount.add(1, ordering: .relaxed)
    defer {
      repeatCount.subtract(1, ordering: .relaxed)
      repeatingTasks.withLock { _ = $0.remove(task) }
    }
    return try await body()
  }

  private static var runningTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}

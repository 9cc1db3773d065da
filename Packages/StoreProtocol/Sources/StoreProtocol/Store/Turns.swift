@_spi(ModelKitInternals) import FieldKit

/// The tasks that do something one after the other for each key, such as the saves of one model.
///
/// ```swift
/// try await turns.begin(id)
/// defer { turns.end(id) }
/// ```
@_spi(ModelKitInternals)
public struct Turns<Key: Hashable & Sendable>: Sendable {
  private let taken = AwaitedState<Set<Key>>([])

  /// Creates turns that no task has.
  public init() {}

  /// Waits until no other task has the turn of a key.
  ///
  /// - Returns: whether it waited.
  /// - Throws: ``ModelStoreError`` with the code `cancelled` if the task is cancelled while it waits.
  @discardableResult
  public func begin(_ key: Key, isolation actor: isolated (any Actor)? = #isolation) async throws -> Bool {
    var hasWaited = false
    while !taken.withLock({ $0.insert(key).inserted }) {
      hasWaited = true
      await taken.wait(isolation: actor) { !$0.contains(key) }
      if Task.isCancelled {
        throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.")
      }
    }
    return hasWaited
  }

  /// Ends the turn of a key.
  public func end(_ key: Key) {
    for task in taken.change({ $0.remove(key) }) { task.resume() }
  }
}

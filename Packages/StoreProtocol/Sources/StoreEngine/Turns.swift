@_spi(ModelKitInternals) import FieldKit
import StoreProtocol

/// The tasks that do something one after the other for each key, such as the saves of one model.
///
/// ```swift
/// try await turns.begin(id)
/// defer { turns.end(id) }
/// ```
struct Turns<Key: Hashable & Sendable>: Sendable {
  private let taken = AwaitedState<Set<Key>>([])

  /// Waits until no other task has the turn of a key.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  func begin(_ key: Key, isolation actor: isolated (any Actor)? = #isolation) async throws {
    while !taken.withLock({ $0.insert(key).inserted }) {
      await taken.wait(isolation: actor) { !$0.contains(key) }
      try Task.checkCancellation()
    }
  }

  /// Ends the turn of a key.
  func end(_ key: Key) {
    for task in taken.change({ $0.remove(key) }) { task.resume() }
  }
}

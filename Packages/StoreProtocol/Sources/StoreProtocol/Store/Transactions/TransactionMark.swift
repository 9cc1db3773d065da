import ModelCore
import Synchronization

/// A mark that distinguishes tasks of a transaction from other tasks that use the same store instance.
///
/// ```swift
/// let mark = TransactionMark()
/// try await mark.enter { try await body(self) }
/// ```
package final class TransactionMark: Sendable {
  @TaskLocal private static var entered: [TransactionMark] = []

  /// The scope whose turn the transaction has; nil for a nested one.
  let scope: ObjectIdentifier?
  /// The turns that the transaction has: of the scope, and of the transaction of the scope that it is inside.
  let turns: [ObjectIdentifier]
  private let hasEnded = Atomic(false)

  /// The mark of a new transaction.
  ///
  /// - Parameter scope: the scope whose turn it has; nil for a nested one.
  package init(of scope: AnyObject? = nil) {
    let scope = scope.map { ObjectIdentifier($0) }
    let outer = scope.flatMap { scope in Self.entered.last { $0.scope == scope && $0.isOpen } }
    self.scope = scope
    turns = [scope, outer.map { ObjectIdentifier($0) }].compactMap(\.self)
  }

  /// Whether the running task, or a task that started it, is in the transaction, and its body has not ended.
  package var isEntered: Bool { Self.entered.contains { $0 === self } && isOpen }

  /// Whether the body of the transaction has not ended.
  var isOpen: Bool { !hasEnded.load(ordering: .acquiring) }

  /// Returns the innermost transaction of the running task that has the turn of the stores of a scope, directly or
  /// inside another one.
  package static func innermost(of scope: ModelScope) -> TransactionMark? {
    entered.last { $0.scope == ObjectIdentifier(scope) && $0.isOpen }
  }

  /// The transactions of the running task that have the turn of a scope.
  static var ofTask: [TransactionMark] { entered.filter { $0.scope != nil && $0.isOpen } }

  /// Whether the running task was begun inside the transaction, which may have ended since. Edits of a task that
  /// outlives the transaction are its own.
  package var wasEntered: Bool { Self.entered.contains { $0 === self } }

  /// Runs a closure as a part of no transaction, in the isolation of the caller.
  package static func outside<Result>(
    in isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    if entered.isEmpty { return try await body() }
    return try await $entered.withValue([], in: isolation, body)
  }

  /// Ends the transaction for the tasks that outlive its body.
  package func end() { hasEnded.store(true, ordering: .releasing) }

  /// Runs the body of the transaction, in the isolation of the caller.
  package func enter<Result>(
    in isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    try await Self.$entered.withValue(Self.entered + [self], in: isolation, body)
  }
}

import ModelCore
import Synchronization

/// A mark that distinguishes tasks of a transaction from other tasks that use the same store instance.
///
/// ```swift
/// let mark = TransactionMark(of: scope)
/// try await mark.enter { try await body(self) }
/// ```
package final class TransactionMark: Sendable {
  @TaskLocal private static var entered: [TransactionMark] = []

  /// The scope of the models.
  let scope: ObjectIdentifier
  /// The transaction of the scope that it is inside; nil for none.
  private let outer: TransactionMark?
  /// Whether it ends with the transaction that it is inside.
  private let isPart: Bool
  private let hasEnded = Atomic(false)

  /// The mark of a new transaction of the running task.
  ///
  /// - Parameters:
  ///   - scope: the scope of its models.
  ///   - isPart: whether it is a part of the transaction that it is inside, and ends with it.
  package init(of scope: ModelScope, isPart: Bool = false) {
    outer = Self.innermost(of: scope)
    self.isPart = isPart
    self.scope = ObjectIdentifier(scope)
  }

  /// The turns that the transaction has: of the scope, and of the transaction of the scope that it is inside.
  var turns: [ObjectIdentifier] { [scope] + (outer.map { [ObjectIdentifier($0)] } ?? []) }

  /// Whether the running task, or a task that started it, is in the transaction, and its body has not ended.
  package var isEntered: Bool { wasEntered && !hasEnded.load(ordering: .acquiring) }

  /// Whether neither its body nor that of the transaction of which it is a part has ended.
  package var isOpen: Bool { !hasEnded.load(ordering: .acquiring) && (!isPart || outer?.isOpen != false) }

  /// Returns the innermost open transaction of the running task among those of the stores of a scope.
  package static func innermost(of scope: ModelScope) -> TransactionMark? {
    entered.last { $0.scope == ObjectIdentifier(scope) && $0.isOpen }
  }

  /// The open transactions of the running task.
  static var ofTask: [TransactionMark] { entered.filter(\.isOpen) }

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

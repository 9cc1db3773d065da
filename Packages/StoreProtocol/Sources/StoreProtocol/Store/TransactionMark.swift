/// A mark that distinguishes tasks of a transaction from other tasks that use the same store instance.
///
/// ```swift
/// let mark = TransactionMark()
/// try await mark.enter { try await body(self) }
/// ```
package final class TransactionMark: Sendable {
  @TaskLocal private static var entered: [TransactionMark] = []

  /// The mark of a new transaction.
  package init() {}

  /// Whether the running task, or a task that started it, is in the transaction.
  package var isEntered: Bool { Self.entered.contains { $0 === self } }

  /// Runs the body of the transaction, in the isolation of the caller.
  package func enter<Result>(
    in isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    try await Self.$entered.withValue(Self.entered + [self], in: isolation, body)
  }
}

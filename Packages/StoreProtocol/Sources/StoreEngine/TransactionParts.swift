@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The logs of a transaction and of its nested transactions, each of which is a savepoint.
final class TransactionParts {
  private let root = StoreTransactionLog()
  private var nested: [(mark: TransactionMark, log: StoreTransactionLog)] = []

  /// Creates the parts of a new transaction.
  init() {}

  /// The log of the innermost transaction of the running task.
  var log: StoreTransactionLog { nestedLog ?? root }

  /// The log of the innermost nested transaction of the running task; nil outside of nested ones.
  var nestedLog: StoreTransactionLog? {
    nested.isEmpty ? nil : nested.last { $0.mark.isEntered }?.log
  }

  /// Runs a nested transaction. If it throws, only its part is rolled back.
  ///
  /// - Throws: the errors of the body.
  func runNested<Result>(in scope: ModelScope, _ body: () async throws -> Result) async throws -> Result {
    let (mark, part, outer) = (TransactionMark(), StoreTransactionLog(), log)
    nested.append((mark, part))
    let edits = TransactionEdits(in: scope, onFailure: part.onFailure) { mark.isEntered }
    let result: Result
    do {
      defer { nested.removeAll { $0.mark === mark } }
      result = try await mark.enter(body)
    } catch {
      edits.revert { part.rollBack() }
      throw error
    }
    edits.end()
    outer.adopt(part)
    return result
  }
}

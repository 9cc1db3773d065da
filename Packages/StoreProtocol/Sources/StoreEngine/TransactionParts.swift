@_spi(ModelKitInternals) import StoreProtocol

/// The logs of a transaction and of those nested in it: each nested one is a savepoint.
final class TransactionParts {
  private let root = StoreTransactionLog()
  private var nested: [(mark: TransactionMark, log: StoreTransactionLog)] = []

  /// The parts of a new transaction.
  init() {}

  /// The log of the innermost transaction that the running task is in.
  var log: StoreTransactionLog { nestedLog ?? root }

  /// The log of the innermost nested transaction that the running task is in; nil outside of nested ones.
  var nestedLog: StoreTransactionLog? {
    nested.isEmpty ? nil : nested.last { $0.mark.isEntered }?.log
  }

  /// Runs a nested transaction. If it throws, only its part is rolled back.
  ///
  /// - Throws: what the body throws.
  func runNested<Result>(_ body: () async throws -> Result) async throws -> Result {
    let (mark, part, outer) = (TransactionMark(), StoreTransactionLog(), log)
    nested.append((mark, part))
    let result: Result
    do {
      defer { nested.removeAll { $0.mark === mark } }
      result = try await mark.enter(body)
    } catch {
      part.rollBack()
      throw error
    }
    outer.adopt(part)
    return result
  }
}

@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The nested transactions of a store instance, each of which is a savepoint.
final class TransactionParts {
  private final class Part {
    let mark: TransactionMark
    let log = StoreTransactionLog()
    /// The log of the transaction that contains it.
    let outer: StoreTransactionLog
    private let scope: ModelScope
    private(set) var edits: TransactionEdits

    init(in scope: ModelScope, _ outer: StoreTransactionLog) {
      let mark = TransactionMark(of: scope, isPart: true)
      (self.mark, self.outer, self.scope) = (mark, outer, scope)
      edits = Self.edits(in: scope, log, mark)
    }

    private static func edits(
      in scope: ModelScope, _ log: StoreTransactionLog, _ mark: TransactionMark
    ) -> TransactionEdits {
      TransactionEdits(in: scope, onFailure: log.onFailure, wasInside: { mark.wasEntered }) { mark.isEntered }
    }

    /// - Returns: the stored models with restored fields.
    func rollBack() -> Set<ModelObject> { edits.revert { log.rollBack() }.filter(\.isKnownToStore) }

    /// Rolls the part back, and records the edits that follow.
    ///
    /// - Returns: the stored models with restored fields.
    func restart() -> Set<ModelObject> {
      defer { edits = Self.edits(in: scope, log, mark) }
      return rollBack()
    }
  }

  private var open: [Part] = []
  /// The parts whose tasks run on after the end of the outer transaction.
  private var outlived: [Part] = []
  /// The models whose fields failed nested transactions restored, in the transaction that runs.
  private var restored: Set<ModelObject> = []

  /// Creates the parts of a store instance, which has no transaction.
  init() {}

  /// The log of the innermost nested transaction of the running task; nil outside of nested ones.
  var nestedLog: StoreTransactionLog? { open.isEmpty ? nil : open.last { $0.mark.isEntered }?.log }

  /// Returns whether a log is of an open nested transaction that the running task is not part of.
  func isOpenElsewhere(_ log: StoreTransactionLog) -> Bool {
    !open.isEmpty && open.contains { $0.log === log && !$0.mark.isEntered }
  }

  /// Throws if the running task is in a nested transaction whose outer one has ended.
  ///
  /// - Throws: `ModelStoreError` with the code `conflict`.
  func check() throws {
    if !outlived.isEmpty, outlived.contains(where: { $0.mark.isEntered }) { throw Self.error }
  }

  private static var error: ModelStoreError {
    ModelStoreError(
      .conflict,
      """
      The transaction in which this nested one began has ended. Nothing of the nested one was written: repeat it, or wait \
      for its task in the outer one.
      """)
  }

  /// Runs a nested transaction. If it throws, only its part is rolled back.
  ///
  /// - Parameters:
  ///   - scope: the scope of the store.
  ///   - outer: the log of the transaction that contains it.
  ///   - body: the calls of the transaction.
  /// - Throws: the errors of the body; `ModelStoreError` with the code `conflict` if the outer one has ended before.
  func runNested<Result>(
    in scope: ModelScope, _ outer: StoreTransactionLog, _ body: () async throws -> Result
  ) async throws -> Result {
    let part = Part(in: scope, outer)
    open.append(part)
    do {
      let result = try await part.mark.enter {
        defer {
          open.removeAll { $0 === part }
          endParts(inside: part.log)
          part.mark.end()
        }
        return try await body()
      }
      if outlived.contains(where: { $0 === part }) { throw Self.error }
      part.edits.end()
      outer.adopt(part.log)
      return result
    } catch {
      let hasOutlived = outlived.contains { $0 === part }
      outlived.removeAll { $0 === part }
      let models = part.rollBack()
      // The outer transaction has ended: nothing reads them again.
      if !hasOutlived { restored.formUnion(models) }
      throw error
    }
  }

  /// Returns the models whose fields failed nested transactions restored since the last call.
  func takeRestored() -> Set<ModelObject> {
    defer { restored = [] }
    return restored
  }

  /// Rolls back the nested transactions inside one whose body has ended. Their tasks run on, and can write nothing.
  ///
  /// - Parameter log: the log of the transaction that has ended.
  func endParts(inside log: StoreTransactionLog) {
    if open.isEmpty { return }
    var logs = [log]
    var ended: [Part] = []
    for part in open where logs.contains(where: { $0 === part.outer }) {
      logs.append(part.log)
      ended.append(part)
    }
    open.removeAll { part in ended.contains { $0 === part } }
    outlived += ended
    for part in ended.reversed() { restored.formUnion(part.restart()) }
  }
}

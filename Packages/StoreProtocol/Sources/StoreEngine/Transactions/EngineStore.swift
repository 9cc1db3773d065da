public import StoreProtocol

/// A store whose transactions are committed by an engine: a ``RecordStore``.
///
/// A final class derived from `RecordStore` that also conforms to `TransactionalModelStore` has transactions.
public protocol EngineStore: ModelStore {
  /// Runs a closure as a transaction: commits all its writes together at the end, or none if it throws.
  ///
  /// - Throws: as `TransactionalModelStore.transaction(_:)` does.
  func runTransaction<Result>(_ body: () async throws -> Result) async throws -> Result
}

extension TransactionalModelStore where Self: EngineStore {
  /// Runs `body` as a transaction: commits all its writes together at the end, or none if it throws.
  ///
  /// See `TransactionalModelStore`. Calls of other tasks are not part of it, even through the same store instance.
  ///
  /// - Throws: the errors of the body; `ModelStoreError` with the code `conflict` if another store instance changed the
  ///   same models; or as the engine throws.
  @discardableResult
  public func transaction<Result>(_ body: (Self) async throws -> Result) async throws -> Result {
    try await runTransaction { try await body(self) }
  }
}

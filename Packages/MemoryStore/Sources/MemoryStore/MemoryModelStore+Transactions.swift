@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreProtocol

extension MemoryModelStore {
  /// Runs `body`, and writes all that it did at its end, at once; or, if it throws, nothing.
  ///
  /// See `TransactionalModelStore`. What another task does meanwhile is not part of it, also through the same store.
  ///
  /// - Throws: what the body throws; `ModelStoreError` with the code `conflict` if another front changed the same models
  ///   meanwhile.
  @discardableResult
  public func transaction<Result>(_ body: (MemoryModelStore) async throws -> Result) async throws -> Result {
    try checkCancellation()
    if let transaction { return try await transaction.parts.runNested { try await body(self) } }
    let current = MemoryTransaction()
    transactions.append(current)
    let result: Result
    do {
      do {
        defer { transactions.removeAll { $0 === current } }
        result = try await current.mark.enter { try await body(self) }
      }
      try checkCancellation()
      try handle.commit(current.changes, after: current.reads)
    } catch {
      current.log.rollBack()
      guard let stale = error as? StaleRevision else { throw error }
      throw ModelStoreError(
        .conflict,
        """
        The transaction was not written: somebody else changed \(stale.type.nameForMessage) \
        \(stale.identifier.quotedForMessage) meanwhile.
        """,
        identifier: stale.identifier)
    }
    try current.log.commit()
    return result
  }
}

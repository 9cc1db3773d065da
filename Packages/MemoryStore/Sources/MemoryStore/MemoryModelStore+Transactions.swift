@_spi(ModelKitInternals) import StoreProtocol

extension MemoryModelStore {
  /// Runs `body`, and writes all that it did at its end, at once; or, if it throws, nothing.
  ///
  /// See `TransactionalModelStore`. What is not done through this front, by another task for instance, is not part of it.
  ///
  /// - Throws: what the body throws; `ModelStoreError` with the code `conflict` if another front changed the same models
  ///   meanwhile.
  @discardableResult
  public func transaction<Result>(_ body: (MemoryModelStore) async throws -> Result) async throws -> Result {
    try checkCancellation()
    if transaction != nil { return try await body(self) }
    let current = MemoryTransaction()
    transaction = current
    let result: Result
    do {
      result = try await body(self)
      transaction = nil
      try checkCancellation()
      try handle.commit(current.changes)
    } catch {
      transaction = nil
      current.log.rollBack()
      guard let stale = error as? StaleRevision else { throw error }
      throw ModelStoreError(
        .conflict,
        "The transaction was not written: somebody else changed \(stale.type) \"\(stale.identifier)\" meanwhile.",
        identifier: stale.identifier)
    }
    try current.log.commit()
    return result
  }
}

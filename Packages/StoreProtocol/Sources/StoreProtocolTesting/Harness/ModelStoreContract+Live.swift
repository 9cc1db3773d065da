import StoreProtocol

extension ModelStoreContract {
  /// Promises of stores that report their writes: `LiveModelStore`.
  ///
  /// ```swift
  /// @Test(arguments: ModelStoreContract.liveChecks)
  /// func keepsResultsUpToDate(
  ///   check: ModelStoreContract.SharedEngineCheck
  /// ) async throws {
  ///   let handle = MemoryModelStore().handle
  ///   try await check.run { MemoryModelStore(handle) }
  /// }
  /// ```
  public static let liveChecks: [SharedEngineCheck] =
    changing + observing + observingRelations + observingValues + observingOneStore + exactIdentifiersLive
    + queryingInversesLive

  /// Returns the promises of a store that reports its writes, and can do only a part.
  ///
  /// - Parameter missing: the capabilities that the store lacks, as its documentation states.
  public static func liveChecks(without missing: Set<Capability>) -> [SharedEngineCheck] {
    liveChecks.filter { $0.needs.isDisjoint(with: missing) }
  }
}

/// Returns a store instance that reports its writes.
func live(_ store: any ModelStore) throws -> any LiveModelStore {
  guard let store = store as? any LiveModelStore else {
    throw ContractViolation("the store does not report its writes: it does not conform to LiveModelStore")
  }
  return store
}

/// Returns the next element of a sequence that must not end.
func next<Iterator: AsyncIteratorProtocol>(
  _ iterator: inout Iterator, _ what: String
) async throws -> Iterator.Element {
  guard let element = try await iterator.next(isolation: #isolation) else {
    throw ContractViolation("\(what) ended by itself")
  }
  return element
}

@_spi(ModelKitInternals) public import StoreProtocol

@_spi(ModelKitInternals)
extension RecordStore: ProjectingModelStore {
  /// Runs a query whose results are the values of some columns. All values are from one snapshot.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does, and errors of the receiver.
  public final func run<M: Model>(_ query: ModelQuery<M>, into projection: QueryProjection) async throws {
    _ = try await context(of: M.self)
    if try await foldColumns(query, projection) { return }
    _ = try await execute(query, into: projection)
  }
}

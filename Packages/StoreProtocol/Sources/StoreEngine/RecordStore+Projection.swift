@_spi(ModelKitInternals) public import StoreProtocol

@_spi(ModelKitInternals)
extension RecordStore: ProjectingModelStore {
  /// Runs a query whose results are the values of some columns. All values are from one snapshot.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does, and errors of the receiver.
  @discardableResult
  public final func run<M: Model>(_ query: ModelQuery<M>, into projection: QueryProjection) async throws -> QueryReport
  {
    try await ModelStoreEvent.recording(.columns, of: Self.self, M.typeName, query: "\(query)") { event in
      let report = try await report(query, into: projection)
      event?.report = report
      event?.count = report.matchCount
      return report
    }
  }

  private func report<M: Model>(_ query: ModelQuery<M>, into projection: QueryProjection) async throws -> QueryReport {
    _ = try await context(of: M.self)
    if let report = try await foldColumns(query, projection) { return report }
    var report = try await execute(query, into: projection).report(on: query)
    report.statement = try await handle.current().statement(for: query, in: scope.transformers)
    return report
  }
}

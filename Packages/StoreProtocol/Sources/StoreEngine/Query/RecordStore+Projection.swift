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
    if let report = try await readIndex(query, projection) { return report }
    if let report = try await foldColumns(query, projection) { return report }
    if let report = try await selectResult(query, projection) { return report }
    var report = try await execute(query, into: projection).report(on: query)
    report.statement = try await handle.current().statement(for: query, in: scope.transformers)
    return report
  }

  /// Reads the result of an aggregate from an index of its column.
  ///
  /// - Returns: nil if there is no such index, or a condition or the open transaction needs other records.
  private func readIndex<M: Model>(
    _ query: ModelQuery<M>, _ projection: QueryProjection
  ) async throws -> QueryReport? {
    guard let shortcut = projection.shortcut, try await context(of: M.self).hasAllRecords,
      transaction?.touches(M.typeName) != true
    else { return nil }
    let position = transaction?.position
    let report = try await withSnapshot { snapshot in
      try await readIndex(of: snapshot, shortcut, query, projection)
    }
    if report != nil { try transaction?.noteQuery(M.typeName, at: position) }
    return report
  }

  /// Lets the engine evaluate an aggregate.
  ///
  /// - Returns: nil if it can't, or the open transaction wrote records of the type.
  private func selectResult<M: Model>(
    _ query: ModelQuery<M>, _ projection: QueryProjection
  ) async throws -> QueryReport? {
    guard query.limit == nil, query.offset == 0, try await context(of: M.self).hasAllRecords,
      transaction?.touches(M.typeName) != true
    else { return nil }
    let (position, transformers) = (transaction?.position, scope.transformers)
    // The columns of a related model are not in the record.
    func isStored(_ path: QueryPath) -> Bool { path.keys.count == 1 }
    // The open transaction can have written related models.
    func isCommitted(_ path: QueryPath) -> Bool { transaction == nil || isStored(path) }
    let count: Int
    if case .first(let order)? = projection.shortcut, isStored(order.term.path), let first = query.first(in: order) {
      let records = try await currentRecords(for: query)
      guard let selected = try await records.first(first, in: transformers) else { return nil }
      let program = try QueryProgram(first, in: transformers, canJoin: true, projection: projection)
      try program.project(only: selected.records.first?.bytes)
      count = selected.records.count
    } else if let aggregation = projection.aggregation, aggregation.paths.allSatisfy(isCommitted), query.sort.isEmpty {
      let records = try await currentRecords(for: query)
      guard let groups = try await records.aggregate(aggregation, query, in: transformers) else { return nil }
      do {
        try projection.take(groups)
      } catch is ModelStoreError {
        // A value that its type can't hold. The records decide about the error.
        return nil
      }
      count = 0
    } else {
      return nil
    }
    try transaction?.noteQuery(M.typeName, at: position)
    return QueryReport(plan: .selected(count, isExact: true), testedCount: 0, readCount: count, matchCount: count)
  }

  /// Returns the current records, after a check of the query: an invalid one has no result.
  private func currentRecords<M: Model>(for query: ModelQuery<M>) async throws -> Engine.Snapshot {
    try await followCommits()
    _ = try QueryProgram(query, in: scope.transformers, canJoin: true)
    return try await handle.current()
  }

  private func readIndex<M: Model>(
    of snapshot: Engine.Snapshot, _ shortcut: IndexShortcut, _ query: ModelQuery<M>, _ projection: QueryProjection
  ) async throws -> QueryReport? {
    guard let indexed = snapshot as? any IndexedSnapshot else { return nil }
    let fields = indexed.fieldsOfIndexes(M.typeName)
    guard let field = fields.first(where: { $0.isOrdered && $0.path == shortcut.path }) else { return nil }
    // An invalid query has no result, whatever the index has.
    _ = try QueryProgram(query, in: scope.transformers, canJoin: true)
    switch shortcut {
    case .first(let order):
      guard let first = query.first(in: order) else { return nil }
      let program = try QueryProgram(first, in: scope.transformers, canJoin: true, projection: projection)
      let planner = QueryPlanner(program, fields: fields)
      guard let found = try await indexed.first(M.typeName, planner) else { return nil }
      try program.project(only: found.record)
      let count = found.record == nil ? 0 : 1
      return QueryReport(plan: found.plan, testedCount: 0, readCount: count, matchCount: count)
    case .distinctCount:
      guard query.filter == nil, query.limit == nil, query.offset == 0,
        let found = try indexed.distinctCount(M.typeName, field)
      else { return nil }
      try projection.take(distinctCount: found.count)
      let plan = QueryPlan.keys(of: field, distinctCount: found.count, totalCount: found.totalCount)
      return QueryReport(plan: plan, testedCount: 0, readCount: 0, matchCount: found.count)
    }
  }
}

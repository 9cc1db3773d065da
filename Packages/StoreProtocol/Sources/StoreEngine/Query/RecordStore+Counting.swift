@_spi(ModelKitInternals) import StoreProtocol

extension RecordStore {
  final func countRecords<M: Model>(_ query: ModelQuery<M>) async throws -> Int {
    try query.validateRange()
    let name = M.typeName
    let context = try await context(of: M.self)
    try await followCommits()
    try transaction?.noteQuery(name)
    if query.isPlain, context.hasAllRecords, transaction?.touches(name) != true {
      return query.pageCount(of: try await handle.current().count(name))
    }
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true)
    if transaction?.touches(name) != true {
      let records = try await handle.current()
      if query.filter == nil, context.hasAllRecords {
        return query.pageCount(of: try await records.count(name))
      }
      if let count = try await records.count(query, in: scope.transformers) { return query.pageCount(of: count) }
      if let indexes = records.indexes(of: name),
        let count = indexes.count(QueryPlanner(program, fields: indexes.fields))
      {
        return query.pageCount(of: count)
      }
    } else if let transaction, let count = try await count(query, context, in: transaction) {
      return query.pageCount(of: count)
    }
    // Nothing has to be sorted to be counted.
    var query = query
    query.sort = []
    return try await execute(query).records.count
  }

  /// Counts inside a transaction that wrote records of the type: the count of the indexes, corrected by the records
  /// that the transaction wrote.
  ///
  /// - Returns: nil if records have to be read for that.
  /// - Complexity: O(*n*) in the number of records that the transaction wrote.
  private func count<M: Model>(
    _ query: ModelQuery<M>, _ context: TypeContext, in transaction: StoreTransaction
  ) async throws -> Int? {
    guard context.hasAllRecords else { return nil }
    let name = context.name
    return try await withSnapshot { snapshot in
      guard let stored = try await storedCount(query, in: snapshot) else { return nil }
      var unlimited = ModelQuery(M.self)
      unlimited.filter = query.filter
      let program = try QueryProgram(unlimited, in: scope.transformers, canJoin: true)
      let (before, now) = (try QueryRun(program), try QueryRun(program))
      for (identifier, entry) in transaction.written(name) {
        let old = try await snapshot.record(name, identifier)?.bytes
        if let old { _ = try before.take(old) }
        // A record that was changed here and deleted elsewhere is not found.
        if let content = entry.content, old != nil || entry.revision == nil { _ = try now.take(content) }
      }
      return stored - before.finish().count + now.finish().count
    }
  }

  private func storedCount<M: Model>(_ query: ModelQuery<M>, in snapshot: Engine.Snapshot) async throws -> Int? {
    if query.filter == nil { return try await snapshot.count(M.typeName) }
    return snapshot.indexes(of: M.typeName).flatMap { $0.count(QueryPlanner(query, fields: $0.fields)) }
  }
}

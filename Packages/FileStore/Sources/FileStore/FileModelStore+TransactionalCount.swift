@_spi(ModelKitInternals) import StoreProtocol

extension FileModelStore {
  /// How many records a query finds inside a transaction that wrote some of their type: as many as indexes know of, without
  /// those that it wrote, and with those as they are now.
  ///
  /// - Returns: nil if records have to be looked at to know.
  /// - Complexity: O(*n*) in the number of records that the transaction wrote.
  func count<M: Model>(_ query: ModelQuery<M>, in transaction: FileTransaction) async throws -> Int? {
    let known = try await known(M.self)
    guard known.hasAllRecords else { return nil }
    let (engine, name) = (handle.engine, M.typeName)
    try transaction.noteQuery(name)
    let fields = try await translating { try await engine.indexedFields(name) }
    return try await atOneMoment { moment in
      let stored = try await storedCount(query, fields, at: moment)
      guard let stored else { return nil }
      var unlimited = ModelQuery(M.self)
      unlimited.filter = query.filter
      let program = try QueryProgram(unlimited, in: scope.transformers, canJoin: true)
      let (before, now) = (try QueryRun(program), try QueryRun(program))
      for (identifier, entry) in transaction.written(name) {
        let isKnown = entry.revision != nil && moment.entry(name, identifier)?.revision == entry.revision
        let old =
          isKnown
          ? entry.original : try await translating { try await engine.read(name, identifier, at: moment)?.value }
        if let old { _ = try before.take(old) }
        // A record that was changed here and deleted elsewhere is not found.
        if let content = entry.content, old != nil || entry.revision == nil { _ = try now.take(content) }
      }
      return stored - before.finish().count + now.finish().count
    }
  }

  private func storedCount<M: Model>(
    _ query: ModelQuery<M>, _ fields: [StoredKeyPath], at moment: JournalContents
  ) async throws -> Int? {
    if query.filter == nil { return moment.count(of: M.typeName) }
    let planner = QueryPlanner(query, fields: fields)
    return try await translating { try await handle.engine.count(M.typeName, planner, at: moment) }
  }
}

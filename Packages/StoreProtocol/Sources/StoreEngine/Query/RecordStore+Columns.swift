@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

extension RecordStore {
  /// Evaluates an aggregate or groups from columns, if the columns exist or are worth building.
  ///
  /// - Returns: nil if the query has to read records, which discard everything that was received.
  final func foldColumns<M: Model>(
    _ query: ModelQuery<M>, _ projection: QueryProjection
  ) async throws -> QueryReport? {
    let context = try await context(of: M.self)
    // Without the state of the writes, columns could be older than the records.
    guard let state = context.state, context.hasAllRecords, transaction?.touches(context.name) != true else {
      return nil
    }
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true, projection: projection)
    guard let keys = program.keysOfProjection else { return nil }
    let position = transaction?.position
    let revision = state.lastWrite
    let search = columnCache.columns(keys, of: context.name, at: revision) { [handle] in
      (handle as? any WriteLoggingEngine)?.records(of: context.name, writtenAfter: $0, upTo: revision)
    }
    switch search {
    case .found(let columns):
      // Reports lost records, as a query of the records does.
      _ = try await handle.current().count(context.name)
      try transaction?.noteQuery(context.name, at: position)
      return try fold(columns, program)
    case .wanted(let known):
      let missing = keys.filter { known[$0] == nil }
      guard let built = try await columns(of: program, missing) else { return nil }
      columnCache.add(built, of: context.name, at: revision)
      let all = known.merging(built.compactMapValues(\.self)) { $1 }
      guard state.lastWrite == revision, keys.allSatisfy({ all[$0] != nil }) else { return nil }
      try transaction?.noteQuery(context.name, at: position)
      return try fold(all, program)
    case .unwanted: return nil
    }
  }

  /// Returns nil if a value can't be read. Only the records decide whether the query needs it: columns also have values
  /// that a former part of the condition excludes, or that were replaced.
  private func fold<M: Model>(_ columns: [String: ValueColumn], _ program: QueryProgram<M>) throws -> QueryReport? {
    do {
      return try program.fold(columns)
    } catch let error as ModelStoreError where error.code == .corrupt {
      return nil
    }
  }

  /// Builds columns from all records; returns nil if one can't be read, or an index finds the records of the condition.
  private func columns<M: Model>(
    of program: QueryProgram<M>, _ keys: [String]
  ) async throws -> [String: ValueColumn?]? {
    try await withSnapshot { snapshot in
      if let indexes = snapshot.indexes(of: M.typeName), program.query.filter != nil,
        QueryPlanner(program, fields: indexes.fields, scatteredCost: indexes.scatteredCost).canUseIndexes
      {
        return nil
      }
      let builder = program.columnBuilder(for: keys)
      var next: UInt64? = 0
      while let position = next {
        try checkCancellation()
        let part = try await snapshot.records(M.typeName, after: position, atMost: 1_000)
        if !part.unreadable.isEmpty { return nil }
        do {
          for record in part.records { try builder.add(record.bytes) }
        } catch {
          // A query of the records reports the error.
          return nil
        }
        next = part.next
      }
      return builder.finish()
    }
  }
}

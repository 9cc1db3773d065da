@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

extension RecordStore {
  /// Evaluates an aggregate or groups from columns, if the columns exist or are worth building.
  ///
  /// - Returns: `false` if the query has to read records; nothing was done then.
  final func foldColumns<M: Model>(_ query: ModelQuery<M>, _ projection: QueryProjection) async throws -> Bool {
    // Only for engines that keep records in memory.
    guard handle.readsImmediately else { return false }
    let context = try await context(of: M.self)
    guard let state = context.state, context.hasAllRecords, transaction?.touches(context.name) != true else {
      return false
    }
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true, projection: projection)
    guard let keys = program.keysOfProjection else { return false }
    let position = transaction?.position
    let revision = state.lastWrite
    let search = columnCache.columns(keys, of: context.name, at: revision) { [handle] in
      (handle as? any WriteLoggingEngine)?.records(of: context.name, writtenAfter: $0, upTo: revision)
    }
    switch search {
    case .found(let columns):
      try transaction?.noteQuery(context.name, at: position)
      try program.fold(columns)
      return true
    case .wanted(let known):
      let missing = keys.filter { known[$0] == nil }
      guard let built = try await columns(of: program, missing) else { return false }
      columnCache.add(built, of: context.name, at: revision)
      let all = known.merging(built.compactMapValues(\.self)) { $1 }
      guard state.lastWrite == revision, keys.allSatisfy({ all[$0] != nil }) else { return false }
      try transaction?.noteQuery(context.name, at: position)
      try program.fold(all)
      return true
    case .unwanted: return false
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

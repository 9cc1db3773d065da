#if Postgres
  public import ModelCore
  public import StoreEngine
  @_spi(ModelKitInternals) public import StoreProtocol

  extension PostgresSnapshot {
    /// Returns the records that a query finds, as SQL selects them.
    ///
    /// - Throws: `ModelStoreError` with the code `unsupported` for a condition that SQL can't express, unless it may be
    ///   evaluated in memory.
    public func select<M: Model>(
      _ query: ModelQuery<M>, after start: SelectionStart?, in context: ValueTransformerContext
    ) async throws -> SelectedRecords? {
      // All of a type are read in parts.
      if query.isPlain, query.limit == nil { return nil }
      return try await withTable(M.typeName) { table, catalog in
        let sql = try await translate(query, after: start, context, catalog)
        guard let rows = try await runUnlessUnreadable(sql.selection, M.typeName, catalog) else { return nil }
        let records = try (0..<rows.count).map { try table.record(rows, $0) }
        let hasMore = sql.isPart && records.count == sql.limit
        return SelectedRecords(
          records, isExact: sql.isExact, skippedCount: sql.offset, next: hasMore ? records.last?.order : nil)
      }
    }

    /// Returns the number of records that a query finds; nil if SQL can't count exactly these.
    public func count<M: Model>(_ query: ModelQuery<M>, in context: ValueTransformerContext) async throws -> Int? {
      try await withTable(M.typeName) { _, catalog in
        let sql = try await translate(query, context, catalog)
        guard sql.isExact else { return nil }
        return try await runUnlessUnreadable(sql.counting, M.typeName, catalog)?.integer(0, 0)
      }
    }

    /// Returns the first record that a query finds, as SQL finds it.
    public func first<M: Model>(
      _ query: ModelQuery<M>, in context: ValueTransformerContext
    ) async throws -> SelectedRecords? {
      try await withTable(M.typeName) { table, catalog in
        guard let sql = try await translateIfPossible({ try await translate(query, context, catalog) }), sql.isExact,
          sql.isSorted, sql.limit == 1,
          let rows = try await runUnlessUnreadable(sql.selection, M.typeName, catalog)
        else { return nil }
        return SelectedRecords(try (0..<rows.count).map { try table.record(rows, $0) }, isExact: true)
      }
    }

    /// Returns values of groups of the records that a query finds, as SQL calculates them.
    @_spi(ModelKitInternals)
    public func aggregate<M: Model>(
      _ aggregation: RecordAggregation, _ query: ModelQuery<M>, in context: ValueTransformerContext
    ) async throws -> [RecordAggregation.Group]? {
      try await withTable(M.typeName) { _, catalog in
        let sql = try await translateIfPossible {
          try await translate(query, aggregating: aggregation, context, catalog)
        }
        guard let sql, sql.isExact, let statement = sql.aggregating,
          let rows = try await runUnlessUnreadable(statement, M.typeName, catalog)
        else { return nil }
        return sql.aggregation?.groups(rows)
      }
    }

    /// Returns nil for a query that SQL can't express: the store reads the records, and reports the reason.
    private func translateIfPossible(_ body: () async throws -> SQLQuery) async throws -> SQLQuery? {
      do {
        return try await body()
      } catch let error as ModelStoreError where error.code == .unsupported {
        return nil
      }
    }

    /// Returns the SQL of a query, with placeholders for its values.
    ///
    /// - Throws: `ModelStoreError` as ``select(_:after:in:)`` does.
    public func statement<M: Model>(
      for query: ModelQuery<M>, in context: ValueTransformerContext
    ) async throws -> String? {
      try await withTable(M.typeName) { _, catalog in
        try await translate(query, context, catalog).selection.sql
      }
    }

    /// Returns the plan of the server for a query, as EXPLAIN prints it. It is the one for any values, so it has none.
    ///
    /// - Throws: `ModelStoreError` as ``select(_:after:in:)`` does.
    public func databasePlan<M: Model>(
      for query: ModelQuery<M>, in context: ValueTransformerContext
    ) async throws -> String? {
      try await withTable(M.typeName) { _, catalog in
        let selection = try await translate(query, context, catalog).selection
        // A statement that remains after an error has the name of no other one.
        let name = "modelkit_\(UInt64.random(in: 0 ... .max))"
        let types = selection.values.map(\.typeName).joined(separator: ", ")
        let nulls = selection.values.map { _ in "NULL" }.joined(separator: ", ")
        let (parameters, arguments) = selection.values.isEmpty ? ("", "") : (" (\(types))", " (\(nulls))")
        let statements = [
          "BEGIN READ ONLY", "SET LOCAL plan_cache_mode = force_generic_plan",
          "PREPARE \(name)\(parameters) AS \(selection.sql)", "EXPLAIN EXECUTE \(name)\(arguments)",
          "DEALLOCATE \(name)", "COMMIT",
        ]
        let rows: PostgresRows
        do {
          rows = try await catalog.pool.read(statements.map { PostgresStatement($0) })[3]
        } catch let error as PostgresError where ["0A000", "42601", "42704"].contains(error.sqlState) {
          // An engine that speaks the protocol can lack some of it.
          return nil
        }
        return (0..<rows.count).compactMap { rows.text($0, 0) }.joined(separator: "\n")
      }
    }

    func translate<M: Model>(
      _ query: ModelQuery<M>, after start: SelectionStart? = nil, aggregating aggregation: RecordAggregation? = nil,
      _ context: ValueTransformerContext,
      _ catalog: PostgresCatalog
    ) async throws -> SQLQuery {
      var tables = [M.typeName: try await catalog.table(of: M.typeName, on: held?.connection)]
      while true {
        do {
          return try SQLQuery(query, after: start, aggregating: aggregation, context, tables, engine.options.evaluation)
        } catch let needed as SQLTranslator.TableIsNeeded {
          tables[needed.type] = try await catalog.table(of: needed.type, on: held?.connection)
        }
      }
    }

    /// Runs a query; nil if a record has a value that SQL can't convert, so that the store has to read the records.
    private func runUnlessUnreadable(
      _ statement: PostgresStatement, _ type: String, _ catalog: PostgresCatalog
    ) async throws -> PostgresRows? {
      if let held { return try await runUnlessUnreadable([statement], type, on: held) }
      do {
        return try await catalog.pool.read([statement])[0]
      } catch let error as PostgresError where isUnreadable(error, type) {
        return nil
      }
    }

    /// Runs statements in the transaction of a snapshot, which an error about a value does not end.
    ///
    /// - Returns: the rows of the last one; nil if a record has a value that SQL can't convert.
    func runUnlessUnreadable(
      _ statements: [PostgresStatement], _ type: String, on held: HeldConnection
    ) async throws -> PostgresRows? {
      do {
        let all = [PostgresStatement("SAVEPOINT q")] + statements + [PostgresStatement("RELEASE SAVEPOINT q")]
        return try await held.connection.run(all)[statements.count]
      } catch let error as PostgresError where isUnreadable(error, type) {
        _ = try await held.connection.run([PostgresStatement("ROLLBACK TO SAVEPOINT q")])
        return nil
      }
    }

    private func isUnreadable(_ error: PostgresError, _ type: String) -> Bool {
      // Another process may have removed a column, because its field has another type now.
      if error.isAboutColumns { try? engine.catalog.get().unload([type]) }
      return error.isAboutData || error.isAboutColumns
    }
  }
#endif

#if Postgres
  @_spi(ModelKitInternals) public import StoreEngine
  @_spi(ModelKitInternals) public import StoreProtocol

  /// A snapshot of the records of a PostgreSQL store.
  public struct PostgresSnapshot: RecordSnapshot {
    let engine: PostgresEngine
    /// The connection with the transaction of the snapshot; nil for current records.
    let held: HeldConnection?

    func run(_ statements: [PostgresStatement], _ catalog: PostgresCatalog) async throws -> [PostgresRows] {
      if let held { return try await held.connection.run(statements) }
      return try await catalog.pool.read(statements)
    }

    func withTable<Value>(
      _ type: String, _ body: (PostgresTable, PostgresCatalog) async throws -> Value
    ) async throws -> Value {
      try await engine.translating {
        let (catalog, _) = try await engine.opened()
        return try await body(try await catalog.table(of: type, on: held?.connection), catalog)
      }
    }

    /// Returns a record; nil if there is none.
    public func record(_ type: String, _ identifier: String) async throws -> StoredRecord? {
      try await withTable(type) { table, catalog in
        guard let parameter = table.parameter(identifier) else { return nil }
        let rows = try await run(
          [
            PostgresStatement(
              "SELECT \(table.selection("t")) FROM \(table.sql) AS t WHERE \(table.isEqual("t", "$1"))",
              [.text(parameter)])
          ], catalog)[0]
        return rows.count == 0 ? nil : try table.record(rows, 0)
      }
    }

    /// Returns the records of a type with any of some identifiers, with one statement.
    public func records(_ type: String, identifiers: [String]) async throws -> RecordPart {
      try await withTable(type) { table, catalog in
        guard let statement = table.reading(identifiers) else { return RecordPart([], next: nil) }
        let rows = try await run([statement], catalog)[0]
        return RecordPart(try (0..<rows.count).map { try table.record(rows, $0) }, next: nil)
      }
    }

    /// Returns records of a type in the order of their creation.
    public func records(_ type: String, after order: UInt64, atMost limit: Int) async throws -> RecordPart {
      let count = min(max(limit, 1), 1_000)
      return try await withTable(type) { table, catalog in
        let rows = try await run(
          [
            PostgresStatement(
              """
              SELECT \(table.selection("t")) FROM \(table.sql) AS t WHERE \(table.order("t")) > $1 \
              ORDER BY \(table.order("t")) LIMIT $2
              """, [.integer(table.orderValue(at: order)), .integer(Int64(count))])
          ], catalog)[0]
        let records = try (0..<rows.count).map { try table.record(rows, $0) }
        return RecordPart(records, next: records.count < count ? nil : records.last?.order)
      }
    }

    /// Returns the number of records of a type.
    public func count(_ type: String) async throws -> Int {
      try await withTable(type) { table, catalog in
        try await run([PostgresStatement("SELECT count(*) FROM \(table.sql)")], catalog)[0].integer(0, 0) ?? 0
      }
    }

    /// Returns the position of a record in the order of creation.
    public func order(of identifier: String, _ type: String) async throws -> UInt64? {
      try await record(type, identifier)?.order
    }
  }
#endif

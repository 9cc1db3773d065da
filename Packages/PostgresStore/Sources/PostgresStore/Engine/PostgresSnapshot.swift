#if Postgres
  @_spi(ModelKitInternals) public import StoreEngine
  @_spi(ModelKitInternals) public import StoreProtocol

  /// The records of a PostgreSQL store as of one moment.
  public struct PostgresSnapshot: RecordSnapshot {
    let engine: PostgresEngine
    /// The connection with the transaction of the moment; nil for what is there when it is read.
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
        return try await body(try await catalog.table(of: type), catalog)
      }
    }

    /// Returns a record; nil if there is none.
    public func record(_ type: String, _ identifier: String) async throws -> StoredRecord? {
      try await withTable(type) { table, catalog in
        let rows = try await run(
          [
            PostgresStatement(
              "SELECT id, body, seq, revision FROM \(table.sql) WHERE id = $1", [.text(SQLName.encoded(identifier))])
          ], catalog)[0]
        return rows.count == 0 ? nil : rows.record(0)
      }
    }

    /// Returns records of a type in the order of their creation.
    public func records(_ type: String, after order: UInt64, atMost limit: Int) async throws -> RecordPart {
      let count = min(max(limit, 1), 1_000)
      return try await withTable(type) { table, catalog in
        let rows = try await run(
          [
            PostgresStatement(
              "SELECT id, body, seq, revision FROM \(table.sql) WHERE seq > $1 ORDER BY seq LIMIT $2",
              [.integer(Int64(clamping: order)), .integer(Int64(count))])
          ], catalog)[0]
        let records = (0..<rows.count).map { rows.record($0) }
        return RecordPart(records, next: records.count < count ? nil : records.last?.order)
      }
    }

    /// Returns the number of records of a type.
    public func count(_ type: String) async throws -> Int {
      try await withTable(type) { table, catalog in
        try await run([PostgresStatement("SELECT count(*) FROM \(table.sql)")], catalog)[0].integer(0, 0) ?? 0
      }
    }

    /// Returns where a record is in the order of creation.
    public func order(of identifier: String, _ type: String) async throws -> UInt64? {
      try await record(type, identifier)?.order
    }
  }

  extension PostgresRows {
    /// Returns the record of a row with the columns id, body, seq and revision.
    func record(_ row: Int) -> StoredRecord {
      StoredRecord(
        SQLName.decoded(text(row, 0) ?? ""), bytes(row, 1), order: UInt64(integer(row, 2) ?? 0),
        revision: UInt64(integer(row, 3) ?? 0))
    }
  }
#endif

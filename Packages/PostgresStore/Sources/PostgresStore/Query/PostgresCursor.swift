#if Postgres
  public import ModelCore
  public import StoreEngine
  @_spi(ModelKitInternals) public import StoreProtocol
  import Synchronization

  /// A cursor of the server in the transaction of a snapshot. The server sorts the rows once, and keeps them.
  final class PostgresCursor: RecordCursor {
    private let snapshot: PostgresSnapshot
    private let held: HeldConnection
    private let table: PostgresTable
    private let isExact: Bool
    private let declaration: PostgresStatement
    private let name: String
    private let isDeclared = Mutex(false)

    init(_ query: SQLQuery, _ snapshot: PostgresSnapshot, _ held: HeldConnection) {
      (self.snapshot, self.held, table, isExact) = (snapshot, held, query.table, query.isExact)
      name = "modelkit_\(held.nextCursor())"
      let selection = query.selection
      declaration = PostgresStatement("DECLARE \(name) NO SCROLL CURSOR FOR \(selection.sql)", selection.values)
    }

    func next(atMost limit: Int) async throws -> SelectedRecords? {
      try await snapshot.engine.translating {
        let beginning = isDeclared.withLock { $0 } ? [] : [declaration]
        let statements = beginning + [PostgresStatement("FETCH FORWARD \(limit) FROM \(name)")]
        guard let rows = try await snapshot.runUnlessUnreadable(statements, table.type, on: held) else { return nil }
        isDeclared.withLock { $0 = true }
        return SelectedRecords(try (0..<rows.count).map { try table.record(rows, $0) }, isExact: isExact)
      }
    }
  }

  extension PostgresSnapshot {
    /// Begins to read the records that a query may match in the order of the query, with a cursor of the server.
    ///
    /// - Throws: `ModelStoreError` as ``select(_:after:in:)`` does.
    public func cursor<M: Model>(
      _ query: ModelQuery<M>, in context: ValueTransformerContext
    ) async throws -> (any RecordCursor)? {
      guard let held else { return nil }
      return try await withTable(M.typeName) { _, catalog in
        let sql = try await translate(query, context, catalog)
        return sql.isSorted ? PostgresCursor(sql, self, held) : nil
      }
    }
  }
#endif

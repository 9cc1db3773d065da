#if Postgres
  @_spi(ModelKitInternals) import ModelCore
  @_spi(ModelKitInternals) import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol

  extension PostgresCatalog {
    /// The statement that returns the version of the records of each type that was migrated.
    private var versions: PostgresStatement {
      PostgresStatement("SELECT type, version FROM \(schema).modelkit_versions")
    }

    private func versions(on connection: PostgresConnection) async throws -> [String: Int] {
      let rows = try await connection.run([versions])[0]
      return Dictionary(
        (0..<rows.count).compactMap { row in
          rows.text(row, 0).flatMap { type in rows.integer(row, 1).map { (type, $0) } }
        }, uniquingKeysWith: max)
    }

    /// Returns the types whose records have older versions than the program.
    ///
    /// - Throws: `ModelStoreError` for steps that are declared wrongly, or records of a later version.
    private func pending(_ versions: [String: Int]) throws -> [(type: String, steps: ArraySlice<Migration>)] {
      for (type, version) in versions.sorted(by: { $0.key < $1.key }) { _ = try migrations.steps(type, from: version) }
      return try migrations.types.compactMap { type in
        let steps = try migrations.steps(type, from: versions[type] ?? 1)
        return steps.isEmpty ? nil : (type, steps)
      }
    }

    /// Migrates the records of all types with pending steps, in one transaction under the advisory lock. Other processes
    /// can't write these types meanwhile.
    ///
    /// - Parameter runs: whether steps are run. Otherwise pending ones are an error.
    func migrate(runs: Bool) async throws {
      // A statement of another process is not needed to see that nothing is pending.
      let due = try pending(try await pool.reading { try await versions(on: $0) })
      if due.isEmpty { return }
      guard runs else {
        throw ModelStoreError(
          .unsupported,
          """
          The store can't be used: records of \(due.map { $0.type.nameForMessage }.joined(separator: ", ")) have to be \
          migrated, and the options don't allow it. Call prepare(_:) when you deploy.
          """)
      }
      // All reads and writes are repeated as a whole.
      try await pool.reading { connection in
        _ = try await connection.run([
          PostgresStatement("BEGIN ISOLATION LEVEL READ COMMITTED"),
          PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.integer(lockKey)]),
        ])
        // Another process may have been faster.
        let due = try pending(try await versions(on: connection))
        let keys = due.map { lockKey(ofType: $0.type) }.sorted()
        _ = try await connection.run(
          keys.map { PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.integer($0)]) })
        for (type, steps) in due {
          if let table = try await load(type, on: connection) { try await migrate(table, steps, on: connection) }
        }
        _ = try await connection.run([
          PostgresStatement(
            """
            INSERT INTO \(schema).modelkit_versions AS v (type, version) SELECT * FROM unnest($1::text[], $2::bigint[]) \
            ON CONFLICT (type) DO UPDATE SET version = excluded.version
            """,
            [.texts(due.map { $0.type }), .integers(due.map { Int64(migrations.version(of: $0.type)) })]),
          PostgresStatement("COMMIT"),
        ])
      }
    }

    private func migrate(
      _ table: PostgresTable, _ steps: ArraySlice<Migration>, on connection: PostgresConnection
    ) async throws {
      let number = Int64.random(in: 1...Int64.max)
      var position = Int64.min
      while true {
        try Task.checkCancellation()
        let rows = try await connection.run([
          PostgresStatement(
            "SELECT \(table.selection("t")) FROM \(table.sql) AS t WHERE t.seq > $1 ORDER BY t.seq LIMIT 1000",
            [.integer(position)])
        ])[0]
        if rows.count == 0 { return }
        var (updates, deletions): ([RecordOperation], [RecordOperation]) = ([], [])
        for row in 0..<rows.count {
          let record = try table.record(rows, row)
          position = Int64(clamping: record.order)
          guard let new = try DeclaredMigrations.migrated(record, of: table.type, steps) else { continue }
          if new.isRemoved {
            deletions.append(.delete(table.type, record.identifier))
          } else {
            let bytes = Array(try JSONValue.object(new.value).jsonData())
            updates.append(.update(table.type, record.identifier, bytes))
          }
        }
        var statements: [PostgresStatement] = []
        if !deletions.isEmpty { statements.append(table.writing(.delete, deletions, number)) }
        if !updates.isEmpty { statements.append(table.writing(.update, updates, number)) }
        if !statements.isEmpty { statements.append(noting(deletions + updates, number)) }
        if !statements.isEmpty { _ = try await connection.run(statements) }
      }
    }

    /// Returns the descriptions of the pending migrations, as comments in SQL.
    func pendingMigrations() async throws -> [String] {
      try pending(try await pool.reading { try await versions(on: $0) }).map { type, steps in
        let numbers = steps.map { "\($0.version)" }.joined(separator: ", ")
        return "-- Migration of the records of \(SQLName.constant(type)) to version \(numbers)"
      }
    }

    /// The statement that returns the version of the columns of some types, and how many steps they were migrated by.
    func versions(of types: some Sequence<String>) -> PostgresStatement {
      PostgresStatement(
        """
        SELECT (SELECT coalesce(max(version), 0) FROM \(schema).modelkit_columns WHERE type = ANY ($1)), \
        (SELECT coalesce(sum(version - 1), 0)::bigint FROM \(schema).modelkit_versions WHERE type = ANY ($1))
        """, [.texts(types.sorted())])
    }

    /// Returns the number of steps by which the records of some types are migrated in this program.
    func stepCount(of types: some Sequence<String>) -> Int {
      types.reduce(0) { $0 + migrations.version(of: $1) - 1 }
    }
  }
#endif

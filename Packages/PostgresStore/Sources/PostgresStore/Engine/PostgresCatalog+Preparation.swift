#if Postgres
  import StoreProtocol

  extension PostgresCatalog {
    /// A type whose table is to be prepared.
    struct WantedTable: Sendable {
      let type: String
      /// The columns that it has to have, each with an index.
      var columns: [OwnColumn]
    }

    /// Creates or completes the tables of types.
    ///
    /// - Parameter dryRun: whether nothing is changed.
    /// - Returns: the statements that change the database.
    func prepare(_ wanted: [WantedTable], dryRun: Bool) async throws -> [String] {
      var statements: [String] = []
      let isNew = try await pool.reading { try await !hasSystemTables(on: $0) }
      if isNew { statements = try await pool.reading { try await creationOfSystemTables(on: $0) } }
      if !isNew { statements += try await pendingMigrations() }
      if !dryRun { try await open(creates: true) }
      for table in wanted {
        if options.mappings.contains(where: { $0.typeName == table.type }) {
          if !(dryRun && isNew) { _ = try await self.table(of: table.type, creates: true) }
        } else {
          statements += try await prepare(table, isNew: isNew, dryRun: dryRun)
        }
      }
      return statements
    }

    private func prepare(_ wanted: WantedTable, isNew: Bool, dryRun: Bool) async throws -> [String] {
      /// Returns the table with the wanted columns, and the statements for it.
      func plan(_ connection: PostgresConnection) async throws -> (PostgresTable, isNew: Bool, statements: [String]) {
        let known = isNew && dryRun ? nil : try await load(wanted.type, on: connection)
        let isMissing = known == nil
        var table: PostgresTable
        if let known { table = known } else { table = try await newTable(of: wanted.type, on: connection) }
        let added = table.missing(wanted.columns)
        var statements = isMissing ? creation(of: table) : []
        // No other process sees a new table before its indexes are there.
        statements += table.addition(of: added, areFilled: isMissing)
        table.columns.removeAll { old in added.contains { $0.key == old.key } }
        table.columns += added
        if isMissing { statements += table.indexes(wanted.columns, concurrently: false).map(\.statement) }
        return (table, isMissing, statements)
      }
      var (table, isCreated, statements) = try await pool.reading { try await plan($0) }
      if !dryRun, !statements.isEmpty { try await change { try await plan($0).statements } }
      if !isCreated {
        let isFilled = table.columns.allSatisfy(\.isFilled)
        if !isFilled {
          statements.append(table.filling(inParts: false))
          if !dryRun {
            guard let known = try await pool.reading({ try await load(wanted.type, on: $0) }) else { return [] }
            table = known
            try await fill(table)
          }
        }
        statements += try await index(table, wanted.columns, dryRun: dryRun)
        if !isFilled {
          // Not those that another process has added meanwhile.
          let keys = table.columns.map { SQLName.constant($0.key) }.sorted().joined(separator: ", ")
          let statement = """
            UPDATE \(schema).modelkit_columns SET is_filled = TRUE \
            WHERE type = \(SQLName.constant(wanted.type)) AND key IN (\(keys))
            """
          statements.append(statement)
          if !dryRun { _ = try await pool.read([PostgresStatement(statement)]) }
        }
      }
      if !dryRun { unload([wanted.type]) }
      return statements
    }

    /// Writes the columns of all rows, in parts, so that other writers go on.
    private func fill(_ table: PostgresTable) async throws {
      let statement = table.filling(inParts: true)
      var position: Int64? = .min
      while let last = position {
        try Task.checkCancellation()
        position = try await repeating {
          try await pool.read([PostgresStatement(statement, [.integer(last)])])[0].integer(0, 0).map { Int64($0) }
        }
      }
    }

    /// Creates the missing indexes of columns, while others read and write.
    private func index(_ table: PostgresTable, _ wanted: [OwnColumn], dryRun: Bool) async throws -> [String] {
      var statements: [String] = []
      for (name, statement) in table.indexes(wanted, concurrently: true) {
        let path = "\(schema).\(SQLName.quoted(name))"
        let found = try await pool.read([
          PostgresStatement("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)", [.text(path)])
        ])[0]
        if found.count > 0, found.text(0, 0) == "t" { continue }
        // One that was interrupted.
        let steps = (found.count > 0 ? ["DROP INDEX CONCURRENTLY IF EXISTS \(path)"] : []) + [statement]
        statements += steps
        if dryRun { continue }
        do {
          for step in steps { _ = try await repeating { try await pool.read([PostgresStatement(step)]) } }
        } catch {
          // Equal values of a unique index. The rest of it would reject more of them.
          _ = try? await pool.read([PostgresStatement("DROP INDEX CONCURRENTLY IF EXISTS \(path)")])
          throw error
        }
      }
      return statements
    }

    /// Calls a closure again while the server rolls it back because of others.
    private func repeating<Value>(_ body: () async throws -> Value) async throws -> Value {
      var count = 0
      while true {
        do {
          return try await body()
        } catch let error as PostgresError where error.isTransient && count < options.retryLimit {
          count += 1
          try await Task.sleep(for: .milliseconds(10 << count))
        }
      }
    }
  }
#endif

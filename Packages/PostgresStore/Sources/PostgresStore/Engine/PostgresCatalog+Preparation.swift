#if Postgres
  @_spi(ModelKitInternals) import StoreProtocol

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
      /// Returns the table with the wanted columns, and whether it is created with them.
      func plan(_ connection: PostgresConnection) async throws -> Change<(table: PostgresTable, isCreated: Bool)> {
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
        return Change(statements: statements, result: (table, isMissing))
      }
      var change = try await pool.reading { try await plan($0) }
      // Another process can have created the table, or other columns, since the plan: the one that was executed decides.
      if !dryRun, !change.statements.isEmpty { change = try await self.change { try await plan($0) } }
      var (table, isCreated) = change.result
      var statements = change.statements
      if !isCreated {
        let isFilled = table.columns.allSatisfy(\.isFilled)
        if !isFilled {
          statements.append(table.filling(inParts: false))
          if !dryRun {
            table = try await known(wanted)
            try await fill(table)
          }
        }
        statements += try await index(table, wanted.columns, dryRun: dryRun)
        if !isFilled {
          // Not those that another process has added, or replaced by columns of another form, meanwhile.
          let keys = table.columns.map { "(\(SQLName.constant($0.key)), \(SQLName.constant($0.form.rawValue)))" }
            .sorted()
          let statement = """
            UPDATE \(schema).modelkit_columns SET is_filled = TRUE \
            WHERE type = \(SQLName.constant(wanted.type)) AND (key, form) IN (\(keys.joined(separator: ", ")))
            """
          statements.append(statement)
          if !dryRun { _ = try await pool.read([PostgresStatement(statement)]) }
        }
        if !dryRun { _ = try await known(wanted) }
      } else if !dryRun {
        // IF NOT EXISTS skips an index whose name is taken.
        _ = try await index(table, wanted.columns, dryRun: false)
      }
      if !dryRun { unload([wanted.type]) }
      return statements
    }

    /// Returns the current state of a prepared table.
    ///
    /// - Throws: `ModelStoreError` with the code `conflict` if another process has removed it, or one of its columns.
    private func known(_ wanted: WantedTable) async throws -> PostgresTable {
      guard let table = try await pool.reading({ try await load(wanted.type, on: $0) }),
        table.missing(wanted.columns).isEmpty
      else {
        throw ModelStoreError(
          .conflict,
          """
          The table of \(wanted.type.nameForMessage) was not prepared: another process declares other columns for it at \
          the same time. Prepare it with one version of the program.
          """)
      }
      return table
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
        let state = try await pool.reading { try await self.state(ofIndex: path, of: table, on: $0) }
        if state == .valid { continue }
        // One that was interrupted.
        statements += (state == .invalid ? ["DROP INDEX IF EXISTS \(path)"] : []) + [statement]
        if !dryRun { try await create(path, statement, of: table) }
      }
      return statements
    }

    /// Creates an index, unless another process does.
    private func create(_ path: String, _ statement: String, of table: PostgresTable) async throws {
      var count = 0
      do {
        // The statement does nothing if another process began to create the index, even if that fails then.
        while try await settledState(ofIndex: path, of: table) != .valid {
          do {
            _ = try await pool.withConnection { try await $0.run([PostgresStatement(statement)]) }
            if table.isPartitioned { return }
          } catch let error as PostgresError
            where (error.isTransient || error.isWorthAnotherConnection) && count < options.retryLimit
          {
            count += 1
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...(10 << min(count, 7)))))
          }
        }
      } catch {
        // Equal values of a unique index. The rest of it would reject more of them.
        _ = try? await settledState(ofIndex: path, of: table)
        throw error
      }
    }

    private enum IndexState {
      case missing, invalid, valid
    }

    /// Returns the state of an index.
    ///
    /// - Throws: `ModelStoreError` if the name belongs to something else.
    private func state(
      ofIndex path: String, of table: PostgresTable, on connection: PostgresConnection
    ) async throws -> IndexState {
      let found = try await connection.run([
        PostgresStatement(
          """
          SELECT CASE WHEN i.indrelid = to_regclass($2) THEN i.indisvalid END FROM pg_class AS c \
          LEFT JOIN pg_index AS i ON i.indexrelid = c.oid WHERE c.oid = to_regclass($1)
          """, [.text(path), .text(table.sql)])
      ])[0]
      if found.count == 0 { return .missing }
      guard let isValid = found.text(0, 0) else {
        throw ModelStoreError(
          .unsupported,
          """
          The index \(path) of the table \(table.name) was not created: something else has its name. Give one of the two \
          tables another name with tableNames.
          """)
      }
      return isValid == "t" ? .valid : .invalid
    }

    /// Waits until no process creates an index of a table, and drops a given one whose creation has failed.
    ///
    /// - Returns: whether it is valid or missing.
    private func settledState(ofIndex path: String, of table: PostgresTable) async throws -> IndexState {
      try await pool.reading { connection in
        // The creation of an index holds this lock until its end, and waits for older snapshots. Here is none.
        _ = try await connection.run([
          PostgresStatement("BEGIN"), PostgresStatement("LOCK TABLE ONLY \(table.sql) IN SHARE UPDATE EXCLUSIVE MODE"),
        ])
        let state = try await state(ofIndex: path, of: table, on: connection)
        let dropping = state == .invalid ? [PostgresStatement("DROP INDEX IF EXISTS \(path)")] : []
        _ = try await connection.run(dropping + [PostgresStatement("COMMIT")])
        return state == .valid ? .valid : .missing
      }
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

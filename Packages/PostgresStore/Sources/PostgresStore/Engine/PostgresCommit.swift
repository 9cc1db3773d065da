#if Postgres
  import ModelCore
  @_spi(ModelKitInternals) import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol

  /// The commit of one batch.
  ///
  /// A transaction that read records must not be committed if other writers changed them since. While such a batch is
  /// checked and written, it has exclusive locks of the types that it read. Without these locks, at the level
  /// `repeatableRead`, others can write them between the check and COMMIT. The rows that are written are still compared
  /// by their revisions, or locked with their types. Each batch has shared locks of the types that it writes. All locks
  /// end with the transaction of the server.
  struct PostgresCommit {
    let batch: RecordBatch
    let catalog: PostgresCatalog
    private let log: ChangeLog
    /// The number that identifies the batch in the table of changes, and its lock while it is written.
    let number = Int64.random(in: 1...Int64.max)

    init(_ batch: RecordBatch, _ catalog: PostgresCatalog, _ log: ChangeLog) {
      self.batch = batch
      self.catalog = catalog
      self.log = log
    }

    /// Commits, as often as the server rolls back because of others.
    ///
    /// - Returns: the operations on existing tables whose rows have other values than were written, with these values.
    func run() async throws -> [RecordOperation] {
      let tables = try await tables()
      // The values of rows in existing tables are known afterwards.
      if !tables.values.contains(where: { $0.mapped != nil }) {
        let changes =
          log.feed.isObserved
          ? batch.changes : batch.operations.map { RecordChange($0.changeKind, $0.type, $0.identifier) }
        log.noteOwn(changes, number)
      }
      let completed: [RecordOperation]
      do {
        try await noteIntegers(tables)
        completed = try await attempt(tables)
      } catch {
        log.discardOwn(number)
        throw error
      }
      if catalog.isTimeToForget() {
        // The batch is committed. Remaining rows are deleted by a later one.
        _ = try? await catalog.pool.withConnection { try await $0.run([forgetChanges]) }
      }
      // Without observers, too: one that begins later must not receive this commit.
      try? await catalog.pool.reading { try await log.follow(on: $0) }
      return completed
    }

    private func tables() async throws -> [String: PostgresTable] {
      var tables: [String: PostgresTable] = [:]
      for type in Set(batch.operations.map(\.type)) { tables[type] = try await catalog.table(of: type) }
      return tables
    }

    private func attempt(_ tables: [String: PostgresTable]) async throws -> [RecordOperation] {
      var (tables, count, copies) = (tables, 0, true)
      let deadline = ContinuousClock.now + catalog.options.connectionTimeout
      while true {
        do {
          return try await catalog.pool.withConnection { try await write(tables, copies: copies, on: $0) }
        } catch is FailedCopy {
          copies = false
        } catch let error as PostgresError where error.isTransient && count < catalog.options.retryLimit {
          count += 1
          try await Task.sleep(for: .milliseconds(Int.random(in: 1...(4 << min(count, 7)))))
        } catch let error as PostgresError where error.isAboutColumns && count < catalog.options.retryLimit {
          count += 1
          catalog.unload(tables.keys)
          tables = try await self.tables()
        } catch let error as LostCommit {
          // In a task of its own: a cancelled one would get no connection, and the outcome would stay unknown.
          if try await Task(operation: { try await wasCommitted(error) }).value { return error.completed }
          // It was rolled back for certain, and nothing of it was seen.
          guard count < catalog.options.retryLimit else { throw error.cause }
          count += 1
        } catch let error as PostgresError
          where error.isWorthAnotherConnection && count < catalog.pool.size && .now < deadline
        {
          // COMMIT was not sent.
          count += 1
        }
      }
    }

    /// - Parameter copies: whether many new records are added with COPY.
    private func write(
      _ tables: [String: PostgresTable], copies: Bool, on connection: PostgresConnection
    ) async throws -> [RecordOperation] {
      var statements = [
        PostgresStatement("BEGIN ISOLATION LEVEL READ COMMITTED"),
        // A process that stops here must not block other writers. A limit of the login or the server stays.
        PostgresStatement(
          """
          SELECT set_config('idle_in_transaction_session_timeout', '30s', TRUE) \
          WHERE current_setting('idle_in_transaction_session_timeout') = '0'
          """),
        // Whoever finds it free knows that COMMIT has ended.
        PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.integer(number)]),
      ]
      statements += locks
      if batch.reads != nil {
        _ = try await connection.run(statements)
        statements = []
        try await log.follow(on: connection)
        try batch.validateReads()
      }
      var groups = try groups(tables)
      if copies, groups.contains(where: \.canBeCopied) {
        try await copy(groups.filter(\.canBeCopied), after: statements, on: connection)
        (statements, groups) = ([], groups.filter { !$0.canBeCopied })
      }
      let first = statements.count
      statements += groups.compactMap { group in
        group.mapped ?? group.operations.first.map { group.table.writing($0.operation, group.operations, number) }
      }
      statements.append(catalog.noting(batch.operations, number))
      if catalog.options.usesNotifications {
        statements.append(PostgresStatement("SELECT pg_notify($1, '')", [.text(catalog.channel)]))
      }
      statements.append(catalog.versions(of: tables.keys))
      let rows: [PostgresRows]
      do {
        rows = try await connection.run(statements)
      } catch let error as PostgresError {
        throw named(error, groups)
      }
      for (index, group) in groups.enumerated() where rows[first + index].count != group.operations.count {
        throw try await mismatch(group, rows[first + index], on: connection)
      }
      if let last = rows.last {
        // A program of another version would read other values.
        if last.integer(0, 1) != catalog.stepCount(of: tables.keys) { throw migratedMeanwhile(tables.keys) }
        // A column that was added meanwhile would lack the values of this batch.
        if last.integer(0, 0).map({ Int64($0) }) != tables.values.map(\.version).max() ?? 0 {
          throw PostgresError("the columns of a table were changed", sqlState: "42703")
        }
      }
      let completed = try zip(groups, rows[first...]).flatMap { try completion(of: $0, $1) }
      do {
        try Task.checkCancellation()
        _ = try await connection.run([PostgresStatement("COMMIT")], isCancellable: false)
      } catch let error as PostgresError where error.isConnectionLost {
        throw LostCommit(completed: completed, cause: error)
      } catch let error as PostgresError {
        // Deferred constraints are checked by COMMIT.
        throw named(error, groups)
      }
      return completed
    }

    /// Returns the operations on an existing table whose rows have other values than were written, with these values.
    private func completion(of group: Group, _ rows: PostgresRows) throws -> [RecordOperation] {
      guard let mapped = group.table.mapped, group.operations.first?.operation != .delete else { return [] }
      let name = mapped.identifier.column.field.path[0]
      let records = try (0..<rows.count).map { try group.table.record(rows, $0) }
      let values = Dictionary(records.map { (Array($0.identifier.utf8), $0.bytes) }) { first, _ in first }
      return try group.operations.compactMap { operation in
        guard let bytes = values[Array(operation.identifier.utf8)], case .object(let row) = try JSONValue(json: bytes),
          case .object(let written) = try JSONValue(json: Array(operation.value))
        else { return nil }
        var others = row.filter { written[$0.key, default: .null] != $0.value }
        if others.isEmpty { return nil }
        others[name] = row[name]
        var operation = operation
        operation.value = Array(try JSONValue.object(others).jsonData())[...]
        return operation
      }
    }
  }
#endif

#if Postgres
  import ModelCore
  @_spi(ModelKitInternals) import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol

  /// The commit of one batch.
  ///
  /// A transaction that read records must not be committed if other writers changed them since. While such a batch is
  /// checked and written, it has exclusive locks of the types that it read. Without these locks, at the level
  /// `repeatableRead`, others can write them between the check and COMMIT. The rows that are written are still compared
  /// by their revisions. Each batch has shared locks of the types that it writes. All locks end with the transaction of
  /// the server.
  struct PostgresCommit {
    private let batch: RecordBatch
    private let catalog: PostgresCatalog
    private let log: ChangeLog
    /// The number that identifies the batch in the table of changes, and its lock while it is written.
    private let number = Int64.random(in: 1...Int64.max)

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

    // MARK: Statements

    private var locks: [PostgresStatement] {
      var keys: [Int64: Bool] = [:]
      for type in Set(batch.operations.map(\.type)) { keys[catalog.lockKey(ofType: type)] = false }
      if catalog.options.isolation == .serializable {
        for type in batch.reads?.types ?? [] { keys[catalog.lockKey(ofType: type)] = true }
      }
      // In one order, so that no two transactions wait for each other.
      return keys.sorted { $0.key < $1.key }.map { key, isExclusive in
        PostgresStatement("SELECT pg_advisory_xact_lock\(isExclusive ? "" : "_shared")($1)", [.integer(key)])
      }
    }

    /// The operations of one kind on one table.
    private struct Group {
      let table: PostgresTable
      let operations: [RecordOperation]
      /// The statement for an existing table.
      let mapped: PostgresStatement?

      /// Whether COPY adds the records faster. SQL computes other columns, and COPY reports no single record.
      var canBeCopied: Bool {
        operations.count >= 256 && operations[0].operation == .create && table.mapped == nil && table.columns.isEmpty
          && !table.isPartitioned
      }
    }

    /// The error of a COPY, which does not name the record.
    private struct FailedCopy: Error {}

    /// Adds the records of some groups with COPY. Records of the other groups can have been written before or after.
    private func copy(
      _ groups: [Group], after statements: [PostgresStatement], on connection: PostgresConnection
    ) async throws {
      let count = groups.reduce(0) { $0 + $1.operations.count }
      let numbers = "SELECT nextval(\(SQLName.sequence(catalog.schema))) AS n FROM generate_series(1, $1::bigint)"
      let reserved = try await connection.run(
        statements + [
          PostgresStatement(
            "SELECT min(n), max(n) FROM (\(numbers)) AS reserved", [.integer(Int64(count))])
        ]
      ).last
      guard let first = reserved?.integer(0, 0), let last = reserved?.integer(0, 1) else { throw FailedCopy() }
      var orders: [Int] = []
      if last - first == count - 1 {
        orders = Array(first...last)
      } else {
        // Others have taken numbers in between. Unused ones are skipped.
        let rows = try await connection.run([PostgresStatement(numbers, [.integer(Int64(count))])])[0]
        orders = (0..<rows.count).compactMap { rows.integer($0, 0) }
        if orders.count != count { throw FailedCopy() }
      }
      var next = orders.makeIterator()
      for group in groups {
        var rows = CopyRows(columnCount: 4, size: group.operations.reduce(64) { $0 + $1.value.count + 96 })
        for operation in group.operations {
          rows.beginRow()
          rows.add(SQLName.encoded(operation.identifier).utf8)
          rows.add(Int64(next.next() ?? 0))
          rows.add(number)
          rows.add(operation.value)
        }
        rows.end()
        do {
          let count = try await connection.copy(
            "COPY \(group.table.sql) (id, seq, revision, body) FROM STDIN (FORMAT binary)", rows)
          if count != group.operations.count { throw FailedCopy() }
        } catch let error as PostgresError where !error.isConnectionLost && !error.isTransient {
          throw FailedCopy()
        }
      }
    }

    private func groups(_ tables: [String: PostgresTable]) throws -> [Group] {
      let mapped = tables.compactMapValues(\.mapped)
      if mapped.isEmpty { return try self.groups(batch.operations[...], tables, tables.keys.sorted()) }
      // Constraints of existing tables hold after each statement. The order of the batch is kept, and rows that others
      // reference are created first and deleted last.
      let types = MappedTable.referencedFirst(mapped) + tables.keys.filter { mapped[$0] == nil }.sorted()
      var groups: [Group] = []
      var rest = batch.operations[...]
      while let kind = rest.first?.operation {
        let run = rest.prefix { $0.operation == kind }
        groups += try self.groups(run, tables, kind == .delete ? types.reversed() : types)
        rest = rest.dropFirst(run.count)
      }
      return groups
    }

    private func groups(
      _ operations: ArraySlice<RecordOperation>, _ tables: [String: PostgresTable], _ types: [String]
    ) throws -> [Group] {
      var sorted: [String: [RecordOperation.Kind: [RecordOperation]]] = [:]
      for operation in operations {
        sorted[operation.type, default: [:]][operation.operation, default: []].append(operation)
      }
      var groups: [Group] = []
      for type in types {
        guard let table = tables[type], let kinds = sorted[type] else { continue }
        // A value that has to be unique can go from a record that is removed to another one.
        for kind in [RecordOperation.Kind.delete, .update, .create] {
          guard let operations = kinds[kind] else { continue }
          // In the order of identifiers, so that two batches lock records in one order.
          let ordered = kind == .create ? operations : operations.sorted { $0.identifier < $1.identifier }
          if let mapped = table.mapped {
            let writes = try mapped.writes(kind, ordered, table)
            groups += writes.map { Group(table: table, operations: $0.operations, mapped: $0.statement) }
          } else {
            groups.append(Group(table: table, operations: ordered, mapped: nil))
          }
        }
      }
      return groups
    }

    private var forgetChanges: PostgresStatement {
      PostgresStatement(
        "DELETE FROM \(catalog.schema).modelkit_changes WHERE at < now() - make_interval(secs => $1)",
        [.double(catalog.options.changeRetention.seconds)])
    }

    /// Raises the last integer of types whose new records have identifiers already.
    private func noteIntegers(_ tables: [String: PostgresTable]) async throws {
      var largest: [String: Int64] = [:]
      for operation in batch.operations where operation.operation == .create {
        if tables[operation.type]?.mapped != nil { continue }
        guard let integer = Int64(operation.identifier), integer > 0 else { continue }
        largest[operation.type] = max(largest[operation.type] ?? 0, integer)
      }
      if largest.isEmpty { return }
      let types = largest.sorted { $0.key < $1.key }
      try await catalog.pool.reading { connection in
        _ = try await connection.run([
          PostgresStatement(
            """
            INSERT INTO \(catalog.schema).modelkit_integers AS i (type, last) SELECT * FROM unnest($1::text[], $2::bigint[]) \
            ON CONFLICT (type) DO UPDATE SET last = excluded.last WHERE i.last < excluded.last
            """, [.texts(types.map(\.key)), .integers(types.map(\.value))])
        ])
      }
    }

    // MARK: Failures

    /// Returns an error of the server with the fields that violate a constraint.
    private func named(_ error: PostgresError, _ groups: [Group]) -> PostgresError {
      guard let state = error.sqlState, state.hasPrefix("23") || state == "22001" || state == "22003" else {
        return error
      }
      var error = error
      // A deferred constraint fails in COMMIT. If its table was not written, a row that it references was deleted.
      let isWritten = groups.contains { $0.table.name == error.table && $0.operations.first?.operation != .delete }
      let deletes = groups.contains { $0.operations.first?.operation == .delete }
      error.isAboutReferences =
        state == "23503" && (error.statement?.hasPrefix("DELETE") == true || (deletes && !isWritten))
      for group in groups where error.table == nil || error.table == group.table.name {
        error.fields += group.table.mapped?.fields(of: error, in: group.operations) ?? []
        if let key = group.table.key(ofUniqueIndex: error.constraint) { error.fields.append(key) }
      }
      var seen: Set<String> = []
      error.fields = error.fields.filter { seen.insert($0).inserted }
      return error
    }

    private func migratedMeanwhile(_ types: some Sequence<String>) -> ModelStoreError {
      ModelStoreError(
        .unsupported,
        """
        Nothing was written: a later program has migrated the records of \
        \(types.sorted().map(\.nameForMessage).joined(separator: ", ")). Update this program.
        """)
    }

    /// Returns the first difference between the records and the expectations of the operations.
    private func mismatch(
      _ group: Group, _ rows: PostgresRows, on connection: PostgresConnection
    ) async throws -> any Error {
      let done = Set((0..<rows.count).compactMap { rows.text($0, 0) }.map { Array($0.utf8) })
      var seen: Set<[UInt8]> = []
      for operation in group.operations {
        let identifier = group.table.parameter(operation.identifier) ?? ""
        if done.contains(Array(identifier.utf8)), seen.insert(Array(identifier.utf8)).inserted { continue }
        if operation.operation == .create, !group.table.isPartitioned {
          return RecordMismatch(.exists, operation.type, operation.identifier)
        }
        let found = try await connection.run([
          PostgresStatement(
            "SELECT 1 FROM \(group.table.sql) AS t WHERE \(group.table.isEqual("t", "$1"))", [.text(identifier)])
        ])
        if operation.operation == .create {
          if found[0].count > 0 { return RecordMismatch(.exists, operation.type, operation.identifier) }
          return PostgresError("a partition has a unique index with the same value", sqlState: "23505")
        }
        return RecordMismatch(found[0].count == 0 ? .isMissing : .wasChanged, operation.type, operation.identifier)
      }
      return RecordMismatch(.wasChanged, group.table.type, group.operations.first?.identifier ?? "")
    }

    /// A connection that was lost after COMMIT was sent.
    private struct LostCommit: Error {
      let completed: [RecordOperation]
      let cause: PostgresError
    }

    /// Returns whether the server committed the batch, once its transaction has ended.
    ///
    /// - Throws: `ModelStoreError` if the outcome is unknown.
    private func wasCommitted(_ lost: LostCommit) async throws -> Bool {
      // A standby that has not replayed the commit yet has no row and no lock.
      let lock = PostgresStatement(
        "SELECT CASE WHEN pg_is_in_recovery() THEN FALSE ELSE pg_try_advisory_xact_lock_shared($1) END",
        [.integer(number)])
      let changes = PostgresStatement(
        "SELECT 1 FROM \(catalog.schema).modelkit_changes WHERE batch = $1 LIMIT 1", [.integer(number)])
      let deadline = ContinuousClock.now + catalog.options.connectionTimeout
      var wait = Duration.milliseconds(50)
      repeat {
        let outcome = try? await catalog.pool.reading { connection in
          // The lock is released after the rows of the batch are visible, so a free one means that they decide. A
          // promoted standby has no locks of the previous server, and may have no rows.
          guard try await connection.run([lock], isCancellable: false)[0].text(0, 0) == "t" else { return Bool?.none }
          // In a transaction of its own, whose snapshot is not older than the lock.
          return try await connection.run([changes], isCancellable: false)[0].count > 0
        }
        if let outcome = outcome ?? nil { return outcome }
        try? await Task.sleep(for: wait)
        wait = min(wait * 2, .seconds(2))
      } while .now < deadline
      throw ModelStoreError.unknownOutcome(lost.cause)
    }
  }
#endif

#if Postgres
  @_spi(ModelKitInternals) import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol

  extension PostgresCommit {
    var locks: [PostgresStatement] {
      var keys: [Int64: Bool] = [:]
      for type in Set(batch.operations.map(\.type)) { keys[catalog.lockKey(ofType: type)] = false }
      if let reads = batch.reads {
        // At the level repeatableRead, those of records that can't be read: their deletion compares no revision.
        let unseen = batch.operations.filter { $0.operation == .delete && $0.expectedRevision == nil }.map(\.type)
        let types = catalog.options.isolation == .serializable ? Array(reads.types) : unseen
        for type in types { keys[catalog.lockKey(ofType: type)] = true }
      }
      // In one order, so that no two transactions wait for each other.
      return keys.sorted { $0.key < $1.key }.map { key, isExclusive in
        PostgresStatement("SELECT pg_advisory_xact_lock\(isExclusive ? "" : "_shared")($1)", [.integer(key)])
      }
    }

    /// The operations of one kind on one table.
    struct Group {
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
    struct FailedCopy: Error {}

    /// Adds the records of some groups with COPY. Records of the other groups can have been written before or after.
    func copy(
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

    func groups(_ tables: [String: PostgresTable]) throws -> [Group] {
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

    var forgetChanges: PostgresStatement {
      PostgresStatement(
        "DELETE FROM \(catalog.schema).modelkit_changes WHERE at < now() - make_interval(secs => $1)",
        [.double(catalog.options.changeRetention.seconds)])
    }

    /// Raises the last integer of types whose new records have identifiers already.
    func noteIntegers(_ tables: [String: PostgresTable]) async throws {
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
  }
#endif

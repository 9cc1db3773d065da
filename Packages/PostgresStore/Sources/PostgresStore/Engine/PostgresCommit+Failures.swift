#if Postgres
  @_spi(ModelKitInternals) import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol

  extension PostgresCommit {
    /// Returns an error of the server with the fields that violate a constraint.
    func named(_ error: PostgresError, _ groups: [Group]) -> PostgresError {
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

    func migratedMeanwhile(_ types: some Sequence<String>) -> ModelStoreError {
      ModelStoreError(
        .unsupported,
        """
        Nothing was written: a later program has migrated the records of \
        \(types.sorted().map(\.nameForMessage).joined(separator: ", ")). Update this program.
        """)
    }

    /// Returns the first difference between the records and the expectations of the operations.
    func mismatch(
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
    struct LostCommit: Error {
      let completed: [RecordOperation]
      let cause: PostgresError
    }

    /// Returns whether the server committed the batch, once its transaction has ended.
    ///
    /// - Throws: `ModelStoreError` if the outcome is unknown.
    func wasCommitted(_ lost: LostCommit) async throws -> Bool {
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

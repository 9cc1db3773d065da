#if Postgres
  @_spi(ModelKitInternals) import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol
  import Synchronization

  /// The commits of all processes, as one of them reads them.
  ///
  /// A row of the table `modelkit_changes` has the number of its transaction. It has the identifiers of records of one
  /// type that were written in one way. New rows are found by comparing snapshots of the server: they are visible now, and
  /// were not in the previous snapshot. So none is skipped, even if transactions overlap.
  final class ChangeLog: Sendable {
    private struct State {
      var snapshot: String?
      /// The start of the server that the snapshot is of. Another server can use the numbers of transactions again.
      var server: String?
      var lastReading = ContinuousClock.now
      /// The changes committed by this process, by the number of the batch.
      var ownChanges: [Int64: [RecordChange]] = [:]
    }

    let feed: StoreChangeFeed
    let trackers = ConflictTrackers()
    private let catalog: PostgresCatalog
    private let gate = AsyncGate()
    private let state = Mutex(State())

    init(_ catalog: PostgresCatalog, _ feed: StoreChangeFeed) {
      self.catalog = catalog
      self.feed = feed
    }

    /// Reads the log for the first time, so that later reads find all commits since.
    func begin() async throws {
      try await catalog.open(creates: catalog.options.createsTables)
      if state.withLock({ $0.snapshot == nil }) { try await catalog.pool.reading { try await follow(on: $0) } }
    }

    /// Reads the commits since the last call, even if the store was not used before.
    func poll() async throws {
      try await begin()
      try await catalog.pool.withConnection { try await follow(on: $0) }
    }

    /// Returns a connection that the server notifies of commits; nil if there is none, such as behind a pooler of
    /// transactions, which delivers no notifications.
    func makeListener() async -> PostgresConnection? {
      guard catalog.options.usesNotifications,
        let listener = try? await PostgresConnection.open(
          catalog.pool.location, ConnectionOptions(preparesStatements: false))
      else { return nil }
      do {
        _ = try await listener.run([PostgresStatement("LISTEN \(SQLName.quoted(catalog.channel))")])
        _ = try await catalog.pool.read([PostgresStatement("SELECT pg_notify($1, '')", [.text(catalog.channel)])])
        if try await listener.waitForNotification(atMost: .milliseconds(500), while: { true }) { return listener }
      } catch {
        // Such as a standby, which can't listen.
      }
      listener.close()
      return nil
    }

    /// Keeps the changes of a batch, so that they are not read again, and their values, which the table does not contain.
    func noteOwn(_ changes: [RecordChange], _ batch: Int64) { state.withLock { $0.ownChanges[batch] = changes } }

    /// Discards a batch that was not committed.
    func discardOwn(_ batch: Int64) { _ = state.withLock { $0.ownChanges.removeValue(forKey: batch) } }

    /// Reads the commits since the last call, and notifies open transactions and live results.
    ///
    /// - Parameter connection: a connection without a transaction, or with one that has not written.
    func follow(on connection: PostgresConnection) async throws {
      try await gate.pass {
        let (snapshot, server, isTooOld, own) = state.withLock { state in
          (
            state.snapshot, state.server, state.lastReading.duration(to: .now) > catalog.options.changeRetention / 2,
            Array(state.ownChanges.keys)
          )
        }
        let now = ContinuousClock.now
        let isNew = snapshot == nil || isTooOld
        let rows = try await connection.run([
          PostgresStatement(
            """
            SELECT pg_current_snapshot()::text, c.type, i.id, c.kind, c.batch, pg_postmaster_start_time()::text, \
            pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax($1::text::pg_snapshot) \
            FROM (SELECT 1) AS one LEFT JOIN \(catalog.schema).modelkit_changes AS c \
            ON c.transaction >= pg_snapshot_xmin($1::text::pg_snapshot) \
            AND NOT pg_visible_in_snapshot(c.transaction, $1::text::pg_snapshot) \
            LEFT JOIN LATERAL unnest(CASE WHEN c.batch = ANY ($2) THEN '{}' ELSE c.ids END) \
            WITH ORDINALITY AS i (id, place) ON TRUE ORDER BY c.position, i.place
            """, [isNew ? .null : .text(snapshot ?? ""), .integers(own)])
        ])[0]
        let newServer = rows.text(0, 5)
        var isReplaced = isNew || newServer != server || rows.text(0, 6) == "t"
        var batches: [(number: Int64, changes: [RecordChange])] = []
        if !isReplaced {
          if let found = try await self.batches(in: rows, on: connection) { batches = found } else { isReplaced = true }
        }
        state.withLock { ($0.snapshot, $0.server, $0.lastReading) = (rows.text(0, 0) ?? snapshot, newServer, now) }
        if isReplaced, snapshot != nil {
          trackers.noteReplacement()
          feed.appendReplacement()
        }
        for (number, changes) in batches {
          trackers.note(changes.map { .delete($0.typeName, $0.identifier) })
          feed.append(state.withLock { $0.ownChanges.removeValue(forKey: number) } ?? changes)
        }
      }
      feed.deliver()
    }

    /// Returns the commits that were logged. The log has no values: observed changes get those of the records now,
    /// which may be of later commits. Those of own batches are known.
    ///
    /// - Returns: nil if an own batch was discarded while the log was read, because its outcome is unknown.
    private func batches(
      in rows: PostgresRows, on connection: PostgresConnection
    ) async throws -> [(number: Int64, changes: [RecordChange])]? {
      var batches: [(number: Int64, changes: [RecordChange])] = []
      var places: [Int64: Int] = [:]
      var unknown: [String: [String]] = [:]
      for row in 0..<rows.count {
        guard let type = rows.text(row, 1), let kind = rows.text(row, 3).flatMap(RecordChange.Kind.init(rawValue:)),
          let number = rows.integer(row, 4)
        else { continue }
        let batch = Int64(number)
        guard let identifier = rows.text(row, 2).map(SQLName.decoded) else {
          if places[batch] != nil { continue }
          guard let own = state.withLock({ $0.ownChanges[batch] }) else { return nil }
          places[batch] = batches.count
          batches.append((batch, own))
          continue
        }
        // Rows of overlapping transactions are interleaved.
        let place = places[batch] ?? batches.count
        if place == batches.count {
          batches.append((batch, []))
          places[batch] = place
        }
        batches[place].changes.append(RecordChange(kind, type, identifier))
        if kind != .deleted, feed.isObserved(type) { unknown[type, default: []].append(identifier) }
      }
      for (type, identifiers) in unknown {
        let table = try await catalog.table(of: type, creates: false, on: connection)
        guard let statement = table.reading(identifiers) else { continue }
        let rows = try await connection.run([statement])[0]
        var records: [[UInt8]: [UInt8]] = [:]
        for row in 0..<rows.count {
          // Observers read a record that has no value here, and report the error.
          guard let record = try? table.record(rows, row) else { continue }
          records[Array(record.identifier.utf8)] = record.bytes
        }
        for place in batches.indices {
          if state.withLock({ $0.ownChanges[batches[place].number] != nil }) { continue }
          batches[place].changes = batches[place].changes.map { change in
            if change.typeName != type || change.kind == .deleted { return change }
            return RecordChange(
              change.kind, type, change.identifier, after: records[Array(change.identifier.utf8)])
          }
        }
      }
      return batches
    }
  }
#endif

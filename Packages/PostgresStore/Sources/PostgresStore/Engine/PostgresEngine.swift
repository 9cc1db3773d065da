#if Postgres
  @_spi(ModelKitInternals) public import StoreEngine
  @_spi(ModelKitInternals) public import StoreProtocol
  import Synchronization

  /// The shared engine of a PostgreSQL store's instances: the tables of a database, and the connections to it.
  ///
  /// ```swift
  /// let handle = store.handle
  /// Task {
  ///   let other = PostgresModelStore(handle)
  ///   print(try await other.count(Book.self))
  /// }
  /// ```
  public final class PostgresEngine: RecordEngine {
    let catalog: Result<PostgresCatalog, PostgresError>
    let options: PostgresStoreOptions
    /// The feed of the commits of all processes, for live results of all store instances.
    public let changeFeed: StoreChangeFeed
    private let log: ChangeLog?
    private let follower: Follower

    init(_ location: String, _ options: PostgresStoreOptions) {
      self.options = options
      let follower = Follower()
      self.follower = follower
      changeFeed = StoreChangeFeed { follower.start() }
      do throws(PostgresError) {
        let pool = ConnectionPool(
          try PostgresLocation(location), size: options.poolSize,
          ConnectionOptions(preparesStatements: options.preparesStatements, answerTimeout: options.answerTimeout),
          timeout: options.connectionTimeout)
        let catalog = PostgresCatalog(pool, options)
        self.catalog = .success(catalog)
        let log = ChangeLog(catalog, changeFeed)
        self.log = log
        follower.begin(with: log, options.pollInterval)
      } catch {
        catalog = .failure(error)
        log = nil
      }
    }

    deinit { try? catalog.get().pool.close() }

    /// Returns the tables and the log, after the first call has checked or created them.
    func opened() async throws -> (catalog: PostgresCatalog, log: ChangeLog) {
      let catalog = try catalog.get()
      guard let log else { throw PostgresError("The store is closed.") }
      try await log.begin()
      return (catalog, log)
    }

    /// Creates or completes tables, and returns the statements for it.
    func prepare(_ tables: [PostgresCatalog.WantedTable], dryRun: Bool) async throws -> [String] {
      try await translating { try await catalog.get().prepare(tables, dryRun: dryRun) }
    }

    /// Runs a call to the server, and converts its errors to `ModelStoreError`.
    @discardableResult
    func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
      do {
        return try await body()
      } catch let error as PostgresError where error.sqlState == "57014" && Task.isCancelled {
        throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.", cause: error)
      } catch let error as PostgresError {
        throw ModelStoreError(error)
      } catch let error as CancellationError {
        throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.", cause: error)
      }
    }

    // MARK: Transactions

    /// The trackers of the open transactions. Reading it first records all commits so far.
    public var conflictTrackers: ConflictTrackers {
      get async throws {
        try await followCommits()
        guard let log else { throw ModelStoreError(.invalid, "The store was closed. Nothing was read or written.") }
        return log.trackers
      }
    }

    /// Reads the commits of all processes since the last call.
    public func followCommits() async throws {
      try await translating {
        let (catalog, log) = try await opened()
        try await catalog.pool.reading { try await log.follow(on: $0) }
      }
    }

    /// Commits a batch in one transaction.
    ///
    /// - Throws: `RecordMismatch`, or `ModelStoreError`. After a connection that was lost during COMMIT the outcome is
    ///   queried. If the server does not answer, the error states that the outcome is unknown.
    ///
    /// - Returns: the operations on existing tables whose rows have other values than were written, such as defaults,
    ///   with these values.
    public func commitCompleting(_ batch: RecordBatch) async throws -> [RecordOperation] {
      try await translating {
        let (catalog, log) = try await opened()
        return try await PostgresCommit(batch, catalog, log).run()
      }
    }

    /// Commits a batch in one transaction, as ``commitCompleting(_:)`` does.
    public func commit(_ batch: RecordBatch) async throws { _ = try await commitCompleting(batch) }

    /// Returns an integer for a new record of a type: one more than the largest so far, deleted records included. In an
    /// existing table it is the default of the identifier.
    public func nextInteger(for type: String) async throws -> Int? {
      if options.mappings.contains(where: { $0.typeName == type }) { return try await nextDefault(for: type) }
      do {
        return try await translating {
          let (catalog, _) = try await opened()
          // A number that is lost with its connection is skipped.
          let rows = try await catalog.pool.reading { connection in
            try await connection.run([
              PostgresStatement(
                """
                INSERT INTO \(catalog.schema).modelkit_integers AS i (type, last) VALUES ($1, 1) \
                ON CONFLICT (type) DO UPDATE SET last = i.last + 1 RETURNING last
                """, [.text(type)])
            ])
          }
          return rows[0].integer(0, 0)
        }
      } catch let error as ModelStoreError where (error.cause as? PostgresError)?.sqlState == "22003" {
        return nil
      }
    }

    private func nextDefault(for type: String) async throws -> Int? {
      try await translating {
        let (catalog, _) = try await opened()
        let table = try await catalog.table(of: type)
        guard let statement = table.mapped?.identifier.nextValue(in: table) else {
          throw ModelStoreError(
            .noIdentifier,
            "Nothing was written: the identifiers of the table \(table.name) have no default. Give the model one before it is created."
          )
        }
        return try await catalog.pool.read([statement])[0].integer(0, 0)
      }
    }

    // MARK: Reading

    /// Returns a snapshot of all records: a read-only transaction of the server, which occupies a connection until it
    /// is released.
    public func snapshot(pinned: Bool) async throws -> PostgresSnapshot {
      try await translating {
        let (catalog, _) = try await opened()
        let held = try await catalog.pool.begin([
          PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"), PostgresStatement("SELECT 1"),
        ])
        return PostgresSnapshot(engine: self, held: held)
      }
    }

    /// Returns the current records, without isolation from later commits.
    public func current() async throws -> PostgresSnapshot { PostgresSnapshot(engine: self, held: nil) }

    /// Returns a record; nil if there is none.
    public func read(_ type: String, _ identifier: String) async throws -> StoredRecord? {
      try await PostgresSnapshot(engine: self, held: nil).record(type, identifier)
    }

    /// The treatment of records that their class can't decode: see ``PostgresStoreOptions``.
    public var unreadable: UnreadableRecords { options.unreadable }

    /// Closes the connections. Calls after this one throw `offline`.
    func close() {
      changeFeed.finish()
      try? catalog.get().pool.close()
    }
  }

  /// A connection that is released to its pool with the last reference.
  final class HeldConnection: Sendable {
    let connection: PostgresConnection
    private let pool: ConnectionPool
    private let cursorCount = Mutex(0)

    init(_ connection: PostgresConnection, _ pool: ConnectionPool) {
      self.connection = connection
      self.pool = pool
    }

    deinit { pool.release(connection) }

    /// Returns a number that no other cursor of the connection's transaction has.
    func nextCursor() -> Int {
      cursorCount.withLock { count in
        count += 1
        return count
      }
    }
  }

  /// A task that reads the commits of other processes while live results are observed.
  final class Follower: Sendable {
    private struct State {
      weak var log: ChangeLog?
      var interval = Duration.milliseconds(200)
      var isRunning = false
    }

    private let state = Mutex(State())

    func begin(with log: ChangeLog, _ interval: Duration) {
      state.withLock { state in (state.log, state.interval) = (log, interval) }
    }

    func start() {
      let starts = state.withLock { state in
        if state.isRunning { return false }
        state.isRunning = true
        return true
      }
      if starts { Task { await run() } }
    }

    private var isObserved: Bool { state.withLock { $0.log?.feed.isObserved == true } }

    private func run() async {
      var listener: PostgresConnection?
      var nextAttempt = ContinuousClock.now
      while isObserved {
        listener = await poll(with: listener, &nextAttempt)
        let interval = state.withLock { $0.interval }
        do {
          guard let listener else {
            try? await Task.sleep(for: interval)
            continue
          }
          let isNotified = try await listener.waitForNotification(atMost: interval) { [self] in isObserved }
          // Commits in quick succession are read together.
          if isNotified { try? await Task.sleep(for: min(interval, .milliseconds(5))) }
        } catch {
          listener?.close()
          listener = nil
          try? await Task.sleep(for: min(interval, .milliseconds(200)))
        }
      }
      listener?.close()
      state.withLock { $0.isRunning = false }
      if isObserved { start() }
    }

    /// Reads the commits so far.
    ///
    /// - Parameters:
    ///   - listener: the connection that the server notifies.
    ///   - nextAttempt: the time from which a missing one is opened.
    /// - Returns: the connection that the server notifies of later commits; nil if there is none.
    private func poll(
      with listener: PostgresConnection?, _ nextAttempt: inout ContinuousClock.Instant
    ) async -> PostgresConnection? {
      // The log is released while the follower waits.
      guard let log = state.withLock({ $0.log }) else { return listener }
      // If the server can't be reached, the next poll reports the commits.
      try? await log.poll()
      if listener != nil || .now < nextAttempt { return listener }
      nextAttempt = .now + .seconds(30)
      let new = await log.makeListener()
      // A commit before LISTEN sends no notification.
      if new != nil { try? await log.poll() }
      return new
    }
  }

  @_spi(ModelKitInternals)
  extension PostgresEngine: IdentifierNormalizingEngine {}
#endif

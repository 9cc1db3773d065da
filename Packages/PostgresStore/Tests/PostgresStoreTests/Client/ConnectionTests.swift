#if Postgres
  import Foundation
  import ModelCore
  @testable import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `A connection to PostgreSQL` {
    private func makePool() async throws -> ConnectionPool {
      ConnectionPool(
        try PostgresLocation(try await TestServer.shared.value.location), size: 1,
        timeout: .seconds(30))
    }

    @Test func `A connection keeps a bounded number of prepared statements`() async throws {
      let pool = try await makePool()
      for number in 0..<600 {
        let rows = try await pool.read([PostgresStatement("SELECT \(number)"), PostgresStatement("SELECT 'often'")])
        #expect(rows[0].integer(0, 0) == number)
      }
      let prepared = try await pool.read([
        PostgresStatement(
          "SELECT count(*), count(*) FILTER (WHERE statement = $1) FROM pg_prepared_statements",
          [
            .text("SELECT 'often'")
          ])
      ])
      #expect(prepared[0].integer(0, 0) ?? .max <= 257)
      #expect(prepared[0].integer(0, 1) == 1)
    }

    @Test(.timeLimit(.minutes(2)))
    func `A cancelled statement that waits for its connection is not run`() async throws {
      let pool = try await makePool()
      let server = try await TestServer.shared.value
      try await pool.withConnection { connection in
        let first = Task { try await connection.run([PostgresStatement("SELECT pg_sleep(600)")]) }
        let running = "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'"
        try await yielding { try server.psql(running) != "0" }
        let second = Task { try await connection.run([PostgresStatement("SELECT 1")]) }
        for _ in 0..<1_000 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { _ = try await second.value }
        await #expect(throws: PostgresError.self) { _ = try await first.value }
      }
    }

    @Test(.timeLimit(.minutes(2)))
    func `Stores of several processes that first use an empty schema at the same time create its tables once`()
      async throws
    {
      var options = TestServer.options()
      options.poolSize = 1
      let server = try await TestServer.shared.value
      let location = server.location + "?application_name=\(options.schema)"
      let handles = (0..<4).map { _ in PostgresModelStore(location, options: options).handle }
      for (number, handle) in handles.enumerated() {
        // A session that has created a schema before caches that this one is missing.
        let catalog = try handle.catalog.get()
        let name = PostgresValue.text(catalog.schema)
        _ = try await catalog.pool.read([
          PostgresStatement("CREATE SCHEMA IF NOT EXISTS \(options.schema)_\(number)"),
          PostgresStatement("SELECT to_regnamespace($1) IS NOT NULL", [name]),
        ])
      }
      // Each store waits for the lock after it has seen that there are no tables.
      let lock = try await PostgresConnection.open(try PostgresLocation(server.location))
      let key = PostgresValue.integer(try handles[0].catalog.get().lockKey)
      _ = try await lock.run([PostgresStatement("SELECT pg_advisory_lock($1)", [key])])
      try await withThrowingTaskGroup(of: Int.self) { group in
        for handle in handles { group.addTask { try await PostgresModelStore(handle).count(Note.self) } }
        let waiting =
          "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(options.schema)' AND wait_event = 'advisory'"
        try await yielding { try server.psql(waiting) == "4" }
        _ = try await lock.run([PostgresStatement("SELECT pg_advisory_unlock($1)", [key])])
        for try await count in group { #expect(count == 0) }
      }
    }

    @Test func `A read that the server rolls back because of others is repeated`() async throws {
      let pool = try await makePool()
      var count = 0
      let value = try await pool.reading { connection in
        count += 1
        let fails = "DO $$ BEGIN RAISE EXCEPTION 'conflict with recovery' USING ERRCODE = '40001'; END $$"
        if count == 1 { _ = try await connection.run([PostgresStatement(fails)]) }
        return try await connection.run([PostgresStatement("SELECT 7")])[0].integer(0, 0)
      }
      #expect(value == 7 && count == 2)
    }

    /// A server with a login `guarded` that needs a password.
    private func makeGuardedServer(password: String) async throws -> TestServer {
      let access = URL(filePath: NSTemporaryDirectory()).appending(path: "modelkit-access-\(UUID().uuidString)")
      try Data("host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n".utf8).write(to: access)
      defer { try? FileManager.default.removeItem(at: access) }
      let server = try await TestServer(settings: ["hba_file=\(access.path())", "log_statement=all"])
      // The statement is not logged.
      try server.psql("SET log_statement = none; CREATE ROLE guarded LOGIN PASSWORD '\(password)'")
      try server.psql("GRANT CREATE ON DATABASE postgres TO guarded")
      return server
    }

    /// The texts of the events of stores with a class of this test.
    private final class Texts: Sendable {
      private let texts = NSLockProtected<[String]>([])
      var all: [String] { texts.withLock { $0 } }
      func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    // The other tests of this process set no handler of events.
    @Test func `No event, report, description or statement shows a password`() async throws {
      let password = "s3cret-word"
      let server = try await makeGuardedServer(password: password)
      let texts = Texts()
      ModelStoreEvent.handler = { event in texts.add("\(event) \(String(reflecting: event))") }
      defer { ModelStoreEvent.handler = nil }
      let location = "postgres://guarded:\(password)@127.0.0.1:\(server.port)/postgres"
      let store = PostgresModelStore(location, options: TestServer.options())
      try await store.index(\Secret.text, unique: true)
      for _ in 0..<2 {
        let secret = Secret()
        secret.text.value = "once"
        // The second one is a conflict.
        _ = try? await store.create(secret)
      }
      #expect(try await store.list(Secret.self, where: { $0.text == "once" }).count == 1)
      let report = try await store.explain(ModelQuery(Secret.self, where: { $0.text == "once" }))
      for location in [location + "x", location.replacing(":\(password)@", with: ":\(password)x@")] {
        let rejected = PostgresModelStore(location, options: TestServer.options())
        await #expect(throws: ModelStoreError.self) { _ = try await rejected.count(Secret.self) }
      }
      let events = texts.all.filter { $0.contains(Secret.typeName) }
      #expect(events.contains { $0.contains("conflict") } && events.contains { $0.contains("unauthorized") })
      #expect(report.databasePlan != nil && report.statement != nil)
      // A program may log a store as a dump.
      var dumped = ""
      dump(store, to: &dumped)
      dump(report, to: &dumped)
      #expect(dumped.contains("postgres://guarded@127.0.0.1"))
      let log = try String(contentsOf: server.folder.appending(path: "server.log"), encoding: .utf8)
      #expect(log.contains("execute m") && log.contains("password authentication failed"))
      for text in texts.all + [dumped, log, "\(report)", "\(store)", String(reflecting: store)] {
        #expect(!text.contains(password))
      }
    }

    @Test func `A login that the server rejects is unauthorized, and a missing database is not found`() async throws {
      let server = try await makeGuardedServer(password: "right")
      func code(_ login: String, _ database: String = "postgres") async -> ModelStoreError.Code? {
        let store = PostgresModelStore(
          "postgres://\(login)@127.0.0.1:\(server.port)/\(database)", options: TestServer.options())
        return await #expect(throws: ModelStoreError.self) { _ = try await store.count(Note.self) }?.code
      }
      #expect(await code("guarded:wrong") == .unauthorized)
      #expect(await code("guarded") == .unauthorized)
      #expect(await code("unknown") == .unauthorized)
      #expect(await code("tester", "missing") == .notFound)
    }
  }

  private final class Secret: Model {
    let id = Field<Int>()
    let text = Field<String>()
    override var identifierField: AnyField? { id }
  }
#endif

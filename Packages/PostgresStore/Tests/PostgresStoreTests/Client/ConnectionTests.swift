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

    @Test func `A cancelled statement that waits for its connection is not run`() async throws {
      let pool = try await makePool()
      let server = try await TestServer.shared.value
      try await pool.withConnection { connection in
        let first = Task { try await connection.run([PostgresStatement("SELECT pg_sleep(600)")]) }
        while try server.psql("SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'") == "0" {
          await Task.yield()
        }
        let second = Task { try await connection.run([PostgresStatement("SELECT 1")]) }
        for _ in 0..<1_000 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { _ = try await second.value }
        await #expect(throws: PostgresError.self) { _ = try await first.value }
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

    @Test func `A login that the server rejects is unauthorized, and a missing database is not found`() async throws {
      let access = URL(filePath: NSTemporaryDirectory()).appending(path: "modelkit-access-\(UUID().uuidString)")
      try Data("host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n".utf8).write(to: access)
      defer { try? FileManager.default.removeItem(at: access) }
      let server = try await TestServer(settings: ["hba_file=\(access.path())"])
      try server.psql("CREATE ROLE guarded LOGIN PASSWORD 'right'")
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
#endif

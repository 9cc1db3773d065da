#if Postgres
  import Foundation
  import ModelCore
  @testable import PostgresStore
  import StoreEngine
  import StoreProtocol
  import Testing

  // One test after another, because each occupies many connections of the server.
  @Suite(.serialized) struct `The pool of a PostgreSQL store` {
    @Test(.timeLimit(.minutes(2)), arguments: [4, 64])
    func `As many writes as the pool has connections are in the server at the same time, and no more`(poolSize: Int)
      async throws
    {
      let server = try await TestServer.shared.value
      var options = TestServer.options()
      (options.poolSize, options.connectionTimeout) = (poolSize, .seconds(100))
      let schema = options.schema
      let store = PostgresModelStore(server.location + "?application_name=\(schema)", options: options)
      try await store.prepare([Note.self])
      // Each write waits for a lock that the test has.
      let key = Int64.random(in: 1...Int64.max)
      try server.psql(
        """
        CREATE FUNCTION \(schema).wait() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM pg_advisory_xact_lock_shared(\(key)); RETURN NEW; END $$; \
        CREATE TRIGGER wait BEFORE INSERT ON \(schema).note FOR EACH ROW EXECUTE FUNCTION \(schema).wait();
        """)
      let lock = try await PostgresConnection.open(try PostgresLocation(server.location))
      _ = try await lock.run([PostgresStatement("SELECT pg_advisory_lock($1)", [.integer(key)])])
      let handle = store.handle
      let (waiting, open) = try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<100 {
          group.addTask { _ = try await PostgresModelStore(handle).create(Note()) }
        }
        func count(_ condition: String) throws -> Int? {
          Int(
            try server.psql(
              "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(schema)' AND \(condition)"))
        }
        while try count("wait_event = 'advisory' AND query LIKE 'INSERT%'") != poolSize { await Task.yield() }
        let counts = (
          try count("wait_event = 'advisory' AND query LIKE 'INSERT%'"), try count("backend_type = 'client backend'")
        )
        _ = try await lock.run([PostgresStatement("SELECT pg_advisory_unlock($1)", [.integer(key)])])
        try await group.waitForAll()
        return counts
      }
      #expect(waiting == poolSize && open == poolSize)
      #expect(try await store.count(Note.self) == 100)
    }
  }
#endif

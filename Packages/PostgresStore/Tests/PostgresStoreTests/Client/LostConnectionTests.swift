#if Postgres
  import Foundation
  import ModelCore
  @testable import PostgresStore
  import StoreEngine
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Lost connections to PostgreSQL` {
    @Test(.timeLimit(.minutes(2)))
    func `A write whose connection is lost while the server still commits it is reported as written`() async throws {
      let server = try await TestServer()
      let options = TestServer.options()
      try await PostgresModelStore(server.location, options: options).prepare([Note.self])
      // COMMIT waits for a lock that the test has.
      let schema = options.schema
      try server.psql(
        """
        CREATE FUNCTION \(schema).wait() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END $$; \
        CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON \(schema).note DEFERRABLE INITIALLY DEFERRED \
        FOR EACH ROW EXECUTE FUNCTION \(schema).wait();
        """)
      let lock = try await PostgresConnection.open(
        try PostgresLocation(server.location + "?application_name=test"))
      _ = try await lock.run([PostgresStatement("SELECT pg_advisory_lock(7)")])
      let write = Task {
        let note = Note()
        note.text.value = "written"
        try await PostgresModelStore(server.location, options: options).create(note)
        return note.isPersisted
      }
      let commit = "FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'advisory'"
      try await yielding { try server.psql("SELECT count(*) \(commit)") != "0" }
      TestServer.cutConnections(port: try #require(Int(try server.psql("SELECT client_port \(commit)"))))
      // The store queries the outcome over another connection.
      let queries =
        "FROM pg_stat_activity WHERE application_name = 'ModelKit' AND query_start > (SELECT query_start \(commit))"
      try await yielding { try server.psql("SELECT count(*) \(queries)") != "0" }
      _ = try await lock.run([PostgresStatement("SELECT pg_advisory_unlock(7)")])
      #expect(try await write.value)
      #expect(try server.psql("SELECT count(*) FROM \(schema).note") == "1")
    }

    @Test func `Each kind of call replaces idle connections that the server ended`() async throws {
      let options = TestServer.options()
      let server = try await TestServer.shared.value
      let store = PostgresModelStore(server.location + "?application_name=\(options.schema)", options: options)
      let note = Note()
      try await store.create(note)
      func endConnections() throws {
        try server.psql(
          "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = '\(options.schema)'")
      }
      try endConnections()
      #expect(try await store.handle.nextInteger(for: Note.typeName) == 2)
      try endConnections()
      #expect(try await store.handle.snapshot(pinned: true).count(Note.typeName) == 1)
      try endConnections()
      try await store.handle.commit(RecordBatch([.create(Note.typeName, "9", Array(#"{"id":9}"#.utf8))]))
      try endConnections()
      try await store.prepare([Volume.self])
      #expect(try await store.handle.nextInteger(for: Note.typeName) == 10)
    }

    @Test(.timeLimit(.minutes(2)))
    func `Live results show the commits of a standby whose transactions have smaller numbers`() async throws {
      let servers = [try await TestServer(), try await TestServer()]
      let options = TestServer.options()
      for server in servers { try await PostgresModelStore(server.location, options: options).prepare([Note.self]) }
      try servers[0].psql(String(repeating: "BEGIN; SELECT pg_current_xact_id(); ROLLBACK;\n", count: 500))
      let hosts = servers.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
      let store = PostgresModelStore("postgres://tester@\(hosts)/postgres", options: options)
      var results = store.observe(Note.self).makeAsyncIterator()
      #expect(await results.next()?.models.isEmpty == true)
      let note = Note()
      try await PostgresModelStore(servers[1].location, options: options).create(note)
      try servers[0].stop()
      var found = await results.next()?.models
      while found?.isEmpty == true { found = await results.next()?.models }
      #expect(found?.map(\.identifier) == [note.identifier])
    }
  }
#endif

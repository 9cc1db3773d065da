#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol
  import StoreProtocolTesting
  import Testing

  // One test after another, because each has a server busy.
  @Suite(.serialized) struct `Injected faults of PostgreSQL` {
    /// The number of lost connections and serialization failures: ten thousand with an effort of 34.
    private static let faultCount = min(10_000, 300 * TestEffort.factor)

    /// Makes transactions fail at random, before COMMIT and in it, as they do in the server if others write the same.
    private func injectSerializationFailures(_ server: TestServer, _ schema: String) throws {
      try server.psql(
        """
        CREATE SEQUENCE \(schema).failures;
        CREATE FUNCTION \(schema).fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF random() < 0.06 THEN
            PERFORM nextval('\(schema).failures');
            IF random() < 0.5 THEN RAISE EXCEPTION 'injected' USING ERRCODE = '40001'; END IF;
            RAISE EXCEPTION 'injected' USING ERRCODE = '40P01';
          END IF;
          RETURN NULL;
        END $$;
        CREATE TRIGGER fail AFTER INSERT ON \(schema).modelkit_changes
          FOR EACH STATEMENT EXECUTE FUNCTION \(schema).fail();
        CREATE CONSTRAINT TRIGGER fail_in_commit AFTER INSERT ON \(schema).modelkit_changes DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION \(schema).fail();
        """)
    }

    private func failureCount(_ server: TestServer, _ schema: String) throws -> Int {
      Int(try server.psql("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM \(schema).failures")) ?? 0
    }

    @Test(.timeLimit(.minutes(20)), arguments: [true, false], [TestEffort.firstSeed])
    func `Lost connections and serialization failures lose no write and double none`(
      preparesStatements: Bool, seed: UInt64
    ) async throws {
      let server = try await TestServer()
      var options = TestServer.options()
      (options.poolSize, options.preparesStatements) = (8, preparesStatements)
      let schema = options.schema
      let direct = PostgresModelStore(server.location, options: options)
      try await direct.prepare([Note.self])
      for writer in 0..<8 {
        let counter = Note()
        (counter.text.value, counter.count.value) = ("counter \(writer)", 0)
        try await direct.create(counter)
      }
      try injectSerializationFailures(server, schema)
      let proxy = try FaultProxy(to: server.port, seed: seed)
      let handle = PostgresModelStore(
        "postgres://\(server.user)@127.0.0.1:\(proxy.port)/postgres", options: options
      ).handle
      let history = WriteHistory()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<8 { group.addTask { try await write(as: writer, handle, history) } }
        while try proxy.cutCount + failureCount(server, schema) < Self.faultCount / 2 {
          try await Task.sleep(for: .milliseconds(20))
        }
        history.finish()
        try await group.waitForAll()
      }
      proxy.endFaults()
      // Each transaction created a note and counted it.
      let texts = try server.psql("SELECT body ->> 'text' FROM \(schema).note WHERE body ->> 'text' LIKE 'note%'")
        .split(separator: "\n").map { String($0) }
      #expect(Set(texts).count == texts.count)
      #expect(history.acknowledged.subtracting(texts) == [])
      #expect(Set(texts).subtracting(history.acknowledged).subtracting(history.unknown) == [])
      for writer in 0..<8 {
        let counted = try server.psql(
          "SELECT body ->> 'count' FROM \(schema).note WHERE body ->> 'text' = 'counter \(writer)'")
        #expect(Int(counted) == texts.count { $0.hasPrefix("note \(writer) ") })
      }
      #expect(try proxy.cutCount > 10 && failureCount(server, schema) > 10)
      #expect(history.acknowledged.count > 100)
    }

    /// Creates notes and counts them in another one, each in a transaction, until the history is finished.
    private func write(as writer: Int, _ handle: PostgresEngine, _ history: WriteHistory) async throws {
      var number = 0
      while !history.isFinished {
        number += 1
        let text = "note \(writer) \(number)"
        do {
          // A request of its own each, as in a server.
          try await PostgresModelStore(handle).transaction { store in
            let counter = try await store.lookup(Note.self, identifier: "\(writer + 1)")
            counter.count.value = (counter.count.value ?? 0) + 1
            try await store.update(counter)
            let note = Note()
            note.text.value = text
            try await store.create(note)
          }
          history.note(text, writer, isKnown: true)
        } catch let error as ModelStoreError where error.isOutcomeUnknown {
          history.note(text, writer, isKnown: false)
        } catch let error as ModelStoreError where error.code == .conflict || error.code == .offline {
          // Nothing was written.
        }
      }
    }
  }
#endif

#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocolTesting
  import StoreEngine
  import StoreProtocol
  import Synchronization
  import Testing

  private final class Reports: Sendable {
    private let state = Mutex<[String]>([])
    var identifiers: [String] { state.withLock { $0 } }
    func add(_ identifier: String) { state.withLock { $0.append(identifier) } }
  }

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `The tables of a PostgreSQL store` {
    private func makeNote(_ text: String) -> Note {
      let note = Note()
      note.text.value = text
      return note
    }

    private func count(_ table: String, _ schema: String) async throws -> String {
      try await TestServer.shared.value.psql("SELECT count(*) FROM \(schema).\(table)")
    }

    @Test func `Two stores with connections of their own see each other's models`() async throws {
      let options = TestServer.options()
      let (first, second) = (try await TestServer.makeStore(options), try await TestServer.makeStore(options))
      let note = makeNote("seen")
      try await first.create(note)
      #expect(try await second.lookup(Note.self, identifier: try #require(note.identifier)).text.value == "seen")
      #expect(try await count("note", options.schema) == "1")
    }

    @Test func `A stream that is not read to the end returns its connection to the pool`() async throws {
      var options = TestServer.options()
      (options.poolSize, options.connectionTimeout) = (2, .seconds(2))
      let store = try await TestServer.makeStore(options)
      for number in 1...3 { try await store.create(makeNote("\(number)")) }
      for _ in 1...5 {
        for try await note in store.stream(Note.self, where: { $0.text != "2" }) {
          try await store.create(makeNote("later"))
          #expect(note.text.value == "1")
          break
        }
      }
      #expect(try await store.count(Note.self) == 8)
    }

    @Test func `A record that its class can't decode is refused, or skipped and reported`() async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      for text in ["a", "b"] { try await store.create(makeNote(text)) }
      let unfit = Array(#"{"id":"5","text":["no text"]}"#.utf8)
      try await store.handle.commit(RecordBatch([.create(Note.typeName, "5", unfit)]))
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.list(Note.self) }
      #expect(error?.code == .corrupt)
      #expect(error?.identifier == "5")
      let report = Reports()
      var skipping = options
      skipping.unreadable = .skip { report.add($0.identifier) }
      let other = try await TestServer.makeStore(skipping)
      #expect(try await other.list(Note.self).map(\.text.value) == ["a", "b"])
      var streamed: [String?] = []
      for try await note in other.stream(Note.self) { streamed.append(note.text.value) }
      #expect(streamed == ["a", "b"])
      #expect(report.identifiers == ["5", "5"])
    }

    @Test func `A row with a negative revision can be written, one with a negative position is refused`() async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      let note = makeNote("a")
      try await store.create(note)
      let identifier = try #require(note.identifier)
      _ = try await TestServer.shared.value.psql("UPDATE \(options.schema).note SET revision = -5")
      let other = try await TestServer.makeStore(options)
      let read = try await other.lookup(Note.self, identifier: identifier)
      read.text.value = "b"
      try await other.save(read)
      #expect(try await store.list(Note.self, where: { $0.text == "b" }).count == 1)
      _ = try await TestServer.shared.value.psql("UPDATE \(options.schema).note SET seq = -5")
      let last = try await TestServer.makeStore(options)
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await last.lookup(Note.self, identifier: identifier)
      }
      #expect(error?.code == .corrupt)
    }

    @Test func `The report on a query has its SQL without values`() async throws {
      let store = try await TestServer.makeStore()
      for text in ["a", "b"] { try await store.create(makeNote(text)) }
      let report = try await store.explain(ModelQuery(Note.self, where: { $0.text == "b" }, limit: 5))
      #expect(report.matchCount == 1)
      #expect(report.readCount == 1)
      let sql = try #require(report.statement)
      #expect(sql.hasPrefix("SELECT ") && sql.contains(" WHERE ") && sql.contains("$1") && !sql.contains("'b'"))
      #expect("\(report)".contains("; \(sql)\n"))
    }

    @Test func `SQL reads only a page of a class whose records determine their class`() async throws {
      let store = try await TestServer.makeStore()
      for number in 1...4 {
        let shape = number == 3 ? Circle() : Shape()
        shape.number = number
        if number == 3 { shape.radius = 1 }
        try await store.create(shape)
      }
      let query = ModelQuery(Shape.self, sort: [.descending(\.number)], limit: 2)
      let found = try await store.list(query)
      #expect(found.map(\.number) == [4, 3] && found[1] is Circle)
      let report = try await store.explain(query)
      #expect(report.readCount == 2)
      #expect(try #require(report.statement).contains(" LIMIT "))
      #expect(try await store.list(Circle.self, limit: 2).map(\.number) == [3])
    }

    @Test func `A page after another one has the next models that SQL finds`() async throws {
      let store = try await TestServer.makeStore()
      for number in 1...30 { try await store.create(makeNote("\(number)")) }
      let query = ModelQuery(Note.self, where: { $0.text != "7" }, limit: 10)
      let first = try await store.page(query, after: nil)
      #expect(first.models.compactMap(\.text.value) == (1...11).filter { $0 != 7 }.map { "\($0)" })
      let second = try await store.page(query, after: first.next)
      #expect(second.models.compactMap(\.text.value) == (12...21).map { "\($0)" })
      #expect(try await store.page(query, after: second.next).models.count == 9)
    }

    @Test(arguments: ["'; DROP TABLE note; --", "\\'; --", "\" $1 %s", "é\u{301}\u{1F600}", "{\"a\":null}"])
    func `A value stays a value and never becomes a part of a statement`(text: String) async throws {
      let store = try await TestServer.makeStore()
      try await store.create(makeNote(text))
      try await store.create(makeNote("other"))
      let found = try await store.list(Note.self, where: { $0.text == text })
      #expect(found.map(\.text.value) == [text])
      #expect(try await store.count(Note.self) == 2)
    }

    @Test func `A schema and a table can have any name`() async throws {
      var options = TestServer.options()
      // The marks make one character of the quote or backslash beside them.
      options.schema = #"a "quoted"; 'schema' \ "# + "\u{600}' \u{600}\" '\u{301}" + options.schema
      options.tableNames = ["Note": #"select "x"; 'y'"# + "\u{600}' \u{600}\" '\u{301} \\\u{301}"]
      let store = try await TestServer.makeStore(options)
      try await store.create(makeNote("kept"))
      #expect(try await store.list(Note.self).map(\.text.value) == ["kept"])
    }

    @Test func `The key of a field stays a key and never becomes a part of a statement`() async throws {
      let store = try await TestServer.makeStore()
      for text in ["a", "b"] {
        let quoted = Quoted()
        quoted.text.value = text
        try await store.create(quoted)
      }
      #expect(try await store.list(Quoted.self, where: { $0.text == "b" }).map(\.text.value) == ["b"])
      #expect(try await store.list(Quoted.self, sort: [.descending(\.text)]).map(\.text.value) == ["b", "a"])
    }

    @Test func `A store that must not create tables uses those that were prepared`() async throws {
      var options = TestServer.options()
      options.createsTables = false
      let store = try await TestServer.makeStore(options)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.count(Note.self) }
      #expect(error?.code == .notFound)
      try await store.prepare([Note.self])
      try await store.prepare([Note.self])
      try await store.create(makeNote("kept"))
      #expect(try await count("note", options.schema) == "1")
    }

    @Test func `A condition that SQL compares in another way is refused or tested in memory`() async throws {
      var options = TestServer.options()
      options.evaluation = .byStore
      let store = try await TestServer.makeStore(options)
      try await store.create(makeNote("abc"))
      try await store.create(makeNote("xyz"))
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await store.list(Note.self, where: { $0.text.matches(/a.c/) })
      }
      #expect(error?.code == .unsupported)
      let found = try await store.list(Note.self, where: { $0.text.matches(/a.c/) }, evaluation: .inMemory)
      #expect(found.map(\.text.value) == ["abc"])
    }

    @Test func `A UUID or a date of a condition in JSON can be spelled in each way that its field reads`() async throws
    {
      final class Token: Model {
        let id = Field<Int>()
        let code = Field<UUID>()
        let addedAt = Field<Date>()
        override var identifierField: AnyField? { id }
        override static var typeName: String { "Token" }
      }
      var options = TestServer.options()
      options.evaluation = .byStore
      let store = try await TestServer.makeStore(options)
      let token = Token()
      token.code.value = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
      token.addedAt.value = Date(timeIntervalSince1970: 1_772_323_200.5)
      try await store.create(token)
      func count(_ condition: JSONValue) async throws -> Int {
        var query = ModelQuery(Token.self)
        query.filter = try QueryExpression(json: condition)
        return try await store.list(query).count
      }
      let (code, date): (JSONValue, JSONValue) = ("e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "2026-03-01T00:00:00.500000Z")
      #expect(try await count(["field": "code", "is": "==", "value": code]) == 1)
      #expect(try await count(["field": "code", "is": "!=", "value": code]) == 0)
      #expect(try await count(["field": "code", "is": "in", "value": [code]]) == 1)
      #expect(try await count(["field": "addedAt", "is": "==", "value": date]) == 1)
      #expect(try await count(["field": "addedAt", "is": ">=", "value": date]) == 1)
      #expect(try await count(["field": "addedAt", "is": "<", "value": date]) == 0)
      // Another program can spell them in other ways, too.
      try await TestServer.shared.value.psql(
        "UPDATE \(options.schema).token SET body = replace(replace(body::text, 'E621', 'e621'), '.5Z', '.500Z')::json")
      #expect(try await count(["field": "code", "is": "==", "value": code]) == 1)
      #expect(try await count(["field": "addedAt", "is": "==", "value": date]) == 1)
    }

    @Test func `A login that owns its schema needs no right to create others`() async throws {
      let options = TestServer.options()
      let server = try await TestServer.shared.value
      try server.psql(
        "CREATE ROLE \(options.schema) LOGIN; CREATE SCHEMA \(options.schema) AUTHORIZATION \(options.schema)")
      let location = "postgres://\(options.schema)@127.0.0.1:\(server.port)/postgres"
      try await PostgresModelStore(location, options: options).prepare([Note.self])
      #expect(try await count("note", options.schema) == "0")
    }

    @Test func `The server ends a batch whose process stops before COMMIT`() async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      try await store.prepare([Note.self])
      let schema = options.schema
      try await TestServer.shared.value.psql(
        """
        CREATE TABLE \(schema).settings AS SELECT current_setting('idle_in_transaction_session_timeout') AS value;
        CREATE FUNCTION \(schema).note_setting() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN UPDATE \(schema).settings SET value = current_setting('idle_in_transaction_session_timeout'); \
        RETURN NEW; END $$;
        CREATE TRIGGER setting BEFORE INSERT ON \(schema).note FOR EACH ROW EXECUTE FUNCTION \(schema).note_setting();
        """)
      try await store.create(makeNote("a"))
      #expect(try await TestServer.shared.value.psql("SELECT value FROM \(schema).settings") == "30s")
    }

    @Test func `The first use of a type inside of a snapshot needs no second connection`() async throws {
      var options = TestServer.options()
      let first = try await TestServer.makeStore(options)
      let note = makeNote("a")
      try await first.create(note)
      (options.poolSize, options.connectionTimeout) = (1, .seconds(2))
      let snapshot = try await TestServer.makeStore(options).handle.snapshot(pinned: true)
      #expect(try await snapshot.count(Note.typeName) == 1)
      let mapped = try await Library.options("INSERT INTO readers VALUES ('r', 'Ada');")
      options.schema = mapped.schema
      options.mappings = mapped.mappings
      let library = try await TestServer.makeStore(options).handle.snapshot(pinned: true)
      #expect(try await library.count(Reader.typeName) == 1)
    }

    @Test func `Changes older than the retention are deleted, and later ones stay`() async throws {
      let options = TestServer.options()
      try await TestServer.makeStore(options).create(makeNote("old"))
      try await TestServer.shared.value.psql(
        "UPDATE \(options.schema).modelkit_changes SET at = now() - interval '2 hours'")
      try await TestServer.makeStore(options).create(makeNote("new"))
      #expect(try await count("modelkit_changes", options.schema) == "1")
      #expect(try await count("note", options.schema) == "2")
    }
  }

  @Suite(.serialized) struct `Live results of a PostgreSQL store` {
    private func company(_ name: String) -> ContractCompany {
      let company = ContractCompany()
      (company.id.value, company.name.value) = (name, name)
      return company
    }

    // Two engines are what two processes are.
    @Test func `Live results and changes have the values that another process writes`() async throws {
      let options = TestServer.options()
      let reader = try await TestServer.makeStore(options), writer = try await TestServer.makeStore(options)
      let acme = try await writer.create(company("Acme")), ada = ContractPerson()
      (ada.name.value, ada.company.value) = ("Ada", acme)
      try await writer.create(ada)
      var all = reader.observe(ContractPerson.self).makeAsyncIterator()
      var ofAcme = reader.observe(ContractPerson.self, where: { $0.company.name.hasPrefix("A") }).makeAsyncIterator()
      let shown = try #require(await all.next()?.models.first)
      #expect(await ofAcme.next()?.models == [shown])
      let follower = PostgresModelStore(reader.handle)
      let followed = try await follower.lookup(ContractPerson.self, identifier: "1")
      var changes = follower.changes(of: ContractPerson.self).makeAsyncIterator()
      ada.name.value = "Eve"
      try await writer.update(ada)
      #expect(await all.next()?.models.map(\.name.value) == ["Eve"])
      #expect(await changes.next()?.map(\.identifier) == ["1"])
      #expect(followed.name.value == "Eve")
      acme.name.value = "Axa"
      try await writer.update(acme)
      #expect(await ofAcme.next()?.models == [shown])
      acme.name.value = "Bolt"
      try await writer.update(acme)
      #expect(await ofAcme.next()?.models == [])
      try await writer.delete(ada)
      #expect(await all.next()?.models == [])
    }

    @Test(.timeLimit(.minutes(1)))
    func `A store that only observes changes receives those of other processes`() async throws {
      let options = TestServer.options()
      var changes = try await TestServer.makeStore(options).changes(of: ContractCompany.self).makeAsyncIterator()
      let writer = try await TestServer.makeStore(options)
      let writes = Task {
        // The observer connects meanwhile.
        for number in 1...1_000_000 where !Task.isCancelled { try await writer.create(company("\(number)")) }
      }
      let batch = await changes.next()
      writes.cancel()
      #expect(batch?.created.count == 1)
      _ = await writes.result
    }
  }

  @Suite(.serialized) struct `The connections of a PostgreSQL store` {
    @Test func `Writers in stores of their own lose no update unless a conflict is reported`() async throws {
      let options = TestServer.options()
      let counter = Note()
      counter.count.value = 0
      try await TestServer.makeStore(options).create(counter)
      let identifier = try #require(counter.identifier)
      let committed = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let engine = try await TestServer.makeStore(options).handle
            var committed = 0
            for _ in 0..<10 {
              do {
                // A model keeps what was edited in a transaction that failed, so each one begins with other objects.
                try await PostgresModelStore(engine).transaction { store in
                  let note = try await store.lookup(Note.self, identifier: identifier)
                  note.count.value = (note.count.value ?? 0) + 1
                  try await store.update(note)
                }
                committed += 1
              } catch let error as ModelStoreError where error.code == .conflict {
              }
            }
            return committed
          }
        }
        return try await group.reduce(0, +)
      }
      let fresh = try await TestServer.makeStore(options)
      #expect(try await fresh.lookup(Note.self, identifier: identifier).count.value == committed)
      #expect(committed >= 10)
    }

    @Test func `Writers that repeat their transactions lose no increment and see no conflict`() async throws {
      let options = TestServer.options()
      let counter = Note()
      counter.count.value = 0
      try await TestServer.makeStore(options).create(counter)
      let identifier = try #require(counter.identifier)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let store = try await TestServer.makeStore(options)
            for _ in 0..<5 {
              try await store.transaction(retries: 1_000) { store in
                let note = try await store.lookup(Note.self, identifier: identifier)
                note.count.value = (note.count.value ?? 0) + 1
                try await store.update(note)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let fresh = try await TestServer.makeStore(options)
      #expect(try await fresh.lookup(Note.self, identifier: identifier).count.value == 40)
    }

    @Test func `A store reconnects after the server ended its connections`() async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      let note = Note()
      note.text.value = "kept"
      try await store.create(note)
      for round in 0..<5 {
        try await TestServer.shared.value.psql(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
          WHERE pid <> pg_backend_pid() AND query LIKE '%\(options.schema)%'
          """)
        note.count.value = round
        // A call that loses its connection has an unknown outcome, so it is repeated.
        var isWritten = false
        for _ in 0..<10 where !isWritten {
          do {
            try await store.update(note)
            isWritten = try await store.count(Note.self) == 1
          } catch let error as ModelStoreError where error.code == .offline {
          }
        }
        #expect(isWritten)
      }
      let other = try await TestServer.makeStore(options)
      #expect(try await other.list(Note.self).map(\.count.value) == [4])
    }

    @Test(.timeLimit(.minutes(2)))
    func `A cancelled write returns if the server committed it and then ended the connection`() async throws {
      // The server waits for a replica that does not exist, after it has committed.
      let server = try await TestServer(settings: ["synchronous_standby_names=nobody", "synchronous_commit=local"])
      let outcome = try await cancelledWrite(on: server, waitEvent: "SyncRep") { schema in
        """
        CREATE FUNCTION \(schema).wait() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM set_config('synchronous_commit', 'on', true); RETURN NEW; END $$; \
        CREATE TRIGGER wait BEFORE INSERT ON \(schema).note FOR EACH ROW EXECUTE FUNCTION \(schema).wait();
        """
      }
      #expect(outcome == Outcome(code: nil, isPersisted: true, rows: "1"))
    }

    @Test(.timeLimit(.minutes(2)))
    func `A cancelled write that the server rolled back during COMMIT throws that nothing was written`() async throws {
      let outcome = try await cancelledWrite(on: TestServer.shared.value, waitEvent: "PgSleep") { schema in
        """
        CREATE FUNCTION \(schema).wait() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$; \
        CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON \(schema).note DEFERRABLE INITIALLY DEFERRED \
        FOR EACH ROW EXECUTE FUNCTION \(schema).wait();
        """
      }
      #expect(outcome == Outcome(code: .cancelled, isPersisted: false, rows: "0"))
    }

    private struct Outcome: Equatable {
      let code: ModelStoreError.Code?
      let isPersisted: Bool
      let rows: String
    }

    /// Creates a note, cancels the task while COMMIT waits, and ends the connection.
    private func cancelledWrite(
      on server: TestServer, waitEvent: String, _ trigger: (_ schema: String) -> String
    ) async throws -> Outcome {
      let options = TestServer.options()
      try await PostgresModelStore(server.location, options: options).prepare([Note.self])
      try server.psql(trigger(options.schema))
      let write = Task {
        let store = PostgresModelStore(server.location, options: options)
        let note = Note()
        note.text.value = "written"
        do {
          try await store.create(note)
          return (code: ModelStoreError.Code?.none, isPersisted: note.isPersisted)
        } catch let error as ModelStoreError {
          return (code: error.code, isPersisted: note.isPersisted)
        }
      }
      let waiting = "FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = '\(waitEvent)'"
      try await yielding { try server.psql("SELECT count(*) \(waiting)") != "0" }
      write.cancel()
      try server.psql("SELECT pg_terminate_backend(pid) \(waiting)")
      let (code, isPersisted) = try await write.value
      let rows = try server.psql("SELECT count(*) FROM \(options.schema).note")
      return Outcome(code: code, isPersisted: isPersisted, rows: rows)
    }

    @Test(arguments: [
      "postgres://app:s3cret-word@127.0.0.1:PORT/shop?connect_timeout=2", "postgres://app:s3cret-word@[::1/shop",
      "postgres://app:s3cret-word@127.0.0.1:PORT/shop?unknown=1", "password=s3cret-word host",
      "host=127.0.0.1 port=PORT user=app password='s3cret-word", "postgres://app:s3cret-word@127.0.0.1:port/shop",
      "host=127.0.0.1 port=PORT user=app dbname=shop sslmode=require sslkey=/none sslcert=/none sslpassword=s3cret-word",
      "host=127.0.0.1 port=SERVER user=s3cret-word password=s3cret-word dbname=none",
      "host=127.0.0.1 port=SERVER user=tester password=s3cret-word dbname=s3cret-word",
    ])
    func `No error shows a password`(location: String) async throws {
      let server = try await TestServer.shared.value
      let text = location.replacing("PORT", with: "\(try TestServer.freePort())")
        .replacing("SERVER", with: "\(server.port)")
      let store = PostgresModelStore(text)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.count(Note.self) }
      #expect(error.map { "\($0) \(String(reflecting: $0))" }?.contains("s3cret-word") == false)
    }

    @Test func `A closed store refuses calls`() async throws {
      let store = try await TestServer.makeStore()
      _ = try await store.count(Note.self)
      store.close()
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.count(Note.self) }
      #expect(error?.code == .offline)
    }
  }

  final class Quoted: Model {
    let id = Field<Int>()
    let text = Field<String>(key: "it\u{600}' OR TRUE OR 'y\u{600}' <> '\\\u{301}")
    override var identifierField: AnyField? { id }
  }

  final class Note: Model {
    let id = Field<Int>()
    let text = Field<String>()
    let count = Field<Int>()
    override var identifierField: AnyField? { id }
  }

  private class Shape: Model {
    @Field var id: Int?
    @Field var number: Int?
    @Field var radius: Double?
    override var identifierField: AnyField? { $id }
    override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
      dictionary["radius"].map { $0.isNull } == false ? Circle.self : nil
    }
  }

  private final class Circle: Shape {}
#endif

#if Postgres
  import Foundation
  import ModelCore
  @testable import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Several processes that prepare the same table` {
    /// A server, and a session of the test, which takes locks that stores wait for.
    private struct Setting {
      let server: TestServer
      let session: PostgresConnection
      let options: PostgresStoreOptions

      init() async throws {
        server = try await TestServer.shared.value
        session = try await PostgresConnection.open(try PostgresLocation(server.location))
        options = TestServer.options()
      }

      /// A store with an engine of its own, as in a process.
      var store: PostgresModelStore {
        PostgresModelStore(server.location + "?application_name=\(options.schema)", options: options)
      }

      func psql(_ sql: String) throws -> String { try server.psql("SET search_path = \(options.schema); \(sql)") }

      func waitForSessions(_ count: Int) async throws {
        let waiting =
          "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(options.schema)' AND wait_event_type = 'Lock'"
        try await yielding { try server.psql(waiting) == "\(count)" }
      }
    }

    private func makePoem(_ title: String) -> Poem {
      let poem = Poem()
      poem.title.value = title
      return poem
    }

    @Test(.timeLimit(.minutes(2)))
    func `A unique index is created although another process creates the table between its plan and its statements`()
      async throws
    {
      let setting = try await Setting()
      try await setting.store.create(Chapter())
      // The server gives the lock to the sessions in the order of their requests.
      let (first, second) = (setting.store.handle, setting.store.handle)
      let key = PostgresValue.integer(try first.catalog.get().lockKey)
      _ = try await setting.session.run([PostgresStatement("SELECT pg_advisory_lock($1)", [key])])
      let creation = Task { _ = try await PostgresModelStore(first).create(makePoem("Emma")) }
      try await setting.waitForSessions(1)
      let preparation = Task { try await PostgresModelStore(second).index(\Poem.title, unique: true) }
      try await setting.waitForSessions(2)
      _ = try await setting.session.run([PostgresStatement("SELECT pg_advisory_unlock($1)", [key])])
      try await creation.value
      try await preparation.value
      #expect(try setting.psql("SELECT indisvalid FROM pg_index WHERE indexrelid = 'poem_title_key'::regclass") == "t")
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await setting.store.create(makePoem("Emma"))
      }
      #expect(error?.code == .conflict)
      #expect(try setting.psql("SELECT count(*) FROM poem WHERE title = 'Emma'") == "1")
    }

    @Test(.timeLimit(.minutes(2)))
    func `Two processes that create a unique index of equal values at the same time both throw a conflict`()
      async throws
    {
      let setting = try await Setting()
      let store = setting.store
      try await store.createAll([makePoem("Emma"), makePoem("Emma")])
      try await store.index(\Poem.title)
      // The creation of an index waits for this lock, and holds one until its end.
      _ = try await setting.session.run([
        PostgresStatement("BEGIN"),
        PostgresStatement("LOCK TABLE \(setting.options.schema).poem IN SHARE UPDATE EXCLUSIVE MODE"),
      ])
      var creations: [Task<ModelStoreError.Code?, any Error>] = []
      for count in 1...2 {
        let handle = setting.store.handle
        creations.append(
          Task {
            do {
              try await PostgresModelStore(handle).index(\Poem.title, unique: true)
              return nil
            } catch let error as ModelStoreError {
              return error.code
            }
          })
        try await setting.waitForSessions(count)
      }
      _ = try await setting.session.run([PostgresStatement("COMMIT")])
      for creation in creations { #expect(try await creation.value == .conflict) }
      #expect(try setting.psql("SELECT to_regclass('poem_title_key') IS NULL") == "t")
    }

    @Test func `An index whose name belongs to another table is refused`() async throws {
      var options = TestServer.options()
      // Both indexes would be named x_y_title_key.
      options.tableNames = [Poem.typeName: "x_y", Chapter.typeName: "x"]
      let store = try await TestServer.makeStore(options)
      try await store.index(\Poem.title, unique: true)
      for _ in 0..<2 {
        let error = await #expect(throws: ModelStoreError.self) {
          try await store.index(\Chapter.yTitle, unique: true)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("x_y_title_key") == true)
      }
    }
  }

  private final class Poem: Model {
    let id = Field<Int>()
    let title = Field<String>()
    override var identifierField: AnyField? { id }
  }

  private final class Chapter: Model {
    let id = Field<Int>()
    let yTitle = Field<String>()
    override var identifierField: AnyField? { id }
  }
#endif

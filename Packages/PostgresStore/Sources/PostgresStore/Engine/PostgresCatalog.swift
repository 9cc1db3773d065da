#if Postgres
  import StoreProtocol
  import Synchronization

  /// The catalog of a store's tables. It creates a table when its type is first used.
  final class PostgresCatalog: Sendable {
    private struct State {
      var isOpen = false
      var tables: [String: PostgresTable] = [:]
      var commits = 0
    }

    let pool: ConnectionPool
    let options: PostgresStoreOptions
    private let state = Mutex(State())

    init(_ pool: ConnectionPool, _ options: PostgresStoreOptions) {
      self.pool = pool
      self.options = options
      schema = SQLName.quoted(options.schema)
      migrations = DeclaredMigrations(options)
    }

    /// The name of the schema, in quotes.
    let schema: String
    let migrations: DeclaredMigrations

    /// The number of the advisory lock for changing tables.
    var lockKey: Int64 { Int64(bitPattern: SQLName.key("ModelKit tables " + options.schema)) }

    /// The channel of the notifications of commits.
    var channel: String { SQLName.fitting("modelkit_" + options.schema) }

    /// Returns the number of the advisory lock for writing records of a type.
    func lockKey(ofType type: String) -> Int64 {
      Int64(bitPattern: SQLName.key("ModelKit type " + options.schema + " " + type))
    }

    private var systemTables: [String] {
      [
        "CREATE SEQUENCE IF NOT EXISTS \(schema).modelkit_order",
        """
        CREATE TABLE IF NOT EXISTS \(schema).modelkit_types (type text COLLATE "C" PRIMARY KEY, \
        table_name text COLLATE "C" NOT NULL UNIQUE)
        """,
        """
        CREATE TABLE IF NOT EXISTS \(schema).modelkit_integers (type text COLLATE "C" PRIMARY KEY, last bigint NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS \(schema).modelkit_changes (position bigint PRIMARY KEY, transaction xid8 NOT NULL, \
        batch bigint NOT NULL, type text NOT NULL, ids text[] NOT NULL, kind text NOT NULL, at timestamptz NOT NULL DEFAULT now())
        """,
        "CREATE INDEX IF NOT EXISTS modelkit_changes_transaction ON \(schema).modelkit_changes (transaction)",
        """
        CREATE TABLE IF NOT EXISTS \(schema).modelkit_versions (type text COLLATE "C" PRIMARY KEY, \
        version bigint NOT NULL)
        """,
        // The last one, whose absence means that tables are missing.
        """
        CREATE TABLE IF NOT EXISTS \(schema).modelkit_columns (type text COLLATE "C", key text COLLATE "C", \
        name text COLLATE "C" NOT NULL, form text NOT NULL, is_filled boolean NOT NULL, version bigint NOT NULL, \
        PRIMARY KEY (type, key))
        """,
      ]
    }

    /// Checks or creates the tables of the store itself, and runs pending migrations.
    ///
    /// - Parameter creates: whether they are created if they are missing, and migrations are run.
    func open(creates: Bool) async throws {
      if state.withLock({ $0.isOpen }) { return }
      if try await !pool.reading({ try await hasSystemTables(on: $0) }) {
        guard creates else { throw missing("the tables of the store") }
        _ = try await change { Change(statements: try await creationOfSystemTables(on: $0), result: ()) }
      }
      try await migrate(runs: creates)
      state.withLock { $0.isOpen = true }
    }

    /// Returns whether the tables of the store itself exist.
    func hasSystemTables(on connection: PostgresConnection) async throws -> Bool {
      try await exists("\(schema).modelkit_columns", on: connection)
    }

    private func exists(_ table: String, on connection: PostgresConnection) async throws -> Bool {
      let statement = PostgresStatement("SELECT to_regclass($1) IS NOT NULL", [.text(table)])
      return try await connection.run([statement])[0].text(0, 0) == "t"
    }

    func creationOfSystemTables(on connection: PostgresConnection) async throws -> [String] {
      // The statement needs a right on the database even if the schema exists.
      let exists = PostgresStatement("SELECT to_regnamespace($1) IS NOT NULL", [.text(schema)])
      let isMissing = try await connection.run([exists])[0].text(0, 0) != "t"
      return (isMissing ? ["CREATE SCHEMA IF NOT EXISTS \(schema)"] : []) + systemTables
    }

    func missing(_ what: String) -> ModelStoreError {
      ModelStoreError(
        .notFound,
        "The schema \(options.schema) lacks \(what), and the options don't allow creating them. "
          + "Call prepare(_:) when you deploy."
      )
    }

    /// Returns the table of a type, which is created if it is missing.
    ///
    /// - Parameter held: a connection that the task has. With all connections held, no other one may become free.
    func table(of type: String, on held: PostgresConnection? = nil) async throws -> PostgresTable {
      try await table(of: type, creates: options.createsTables, on: held)
    }

    /// Returns the table of a type.
    ///
    /// - Parameters:
    ///   - creates: whether it is created if it is missing.
    ///   - held: a connection that the task has, which can read.
    func table(of type: String, creates: Bool, on held: PostgresConnection? = nil) async throws -> PostgresTable {
      if let known = state.withLock({ $0.tables[type] }) { return known }
      try await open(creates: creates)
      let table: PostgresTable
      if let mapping = options.mappings.first(where: { $0.typeName == type }) {
        table = try await reading(on: held) { try await adopted(mapping, on: $0) }
      } else if let found = try await reading(on: held, { try await load(type, on: $0) }) {
        table = found
      } else {
        guard creates else { throw missing("the table of \(type)") }
        table = try await change { connection in
          if let known = try await load(type, on: connection) { return Change(statements: [], result: known) }
          let new = try await newTable(of: type, on: connection)
          return Change(statements: creation(of: new), result: new)
        }.result
      }
      state.withLock { $0.tables[type] = table }
      return table
    }

    private func reading<Value>(
      on held: PostgresConnection?, _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
      if let held { return try await body(held) }
      return try await pool.reading(body)
    }

    /// Returns the existing table of a mapping.
    private func adopted(_ mapping: TableMapping, on connection: PostgresConnection) async throws -> PostgresTable {
      let schema = mapping.schema ?? options.schema
      var table = PostgresTable(type: mapping.typeName, schema: schema, name: mapping.table)
      let name = [PostgresValue.text(table.sql)]
      let found = try await connection.run([
        PostgresStatement(CatalogColumn.statement, name), PostgresStatement(MappedTable.references, name),
        PostgresStatement(MappedTable.constraints, name),
      ])
      let columns = (0..<found[0].count).map { CatalogColumn(found[0], $0) }
      table.mapped = try MappedTable(mapping, schema, columns, found[1], found[2])
      return table
    }

    /// Returns whether it is time to delete old rows of the table of changes: at the first commit, and at each 200th
    /// after it.
    func isTimeToForget() -> Bool {
      state.withLock { state in
        state.commits += 1
        return state.commits % 200 == 1
      }
    }

    func load(_ type: String, on connection: PostgresConnection) async throws -> PostgresTable? {
      let found = try await connection.run([
        PostgresStatement(
          """
          SELECT t.table_name, (SELECT c.relkind = 'p' FROM pg_class AS c WHERE c.oid = \
          to_regclass(quote_ident($2) || '.' || quote_ident(t.table_name))) FROM \(schema).modelkit_types AS t WHERE t.type = $1
          """, [.text(type), .text(options.schema)]),
        PostgresStatement(
          "SELECT key, name, form, is_filled, version FROM \(schema).modelkit_columns WHERE type = $1 ORDER BY key",
          [.text(type)]),
      ])
      guard found[0].count > 0, let name = found[0].text(0, 0) else { return nil }
      var table = PostgresTable(type: type, schema: options.schema, name: name)
      table.isPartitioned = found[0].text(0, 1) == "t"
      for row in 0..<found[1].count {
        guard let form = found[1].text(row, 2).flatMap(OwnColumn.Form.init(rawValue:)) else {
          throw ModelStoreError(
            .unsupported, "The table \(name) has columns of a later version of the store. Nothing was changed.")
        }
        table.columns.append(
          OwnColumn(
            key: found[1].text(row, 0) ?? "", name: found[1].text(row, 1) ?? "", form: form,
            isFilled: found[1].text(row, 3) == "t"))
        table.version = max(table.version, Int64(found[1].integer(row, 4) ?? 0))
      }
      return table
    }

    /// Discards the cached descriptions of tables, so that they are read again.
    func unload(_ types: some Sequence<String>) {
      state.withLock { state in
        for type in types { state.tables[type] = nil }
      }
    }

    /// A change of tables.
    struct Change<Result> {
      let statements: [String]
      /// The state of the tables once the statements were run.
      let result: Result
    }

    /// Plans and makes a change of tables, in one transaction and under the advisory lock. Both can be repeated.
    ///
    /// - Returns: the change that was made. One that was planned before can differ, because of other processes.
    func change<Result>(_ plan: (PostgresConnection) async throws -> Change<Result>) async throws -> Change<Result> {
      do {
        return try await changeOnce(plan)
      } catch let error as PostgresError where error.isAboutExistingTable {
        // A session that waited for the lock can have cached that a schema or table is missing, which another one created
        // meanwhile. So IF NOT EXISTS fails. A new transaction begins with the current catalog.
        return try await changeOnce(plan)
      }
    }

    private func changeOnce<Result>(
      _ plan: (PostgresConnection) async throws -> Change<Result>
    ) async throws -> Change<Result> {
      try await pool.reading { connection in
        _ = try await connection.run([
          PostgresStatement("BEGIN"),
          PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.integer(lockKey)]),
        ])
        let change = try await plan(connection)
        _ = try await connection.run(change.statements.map { PostgresStatement($0) } + [PostgresStatement("COMMIT")])
        return change
      }
    }

    /// Returns the table of a type that has none, with a name that is free.
    func newTable(of type: String, on connection: PostgresConnection) async throws -> PostgresTable {
      var name = options.tableNames[type] ?? SQLName.snake(type)
      let isReserved = name.hasPrefix("modelkit_")
      var isTaken = try await exists("\(schema).\(SQLName.quoted(name))", on: connection)
      let hasList = try await hasSystemTables(on: connection)
      if !isTaken, hasList {
        let statement = "SELECT 1 FROM \(schema).modelkit_types WHERE table_name = $1"
        isTaken = try await connection.run([PostgresStatement(statement, [.text(name)])])[0].count > 0
      }
      if isReserved || isTaken { name = SQLName.fitting(name, distinguishing: type) }
      return PostgresTable(type: type, schema: options.schema, name: name)
    }

    /// Returns the statements that create a table and add it to the list.
    func creation(of table: PostgresTable) -> [String] {
      table.creation + [
        """
        INSERT INTO \(schema).modelkit_types (type, table_name) \
        VALUES (\(SQLName.constant(table.type)), \(SQLName.constant(table.name)))
        """
      ]
    }
  }
#endif

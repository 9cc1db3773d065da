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
    }

    /// The name of the schema, in quotes.
    var schema: String { SQLName.quoted(options.schema) }

    /// The number of the advisory lock for changing tables.
    var lockKey: Int64 { Int64(bitPattern: SQLName.key("ModelKit tables " + options.schema)) }

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
        batch bigint NOT NULL, type text NOT NULL, id text NOT NULL, kind text NOT NULL, at timestamptz NOT NULL DEFAULT now())
        """,
        "CREATE INDEX IF NOT EXISTS modelkit_changes_transaction ON \(schema).modelkit_changes (transaction)",
      ]
    }

    /// Checks or creates the tables of the store itself.
    ///
    /// - Parameter creates: whether they are created if they are missing.
    func open(creates: Bool) async throws {
      if state.withLock({ $0.isOpen }) { return }
      let name = PostgresValue.text("\(schema).modelkit_changes")
      let found = try await pool.read([PostgresStatement("SELECT to_regclass($1) IS NOT NULL", [name])])
      if found[0].text(0, 0) != "t" {
        guard creates else { throw missing("the tables of the store") }
        try await change { connection in
          // The statement needs a right on the database even if the schema exists.
          let exists = PostgresStatement("SELECT to_regnamespace($1) IS NOT NULL", [.text(schema)])
          let isMissing = try await connection.run([exists])[0].text(0, 0) != "t"
          return (isMissing ? ["CREATE SCHEMA IF NOT EXISTS \(schema)"] : []) + systemTables
        }
      }
      state.withLock { $0.isOpen = true }
    }

    private func missing(_ what: String) -> ModelStoreError {
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
        try await change { try await creation(of: type, on: $0) }
        guard let made = try await pool.reading({ try await load(type, on: $0) }) else {
          throw missing("its table")
        }
        table = made
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

    private func load(_ type: String, on connection: PostgresConnection) async throws -> PostgresTable? {
      let found = try await connection.run([
        PostgresStatement("SELECT table_name FROM \(schema).modelkit_types WHERE type = $1", [.text(type)])
      ])
      guard found[0].count > 0, let name = found[0].text(0, 0) else { return nil }
      return PostgresTable(type: type, schema: options.schema, name: name)
    }

    /// Runs statements that change tables, in one transaction and under the advisory lock. They can be repeated.
    private func change(_ statements: (PostgresConnection) async throws -> [String]) async throws {
      try await pool.reading { connection in
        _ = try await connection.run([
          PostgresStatement("BEGIN"),
          PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.integer(lockKey)]),
        ])
        let statements = try await statements(connection)
        _ = try await connection.run(statements.map { PostgresStatement($0) } + [PostgresStatement("COMMIT")])
      }
    }

    /// Returns the statements that create the table of a type and add it to the list.
    private func creation(of type: String, on connection: PostgresConnection) async throws -> [String] {
      if try await load(type, on: connection) != nil { return [] }
      var name = options.tableNames[type] ?? SQLName.snake(type)
      let isReserved = name.hasPrefix("modelkit_")
      let taken = try await connection.run([
        PostgresStatement("SELECT 1 FROM \(schema).modelkit_types WHERE table_name = $1", [.text(name)]),
        PostgresStatement("SELECT to_regclass($1) IS NOT NULL", [.text("\(schema).\(SQLName.quoted(name))")]),
      ])
      if isReserved || taken[0].count > 0 || taken[1].text(0, 0) == "t" {
        name = SQLName.fitting(name, distinguishing: type)
      }
      let table = PostgresTable(type: type, schema: options.schema, name: name)
      return table.creation + [
        """
        INSERT INTO \(schema).modelkit_types (type, table_name) VALUES (\(SQLName.constant(type)), \(SQLName.constant(name)))
        """
      ]
    }
  }
#endif

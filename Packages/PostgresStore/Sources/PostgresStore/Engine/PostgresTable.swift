#if Postgres
  import StoreProtocol

  /// The table of a model type, as this process knows it.
  struct PostgresTable: Sendable {
    let type: String
    let schema: String
    let name: String
    /// The columns of an existing table; nil for a table of the store's own.
    var mapped: MappedTable?
    /// The columns of a table of the store's own, beside those of each record.
    var columns: [OwnColumn] = []
    /// The number that is raised with each new column.
    var version: Int64 = 0
    /// Whether its rows are in partitions, which can be on other servers. It has no unique index there then.
    var isPartitioned = false

    /// The name with that of the schema, in quotes.
    let sql: String

    init(type: String, schema: String, name: String) {
      (self.type, self.schema, self.name) = (type, schema, name)
      sql = "\(SQLName.quoted(schema)).\(SQLName.quoted(name))"
    }

    // MARK: Records

    /// Returns the columns that ``record(_:_:)`` reads.
    func selection(_ alias: String) -> String {
      mapped?.selection(alias) ?? "\(alias).id, \(alias).body, \(alias).seq, \(alias).revision"
    }

    /// Returns the record of a row.
    ///
    /// - Throws: `ModelStoreError` with the code `corrupt` if it has no position.
    func record(_ rows: PostgresRows, _ row: Int) throws -> StoredRecord {
      if let mapped { return try mapped.record(rows, row) }
      let identifier = SQLName.decoded(rows.text(row, 0) ?? "")
      // Another program may have set any numbers.
      guard let order = UInt64(exactly: rows.integer(row, 2) ?? 0) else {
        throw ModelStoreError(
          .corrupt,
          "The row \(identifier) of the table \(name) has a negative \"seq\". It is kept as it is: set an unused positive number.",
          identifier: identifier)
      }
      let revision = UInt64(bitPattern: Int64(rows.integer(row, 3) ?? 0))
      return StoredRecord(identifier, rows.bytes(row, 1), order: order, revision: revision)
    }

    /// Returns the expression for the order of creation.
    func order(_ alias: String) -> String { mapped?.order(alias) ?? "\(alias).seq" }

    /// Returns the value of the order at a position. That at the beginning is the least of all, so that rows without a
    /// position are read, too, and reported.
    func orderValue(at position: UInt64) -> Int64 {
      position == 0 ? .min : mapped?.orderValue(at: position) ?? Int64(clamping: position)
    }

    /// Returns the condition that a row has an identifier, which is a parameter.
    func isEqual(_ alias: String, _ parameter: String) -> String {
      mapped?.identifier.isEqual(alias, parameter) ?? "\(alias).id = \(parameter)"
    }

    /// Returns the condition that a row has one of some identifiers, which are a parameter.
    func isAny(_ alias: String, _ parameter: String) -> String {
      mapped?.identifier.isAny(alias, parameter) ?? "\(alias).id = ANY (\(parameter))"
    }

    /// Returns the statement that reads the records with any of some identifiers; nil if no row can have one.
    func reading(_ identifiers: [String]) -> PostgresStatement? {
      let parameters = identifiers.compactMap { parameter($0) }
      if parameters.isEmpty { return nil }
      return PostgresStatement(
        "SELECT \(selection("t")) FROM \(sql) AS t WHERE \(isAny("t", "$1"))", [.texts(parameters)])
    }

    /// Returns an identifier as a parameter; nil if no row can have it.
    func parameter(_ identifier: String) -> String? {
      guard let mapped else { return SQLName.encoded(identifier) }
      return mapped.identifier.canBe(identifier) ? identifier : nil
    }

    // MARK: Values

    /// Returns the expression for the JSON of the value of a key; nil if there is no column for it.
    func document(_ key: String, _ alias: String) -> String? {
      mapped == nil ? Self.document(key, in: "\(alias).body") : mapped?.column(key)?.json(alias)
    }

    /// Returns the condition that the value of a key is nil.
    ///
    /// - Parameter initial: the value of a record without the key.
    func isNil(_ key: String, _ initial: JSONValue, in alias: String) -> String? {
      if let mapped { return mapped.column(key)?.isNil(alias) }
      if initial.isNull { return "\(Self.text(key, in: "\(alias).body")) IS NULL" }
      return "coalesce(json_typeof(\(Self.document(key, in: "\(alias).body"))) = 'null', FALSE)"
    }

    /// Returns the condition that a foreign key references a row of a table; nil if there is no column for it.
    func joins(_ key: String, _ alias: String, _ other: PostgresTable, _ otherAlias: String) -> String? {
      let text: String
      if let mapped {
        guard let column = mapped.column(key) else { return nil }
        if let identifier = other.mapped?.identifier, identifier.isComparable(to: column) {
          return "\(identifier.column.sql(otherAlias)) = \(column.sql(alias))"
        }
        text = "(\(column.json(alias)) #>> '{}')"
      } else {
        text = Self.text(key, in: "\(alias).body")
      }
      // Own tables escape characters that columns can't have.
      return other.mapped.map { "\($0.identifier.text(otherAlias)) = \(text)" }
        ?? "\(otherAlias).id = replace(\(text), chr(1), chr(1) || chr(2))"
    }

    /// Returns the expression for the text of the value of a key in a JSON object. A key with dots is one key, or
    /// several nested ones.
    static func text(_ key: String, in body: String) -> String { value(key, in: body, asText: true) }

    /// Returns the expression for the JSON of the value of a key.
    static func document(_ key: String, in body: String) -> String { value(key, in: body, asText: false) }

    private static func value(_ key: String, in body: String, asText: Bool) -> String {
      let last = asText ? "->>" : "->"
      let whole = "(\(body) \(last) \(SQLName.constant(key)))"
      let parts = key.split(separator: ".").map { SQLName.constant(String($0)) }
      guard parts.count > 1, let end = parts.last else { return whole }
      let nested = parts.dropLast().map { " -> \($0)" }.joined()
      return "coalesce(\(whole), (\(body)\(nested) \(last) \(end)))"
    }

    /// The statements that create the table.
    var creation: [String] {
      let index = SQLName.quoted(SQLName.fitting("\(name)_seq_key"))
      return [
        """
        CREATE TABLE IF NOT EXISTS \(sql) (id text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL, revision bigint NOT NULL, \
        body json NOT NULL)
        """,
        "CREATE UNIQUE INDEX IF NOT EXISTS \(index) ON \(sql) (seq)",
      ]
    }
  }
#endif

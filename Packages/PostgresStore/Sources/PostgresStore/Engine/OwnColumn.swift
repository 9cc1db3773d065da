#if Postgres
  @_spi(ModelKitInternals) import ModelCore
  @_spi(ModelKitInternals) import StoreProtocol

  /// A column of a store's own table that repeats the values of a field: of an indexed one, or of a foreign key.
  ///
  /// Each statement that writes a record writes its columns. A record whose value has another form, or characters which
  /// SQL can't read, is marked as irregular. Queries then read the records instead of the column.
  struct OwnColumn: Sendable, Hashable {
    /// The form of the values, as the table of columns keeps it.
    enum Form: String, Sendable {
      case text, uuid, number, double, date, day
    }

    /// The key of the field, as records spell it.
    let key: String
    let name: String
    let form: Form
    /// Whether all rows have the value, so that queries can use it.
    var isFilled = false
    /// Whether its values are to be unique.
    var isUnique = false

    /// The name of the column that marks irregular records.
    static let mark = "is_irregular"
    /// The names that other columns can't have.
    static let reservedNames = ["id", "seq", "revision", "body", mark]

    /// The type of the column.
    var type: String {
      switch form {
      case .number: "numeric"
      case .double: "double precision"
      case .text, .uuid, .date, .day: "text COLLATE \"C\""
      }
    }

    /// Returns the column of a row.
    func sql(_ alias: String) -> String { "\(alias).\(SQLName.quoted(name))" }

    private static let number = "^-?\\d{1,60}(\\.\\d{1,60})?([eE][-+]?\\d{1,2})?$"

    /// The pattern of values that the column can hold; nil for any.
    private var pattern: String? {
      switch form {
      case .text, .uuid: nil
      case .number, .double: Self.number
      case .date: SQLScalar.datePattern
      case .day: SQLScalar.dayPattern
      }
    }

    /// Returns the expression for the value of a record; null for one that the column can't hold.
    func value(_ body: String) -> String {
      let text = PostgresTable.text(key, in: body)
      let value =
        switch form {
        case .text, .day: text
        case .uuid: "upper(\(text))"
        case .number, .double: "\(text)::\(type)"
        case .date: SQLScalar.date(text)
        }
      let isFit = pattern.map { " AND \(text) ~ '\($0)'" } ?? ""
      // In this order: the record must be readable before its value is.
      return "CASE WHEN \(Self.isReadable(body)) THEN CASE WHEN TRUE\(isFit) THEN \(value) END END"
    }

    /// Returns the expression for whether a record is irregular.
    static func isIrregular(_ body: String, _ columns: [OwnColumn]) -> String {
      let unfit = columns.compactMap { column in
        column.pattern.map { "coalesce(\(PostgresTable.text(column.key, in: body)) !~ '\($0)', FALSE)" }
      }
      let isUnfit = unfit.isEmpty ? "FALSE" : unfit.joined(separator: " OR ")
      return "CASE WHEN \(isReadable(body)) THEN \(isUnfit) ELSE TRUE END"
    }

    /// Returns the condition that a record has no zero characters and no halves of others, which SQL can't read.
    private static func isReadable(_ body: String) -> String { "\(body)::text !~ '\\\\u(0000|[dD][89a-fA-F])'" }
  }

  extension OwnColumn {
    /// Describes the column of a field; nil if SQL can't compare its values.
    init?(
      of field: AnyField, isUnique: Bool = false, _ context: ValueTransformerContext
    ) {
      guard let key = field.key else { return nil }
      var (compared, name) = (field, SQLName.snake(key))
      if let relation = field as? any RelationField {
        guard relation.isForeignKey, !relation.isToMany,
          let identifier = context.prepared(relation.relatedClass.init()).identifierField
        else { return nil }
        (compared, name) = (identifier, SQLName.fitting(name + "_id"))
      }
      guard let scalar = SQLScalar(compared, context) else { return nil }
      self.init(key: context.key(key), name: name, form: scalar.columnForm, isUnique: isUnique)
    }

    /// Returns the columns of the foreign keys of a class.
    static func foreignKeys(of prototype: ModelObject, _ context: ValueTransformerContext) -> [OwnColumn] {
      prototype.fieldsForDictionaryValue().filter { $0 is any RelationField }.compactMap { OwnColumn(of: $0, context) }
    }
  }

  extension PostgresTable {
    /// The columns that a statement writes beside the record: their names, and their values of a record.
    func columnValues(_ body: String) -> [(name: String, value: String)] {
      if columns.isEmpty { return [] }
      return columns.map { (SQLName.quoted($0.name), $0.value(body)) }
        + [(OwnColumn.mark, OwnColumn.isIrregular(body, columns))]
    }

    /// The condition that no record is irregular. The conversion of a text to a number is an error otherwise, and the
    /// store reads the records.
    var isRegular: String {
      "(SELECT min('x' || o.id)::bigint FROM \(sql) AS o WHERE o.\(OwnColumn.mark)) IS NULL"
    }

    /// Returns the column of a key that queries can use.
    func column(_ key: String, _ form: OwnColumn.Form) -> OwnColumn? {
      columns.first { $0.key == key && $0.form == form && $0.isFilled }
    }

    /// The columns that are wanted and missing, with names that no other column has.
    func missing(_ wanted: [OwnColumn]) -> [OwnColumn] {
      let added = wanted.filter { column in !columns.contains { $0.key == column.key && $0.form == column.form } }
      let kept = columns.filter { column in !added.contains { $0.key == column.key } }
      var taken = Set(OwnColumn.reservedNames + kept.map(\.name))
      return added.map {
        let name = taken.contains($0.name) ? SQLName.fitting($0.name, distinguishing: $0.key) : $0.name
        taken.insert(name)
        return OwnColumn(key: $0.key, name: name, form: $0.form, isUnique: $0.isUnique)
      }
    }

    /// Returns the statements that add columns, and record them in the table of columns.
    func addition(of added: [OwnColumn], areFilled: Bool) -> [String] {
      if added.isEmpty { return [] }
      let noted = "\(SQLName.quoted(schema)).modelkit_columns"
      var statements = [
        "ALTER TABLE \(sql) ADD COLUMN IF NOT EXISTS \(OwnColumn.mark) boolean NOT NULL DEFAULT FALSE"
      ]
      for column in added {
        // The values of a field that was declared with another type.
        if let old = columns.first(where: { $0.key == column.key }) {
          statements.append("ALTER TABLE \(sql) DROP COLUMN IF EXISTS \(SQLName.quoted(old.name))")
          statements.append(
            "DELETE FROM \(noted) WHERE type = \(SQLName.constant(type)) AND key = \(SQLName.constant(old.key))")
        }
        statements.append("ALTER TABLE \(sql) ADD COLUMN \(SQLName.quoted(column.name)) \(column.type)")
        let values = [type, column.key, column.name, column.form.rawValue].map(SQLName.constant).joined(separator: ", ")
        statements.append(
          """
          INSERT INTO \(noted) (type, key, name, form, is_filled, version) VALUES (\(values), \(areFilled), \
          nextval(\(SQLName.sequence(SQLName.quoted(schema)))))
          """)
      }
      return statements
    }

    /// The statement that fills the columns of all rows, or of the next thousand after a position, whose last one it
    /// returns.
    func filling(inParts: Bool) -> String {
      let values = columnValues("t.body").map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
      if !inParts { return "UPDATE \(sql) AS t SET \(values)" }
      return """
        WITH part AS (SELECT id, seq FROM \(sql) WHERE seq > $1 ORDER BY seq LIMIT 1000 FOR UPDATE), \
        filled AS (UPDATE \(sql) AS t SET \(values) FROM part WHERE t.id = part.id) SELECT max(seq) FROM part
        """
    }

    /// Returns the indexes of columns, by their names.
    func indexes(_ wanted: [OwnColumn], concurrently: Bool) -> [(name: String, statement: String)] {
      func index(_ suffix: String, _ kind: String, _ definition: String) -> (name: String, statement: String) {
        let name = SQLName.fitting("\(self.name)_\(suffix)")
        // The server can't index partitions together while others write.
        let how = concurrently && !isPartitioned ? " CONCURRENTLY" : ""
        return (
          name, "CREATE \(kind)\(how) IF NOT EXISTS \(SQLName.quoted(name)) ON \(sql) \(definition)"
        )
      }
      if wanted.isEmpty { return [] }
      return [index(OwnColumn.mark, "INDEX", "(id) WHERE \(OwnColumn.mark)")]
        + wanted.compactMap { wanted in
          columns.first { $0.key == wanted.key }.map { column in
            wanted.isUnique
              ? index("\(column.name)_key", "UNIQUE INDEX", "(\(SQLName.quoted(column.name)))")
              : index("\(column.name)_idx", "INDEX", "(\(SQLName.quoted(column.name)))")
          }
        }
    }

    /// Returns the key of the field whose unique index an error of the server names.
    func key(ofUniqueIndex name: String?) -> String? {
      columns.first { SQLName.fitting("\(self.name)_\($0.name)_key") == name }?.key
    }
  }
#endif

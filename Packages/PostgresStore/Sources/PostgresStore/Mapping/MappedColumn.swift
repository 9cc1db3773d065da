#if Postgres
  /// A column of an existing table, with the field that has its values.
  struct MappedColumn: Sendable {
    let field: MappedField
    let name: String
    let type: ColumnType
    /// Whether the server computes the values.
    let isGenerated: Bool
    /// Whether texts are equal only if their bytes are.
    let comparesBytes: Bool

    /// Returns the column of a row.
    func sql(_ alias: String) -> String { "\(alias).\(SQLName.quoted(name))" }

    /// Returns the expression for its value as JSON.
    func json(_ alias: String) -> String { type.json(sql(alias), field.form) }

    /// Returns the condition that its value is nil.
    func isNil(_ alias: String) -> String {
      type.isJSON ? "coalesce(\(sql(alias))::text = 'null', TRUE)" : "\(sql(alias)) IS NULL"
    }
  }

  /// A column as the server describes it.
  struct CatalogColumn: Sendable {
    let name: String
    let type: ColumnType
    let isRequired: Bool
    /// Whether texts are equal only if their bytes are.
    let comparesBytes: Bool
    /// Whether an index keeps its values unique.
    let isUnique: Bool
    /// Whether the server computes all values.
    let isGenerated: Bool
    /// The expression for the value of a new row; nil if there is none.
    let defaultValue: String?

    /// The statement that returns the columns of the table with a name.
    static let statement = """
      SELECT a.attname, format_type(a.atttypid, -1), b.typname, format_type(e.oid, -1), e.typname, a.attnotnull, \
      coalesce(l.collisdeterministic, TRUE), EXISTS (SELECT 1 FROM pg_index AS i WHERE i.indrelid = a.attrelid \
      AND i.indisunique AND i.indimmediate AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts = 1 \
      AND i.indkey[0] = a.attnum), a.attgenerated <> '' OR a.attidentity = 'a', CASE WHEN a.attidentity <> '' \
      THEN format('nextval(%L::regclass)', pg_get_serial_sequence($1, a.attname)) \
      WHEN a.attgenerated = '' THEN pg_get_expr(v.adbin, v.adrelid) END, greatest(a.atttypmod, o.typtypmod) \
      FROM pg_attribute AS a LEFT JOIN pg_attrdef AS v ON v.adrelid = a.attrelid AND v.adnum = a.attnum \
      JOIN pg_type AS o ON o.oid = a.atttypid \
      CROSS JOIN LATERAL (WITH RECURSIVE d AS (SELECT t.* FROM pg_type AS t WHERE t.oid = a.atttypid UNION ALL \
      SELECT t.* FROM pg_type AS t JOIN d ON t.oid = d.typbasetype WHERE d.typtype = 'd') \
      SELECT * FROM d WHERE typtype <> 'd') AS b \
      LEFT JOIN pg_type AS e ON e.oid = b.typelem AND b.typcategory = 'A' \
      LEFT JOIN pg_collation AS l ON l.oid = a.attcollation \
      WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
      """

    /// Reads a row of the statement.
    init(_ rows: PostgresRows, _ row: Int) {
      func text(_ column: Int) -> String { rows.text(row, column) ?? "" }
      name = text(0)
      let element = rows.text(row, 3).map { (name: $0, base: text(4)) }
      type = ColumnType(name: text(1), base: text(2), element: element, modifier: rows.integer(row, 10) ?? -1)
      isRequired = text(5) == "t"
      comparesBytes = text(6) == "t"
      isUnique = text(7) == "t"
      isGenerated = text(8) == "t"
      defaultValue = rows.text(row, 9)
    }
  }
#endif

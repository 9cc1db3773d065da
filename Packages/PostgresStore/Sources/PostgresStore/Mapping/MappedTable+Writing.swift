#if Postgres
  import ModelCore
  import Foundation
  @_spi(ModelKitInternals) import StoreEngine
  import StoreProtocol

  extension MappedTable {
    /// Returns the statements for operations of one kind. Those that write the same columns share one.
    ///
    /// - Throws: `ModelStoreError` with the code `invalid` for a value that its column can't hold.
    func writes(
      _ kind: RecordOperation.Kind, _ operations: [RecordOperation], _ table: PostgresTable
    ) throws -> [(operations: [RecordOperation], statement: PostgresStatement)] {
      let rows = try operations.map { try MappedRow($0, self) }
      switch kind {
      case .delete: return [(operations, deletion(of: operations, table))]
      case .update:
        // A record without a value for a column leaves that of its row alone.
        var groups: [(columns: Set<Int>, rows: [MappedRow])] = []
        for row in rows {
          let columns = Set(row.values.keys)
          let index = groups.firstIndex { $0.columns == columns } ?? groups.endIndex
          if index == groups.endIndex { groups.append((columns, [])) }
          groups[index].rows.append(row)
        }
        return groups.map { ($0.rows.map(\.operation), update($0.rows, table)) }
      case .create:
        // Columns without a value get their default.
        var groups: [(columns: [Int], rows: [MappedRow])] = []
        for row in rows {
          let columns = row.columns(of: self)
          if groups.last?.columns != columns { groups.append((columns, [])) }
          groups[groups.count - 1].rows.append(row)
        }
        return groups.map { ($0.rows.map(\.operation), creation(of: $0.rows, $0.columns, table)) }
      }
    }

    private func parameters(_ rows: [MappedRow], _ columns: [Int]) -> [PostgresValue] {
      columns.map { column in .texts(rows.map { $0.values[column] ?? nil }) }
    }

    /// Returns the condition that a row is as an operation expects it.
    private var isExpected: String {
      "\(identifier.isEqual("t", "i.id")) AND (i.revision IS NULL OR \(Self.revision("t")) = i.revision)"
    }

    private func expectation(_ operations: [RecordOperation]) -> [PostgresValue] {
      [
        .texts(operations.map(\.identifier)),
        .integers(operations.map { $0.expectedRevision.map { Int64(bitPattern: $0) } }),
      ]
    }

    private func deletion(of operations: [RecordOperation], _ table: PostgresTable) -> PostgresStatement {
      PostgresStatement(
        """
        DELETE FROM \(table.sql) AS t USING unnest($1::text[], $2::bigint[]) AS i (id, revision) WHERE \(isExpected) \
        RETURNING \(identifier.text("t"))
        """, expectation(operations))
    }

    private func update(_ rows: [MappedRow], _ table: PostgresTable) -> PostgresStatement {
      let expectation = expectation(rows.map(\.operation))
      // One that changed in any of the records.
      let changed = columns.indices.filter { column in rows.contains { $0.changes(column) } }
      if changed.isEmpty {
        return PostgresStatement(
          """
          SELECT \(selection("t", withRevision: false)) FROM \(table.sql) AS t, unnest($1::text[], $2::bigint[]) AS i (id, revision) \
          WHERE \(isExpected) FOR UPDATE OF t
          """, expectation)
      }
      let values = changed.map { columns[$0].assignment(of: "i.c\($0)") }.joined(separator: ", ")
      return PostgresStatement(
        """
        UPDATE \(table.sql) AS t SET \(values) FROM unnest($1::text[], $2::bigint[]\(lists(changed, from: 3))) \
        AS i (id, revision\(names(changed))) WHERE \(isExpected) RETURNING \(selection("t", withRevision: false))
        """, expectation + parameters(rows, changed))
    }

    private func creation(of rows: [MappedRow], _ written: [Int], _ table: PostgresTable) -> PostgresStatement {
      let names = ([identifier.column] + written.map { columns[$0] }).map { SQLName.quoted($0.name) }
      let values = written.map { ", \(columns[$0].type.value("i.c\($0)"))" }.joined()
      return PostgresStatement(
        """
        INSERT INTO \(table.sql) AS t (\(names.joined(separator: ", "))) OVERRIDING SYSTEM VALUE \
        SELECT \(identifier.column.type.value("i.id"))\(values) \
        FROM (SELECT * FROM unnest($1::text[]\(lists(written, from: 2))) WITH ORDINALITY AS n (id\(self.names(written)), place) \
        ORDER BY place) AS i ON CONFLICT (\(names[0])) DO NOTHING RETURNING \(selection("t", withRevision: false))
        """, [.texts(rows.map(\.operation.identifier))] + parameters(rows, written))
    }

    private func lists(_ columns: [Int], from first: Int) -> String {
      columns.indices.map { ", $\($0 + first)::text[]" }.joined()
    }

    private func names(_ columns: [Int]) -> String { columns.map { ", c\($0)" }.joined() }
  }

  /// The values of a record for the columns of an existing table.
  struct MappedRow {
    let operation: RecordOperation
    /// By the number of the column; columns that the record lacks are left out.
    let values: [Int: String?]
    private let previous: [Int: String?]?

    init(_ operation: RecordOperation, _ table: MappedTable) throws {
      self.operation = operation
      if operation.operation == .create, !table.identifier.canBe(operation.identifier) {
        throw ModelStoreError(
          .invalid,
          """
          Nothing was written: the column \"\(table.identifier.column.name)\" of the table \(table.name) can't hold the \
          identifier \(operation.identifier.quotedForMessage). Give the model another one.
          """, identifier: operation.identifier)
      }
      values = operation.operation == .delete ? [:] : try Self.values(of: Array(operation.value), table, operation)
      previous = try? operation.previousValue.map { try Self.values(of: $0, table, operation) }
    }

    /// Returns the columns that a new row gets values for.
    func columns(of table: MappedTable) -> [Int] {
      table.columns.indices.filter { table.columns[$0].name != table.identifier.column.name && values[$0] != nil }
    }

    /// Returns whether the value of a column is another one than before.
    func changes(_ column: Int) -> Bool {
      guard let value = values[column] else { return false }
      guard let previous else { return true }
      return previous[column] != value
    }

    private static func values(
      of bytes: [UInt8], _ table: MappedTable, _ operation: RecordOperation
    ) throws -> [Int: String?] {
      guard case .object(let record) = try JSONValue(json: bytes) else { return [:] }
      var values: [Int: String?] = [:]
      for (number, column) in table.columns.enumerated() where !column.isGenerated {
        guard let value = column.field.value(in: record) else { continue }
        values[number] = .some(try column.text(of: value, operation))
      }
      let known = Set(table.columns.map { $0.field.path[0] }).union(table.omittedKeys)
      if let key = record.keys.sorted().first(where: { !known.contains($0) }) {
        throw ModelStoreError(
          .unsupported,
          """
          Nothing was written: the table \(table.name) has no column for \(key.quotedForMessage) of \
          \(operation.type.nameForMessage). Declare the field in the class that is mapped, or use the transformers of the mapping.
          """, identifier: operation.identifier)
      }
      return values
    }
  }

  extension MappedField {
    /// Returns the value in a record; nil if the record lacks it.
    fileprivate func value(in record: [String: JSONValue]) -> JSONValue? {
      path.dropFirst().reduce(record[path[0]]) { $0?[$1] }
    }
  }

  extension MappedColumn {
    fileprivate func assignment(of value: String) -> String { "\(SQLName.quoted(name)) = \(type.value(value))" }

    /// Returns a value as the text of a parameter; nil for null.
    fileprivate func text(of value: JSONValue, _ operation: RecordOperation) throws -> String? {
      if value.isNull { return nil }
      if type.isJSON || type.element != nil { return String(decoding: try value.jsonData(), as: UTF8.self) }
      switch value {
      case .string(let text):
        guard text.utf8.contains(0) else { return text }
        throw invalid("has a zero character, which PostgreSQL can't keep", operation)
      case .array, .object:
        throw invalid("has more than one value, for a column of the type \(type.name)", operation)
      default: return String(decoding: try value.jsonData(), as: UTF8.self)
      }
    }

    private func invalid(_ reason: String, _ operation: RecordOperation) -> ModelStoreError {
      ModelStoreError(
        .invalid, "Nothing was written: the field \(field.key.quotedForMessage) \(reason). Change it, and save again.",
        identifier: operation.identifier, fields: [field.key: [reason]])
    }
  }
#endif

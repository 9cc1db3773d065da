#if Postgres
  import ModelCore
  import Foundation
  @_spi(ModelKitInternals) import StoreEngine
  import StoreProtocol

  /// An existing table that fits the class whose models it has.
  struct MappedTable: Sendable {
    let name: String
    /// In the order of the keys in records, lists of models last.
    let columns: [MappedColumn]
    let identifier: MappedIdentifier
    /// The keys of lists that have no column, since the foreign keys of their members make them.
    let omittedKeys: Set<String>
    /// The column of the order, or an expression; and the value that its values are counted from.
    private let order: (column: String?, start: Int64)
    /// The text of a record around its values, without lists of models.
    private let template: [[UInt8]]
    /// The number of the table in the catalog, and those of the tables that its rows reference.
    private let number: Int
    private let referenced: Set<Int>
    /// The columns of constraints and unique indexes, by their names.
    let constrained: [String: [String]]

    /// Compares a table with the class that it is mapped to.
    ///
    /// - Throws: `ModelStoreError` with the code `unsupported`, which names the table, the column and a remedy.
    init(
      _ mapping: TableMapping, _ schema: String, _ found: [CatalogColumn], _ references: PostgresRows,
      _ constraints: PostgresRows
    ) throws {
      referenced = Set((0..<references.count).compactMap { references.integer($0, 1) })
      let pairs = (0..<constraints.count).map { (constraints.text($0, 0) ?? "", [constraints.text($0, 1) ?? ""]) }
      constrained = Dictionary(pairs, uniquingKeysWith: +)
      number = references.integer(0, 0) ?? 0
      name = "\(schema).\(mapping.table)"
      let problem = MappingProblem(type: mapping.typeName, table: name)
      if found.isEmpty { throw problem.error("it does not exist, or the login can't see it") }
      let known = Dictionary(found.map { ($0.name, $0) }) { first, _ in first }
      for key in mapping.columns.keys.sorted() where !mapping.fields.contains(where: { $0.key == key }) {
        throw problem.error("\(mapping.typeName) has no field \"\(key)\", for which the mapping names a column")
      }
      columns = try mapping.fields.compactMap { field in
        let names = mapping.columns[field.key].map { [$0] } ?? field.columnNames
        guard let column = names.lazy.compactMap({ known[$0] }).first else {
          if field.role == .inverse { return nil }
          throw problem.error(
            "it has no column \"\(names[0])\" for the field \"\(field.key)\"",
            "name another one in the mapping, or leave the field out of fieldsForDictionaryValue()")
        }
        guard column.type.keeps(field.form) else {
          throw problem.error(
            "its column \"\(column.name)\" of the type \(column.type.name) can't hold \(field.form), the values of the field "
              + "\"\(field.key)\"", "change the type of the column or of the field")
        }
        return MappedColumn(
          field: field, name: column.name, type: column.type, isGenerated: column.isGenerated,
          comparesBytes: column.comparesBytes)
      }
      .sorted { left, right in
        left.field.isToMany == right.field.isToMany
          ? left.field.path.lexicographicallyPrecedes(right.field.path) : right.field.isToMany
      }
      let stored = Set(columns.map(\.field.key))
      omittedKeys = Set(mapping.fields.filter { !stored.contains($0.key) }.map { $0.path[0] })
      guard let column = columns.first(where: { $0.field.role == .identifier }) else {
        throw problem.error("\(mapping.typeName) has no identifier field", "override identifierField")
      }
      identifier = try MappedIdentifier(column, known[column.name], problem)
      if let name = mapping.order {
        guard let column = known[name], column.type.isInteger, column.isUnique, column.isRequired else {
          throw problem.error(
            "its column \"\(name)\" can't be the order: it has to be an integer, NOT NULL, with a unique index of its own"
          )
        }
        order = (name, column.type.lowestOrder)
      } else {
        order = identifier.isNumber ? (column.name, column.type.lowestOrder) : (nil, 0)
      }
      template = Self.template(of: columns.prefix { !$0.field.isToMany })
    }

    /// The statement that returns the number of the table with a name, once for each table that it references.
    static let references = """
      SELECT c.oid, f.confrelid FROM pg_class AS c LEFT JOIN pg_constraint AS f ON f.conrelid = c.oid AND f.contype = 'f' \
      WHERE c.oid = to_regclass($1)
      """

    /// Returns the keys of tables, those of referenced tables before those of the ones that reference them.
    static func referencedFirst(_ tables: [String: MappedTable]) -> [String] {
      var (rest, result) = (tables.sorted { $0.key < $1.key }, [String]())
      while !rest.isEmpty {
        let index = rest.firstIndex { table in
          !rest.contains { $0.key != table.key && table.value.referenced.contains($0.value.number) }
        }
        result.append(rest.remove(at: index ?? 0).key)
      }
      return result
    }

    /// Returns the column of a key, as records spell it; nil if there is none.
    func column(_ key: String) -> MappedColumn? {
      columns.first { $0.field.path.count == 1 ? $0.field.path[0] == key : $0.field.path.joined(separator: ".") == key }
    }

    // MARK: Order

    /// Returns the expression for the order of creation.
    func order(_ alias: String) -> String {
      order.column.map { "\(alias).\(SQLName.quoted($0))" }
        ?? "(hashtextextended(\(identifier.text(alias)), 0) & \(Int64.max >> 2))"
    }

    /// Returns the value of the order at a position.
    func orderValue(at position: UInt64) -> Int64 {
      Int64(clamping: position).addingReportingOverflow(order.start - 1).partialValue
    }

    private func position(of value: String?) -> UInt64? {
      guard let value = value.flatMap({ Int64($0) }), value >= order.start else { return nil }
      let position = UInt64(value &- order.start) + 1
      return position < StoreTransaction.firstNewOrder ? position : nil
    }

    // MARK: Records

    /// Returns the number of the transaction that wrote a row last: its revision.
    static func revision(_ alias: String) -> String { "\(alias).xmin::text::bigint" }

    /// Returns the columns that ``record(_:_:)`` reads.
    ///
    /// - Parameter withRevision: whether the revision is read, which a statement that writes a partition can't return.
    func selection(_ alias: String, withRevision: Bool = true) -> String {
      let revision = withRevision ? Self.revision(alias) : "0"
      // A prepared statement fails if the type of a column in its result is changed.
      return ([identifier.text(alias), "\(order(alias))::bigint", revision] + columns.map { $0.json(alias) }).joined(
        separator: ", ")
    }

    /// Returns the record of a row.
    ///
    /// - Throws: `ModelStoreError` with the code `unsupported` if it has no position.
    func record(_ rows: PostgresRows, _ row: Int) throws -> StoredRecord {
      let identifier = rows.text(row, 0) ?? ""
      guard let position = position(of: rows.text(row, 1)) else {
        throw ModelStoreError(
          .unsupported,
          """
          The row \(identifier) of the table \(name) has no place in an order of integers from 0 on. It is kept as it is: name \
          another column for the order in the mapping.
          """, identifier: identifier)
      }
      var bytes = template[0]
      for (number, text) in template.dropFirst().enumerated() {
        if rows.isNull(row, number + 3) { bytes += "null".utf8 } else { bytes += rows.bytes(row, number + 3) }
        bytes += text
      }
      for number in template.count - 1..<columns.count where !rows.isNull(row, number + 3) {
        bytes[bytes.count - 1] = UInt8(ascii: ",")
        bytes += Self.key(columns[number].field.path[0]) + rows.bytes(row, number + 3) + [UInt8(ascii: "}")]
      }
      return StoredRecord(identifier, bytes, order: position, revision: UInt64(rows.integer(row, 2) ?? 0))
    }

    private static func key(_ key: String) -> [UInt8] {
      ((try? JSONValue.string(key).jsonData()) ?? Data()) + [UInt8(ascii: ":")]
    }

    private static func template(of columns: ArraySlice<MappedColumn>) -> [[UInt8]] {
      var parts: [[UInt8]] = []
      var part: [UInt8] = []
      func add(_ columns: ArraySlice<MappedColumn>, _ depth: Int) {
        part.append(UInt8(ascii: "{"))
        var rest = columns
        while let column = rest.first {
          if rest.count < columns.count { part.append(UInt8(ascii: ",")) }
          let key = column.field.path[depth]
          part += Self.key(key)
          let group = rest.prefix { $0.field.path.count > depth + 1 && $0.field.path[depth] == key }
          if group.isEmpty {
            parts.append(part)
            part = []
          } else {
            add(group, depth + 1)
          }
          rest = rest.dropFirst(max(1, group.count))
        }
        part.append(UInt8(ascii: "}"))
      }
      add(columns, 0)
      return parts + [part]
    }
  }

  /// The words for a table that does not fit its class.
  struct MappingProblem {
    let type: String
    let table: String

    func error(_ reason: String, _ remedy: String = "change the mapping or the table") -> ModelStoreError {
      ModelStoreError(.unsupported, "\(type) can't use the table \(table): \(reason). Nothing was changed: \(remedy).")
    }
  }

  extension ColumnType {
    /// The smallest value that has a place in an order.
    fileprivate var lowestOrder: Int64 {
      switch base {
      case "int2": Int64(Int16.min)
      case "int4": Int64(Int32.min)
      default: 0
      }
    }
  }
#endif

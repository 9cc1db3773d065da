#if Postgres
  import Foundation
  @_spi(ModelKitInternals) import StoreEngine

  extension MappedTable {
    /// The statement that returns the columns of the constraints and unique indexes of the table with a name.
    static let constraints = """
      SELECT c.conname, a.attname FROM pg_constraint AS c \
      JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) \
      WHERE c.conrelid = to_regclass($1) UNION SELECT x.relname, a.attname FROM pg_index AS i \
      JOIN pg_class AS x ON x.oid = i.indexrelid \
      JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) \
      WHERE i.indrelid = to_regclass($1) AND i.indisunique
      """

    /// Returns the keys of the fields that an error is about.
    ///
    /// - Parameter operations: the operations that failed.
    func fields(of error: PostgresError, in operations: [RecordOperation]) -> [String] {
      let found: [MappedColumn]
      if error.sqlState?.hasPrefix("22") == true {
        // The server does not say which value it is.
        found =
          columns.indices.first { column in
            operations.contains { operation in
              (try? MappedRow(operation, self))?.values[column]?.map { !columns[column].type.holds($0) } == true
            }
          }.map { [columns[$0]] } ?? []
      } else if let column = error.column {
        found = columns.filter { $0.name == column }
      } else if let domain = error.domain {
        let typed = columns.filter { $0.type.name == domain || $0.type.name.hasSuffix(".\(domain)") }
        found = typed.count == 1 ? typed : []
      } else {
        let names = constrained[error.constraint ?? ""] ?? []
        found = columns.filter { names.contains($0.name) }
      }
      return found.map(\.field.key)
    }
  }

  extension ColumnType {
    /// Returns whether a column of the type can hold a value that is written as text.
    fileprivate func holds(_ text: String) -> Bool {
      switch base {
      case "int2": Int16(text) != nil
      case "int4": Int32(text) != nil
      case "int8": Int64(text) != nil
      case "float4": Float(text)?.isFinite == true
      case "varchar", "bpchar": modifier < 4 || text.unicodeScalars.count <= modifier - 4
      case "numeric": modifier < 4 || abs(Double(text) ?? 0) < pow(10, Double(precision - scale))
      default: true
      }
    }

    private var precision: Int { ((modifier - 4) >> 16) & 0xffff }
    private var scale: Int { (modifier - 4) & 0x7ff }
  }
#endif

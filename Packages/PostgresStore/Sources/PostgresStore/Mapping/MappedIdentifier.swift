#if Postgres
  import Foundation
  import StoreProtocol

  /// The column of the identifiers of an existing table.
  struct MappedIdentifier: Sendable {
    let column: MappedColumn
    /// The expression for the identifier of a new row; nil if there is none.
    let defaultValue: String?

    /// - Throws: `ModelStoreError` with the code `unsupported` for a column that can't identify models.
    init(_ column: MappedColumn, _ found: CatalogColumn?, _ problem: MappingProblem) throws {
      self.column = column
      guard let found, found.isUnique, found.isRequired else {
        throw problem.error(
          "its column \"\(column.name)\" does not identify rows",
          "give it NOT NULL and a unique index of its own, or map the identifier field to another column")
      }
      defaultValue = found.defaultValue
      let isFit =
        switch column.field.form {
        case .uuid: column.type.base == "uuid"
        case .text, .integer, .decimal, .json:
          isNumber || column.type.base == "numeric"
            || (["text", "varchar", "bpchar"].contains(column.type.base) && found.comparesBytes)
        default: false
        }
      guard isFit else {
        throw problem.error(
          "its column \"\(column.name)\" of the type \(column.type.name) can't identify models by \(column.field.form)",
          "identify models by integers, exact numbers, text that is compared by its bytes, or UUIDs in a Field<UUID>")
      }
    }

    /// Whether the identifiers are integers.
    var isNumber: Bool { column.type.isInteger }

    /// Returns the expression for the identifier as text.
    func text(_ alias: String) -> String {
      switch column.type.base {
      case "uuid": "upper(\(column.sql(alias))::text)"
      case "numeric": "trim_scale(\(column.sql(alias)))::text"
      default: "\(column.sql(alias))::text"
      }
    }

    /// Returns whether a foreign key has values of the same type, which are equal only if the identifiers are.
    func isComparable(to foreignKey: MappedColumn) -> Bool {
      let (own, other) = (column.type, foreignKey.type)
      return own.base == "bpchar" ? false : own.base == other.base || (own.isInteger && other.isInteger)
    }

    /// Returns the condition that a row has an identifier.
    func isEqual(_ alias: String, _ identifier: String) -> String {
      "\(column.sql(alias)) = \(identifier)::\(column.type.name)"
    }

    /// Returns the condition that a row has one of some identifiers.
    func isAny(_ alias: String, _ identifiers: String) -> String {
      "\(column.sql(alias)) = ANY (\(identifiers)::\(column.type.name)[])"
    }

    /// Returns whether a row can have an identifier, spelled in just this way.
    func canBe(_ identifier: String) -> Bool {
      switch column.type.base {
      case "int2": Int16(identifier).map { "\($0)" } == identifier
      case "int4": Int32(identifier).map { "\($0)" } == identifier
      case "int8": Int64(identifier).map { "\($0)" } == identifier
      case "numeric":
        (try? /(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])/.asciiOnlyDigits().wholeMatch(in: identifier)) != nil
      case "uuid": UUID(uuidString: identifier)?.uuidString == identifier
      default: !identifier.utf8.contains(0) && !(column.type.base == "bpchar" && identifier.hasSuffix(" "))
      }
    }

    /// Returns the statement for a default that no row has yet; nil if there is no default.
    func nextValue(in table: PostgresTable) -> PostgresStatement? {
      // A sequence does not include identifiers that rows were created with. The count is not turned into a join, so
      // that no more values are taken than needed. A function in FROM would return all of its rows at first.
      defaultValue.map { value in
        PostgresStatement(
          """
          SELECT d.value FROM (SELECT \(value) AS value FROM (SELECT generate_series(1, 1000000)) AS g) AS d \
          WHERE (SELECT count(*) FROM \(table.sql) AS t WHERE \(column.sql("t")) = d.value) = 0 LIMIT 1
          """)
      }
    }
  }
#endif

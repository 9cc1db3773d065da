#if Postgres
  @_spi(ModelKitInternals) import ModelCore
  @_spi(ModelKitInternals) import StoreProtocol

  /// The values of groups of records as SQL calculates them, where these are exactly the values of the store.
  struct SQLAggregation {
    private let aggregation: RecordAggregation
    private let keys: [SQLTranslator.SQLValue]
    /// The values of the fields; nil for a number of records.
    private let values: [SQLTranslator.SQLValue?]

    /// Translates a description of groups.
    ///
    /// - Returns: nil if SQL compares or adds the values in another way.
    init?(_ aggregation: RecordAggregation, _ translator: inout SQLTranslator, _ level: SQLTranslator.Level) throws {
      self.aggregation = aggregation
      var keys: [SQLTranslator.SQLValue] = []
      for path in aggregation.keys {
        guard let value = try translator.value(path, level), value.hasGroups else { return nil }
        keys.append(value)
      }
      var values: [SQLTranslator.SQLValue?] = []
      for wanted in aggregation.values {
        guard let path = wanted.path else {
          values.append(nil)
          continue
        }
        guard let value = try translator.value(path, level), value.allows(wanted) else { return nil }
        values.append(value)
      }
      (self.keys, self.values) = (keys, values)
    }

    /// Returns the statement.
    ///
    /// - Parameters:
    ///   - table: the table, with the name `t`.
    ///   - matches: the condition.
    func statement(_ table: PostgresTable, _ matches: String) -> String {
      var columns = keys.enumerated().map { "\($1.sql) AS k\($0)" }
      columns += values.enumerated().compactMap { index, value in value.map { "\($0.sql) AS v\(index)" } }
      columns.append("\(table.order("t")) AS o")
      // Otherwise the server would evaluate each value once for its sum, and once for its count.
      let isRead =
        aggregation.paths.contains { $0.keys.count > 1 }
        || table.mapped == nil && (keys + values.compactMap(\.self)).contains { !$0.isInColumn }
      let rows =
        "SELECT \(columns.joined(separator: ", ")) FROM \(table.sql) AS t\(matches)\(isRead ? " OFFSET 0" : "")"
      let names = keys.indices.map { "k\($0)" }
      let results = names + zip(aggregation.values, values).enumerated().map { Self.result($0, $1.0, $1.1) }
      let groups = names.isEmpty ? "" : " GROUP BY \(names.joined(separator: ", ")) ORDER BY min(o)"
      return "SELECT \(results.joined(separator: ", ")) FROM (\(rows)) AS s\(groups)"
    }

    /// Returns the expressions for a value, and for the number of values that it is made of.
    private static func result(
      _ index: Int, _ wanted: RecordAggregation.Value, _ value: SQLTranslator.SQLValue?
    ) -> String {
      let name = "v\(index)"
      return switch wanted {
      case .count: "NULL::text, count(*)"
      case .distinctCount: "NULL::text, count(DISTINCT \(name))"
      // Numbers with an exponent of two are rounded after each addition, so the order matters.
      case .sum: "sum(\(name)\(value?.scalar.kind == .double ? " ORDER BY o" : "")), count(\(name))"
      case .minimum: "min(\(name)), count(\(name))"
      case .maximum: "max(\(name)), count(\(name))"
      }
    }

    /// Returns the groups of the rows of the statement; nil if a value has no JSON that is certain to be the same.
    func groups(_ rows: PostgresRows) -> [RecordAggregation.Group]? {
      var groups: [RecordAggregation.Group] = []
      for row in 0..<rows.count {
        var group = RecordAggregation.Group(key: [], values: [])
        for (column, key) in keys.enumerated() {
          guard let json = key.scalar.json(ofSQL: rows.text(row, column)) else { return nil }
          group.key.append(json)
        }
        for (index, value) in values.enumerated() {
          let column = keys.count + 2 * index
          guard let json = value.map({ $0.scalar.json(ofSQL: rows.text(row, column)) }) ?? .null else { return nil }
          group.values.append((json, rows.integer(row, column + 1) ?? 0))
        }
        groups.append(group)
      }
      return groups
    }
  }

  extension SQLTranslator.SQLValue {
    /// Whether SQL finds the same values equal as the store.
    fileprivate var hasGroups: Bool {
      switch scalar.kind {
      case .text, .number, .bool: true
      case .day: form == .text
      case .double, .date: false
      }
    }

    /// Whether SQL calculates a value as the store does.
    fileprivate func allows(_ wanted: RecordAggregation.Value) -> Bool {
      guard scalar.isOrdered else { return false }
      return switch wanted {
      case .count: true
      case .distinctCount: scalar.kind == .text || scalar.kind == .number
      case .sum: scalar.kind == .number || scalar.kind == .double
      case .minimum, .maximum: scalar.kind == .text || scalar.kind == .number || scalar.kind == .double
      }
    }
  }

  extension SQLScalar {
    /// Returns the JSON of a value that SQL returns as text; nil if the field may not have exactly this value.
    fileprivate func json(ofSQL text: String?) -> JSONValue? {
      guard let text else { return .null }
      switch kind {
      case .text, .day: return .string(text)
      case .bool: return .bool(text == "true" || text == "t")
      case .number, .double:
        // More digits than a Decimal has, or a fraction that no integer has.
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }.drop {
          $0 == UInt8(ascii: "0")
        }
        if kind == .number, digits.count > 38 || (isInteger && text.contains(".")) { return nil }
        return try? JSONValue(json: Array(text.utf8))
      case .date: return nil
      }
    }
  }
#endif

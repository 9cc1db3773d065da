#if Postgres
  import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol

  extension SQLTranslator {
    /// Returns an order as a part of ORDER BY.
    mutating func order(_ order: QueryOrder, _ level: Level) throws -> String {
      "\(try key(order, level).sql) \(order.isDescending ? "DESC" : "ASC") NULLS \(order.nils == .first ? "FIRST" : "LAST")"
    }

    private mutating func key(_ order: QueryOrder, _ level: Level) throws -> SQLValue {
      guard order.term.form == .value, let value = try value(order.term.path, level), value.scalar.isOrdered else {
        throw Untranslatable(part: "\(order)", reason: "its values have another order in SQL")
      }
      return value
    }

    /// Returns the condition that a record is after a position in some orders.
    mutating func follows(_ start: SelectionStart, _ orders: [QueryOrder], _ level: Level) throws -> String {
      guard let table = level.table else { return "TRUE" }
      var condition = "\(table.order(level.alias)) > \(parameter(.integer(table.orderValue(at: start.order))))"
      for (order, operand) in zip(orders, start.values).reversed() {
        let key = try key(order, level)
        let isNil = "\(key.sql) IS NULL"
        if operand.isNull {
          condition = order.nils == .first ? "(NOT \(isNil) OR \(condition))" : "(\(isNil) AND \(condition))"
          continue
        }
        func compared(_ sign: QueryComparison.Operator) throws -> String {
          try comparison(QueryComparison(order.term, sign, .value(operand)), key, operand)
        }
        let (later, equal) = (try compared(order.isDescending ? .less : .greater), try compared(.equal))
        condition = "(\(later) OR (\(equal) AND \(condition))\(order.nils == .last ? " OR \(isNil)" : ""))"
      }
      return condition
    }
  }
#endif

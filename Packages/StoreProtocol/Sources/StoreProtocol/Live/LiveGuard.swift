@_spi(ModelKitInternals) import ModelCore

/// What a record has to have so that a query can find it, as far as that is quickly told. A record that passes may still
/// not be found; one that does not pass never is.
enum LiveGuard: Sendable {
  /// One of these values.
  case equal(StoredKeyPath, [JSONValue])
  /// A number in a range. Rounding keeps the order, so nothing is missed.
  case range(StoredKeyPath, ClosedRange<Double>)
  /// A text that compares so.
  case text(StoredKeyPath, QueryComparison.Operator, [UInt8])

  /// The best guard that the condition of a query gives; nil if it gives none.
  static func make<M: Model>(_ program: QueryProgram<M>, in context: ValueTransformerContext) -> LiveGuard? {
    guard let filter = program.query.filter else { return nil }
    let prototype = context.prepared(M())
    func stored(_ key: String) -> (path: StoredKeyPath, field: FieldBase)? {
      guard let field = prototype.field(declaredAs: key),
        let path = try? StoredKeyPath(M.self, { $0.field(declaredAs: key) ?? field }, in: context)
      else { return nil }
      return (path, field)
    }
    var keys: [String] = []
    func collect(_ expression: QueryExpression) {
      switch expression {
      case .comparison(let comparison):
        if let key = comparison.term.path.keys.first, !keys.contains(key) { keys.append(key) }
      case .and(let terms), .or(let terms): terms.forEach(collect)
      default: break
      }
    }
    collect(filter)
    for key in keys {
      if let (path, _) = stored(key), let values = program.values(of: path) { return .equal(path, values) }
    }
    let conjuncts: [QueryExpression]
    if case .and(let terms) = filter { conjuncts = terms } else { conjuncts = [filter] }
    return range(conjuncts, context, stored) ?? text(conjuncts, context, stored)
  }

  private static func range(
    _ conjuncts: [QueryExpression], _ context: ValueTransformerContext,
    _ stored: (String) -> (path: StoredKeyPath, field: FieldBase)?
  ) -> LiveGuard? {
    var found: (key: String, path: StoredKeyPath, lower: Double, upper: Double)?
    for case .comparison(let comparison) in conjuncts {
      guard comparison.term.form == .value, comparison.term.path.keys.count == 1, let number = number(comparison),
        let (path, field) = stored(comparison.term.path.keys[0]),
        (field as? Field<Int>)?.isPlain(in: context) ?? (field as? Field<Double>)?.isPlain(in: context) ?? false
      else { continue }
      let key = comparison.term.path.keys[0]
      if let found, found.key != key { continue }
      var (lower, upper) = (found?.lower ?? -.infinity, found?.upper ?? .infinity)
      switch comparison.operator {
      case .less, .lessOrEqual: upper = min(upper, number)
      case .greater, .greaterOrEqual: lower = max(lower, number)
      default: continue
      }
      found = (key, path, lower, upper)
    }
    // What no number can fulfil is left to the query.
    guard let found, found.lower <= found.upper else { return nil }
    return .range(found.path, found.lower...found.upper)
  }

  private static func number(_ comparison: QueryComparison) -> Double? {
    switch comparison.operand {
    case .value(.int(let value)): Double(value)
    case .value(.double(let value)): value.isNaN ? nil : value
    default: nil
    }
  }

  private static func text(
    _ conjuncts: [QueryExpression], _ context: ValueTransformerContext,
    _ stored: (String) -> (path: StoredKeyPath, field: FieldBase)?
  ) -> LiveGuard? {
    for case .comparison(let comparison) in conjuncts {
      guard comparison.term.form == .value, comparison.term.path.keys.count == 1,
        case .value(.string(let operand)) = comparison.operand,
        let (path, field) = stored(comparison.term.path.keys[0]),
        let field = field as? Field<String>, field.isPlain(in: context)
      else { continue }
      switch comparison.operator {
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .hasPrefix, .hasSuffix, .contains:
        return .text(path, comparison.operator, Array(operand.utf8))
      default: continue
      }
    }
    return nil
  }
}

/// Who waits behind guards that look at the same field.
struct GuardGroup: Sendable {
  private var equal: [JSONValue: [FeedRoute]] = [:]
  private var ranges: [(range: ClosedRange<Double>, route: FeedRoute)] = []
  private var texts: [(operation: QueryComparison.Operator, operand: [UInt8], route: FeedRoute)] = []

  mutating func add(_ guarding: LiveGuard, _ route: FeedRoute) {
    switch guarding {
    case .equal(_, let values): for value in Set(values) { equal[value, default: []].append(route) }
    case .range(_, let range): ranges.append((range, route))
    case .text(_, let operation, let operand): texts.append((operation, operand, route))
    }
  }

  /// Everybody, where the value is not known.
  func forEach(_ body: (FeedRoute) -> Void) {
    for routes in equal.values { routes.forEach(body) }
    for (_, route) in ranges { body(route) }
    for (_, _, route) in texts { body(route) }
  }

  /// Those whose guard lets a value pass.
  func forEach(passing value: JSONValue, _ body: (FeedRoute) -> Void) {
    if !equal.isEmpty, let routes = equal[value] { routes.forEach(body) }
    if !ranges.isEmpty {
      switch value {
      case .int(let number):
        let number = Double(number)
        for (range, route) in ranges where range.contains(number) { body(route) }
      case .double(let number): for (range, route) in ranges where range.contains(number) { body(route) }
      case .null: break
      default: for (_, route) in ranges { body(route) }
      }
    }
    if case .string(let text) = value {
      for (operation, operand, route) in texts where ScalarOrder.compare(text, operation, operand) { body(route) }
    }
  }
}

@_spi(ModelKitInternals) import ModelCore

/// A fast, conservative test whether a query can match a record. A record that passes may still not match; a record
/// that does not pass never matches.
enum RelevanceFilter: Sendable {
  /// A key in these ranges.
  case keys(StoredKeyPath, IndexRanges)
  /// A text that contains another one, or ends with it.
  case text(StoredKeyPath, QueryComparison.Operator, [UInt8])

  /// The field whose value is tested.
  var path: StoredKeyPath {
    switch self {
    case .keys(let path, _), .text(let path, _, _): path
    }
  }

  /// Returns the most selective filter that follows from the condition of a query; nil if there is none.
  static func make<M: Model>(_ program: QueryProgram<M>, in context: ValueTransformerContext) -> RelevanceFilter? {
    guard let filter = program.query.filter else { return nil }
    var keys: [String] = []
    func collect(_ expression: QueryExpression) {
      switch expression {
      case .comparison(let comparison):
        if let key = comparison.term.path.keys.first, !keys.contains(key) { keys.append(key) }
      case .and(let terms), .or(let terms): terms.forEach(collect)
      case .not(let term): collect(term)
      default: break
      }
    }
    collect(filter)
    // Fields that can't be keys are left to the query.
    let paths = keys.compactMap { try? StoredKeyPath(M.self, key: $0, in: context) }
    var best: RelevanceFilter?
    for path in paths {
      guard let ranges = path.ranges(where: filter) else { continue }
      // Values are found in a table, ranges sequentially.
      if ranges.points != nil { return .keys(path, ranges) }
      if best == nil { best = .keys(path, ranges) }
    }
    return best ?? text(filter, paths)
  }

  private static func text(_ filter: QueryExpression, _ paths: [StoredKeyPath]) -> RelevanceFilter? {
    let conjuncts: [QueryExpression]
    if case .and(let terms) = filter { conjuncts = terms } else { conjuncts = [filter] }
    for case .comparison(let comparison) in conjuncts {
      guard comparison.term.form == .value, case .value(.string(let operand)) = comparison.operand,
        comparison.operator == .hasSuffix || comparison.operator == .contains,
        let path = paths.first(where: { $0.path == comparison.term.path }), path.reader.isText
      else { continue }
      return .text(path, comparison.operator, Array(operand.utf8))
    }
    return nil
  }
}

/// The consumers whose guards read the same field.
struct GuardGroup: Sendable {
  private var points: [IndexKey: [FeedRoute]] = [:]
  private var ranges: [(ranges: IndexRanges, route: FeedRoute)] = []
  private var texts: [(operation: QueryComparison.Operator, operand: [UInt8], route: FeedRoute)] = []

  mutating func add(_ guarding: RelevanceFilter, _ route: FeedRoute) {
    switch guarding {
    case .keys(_, let ranges):
      if let keys = ranges.points {
        for key in keys { points[key, default: []].append(route) }
      } else {
        self.ranges.append((ranges, route))
      }
    case .text(_, let operation, let operand): texts.append((operation, operand, route))
    }
  }

  mutating func remove(_ guarding: RelevanceFilter, _ id: Int) {
    switch guarding {
    case .keys(_, let ranges):
      for key in ranges.points ?? [] {
        points[key]?.removeAll { $0.id == id }
        if points[key]?.isEmpty == true { points[key] = nil }
      }
      if ranges.points == nil { self.ranges.removeAll { $0.route.id == id } }
    case .text: texts.removeAll { $0.route.id == id }
    }
  }

  var isEmpty: Bool { points.isEmpty && ranges.isEmpty && texts.isEmpty }

  /// Calls a closure for all consumers, because the value is unknown.
  func forEach(_ body: (FeedRoute) -> Void) {
    for routes in points.values { routes.forEach(body) }
    for (_, route) in ranges { body(route) }
    for (_, _, route) in texts { body(route) }
  }

  /// Calls a closure for the consumers whose guard a record passes.
  ///
  /// - Parameter key: the value of the field in the record; nil if it can't be read, so that all consumers are called.
  func forEach(passing key: IndexKey?, _ body: (FeedRoute) -> Void) {
    guard let key else { return forEach(body) }
    if !points.isEmpty, let routes = points[key] { routes.forEach(body) }
    for (ranges, route) in ranges where ranges.contains(key) { body(route) }
    guard !texts.isEmpty, let text = key.text else { return }
    for (operation, operand, route) in texts where ScalarOrder.compare(text, operation, operand) { body(route) }
  }
}

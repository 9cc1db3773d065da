import StoreProtocol

/// The dialect of PostgREST: rows are chosen by filters, also single ones, and every condition can be said.
///
/// ```swift
/// let store = RESTModelStore(baseURL: url, dialect: PostgRESTDialect(), router: router)
/// let found = try await store.list(Person.self, where: { $0.age > 30 || $0.name.hasPrefix("A") })
/// // GET /people?or=(age.gt.30,name.like."A*")
/// ```
///
/// Nil is compared as Swift does, which takes an `is.null` beside conditions that SQL would leave undecided. Text is ordered
/// and compared as the collation of the database has it; give columns the collation `"C"` for the order of other stores.
public struct PostgRESTDialect: RESTDialect {
  /// How many rows are fetched at a time.
  public var pageSize: Int

  /// Creates the dialect.
  ///
  /// - Parameter pageSize: how many rows are fetched at a time; no more than the server gives (`db-max-rows`).
  public init(pageSize: Int = 1_000) { self.pageSize = pageSize }

  /// Single rows come as objects, and writes answer with what was written.
  public func headers(for operation: RESTOperation) async throws -> [String: String] {
    var headers = try await defaultHeaders()
    if operation.kind != .list { headers["Accept"] = "application/vnd.pgrst.object+json" }
    if operation.kind != .list, operation.kind != .lookup { headers["Prefer"] = "return=representation" }
    return headers
  }

  /// The table, with a filter for one row.
  public func address(of operation: RESTOperation) throws -> RESTAddress {
    guard operation.kind != .list, operation.kind != .create, let identifier = operation.identifier,
      let key = operation.identifierKey
    else { return RESTAddress(operation.collectionPath) }
    return RESTAddress(operation.collectionPath, query: [RESTQueryItem(key, "eq.\(identifier)")])
  }

  /// No row where one was wanted is said with status 406.
  public func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    var answer = try RESTResponse(response)
    if response.status == 406, answer.payload?["code"] == "PGRST116" {
      answer.error = ModelStoreError(.notFound, "no row has this identifier")
    }
    return answer
  }

  /// Filters, `order`, `limit` and `offset`.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    var translation = RESTPaging.offset(size: pageSize).translation(of: query)
    if let filter = query.filter {
      let condition = try PostgRESTCondition(query).text(of: filter, isNegated: false)
      // The outermost `and` or `or` is the name of the parameter.
      let name = condition.hasPrefix("or(") ? "or" : "and"
      let value = condition.hasPrefix("\(name)(") ? String(condition.dropFirst(name.count)) : "(\(condition))"
      translation.items.append(RESTQueryItem(name, value))
    }
    let orders = try query.orders.map { order in
      let keys = try query.keys(of: order.term.path)
      guard order.term.form == .value, keys.count == 1 else { throw query.unsupported("the order by \(order)") }
      return "\(keys[0]).\(order.isDescending ? "desc" : "asc").nulls\(order.nils.rawValue)"
    }
    if !orders.isEmpty { translation.items.append(RESTQueryItem("order", orders.joined(separator: ","))) }
    return translation
  }
}

/// Writes a condition as PostgREST's logical operators.
private struct PostgRESTCondition {
  private let query: RESTQuery

  init(_ query: RESTQuery) { self.query = query }

  /// A condition, or its opposite. What is negated is the single comparison, so that nil is compared as Swift does.
  func text(of expression: QueryExpression, isNegated: Bool) throws -> String {
    switch expression {
    case .comparison(let comparison): return try text(of: comparison, isNegated: isNegated)
    case .not(let inner): return try text(of: inner, isNegated: !isNegated)
    case .and(let terms) where !terms.isEmpty: return try list(terms, isNegated ? "or" : "and", isNegated)
    case .or(let terms) where !terms.isEmpty: return try list(terms, isNegated ? "and" : "or", isNegated)
    default: throw query.unsupported(expression)
    }
  }

  private func list(_ terms: [QueryExpression], _ name: String, _ isNegated: Bool) throws -> String {
    "\(name)(\(try terms.map { try text(of: $0, isNegated: isNegated) }.joined(separator: ",")))"
  }

  private func text(of comparison: QueryComparison, isNegated: Bool) throws -> String {
    let (keys, value) = try query.plain(comparison)
    guard keys.count == 1, case let key = keys[0] else { throw query.unsupported(comparison) }
    let orNull = { (condition: String) in "or(\(condition),\(key).is.null)" }
    let quoted = Self.quoted(value)
    switch (comparison.operator, value, isNegated) {
    case (.equal, .null, false), (.notEqual, .null, true): return "\(key).is.null"
    case (.equal, .null, true), (.notEqual, .null, false): return "\(key).not.is.null"
    case (.equal, _, false), (.notEqual, _, true): return "\(key).eq.\(quoted)"
    case (.equal, _, true), (.notEqual, _, false): return orNull("\(key).neq.\(quoted)")
    case (_, .null, _): throw query.unsupported(comparison)
    case (.less, _, false): return "\(key).lt.\(quoted)"
    case (.less, _, true): return orNull("\(key).gte.\(quoted)")
    case (.lessOrEqual, _, false): return "\(key).lte.\(quoted)"
    case (.lessOrEqual, _, true): return orNull("\(key).gt.\(quoted)")
    case (.greater, _, false): return "\(key).gt.\(quoted)"
    case (.greater, _, true): return orNull("\(key).lte.\(quoted)")
    case (.greaterOrEqual, _, false): return "\(key).gte.\(quoted)"
    case (.greaterOrEqual, _, true): return orNull("\(key).lt.\(quoted)")
    case (.isIn, .array(let values), _):
      guard !values.isEmpty, !values.contains(.null) else { throw query.unsupported(comparison) }
      let list = "in.(\(values.map(Self.quoted).joined(separator: ",")))"
      return isNegated ? orNull("\(key).not.\(list)") : "\(key).\(list)"
    case (.contains, .string(let text), _), (.hasPrefix, .string(let text), _), (.hasSuffix, .string(let text), _):
      // A star stands for any text, and can't be escaped.
      guard !text.contains("*") else { throw query.unsupported(comparison) }
      let literal = text.map { "%_\\".contains($0) ? "\\\($0)" : String($0) }.joined()
      let start = comparison.operator == .hasPrefix ? "" : "*"
      let end = comparison.operator == .hasSuffix ? "" : "*"
      let pattern = Self.quoted(.string(start + literal + end))
      return isNegated ? orNull("\(key).not.like.\(pattern)") : "\(key).like.\(pattern)"
    default: throw query.unsupported(comparison)
    }
  }

  /// A value in quotes, unless it is a number or a boolean.
  private static func quoted(_ value: JSONValue) -> String {
    guard case .string(let text) = value else { return value.description }
    return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

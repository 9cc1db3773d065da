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
  /// What is selected of a table, by its name: such as `["authors": "id,name,publisher(id,name)"]` for less than all columns,
  /// and for rows that a foreign key leads to.
  public var selections: [String: String]
  /// Whether the server counts the rows of each list, so that ``RESTModelStore/count(_:)`` takes one request of one page.
  public var countsRows: Bool
  /// Whether a new model replaces the columns of the row that has its identifier, where there is one.
  public var mergesDuplicates: Bool
  /// Whether regular expressions are given to the server, which reads them as PostgreSQL does. Otherwise they are refused.
  public var sendsPatterns: Bool

  /// Creates the dialect.
  ///
  /// - Parameters:
  ///   - pageSize: how many rows are fetched at a time; no more than the server gives (`db-max-rows`).
  ///   - selections: what is selected of a table, by its name; all columns of others.
  ///   - countsRows: whether the server counts the rows of each list.
  ///   - mergesDuplicates: whether a new model replaces the columns of the row that has its identifier.
  ///   - sendsPatterns: whether regular expressions are given to the server.
  public init(
    pageSize: Int = 1_000, selections: [String: String] = [:], countsRows: Bool = false, mergesDuplicates: Bool = false,
    sendsPatterns: Bool = false
  ) {
    self.pageSize = pageSize
    self.selections = selections
    self.countsRows = countsRows
    self.mergesDuplicates = mergesDuplicates
    self.sendsPatterns = sendsPatterns
  }

  /// Single rows come as objects, and writes answer with what was written.
  public func headers(for operation: RESTOperation) async throws -> [String: String] {
    var headers = try await defaultHeaders()
    if operation.kind != .list { headers["Accept"] = "application/vnd.pgrst.object+json" }
    switch operation.kind {
    case .create where mergesDuplicates: headers["Prefer"] = "return=representation,resolution=merge-duplicates"
    case .create, .update, .delete: headers["Prefer"] = "return=representation"
    case .list where countsRows: headers["Prefer"] = "count=exact"
    case .list, .lookup: break
    }
    return headers
  }

  /// The table, with a filter for one row, and what is selected of it.
  public func address(of operation: RESTOperation) throws -> RESTAddress {
    var address = RESTAddress(operation.collectionPath)
    if operation.kind != .list, operation.kind != .create, let identifier = operation.identifier,
      let key = operation.identifierKey
    {
      address.query.append(RESTQueryItem(key, "eq.\(identifier)"))
    }
    if operation.kind != .delete, let selection = selections[operation.collectionName] {
      address.query.append(RESTQueryItem("select", selection))
    }
    return address
  }

  /// The whole answer.
  public var plainRecordPath: String? { "" }

  /// Takes the number of rows from `Content-Range`. No row where one was wanted is said with status 406, and the column
  /// of a rule that is broken in words.
  public func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    var answer = try RESTResponse(response)
    answer.total = Self.total(response)
    guard answer.error != nil, case .object(let problem)? = answer.payload else { return answer }
    let details = problem["details"]?.stringValue ?? ""
    let message = problem["message"]?.stringValue ?? ""
    switch problem["code"]?.stringValue {
    case "PGRST116"? where details.isEmpty || details.contains(" 0 rows"):
      answer.error = ModelStoreError(.notFound, "no row has this identifier")
    case "23502"?: place(message, on: Self.text(in: message, from: "column \"", to: "\""), in: &answer)
    case "23503"?, "23505"?: place(details, on: Self.text(in: details, from: "Key (", to: ")"), in: &answer)
    default:
      let hint = problem["hint"]?.stringValue ?? ""
      let more = [details, hint].filter { !$0.isEmpty }.joined(separator: " ")
      if !more.isEmpty { answer.error?.message += " (\(more.prefix(500)))" }
    }
    return answer
  }

  private func place(_ sentence: String, on columns: String?, in answer: inout RESTResponse) {
    for column in (columns ?? "").split(separator: ",") {
      answer.error?.fields[column.filter { $0 != " " && $0 != "\"" }, default: []].append(sentence)
    }
  }

  private static func text(in sentence: String, from start: String, to end: String) -> String? {
    guard let start = sentence.firstRange(of: start), let end = sentence[start.upperBound...].firstRange(of: end) else {
      return nil
    }
    return String(sentence[start.upperBound..<end.lowerBound])
  }

  private static func total(_ response: HTTPResponse) -> Int? {
    response.headers["Content-Range"].flatMap { $0.split(separator: "/").last }.flatMap { Int($0) }
  }

  /// Filters, `order`, `limit` and `offset`.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    var translation = RESTPaging.offset(size: pageSize).translation(of: query)
    if let filter = query.filter {
      let condition = try PostgRESTCondition(query, sendsPatterns: sendsPatterns).text(of: filter, isNegated: false)
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

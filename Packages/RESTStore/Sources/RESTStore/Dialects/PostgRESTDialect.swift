import StoreProtocol

/// The dialect of PostgREST: filters select rows, even single ones. They can express every condition on the columns of
/// a row, apart from members of values and elements of lists.
///
/// ```swift
/// let store = RESTModelStore(
///   baseURL: url, dialect: PostgRESTDialect(), router: router)
/// let found = try await store.list(
///   Person.self, where: { $0.age > 30 || $0.name.hasPrefix("A") })
/// // GET /people?or=(age.gt.30,name.like."A*")
/// ```
///
/// Nil compares as in Swift: a condition that SQL would leave undecided gets an `is.null` beside it. Text is ordered
/// and compared by the collation of the database. For the order of other stores, give columns the collation `"C"`.
public struct PostgRESTDialect: RESTDialect {
  /// The number of rows in a page.
  public var pageSize: Int
  /// The selected columns of tables, by the name of the table. `["authors": "id,name,publisher(id,name)"]` selects some
  /// columns, and some of the row that a foreign key references.
  public var selections: [String: String]
  /// Whether the server counts the rows of each list, so that ``RESTModelStore/count(_:)`` takes a single request for
  /// one page.
  public var requestsExactCount: Bool
  /// Whether a new model replaces the columns of an existing row with its identifier.
  public var mergesDuplicates: Bool
  /// Whether regular expressions are sent to the server, which evaluates them by the rules of PostgreSQL. Otherwise
  /// they are rejected.
  public var sendsPatterns: Bool
  /// Whether ``RESTModelStore/createAll(_:)`` adds rows with the same columns with one request, atomically. A
  /// `RESTService` with this dialect adds them one by one.
  public var createsTogether: Bool
  /// Whether ``RESTModelStore/deleteAll(_:where:evaluation:)`` deletes rows by their identifiers with one request,
  /// atomically: `DELETE /people?id=in.("1","2")`. A `RESTService` with this dialect deletes them one by one.
  public var deletesTogether: Bool

  /// Creates the dialect.
  ///
  /// - Parameters:
  ///   - pageSize: the number of rows in a page; no more than the server gives (`db-max-rows`).
  ///   - selections: the selected columns of tables, by the name of the table; all columns of other tables.
  ///   - requestsExactCount: whether the server counts the rows of each list.
  ///   - mergesDuplicates: whether a new model replaces the columns of an existing row with its identifier.
  ///   - sendsPatterns: whether regular expressions are sent to the server.
  ///   - createsTogether: whether rows are added together.
  ///   - deletesTogether: whether rows are deleted together.
  public init(
    pageSize: Int = 1_000, selections: [String: String] = [:], requestsExactCount: Bool = false,
    mergesDuplicates: Bool = false,
    sendsPatterns: Bool = false, createsTogether: Bool = false, deletesTogether: Bool = false
  ) {
    self.pageSize = pageSize
    self.selections = selections
    self.requestsExactCount = requestsExactCount
    self.mergesDuplicates = mergesDuplicates
    self.sendsPatterns = sendsPatterns
    self.createsTogether = createsTogether
    self.deletesTogether = deletesTogether
  }

  /// Sets headers that request a single row as an object, and the written row in the answer to a write.
  public func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws {
    if operation.kind != .list, operation.kind != .request, !operation.isBulk {
      request.headers["Accept"] = "application/vnd.pgrst.object+json"
    }
    switch operation.kind {
    case .create where mergesDuplicates:
      request.headers["Prefer"] = "return=representation,resolution=merge-duplicates"
    case .delete where operation.isBulk: request.headers["Prefer"] = "return=minimal"
    case .create, .update, .delete: request.headers["Prefer"] = "return=representation"
    case .list where requestsExactCount: request.headers["Prefer"] = "count=exact"
    case .list, .lookup, .request: break
    }
  }

  /// Returns the table, with a filter for one row, and the selected columns.
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

  /// Returns a filter for the rows with some identifiers, if rows are deleted together.
  public func items(deleting identifiers: [String], by operation: RESTOperation) throws -> [RESTQueryItem]? {
    guard deletesTogether, let key = operation.identifierKey else { return nil }
    let list = identifiers.map { PostgRESTCondition.quoted(.string($0)) }.joined(separator: ",")
    return [RESTQueryItem(key, "in.(\(list))")]
  }

  /// The whole answer.
  public var plainRecordPath: String? { "" }

  /// Reads an answer, with the number of rows from `Content-Range`. A missing row becomes `notFound`, although its
  /// status is 406. The column of a broken constraint is read from the message of the server.
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

  /// Translates a query to filters, `order`, `limit` and `offset`. The last order is that of the identifiers, so that
  /// each row is in one page.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    var translation = RESTPaging.offset(size: pageSize).translation(of: query)
    if let filter = query.filter {
      let condition = try PostgRESTCondition(query, sendsPatterns: sendsPatterns).text(of: filter, isNegated: false)
      // The outermost `and` or `or` is the name of the parameter.
      let name = condition.hasPrefix("or(") ? "or" : "and"
      let value = condition.hasPrefix("\(name)(") ? String(condition.dropFirst(name.count)) : "(\(condition))"
      translation.items.append(RESTQueryItem(name, value))
    }
    var isTotal = false
    var orders = try query.orders.map { order in
      let keys = try query.keys(of: order.term.path)
      guard order.term.form == .value, keys.count == 1 else { throw query.unsupported("the order by \(order)") }
      if keys[0] == query.identifierKey { isTotal = true }
      return "\(keys[0]).\(order.isDescending ? "desc" : "asc").nulls\(order.nils.rawValue)"
    }
    // Each page is a query of its own, and PostgreSQL returns rows with equal values in any order. Without this, a row
    // can be in two pages, or in none.
    if !isTotal, let key = query.identifierKey { orders.append("\(key).asc") }
    if !orders.isEmpty { translation.items.append(RESTQueryItem("order", orders.joined(separator: ","))) }
    return translation
  }
}

import StoreProtocol

/// The plain dialect: records are JSON objects, lists are JSON arrays, and the status decides between success and
/// failure.
///
/// ```swift
/// let store = RESTModelStore(baseURL: url, dialect: JSONDialect())  // the default
/// ```
///
/// A page of a list has a `Link` header with the relation `next`. Conditions and orders are rejected by default: no
/// form of them is understood by all servers, and many ignore parameters that they don't know. A `RESTService`
/// understands the parameters `where` and `sort`, which have the JSON of the condition and the orders.
public struct JSONDialect: RESTDialect {
  /// The paging of lists.
  public var paging: RESTPaging
  /// Whether conditions and orders are sent, in the parameters `where` and `sort`.
  public var sendsQueries: Bool
  /// The parameter with which lists contain related models in full, such as `"include"` or `"expand"`; nil if the API
  /// has none.
  public var includeParameter: String?
  /// The parameter with which a `RESTService` lists changes, `"updated_since"`; nil if the server has no change log.
  public var changesParameter: String?
  /// The parameter with which a list has the models of some identifiers only, such as `"ids"` in `ids=1,2`; nil if the
  /// API has none. Related models are then requested together.
  public var identifiersParameter: String?
  /// Whether a DELETE of the path of a relation deletes its members.
  public var deletesRelations: Bool

  /// Creates the dialect.
  ///
  /// - Parameters:
  ///   - paging: the paging of lists.
  ///   - sendsQueries: whether conditions and orders are sent. The server must know both parameters.
  ///   - includeParameter: the parameter with which lists contain related models in full.
  ///   - changesParameter: the parameter with which a `RESTService` lists changes.
  ///   - identifiersParameter: the parameter with which a list has the models of some identifiers only.
  ///   - deletesRelations: whether a DELETE of the path of a relation deletes its members.
  public init(
    paging: RESTPaging = .whole, sendsQueries: Bool = false, includeParameter: String? = nil,
    changesParameter: String? = nil, identifiersParameter: String? = nil, deletesRelations: Bool = false
  ) {
    self.paging = paging
    self.sendsQueries = sendsQueries
    self.includeParameter = includeParameter
    self.changesParameter = changesParameter
    self.identifiersParameter = identifiersParameter
    self.deletesRelations = deletesRelations
  }

  /// Returns the parameter with the relations, separated by commas.
  public func items(including relations: [[String]]) throws -> [RESTQueryItem]? {
    includeParameter.map { [RESTQueryItem($0, relations.map { $0.joined(separator: ".") }.joined(separator: ","))] }
  }

  /// The whole answer.
  public var plainListPath: String? { "" }

  /// The whole answer.
  public var plainRecordPath: String? { "" }

  /// Translates limit and offset, and conditions and orders if the server knows them.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    var translation = paging.translation(of: query)
    guard sendsQueries else {
      if let item = try identifiersParameter.flatMap(query.identifiers(named:)) {
        translation.items.append(item)
        try query.refuseOrders()
      } else {
        try query.refuseConditions()
      }
      return translation
    }
    if let filter = query.filter {
      translation.items.append(RESTQueryItem("where", try filter.json.jsonString()))
    }
    if !query.orders.isEmpty {
      let orders = JSONValue.array(query.orders.map(\.json))
      translation.items.append(RESTQueryItem("sort", try orders.jsonString()))
    }
    return translation
  }
}

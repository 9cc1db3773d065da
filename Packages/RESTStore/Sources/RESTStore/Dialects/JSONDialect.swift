import StoreProtocol

/// The plain dialect: records are JSON objects, lists are JSON arrays, and the status decides between success and
/// failure.
///
/// ```swift
/// let store = RESTModelStore(baseURL: url, dialect: JSONDialect())  // the default
/// ```
///
/// A page of a list has a `Link` header with the relation `next`. Conditions and orders are rejected: no form of them
/// is understood by all servers, and many ignore parameters that they don't know.
public struct JSONDialect: RESTDialect {
  /// The paging of lists.
  public var paging: RESTPaging

  /// Creates the dialect.
  ///
  /// - Parameter paging: the paging of lists.
  public init(paging: RESTPaging = .whole) { self.paging = paging }

  /// The whole answer.
  public var plainListPath: String? { "" }

  /// The whole answer.
  public var plainRecordPath: String? { "" }

  /// Translates limit and offset, and rejects conditions and orders.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    try query.refuseConditions()
    return paging.translation(of: query)
  }
}

import StoreProtocol

/// The plain dialect: records are JSON objects, lists are JSON arrays, the status tells whether it worked.
///
/// ```swift
/// let store = RESTModelStore(baseURL: url, dialect: JSONDialect())  // the default
/// ```
///
/// A list that comes in pages says so in a `Link` header with the relation `next`. Conditions and orders are refused: there
/// is no form of them that all servers understand, and many leave out what they don't know.
public struct JSONDialect: RESTDialect {
  /// How lists come in parts.
  public var paging: RESTPaging

  /// Creates the dialect.
  ///
  /// - Parameter paging: how lists come in parts.
  public init(paging: RESTPaging = .whole) { self.paging = paging }

  /// The whole answer.
  public var plainListPath: String? { "" }

  /// The whole answer.
  public var plainRecordPath: String? { "" }

  /// A limit and an offset, and nothing else.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    try query.refuseConditions()
    return paging.translation(of: query)
  }
}

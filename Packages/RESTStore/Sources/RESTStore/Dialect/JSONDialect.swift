/// The plain dialect: records are JSON objects, lists are JSON arrays, the status tells whether it worked.
///
/// ```swift
/// let store = RESTModelStore(baseURL: url, dialect: JSONDialect())  // the default
/// ```
public struct JSONDialect: RESTDialect {
  /// Creates the dialect.
  public init() {}
}

/// How JSON is written.
public struct JSONWritingOptions: Sendable, Hashable {
  /// Puts every member and element on a line of its own, indented by two blanks a level.
  public var pretty: Bool
  /// Writes the members of objects in the order of their keys as Swift compares strings; else they have no order.
  public var sortedKeys: Bool
  /// Writes `/` in strings as `\/`, for JSON inside HTML.
  public var escapesSlashes: Bool

  /// Makes options: compact, unordered and without escaped slashes unless told otherwise.
  ///
  /// - Parameters:
  ///   - pretty: Whether to put every member and element on a line of its own.
  ///   - sortedKeys: Whether to order the members of objects by their keys.
  ///   - escapesSlashes: Whether to escape `/` in strings.
  public init(pretty: Bool = false, sortedKeys: Bool = false, escapesSlashes: Bool = false) {
    self.pretty = pretty
    self.sortedKeys = sortedKeys
    self.escapesSlashes = escapesSlashes
  }
}

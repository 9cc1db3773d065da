/// The format of written JSON.
public struct JSONWritingOptions: Sendable, Hashable {
  /// Whether every member and element is on a line of its own, indented by two blanks per level.
  public var pretty: Bool
  /// Whether the members of objects are written in the order of their keys as Swift compares strings. Otherwise they
  /// have no order.
  public var sortedKeys: Bool
  /// Whether `/` in strings is written as `\/`, for JSON inside HTML.
  public var escapesSlashes: Bool

  /// Creates options; by default compact, unordered and without escaped slashes.
  ///
  /// - Parameters:
  ///   - pretty: Whether every member and element is on a line of its own.
  ///   - sortedKeys: Whether the members of objects are ordered by their keys.
  ///   - escapesSlashes: Whether `/` in strings is escaped.
  public init(pretty: Bool = false, sortedKeys: Bool = false, escapesSlashes: Bool = false) {
    self.pretty = pretty
    self.sortedKeys = sortedKeys
    self.escapesSlashes = escapesSlashes
  }
}

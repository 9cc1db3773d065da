import StoreProtocol

/// A writer of conditions as PostgREST's logical operators.
struct PostgRESTCondition {
  private let query: RESTQuery
  private let sendsPatterns: Bool

  init(_ query: RESTQuery, sendsPatterns: Bool) {
    self.query = query
    self.sendsPatterns = sendsPatterns
  }

  /// Returns the text of a condition or of its negation. The negation is applied to each comparison, so that nil
  /// compares as in Swift.
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
    if comparison.term.form == .ignoringCase { return try textIgnoringCase(of: comparison, isNegated: isNegated) }
    let (keys, value) = try query.plain(comparison)
    guard keys.count == 1, case let key = keys[0] else { throw query.unsupported(comparison) }
    let orNull = { (condition: String) in Self.orNull(condition, key) }
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
      let pattern = try pattern(text, comparison)
      return isNegated ? orNull("\(key).not.like.\(pattern)") : "\(key).like.\(pattern)"
    case (.matches, .string(let text), _) where sendsPatterns,
      (.containsMatch, .string(let text), _) where sendsPatterns:
      let pattern = Self.quoted(.string(comparison.operator == .matches ? "^(?:\(text))$" : text))
      return isNegated ? orNull("\(key).not.match.\(pattern)") : "\(key).match.\(pattern)"
    default: throw query.unsupported(comparison)
    }
  }

  /// Returns the text of a comparison without regard to case, by the server's rules for letters.
  private func textIgnoringCase(of comparison: QueryComparison, isNegated: Bool) throws -> String {
    let keys = try query.keys(of: comparison.term.path)
    guard keys.count == 1, case .value(let value) = comparison.operand else { throw query.unsupported(comparison) }
    let isOpposite = (comparison.operator == .notEqual) != isNegated
    let condition: String
    switch (comparison.operator, value) {
    case (.equal, .string(let text)), (.notEqual, .string(let text)), (.contains, .string(let text)),
      (.hasPrefix, .string(let text)), (.hasSuffix, .string(let text)):
      condition = "ilike.\(try pattern(text, comparison))"
    case (.matches, .string(let text)), (.containsMatch, .string(let text)):
      // Queries match such a pattern against lowercase text, and a capital in it may be a character class.
      guard sendsPatterns, !text.contains(where: \.isUppercase) else { throw query.unsupported(comparison) }
      condition = "imatch.\(Self.quoted(.string(comparison.operator == .matches ? "^(?:\(text))$" : text)))"
    default: throw query.unsupported(comparison)
    }
    return isOpposite ? Self.orNull("\(keys[0]).not.\(condition)", keys[0]) : "\(keys[0]).\(condition)"
  }

  private static func orNull(_ condition: String, _ key: String) -> String { "or(\(condition),\(key).is.null)" }

  /// Returns the pattern of the texts that contain a text where the operator requires it.
  private func pattern(_ text: String, _ comparison: QueryComparison) throws -> String {
    // A star stands for any text, and can't be escaped.
    guard !text.utf8.contains(UInt8(ascii: "*")) else { throw query.unsupported(comparison) }
    let literal = Self.escaping("%_\\", in: text)
    let start = [.contains, .hasSuffix].contains(comparison.operator) ? "*" : ""
    let end = [.contains, .hasPrefix].contains(comparison.operator) ? "*" : ""
    return Self.quoted(.string(start + literal + end))
  }

  /// Returns a value in quotes, unless it is a number or a boolean.
  static func quoted(_ value: JSONValue) -> String {
    guard case .string(let text) = value else { return value.description }
    return "\"" + escaping("\"\\", in: text) + "\""
  }

  /// Returns a text with a backslash before some ASCII characters. It goes by bytes, because a quote and a mark beside
  /// it can be one `Character`.
  private static func escaping(_ marks: String, in text: String) -> String {
    let bytes = text.utf8.flatMap { marks.utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A JSON value is not what a field takes.
///
/// ```swift
/// let error = ValueTransformError(expected: "an integer", found: "seven")
/// print(error)  // expected an integer, found the string "seven"
/// ```
public struct ValueTransformError: Error, CustomStringConvertible {
  /// What would have been right, such as `an integer`.
  public let expected: String
  /// What was found, in words, with the value if it is short.
  public let found: String
  /// Where inside the value, such as `[2].street`; empty for the value itself.
  public let path: String

  /// Creates an error about a JSON value.
  public init(expected: String, found: JSONValue) {
    self.init(expected: expected, found: found.shortDescription, path: "")
  }

  /// Creates an error about something that has words of its own.
  ///
  /// - Parameters:
  ///   - expected: what would have been right.
  ///   - found: what was found instead.
  ///   - path: where inside the value.
  public init(expected: String, found: String, path: String = "") {
    self.expected = expected
    self.found = found
    self.path = path
  }

  /// What was expected, and what was found.
  public var description: String {
    (path.isEmpty ? "" : "\(path): ") + "expected \(expected), found \(found)"
  }

  func inElement(_ index: Int) -> ValueTransformError { inside("[\(index)]") }

  func inMember(_ key: String) -> ValueTransformError { inside(key) }

  private func inside(_ container: String) -> ValueTransformError {
    let separator = path.isEmpty || path.hasPrefix("[") ? "" : "."
    return ValueTransformError(expected: expected, found: found, path: container + separator + path)
  }
}

extension JSONValue {
  /// The value in words for an error message, shortened if it is long.
  var shortDescription: String {
    switch self {
    case .null: return "null"
    case .array(let elements):
      return elements.count == 1 ? "a list of 1 element" : "a list of \(elements.count) elements"
    case .object: return "an object"
    case .string(let text):
      return text.count > 40 ? "the string \"\(text.prefix(40))…\"" : "the string \"\(text)\""
    default:
      let text = description
      return text.count > 40 ? "the number \(text.prefix(40))…" : text
    }
  }
}

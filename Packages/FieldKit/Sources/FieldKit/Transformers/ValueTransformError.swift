/// An error for a JSON value that a field does not accept, or a value that can't be written as JSON. The field keeps
/// its value.
///
/// ```swift
/// let error = ValueTransformError(
///   expected: "an integer", found: JSONValue.string("seven"))
/// print(error)  // expected an integer, found the string "seven"
/// ```
public struct ValueTransformError: Error, CustomStringConvertible {
  /// The expected kind of value, such as `an integer`.
  public let expected: String
  /// A description of the value that was found, with the value if it is short.
  public let found: String
  /// The path of the value, such as `addresses[2].street`. It begins with the key of the field if a dictionary was read
  /// or written. Empty for a value by itself.
  public let path: String
  /// The underlying error of a transformer or type of your own, if it threw one of another type.
  public let cause: (any Error)?

  /// Creates an error about a JSON value.
  ///
  /// - Parameters:
  ///   - expected: the expected kind of value.
  ///   - found: the value that was found instead.
  ///   - cause: the underlying error.
  public init(expected: String, found: JSONValue, cause: (any Error)? = nil) {
    self.init(expected: expected, found: found.shortDescription, path: "", cause: cause)
  }

  /// Creates an error with a description of the value that was found.
  ///
  /// - Parameters:
  ///   - expected: the expected kind of value.
  ///   - found: a description of the value that was found instead.
  ///   - path: the path inside the value.
  ///   - cause: the underlying error.
  public init(expected: String, found: String, path: String = "", cause: (any Error)? = nil) {
    self.expected = expected
    self.found = found
    self.path = path
    self.cause = cause
  }

  /// The path, the expected kind of value, and the value that was found.
  public var description: String {
    (path.isEmpty ? "" : "\(path.pathForMessage): ")
      + "expected \(expected.shortenedForMessage()), found \(found.shortenedForMessage())"
  }

  private func inside(_ container: String) -> ValueTransformError {
    let separator = path.isEmpty || path.hasPrefix("[") ? "" : "."
    return ValueTransformError(
      expected: expected, found: found, path: container + separator + path, cause: cause)
  }
}

/// An error with a path inside a value. Each enclosing container adds a component to the path.
@_spi(ModelKitInternals)
public protocol ErrorWithPath: Error {
  /// Returns the error with the key of the enclosing object added to its path.
  func inMember(_ key: String) -> Self
  /// Returns the error with the index in the enclosing list added to its path.
  func inElement(_ index: Int) -> Self
}

@_spi(ModelKitInternals)
extension ValueTransformError: ErrorWithPath {
  /// Returns the error with the key of the enclosing object added to its path.
  public func inMember(_ key: String) -> ValueTransformError { inside(key) }
  /// Returns the error with the index in the enclosing list added to its path.
  public func inElement(_ index: Int) -> ValueTransformError { inside("[\(index)]") }
}

extension JSONValue {
  /// A description of the value for an error message, shortened if it is long.
  var shortDescription: String {
    switch self {
    case .null: "null"
    case .array(let elements):
      elements.count == 1 ? "a list of 1 element" : "a list of \(elements.count) elements"
    case .object: "an object"
    case .string(let text): "the string \(text.quotedForMessage(atMost: 40))"
    case .number(let number) where number.text.utf8.count > 40:
      "the number \(number.text.shortenedForMessage(atMost: 40))"
    default: description
    }
  }
}

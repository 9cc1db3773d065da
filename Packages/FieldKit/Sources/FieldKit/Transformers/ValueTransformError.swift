/// A JSON value is not what a field takes, or a value can't be written as JSON. The field keeps what it has.
///
/// ```swift
/// let error = ValueTransformError(expected: "an integer", found: JSONValue.string("seven"))
/// print(error)  // expected an integer, found the string "seven"
/// ```
public struct ValueTransformError: Error, CustomStringConvertible {
  /// What would have been right, such as `an integer`.
  public let expected: String
  /// What was found, in words, with the value if it is short.
  public let found: String
  /// Where: the key of the field if it was read from or written to a dictionary, and the way inside the value, such as
  /// `addresses[2].street`; empty for a value by itself.
  public let path: String
  /// The error of a transformer or type of one's own, if it threw one of another type.
  public let cause: (any Error)?

  /// Creates an error about a JSON value.
  ///
  /// - Parameters:
  ///   - expected: what would have been right.
  ///   - found: the value that was found instead.
  ///   - cause: the error that led to this one.
  public init(expected: String, found: JSONValue, cause: (any Error)? = nil) {
    self.init(expected: expected, found: found.shortDescription, path: "", cause: cause)
  }

  /// Creates an error about something that has words of its own.
  ///
  /// - Parameters:
  ///   - expected: what would have been right.
  ///   - found: what was found instead.
  ///   - path: where inside the value.
  ///   - cause: the error that led to this one.
  public init(expected: String, found: String, path: String = "", cause: (any Error)? = nil) {
    self.expected = expected
    self.found = found
    self.path = path
    self.cause = cause
  }

  /// Where, what was expected, and what was found.
  public var description: String {
    (path.isEmpty ? "" : "\(path.pathForMessage): ")
      + "expected \(expected.wordsForMessage()), found \(found.wordsForMessage())"
  }

  private func inside(_ container: String) -> ValueTransformError {
    let separator = path.isEmpty || path.hasPrefix("[") ? "" : "."
    return ValueTransformError(
      expected: expected, found: found, path: container + separator + path, cause: cause)
  }
}

/// An error that knows its place inside a value, and learns more of it on its way out of the containers.
@_spi(ModelKitInternals)
public protocol ErrorWithPath: Error {
  /// The same error, seen from the object that has what it is about under a key.
  func inMember(_ key: String) -> Self
  /// The same error, seen from the list that has what it is about.
  func inElement(_ index: Int) -> Self
}

@_spi(ModelKitInternals)
extension ValueTransformError: ErrorWithPath {
  /// The same error, seen from the object that has what it is about under a key.
  public func inMember(_ key: String) -> ValueTransformError { inside(key) }
  /// The same error, seen from the list that has what it is about.
  public func inElement(_ index: Int) -> ValueTransformError { inside("[\(index)]") }
}

extension JSONValue {
  /// The value in words for an error message, shortened if it is long.
  var shortDescription: String {
    switch self {
    case .null: "null"
    case .array(let elements):
      elements.count == 1 ? "a list of 1 element" : "a list of \(elements.count) elements"
    case .object: "an object"
    case .string(let text): "the string \(text.quotedForMessage(atMost: 40))"
    case .number(let number) where number.text.utf8.count > 40: "the number \(number.text.wordsForMessage(atMost: 40))"
    default: description
    }
  }
}

@_spi(ModelKitInternals) public import FieldKit

/// An error for JSON that a model rejects. The model stays as it is.
///
/// ```swift
/// do { try person.read(["age": "seven"]) } catch { print(error) }
/// // age: expected an integer, found the string "seven"
/// ```
public struct ModelDecodingError: Error, CustomStringConvertible {
  /// The path of the value in the document, from its root: `authors[3].books[0].year`.
  public let path: FieldPath
  /// The property of the model whose value it is; nil where no field takes the value.
  public let property: String?
  /// The value that the model takes.
  public let expected: String
  /// A description of the value that was found.
  public let found: String
  /// The offset of the value in the document in bytes, if it is known.
  public let position: Int?
  /// The error of a custom transformer or type, if it threw one of another type.
  public let cause: (any Error)?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - path: the path of the value in the document.
  ///   - property: the property of the model that the value was read into.
  ///   - expected: a description of the expected value, such as `an integer`.
  ///   - found: a description of the value that was found.
  ///   - position: the offset of the value in the document in bytes.
  ///   - cause: the underlying error.
  public init(
    path: FieldPath, property: String? = nil, expected: String, found: String, position: Int? = nil,
    cause: (any Error)? = nil
  ) {
    self.path = path
    self.property = property
    self.expected = expected
    self.found = found
    self.position = position
    self.cause = cause
  }

  /// The path, the expected value, and the value that was found.
  public var description: String {
    let place = path.components.isEmpty ? "" : "\(path.messageSubject(property)): "
    let offset = position.map { " (at byte \($0))" } ?? ""
    return "\(place)expected \(expected.shortenedForMessage()), found \(found.shortenedForMessage())\(offset)"
  }

  /// Returns the same error with a path relative to an outer document.
  ///
  /// - Parameter path: where the inner document lies in the outer one.
  public func inside(_ path: FieldPath) -> ModelDecodingError { inside(path, of: nil) }

  private func inside(_ path: FieldPath, of property: String?) -> ModelDecodingError {
    ModelDecodingError(
      path: path.appending(self.path), property: self.property ?? property, expected: expected, found: found,
      position: position,
      cause: cause)
  }

  /// Wraps any error of a field or transformer, with the path of the value.
  ///
  /// - Parameter property: the property of the field.
  static func wrapping(_ error: any Error, at path: FieldPath, of property: String? = nil) -> ModelDecodingError {
    switch error {
    case let error as ModelDecodingError: error.inside(path, of: property)
    case let error as ValueTransformError:
      ModelDecodingError(
        path: path.appending(FieldPath(error.path)), property: property, expected: error.expected, found: error.found,
        cause: error.cause)
    default:
      ModelDecodingError(
        path: path, property: property, expected: "a value its transformer accepts", found: "one it rejects (\(error))",
        cause: error)
    }
  }
}

extension FieldPath {
  /// Returns the path as a message names it, and the property in parentheses where no key of the path is the same word.
  func messageSubject(_ property: String?) -> String {
    let text = description
    guard let property, !FieldPath(text).components.contains(.key(property)) else { return text.pathForMessage }
    return "\(text.pathForMessage) (\(property))"
  }
}

/// A value that can't be written as JSON, such as a number that is not finite. Nothing was written.
///
/// ```swift
/// do { _ = try person.jsonData() } catch { print(error) }
/// // height can't be written: expected a finite number, found nan
/// ```
public struct ModelEncodingError: Error, CustomStringConvertible {
  /// The path of the value in the model.
  public let path: FieldPath
  /// The reason why the value can't be written.
  public let reason: String

  /// The error of a custom transformer or type, if that was the reason.
  public let cause: (any Error)?

  /// Whether the error concerns the nesting depth. The path is then that of the outermost field: the full path would be
  /// as long as the document is deep.
  private let isAboutDepth: Bool

  init(path: FieldPath, reason: String, cause: (any Error)? = nil) {
    self.init(path: path, reason: reason, cause: cause, isAboutDepth: false)
  }

  private init(path: FieldPath, reason: String, cause: (any Error)?, isAboutDepth: Bool) {
    self.path = path
    self.reason = reason
    self.cause = cause
    self.isAboutDepth = isAboutDepth
  }

  /// An error for models nested beyond the limit of JSON.
  static var tooDeep: ModelEncodingError {
    let limit = JSONReadingOptions.maximumTreeDepth
    let reason = """
      the models below it are nested more than \(limit) levels deep. Write them as a list, or make the relation \
      a foreign key
      """
    return ModelEncodingError(path: FieldPath(), reason: reason, cause: nil, isAboutDepth: true)
  }

  /// Returns the error of a field or transformer with its path.
  static func wrapping(_ error: any Error, at path: FieldPath) -> ModelEncodingError {
    switch error {
    case let error as ModelEncodingError where error.isAboutDepth:
      ModelEncodingError(path: path, reason: error.reason, cause: error.cause, isAboutDepth: true)
    case let error as ModelEncodingError:
      ModelEncodingError(path: path.appending(error.path), reason: error.reason, cause: error.cause)
    case let error as ValueTransformError:
      ModelEncodingError(
        path: path.appending(FieldPath(error.path)), reason: "expected \(error.expected), found \(error.found)",
        cause: error.cause)
    case let error as JSONWritingError:
      ModelEncodingError(path: path.appending(FieldPath(error.path)), reason: error.message, cause: error)
    default: ModelEncodingError(path: path, reason: "\(error)", cause: error)
    }
  }

  /// The path and the reason.
  public var description: String {
    "\(path.description.pathForMessage) can't be written: \(reason.shortenedForMessage(atMost: 600))"
  }

  func inside(_ component: FieldPath.Component) -> ModelEncodingError {
    ModelEncodingError(path: path.inside(component), reason: reason, cause: cause, isAboutDepth: isAboutDepth)
  }
}

@_spi(ModelKitInternals)
extension ModelDecodingError: ErrorWithPath {
  /// Returns the same error with a path relative to the object that has the value under a key.
  public func inMember(_ key: String) -> ModelDecodingError { inside(FieldPath([.key(key)])) }
  /// Returns the same error with a path relative to the list that has the value at an index.
  public func inElement(_ index: Int) -> ModelDecodingError { inside(FieldPath([.index(index)])) }
}

@_spi(ModelKitInternals)
extension ModelEncodingError: ErrorWithPath {
  /// Returns the same error with a path relative to the object that has the value under a key.
  public func inMember(_ key: String) -> ModelEncodingError { inside(.key(key)) }
  /// Returns the same error with a path relative to the list that has the value at an index.
  public func inElement(_ index: Int) -> ModelEncodingError { inside(.index(index)) }
}

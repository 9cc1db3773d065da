@_spi(ModelKitInternals) import FieldKit

/// JSON that is not what a model takes. Nothing of the model was changed.
///
/// ```swift
/// do { try person.read(["age": "seven"]) } catch { print(error) }
/// // age: expected an integer, found the string "seven"
/// ```
public struct ModelDecodingError: Error, CustomStringConvertible {
  /// Where in the document, from its root: `authors[3].books[0].year`.
  public let path: FieldPath
  /// What would have been right.
  public let expected: String
  /// What was found.
  public let found: String
  /// How many bytes into the document the value begins, where that is known.
  public let position: Int?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - path: where in the document.
  ///   - expected: what would have been right, such as `an integer`.
  ///   - found: what was found, in words.
  ///   - position: how many bytes into the document the value begins.
  public init(path: FieldPath, expected: String, found: String, position: Int? = nil) {
    self.path = path
    self.expected = expected
    self.found = found
    self.position = position
  }

  /// Where, what was expected, and what was found.
  public var description: String {
    let place = path.components.isEmpty ? "" : "\(path): "
    let offset = position.map { " (at byte \($0))" } ?? ""
    return "\(place)expected \(expected), found \(found)\(offset)"
  }

  /// The same error, seen from a document that holds the one it is about.
  ///
  /// - Parameter path: where the inner document lies in the outer one.
  public func inside(_ path: FieldPath) -> ModelDecodingError {
    ModelDecodingError(path: path.appending(self.path), expected: expected, found: found, position: position)
  }

  /// Any error of a field or transformer, with its place.
  static func wrapping(_ error: any Error, at path: FieldPath) -> ModelDecodingError {
    switch error {
    case let error as ModelDecodingError: error.inside(path)
    case let error as ValueTransformError:
      ModelDecodingError(path: path.appending(FieldPath(error.path)), expected: error.expected, found: error.found)
    default:
      ModelDecodingError(
        path: path, expected: "a value its transformer takes", found: "one it refuses (\(error))")
    }
  }
}

/// A value that can't be written as JSON, such as a number that is not finite. Nothing was written.
///
/// ```swift
/// do { _ = try person.jsonData() } catch { print(error) }
/// // height can't be written: expected a finite number, found nan
/// ```
public struct ModelEncodingError: Error, CustomStringConvertible {
  /// Where in the model.
  public let path: FieldPath
  /// Why the value can't be written.
  public let reason: String

  /// Where, and why.
  public var description: String { "\(path) can't be written: \(reason)" }

  func inside(_ component: FieldPath.Component) -> ModelEncodingError {
    ModelEncodingError(path: path.inside(component), reason: reason)
  }
}

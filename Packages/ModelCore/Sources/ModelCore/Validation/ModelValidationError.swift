/// A broken rule of a model: which field, and what is wrong with it.
///
/// ```swift
/// for error in person.validationErrors { print(error) }  // name cannot be blank
/// ```
public struct ModelValidationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key path of the field; empty for the model as a whole.
  public let path: FieldPath
  /// What is wrong, as the end of a sentence about the field.
  public let message: String

  /// Creates an error, such as one that a server reported.
  ///
  /// - Parameters:
  ///   - path: the key path of the field.
  ///   - message: what is wrong, as the end of a sentence about the field.
  public init(path: FieldPath, message: String) {
    self.path = path
    self.message = message
  }

  /// The sentence.
  public var description: String {
    // The message of an element begins with its position: `tags[0] cannot be blank`.
    if path.isEmpty { return message }
    return message.hasPrefix("[") ? "\(path)\(message)" : "\(path) \(message)"
  }
}

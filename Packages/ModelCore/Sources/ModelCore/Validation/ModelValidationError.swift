@_spi(ModelKitInternals) import FieldKit

/// A broken rule of a model: which field, and what is wrong with it.
///
/// ```swift
/// for error in person.validationErrors { print(error) }  // name cannot be blank
/// ```
///
/// A field that was declared with a name is called by it: `Full name cannot be blank`.
public struct ModelValidationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key path of the field; empty for the model as a whole.
  public let path: FieldPath
  /// What is wrong, as the end of a sentence about the field.
  public let message: String
  /// What people call the field; nil if it has no name. Says nothing about whether two errors are equal.
  public let name: String?

  /// Creates an error, such as one that a server reported.
  ///
  /// - Parameters:
  ///   - path: the key path of the field.
  ///   - message: what is wrong, as the end of a sentence about the field.
  ///   - name: what people call the field.
  public init(path: FieldPath, message: String, name: String? = nil) {
    self.path = path
    self.message = message
    self.name = name
  }

  /// Two errors are equal if they say the same of the same field.
  public static func == (left: ModelValidationError, right: ModelValidationError) -> Bool {
    left.path == right.path && left.message == right.message
  }

  /// Hashes the path and the message.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(message)
  }

  /// The sentence.
  public var description: String {
    // The message of an element begins with its position: `tags[0] cannot be blank`.
    let message = message.unicodeScalars.count > 500 ? String(message.unicodeScalars.prefix(500)) + "…" : message
    if path.isEmpty { return message }
    let subject = name?.wordsForMessage(atMost: 80) ?? path.description.pathForMessage
    return message.hasPrefix("[") ? subject + message : "\(subject) \(message)"
  }
}

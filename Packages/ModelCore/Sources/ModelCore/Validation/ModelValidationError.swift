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
  /// The name of the field for people; nil if it has none. Equality ignores it.
  public let name: String?
  /// The property of the model that has the field; nil if the path leads into another model. Equality ignores it.
  public let property: String?

  /// Creates an error, such as one that a server reported.
  ///
  /// - Parameters:
  ///   - path: the key path of the field.
  ///   - message: what is wrong, as the end of a sentence about the field.
  ///   - name: the name of the field for people.
  ///   - property: the property of the model that has the field.
  public init(path: FieldPath, message: String, name: String? = nil, property: String? = nil) {
    self.path = path
    self.message = message
    self.name = name
    self.property = property
  }

  /// Two errors are equal if path and message are.
  public static func == (left: ModelValidationError, right: ModelValidationError) -> Bool {
    left.path == right.path && left.message == right.message
  }

  /// Hashes the path and the message.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(message)
  }

  /// The sentence. Without a name, the property is named as well where its key is another word: `full_name (fullName) cannot be
  /// blank`.
  public var description: String {
    // The message of an element begins with its position: `tags[0] cannot be blank`.
    let message = message.unicodeScalars.count > 500 ? String(message.unicodeScalars.prefix(500)) + "…" : message
    if path.isEmpty { return message }
    let subject = name?.wordsForMessage(atMost: 80) ?? path.messageSubject(property)
    return message.hasPrefix("[") ? subject + message : "\(subject) \(message)"
  }
}

@_spi(ModelKitInternals) import FieldKit

/// A broken rule of a model: the field and the error.
///
/// ```swift
/// for error in person.validationErrors { print(error) }  // name cannot be blank
/// ```
///
/// A field that was declared with a name is shown by its name: `Full name cannot be blank`.
public struct ModelValidationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key path of the field; empty for the model as a whole.
  public let path: FieldPath
  /// The error, as the end of a sentence about the field.
  public let message: String
  /// The name of the field for people; nil if it has none. Not compared by `==`.
  public let name: String?
  /// The property of the model that has the field; nil if the field is in a related model. Equality ignores it.
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

  /// Two errors are equal if they have the same path and message.
  public static func == (left: ModelValidationError, right: ModelValidationError) -> Bool {
    left.path == right.path && left.message == right.message
  }

  /// Hashes the path and the message.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(message)
  }

  /// The error as a sentence.
  public var description: String {
    // The message of an element begins with its index: `tags[0] cannot be blank`.
    let message = message.unicodeScalars.count > 500 ? String(message.unicodeScalars.prefix(500)) + "…" : message
    if path.isEmpty { return message }
    let subject = name?.shortenedForMessage(atMost: 80) ?? path.messageSubject(property)
    return message.hasPrefix("[") ? subject + message : "\(subject) \(message)"
  }
}

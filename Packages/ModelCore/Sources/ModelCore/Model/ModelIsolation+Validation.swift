@_spi(ModelKitInternals) import FieldKit

/// A broken rule of a model: which field, and what is wrong with it.
///
/// ```swift
/// for error in person.validationErrors { print(error) }  // name cannot be blank
/// ```
public struct ModelValidationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key path of the field.
  public let path: FieldPath
  /// What is wrong, as the end of a sentence about the field.
  public let message: String

  /// The sentence.
  public var description: String {
    // The message of an element begins with its position: `tags[0] cannot be blank`.
    message.hasPrefix("[") ? "\(path)\(message)" : "\(path) \(message)"
  }
}

extension ModelIsolation where Self: ModelObject {
  /// Checks the rules of every field of this model. Related models are judged by themselves.
  ///
  /// - Returns: `.valid`, or `.invalid` with messages that name the field.
  @discardableResult
  public func validate() -> ValidationState { validateFields() }

  /// What the last validation found, field by field, including messages added by hand.
  public var validationErrors: [ModelValidationError] { fieldErrors }
}

extension ModelObject {
  @discardableResult
  func validateFields() -> ValidationState {
    for field in allFields { field.validate() }
    let errors = fieldErrors
    return errors.isEmpty ? .valid : .invalid(errors.map(\.description))
  }

  var fieldErrors: [ModelValidationError] {
    allFields.flatMap { field in
      field.validationState.messages.map { message in
        ModelValidationError(path: FieldPath(verbatim: field.key ?? field.name ?? "?"), message: message)
      }
    }
  }
}

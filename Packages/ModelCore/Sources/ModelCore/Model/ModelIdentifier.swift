@_spi(ModelKitInternals) import FieldKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ModelIsolation where Self: ModelObject {
  /// The identifier as text; nil if the model has none yet.
  ///
  /// An identifier field holds an integer, a string, a UUID, or any other type that converts to text and back without
  /// loss.
  ///
  /// Setting nil clears the field. A text that the field can't hold changes nothing and is reported to
  /// ``ModelIssue/handler``, because a property can't throw.
  public var identifier: String? {
    get { modelIdentifier }
    nonmutating set {
      if let newValue {
        guard !setIdentifier(newValue) else { return }
        ModelIssue.report(
          FieldError(
            notSet: FieldPath(identifierField?.key ?? "identifier"),
            identifierField == nil
              ? "the class has no identifier field"
              : "the text can't be converted to \(identifierField?.valueType ?? Never.self)",
            identifierField == nil ? .notFound : .wrongType))
      } else {
        try? identifierField?.set(anyValue: nil)
      }
    }
  }

  /// Whether a store has the model: it was created or read there, and was not deleted through this scope since. Another
  /// store instance may have deleted it; then a save and a refresh throw `notFound`.
  public var isPersisted: Bool { isStored && !isDeleted }
}

extension ModelObject {
  var modelIdentifier: String? { identifierField.flatMap(Self.identifier(in:)) }

  /// Returns the value of an identifier field as text.
  static func identifier(in field: AnyField) -> String? {
    switch field {
    case let field as Field<Int>: field.value.map(String.init)
    case let field as Field<String>: field.value
    case let field as Field<UUID>: field.value?.uuidString
    default: (field.anyValue as? any LosslessStringConvertible)?.description
    }
  }

  /// Sets the identifier from text.
  ///
  /// - Returns: `false` if there is no identifier field, or it can't hold this text.
  func setIdentifier(_ identifier: String) -> Bool {
    switch identifierField {
    case let field as Field<Int>:
      guard let number = Int(identifier) else { return false }
      field.value = number
    case let field as Field<String>: field.value = identifier
    case let field as Field<UUID>:
      guard let uuid = UUID(uuidString: identifier) else { return false }
      field.value = uuid
    case let field?:
      guard let type = field.valueType as? any LosslessStringConvertible.Type, let value = type.init(identifier) else {
        return false
      }
      return (try? field.set(anyValue: value)) != nil
    case nil: return false
    }
    return true
  }
}

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
  public var identifier: String? { modelIdentifier }
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

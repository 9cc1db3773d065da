@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore

/// The operations of a field that mapping needs, independent of the type of its value.
protocol MappedField: AnyField {
  /// Returns the declaration that an attribute gives the field; nil if there is none.
  func declaration(
    for attribute: CoreDataSchema.Attribute, transformers: [String: any ValueTransforming]
  ) -> FieldDeclaration?
  /// Returns the declaration that a relationship gives the field; nil if there is none.
  func declaration(for relationship: CoreDataSchema.Relationship) -> FieldDeclaration?
  /// Returns the reason why the transformer of an attribute can't be used; nil if it can, or there is none.
  func transformerProblem(
    of attribute: CoreDataSchema.Attribute, _ transformers: [String: any ValueTransforming]
  ) -> String?
  /// Returns whether the field can hold values of an attribute's type.
  func canHold(_ attribute: CoreDataSchema.Attribute) -> Bool
  /// Sets a field without a value to the default it would have been declared with.
  func takeInitial(_ json: JSONValue)
}

extension Field: MappedField {
  func declaration(
    for attribute: CoreDataSchema.Attribute, transformers: [String: any ValueTransforming]
  ) -> FieldDeclaration? {
    declaration(
      key: attribute.keyPath == attribute.name ? nil : attribute.keyPath,
      transformer: transformer(of: attribute, transformers),
      rules: isRelation ? [] : AttributeRules.rules(for: attribute, of: Content.self))
  }

  func declaration(for relationship: CoreDataSchema.Relationship) -> FieldDeclaration? {
    declaration(
      key: relationship.keyPath == relationship.name ? nil : relationship.keyPath, transformer: nil,
      rules: AttributeRules.rules(for: relationship, of: Content.self))
  }

  private func transformer(
    of attribute: CoreDataSchema.Attribute, _ transformers: [String: any ValueTransforming]
  ) -> (any ValueTransforming<Content>)? {
    guard let name = attribute.jsonTransformerName else { return nil }
    if let transformer = transformers[name] as? any ValueTransforming<Content> { return transformer }
    guard let problem = transformerProblem(of: attribute, transformers) else { return nil }
    return MissingTransformer<Content>(problem: problem)
  }

  func transformerProblem(
    of attribute: CoreDataSchema.Attribute, _ transformers: [String: any ValueTransforming]
  ) -> String? {
    guard let name = attribute.jsonTransformerName, !hasOwnTransformer else { return nil }
    guard let transformer = transformers[name] else {
      // A value of a known type can be read without a transformer.
      if attribute.type != .transformable, attribute.type != .undefined { return nil }
      return SchemaMappingError.unknownTransformer(name, known: transformers.keys.sorted()).description
    }
    if transformer is any ValueTransforming<Content> { return nil }
    return SchemaMappingError.unfitTransformer(
      name, expected: "\(Content.self)", found: "\(Self.valueType(of: transformer))"
    ).description
  }

  private static func valueType<T: ValueTransforming>(of transformer: T) -> Any.Type { T.Value.self }

  func canHold(_ attribute: CoreDataSchema.Attribute) -> Bool {
    if hasOwnTransformer || Content.self == JSONValue.self { return true }
    switch attribute.type {
    case .string: return Self.isOneOf(String.self, URL.self, UUID.self) || Self.isRaw
    case .boolean: return Self.isOneOf(Bool.self) || Self.isRaw
    case .integer16, .integer32, .integer64:
      // Some documents write numbers as text, and some models keep the text.
      return Content.self is any BinaryInteger.Type || Self.isOneOf(Double.self, Decimal.self, String.self)
        || Self.isRaw
    case .double, .float, .decimal:
      return Self.isOneOf(Double.self, Float.self, Decimal.self, String.self) || Self.isRaw
    case .date: return Self.isOneOf(Date.self)
    case .uuid: return Self.isOneOf(UUID.self, String.self)
    case .uri: return Self.isOneOf(URL.self, String.self)
    case .binary: return Self.isOneOf(Data.self)
    case .transformable, .composite, .objectID, .undefined, .other: return true
    }
  }

  private static func isOneOf(_ types: Any.Type...) -> Bool { types.contains { $0 == Content.self } }

  private static var isRaw: Bool { Content.self is any RawRepresentable.Type }

  func takeInitial(_ json: JSONValue) {
    // Defaults have the spelling of the attribute's type, not that of a field's transformer.
    var context = ValueTransformerContext.standard
    context.decoding = .lenient
    if let value = try? context.value(of: json, as: Content.self) { takeInitial(value) }
  }
}

extension CoreDataSchema.Attribute {
  /// The transformer between values and JSON. Those of Foundation are for databases and do not count.
  var jsonTransformerName: String? {
    guard let name = valueTransformerName, !name.isEmpty, !name.hasPrefix("NS") else { return nil }
    return name
  }
}

@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore

/// What mapping asks of a field, whatever its type.
protocol MappedField: FieldBase {
  /// What an attribute says of the field; nil if nothing.
  func declaration(
    for attribute: CoreDataSchema.Attribute, transformers: [String: any ValueTransforming]
  ) -> FieldDeclaration?
  /// What a relationship says of the field; nil if nothing.
  func declaration(for relationship: CoreDataSchema.Relationship) -> FieldDeclaration?
  /// Why the transformer of an attribute can't be used; nil if it can, or there is none.
  func transformerProblem(
    of attribute: CoreDataSchema.Attribute, _ transformers: [String: any ValueTransforming]
  ) -> String?
  /// Whether values of the type of an attribute fit into the field.
  func canHold(_ attribute: CoreDataSchema.Attribute) -> Bool
  /// Gives a field that was never set the value it would have if it had been declared with it.
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
      // A value that has a type can be read without.
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
      // Some documents write numbers as text, and some models keep them so.
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
    // Defaults are spelled as the type says, not as a field's transformer has it.
    var context = ValueTransformerContext.standard
    context.decoding = .lenient
    if let value = try? context.value(of: json, as: Content.self) { takeInitial(value) }
  }
}

extension CoreDataSchema.Attribute {
  /// The transformer that says how the value looks in JSON. Those of Foundation say how it looks in a database.
  var jsonTransformerName: String? {
    guard let name = valueTransformerName, !name.isEmpty, !name.hasPrefix("NS") else { return nil }
    return name
  }
}

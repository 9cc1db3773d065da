@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore

/// A factory for the field of one attribute or relationship. It computes the declaration of the field once for all
/// models.
class FieldMaker: @unchecked Sendable {
  // Sendable is proven by construction: the subclasses have constants of Sendable types and no others.
  let name: String

  fileprivate init(name: String) { self.name = name }

  /// Returns a field for a model.
  ///
  /// - Parameter hasAllDefaults: whether an optional field starts with its default as well.
  func make(hasAllDefaults: Bool) -> AnyField { Field<JSONValue>(key: name) }

  static func maker(
    for attribute: CoreDataSchema.Attribute, transformers: [String: any ValueTransforming], isIdentifier: Bool
  ) -> FieldMaker {
    func maker<Value>(_ type: Value.Type) -> FieldMaker {
      AttributeMaker<Value>(attribute, transformers, isIdentifier: isIdentifier)
    }
    func maker<T: ValueTransforming>(as transformer: T) -> FieldMaker { maker(T.Value.self) }
    if let name = attribute.jsonTransformerName, let transformer = transformers[name] { return maker(as: transformer) }
    return switch attribute.type {
    case .integer16, .integer32, .integer64: maker(Int.self)
    case .decimal: maker(Decimal.self)
    case .double: maker(Double.self)
    case .float: maker(Float.self)
    case .string: maker(String.self)
    case .boolean: maker(Bool.self)
    case .date: maker(Date.self)
    case .binary: maker(Data.self)
    case .uuid: maker(UUID.self)
    case .uri: maker(URL.self)
    case .transformable, .composite, .objectID, .undefined, .other: maker(JSONValue.self)
    }
  }

  static func maker(
    for relationship: CoreDataSchema.Relationship, to destination: DynamicModel.Type
  ) -> FieldMaker? {
    func maker<Related: Model>(_ type: Related.Type) -> FieldMaker { RelationMaker<Related>(relationship) }
    let destination: any Model.Type = destination
    return maker(destination)
  }
}

private final class AttributeMaker<Value>: FieldMaker, @unchecked Sendable {
  private let declaration: FieldDeclaration?
  private let keyPath: String
  private let defaultValue: JSONValue?
  private let isOptional: Bool

  init(
    _ attribute: CoreDataSchema.Attribute, _ transformers: [String: any ValueTransforming], isIdentifier: Bool
  ) {
    keyPath = attribute.keyPath
    // With a default, all models would have the same identifier.
    defaultValue = isIdentifier ? Optional<JSONValue>.none : attribute.defaultValue
    isOptional = attribute.isOptional
    let prototype = Field<Value>(key: keyPath)
    // Values whose transformer is missing stay JSON.
    let hasTransformer = attribute.jsonTransformerName.map { transformers[$0] != nil } ?? false
    var described = attribute
    if !hasTransformer { described.valueTransformerName = nil }
    declaration = prototype.declaration(for: described, transformers: transformers)
    super.init(name: attribute.name)
  }

  override func make(hasAllDefaults: Bool) -> AnyField {
    let field = Field<Value>(key: keyPath)
    declaration?.apply(to: field)
    if let defaultValue, hasAllDefaults || !isOptional { field.takeInitial(defaultValue) }
    return field
  }
}

private final class RelationMaker<Related: Model>: FieldMaker, @unchecked Sendable {
  private let relationship: CoreDataSchema.Relationship
  private let fieldDeclaration: FieldDeclaration?
  private let relationDeclaration: RelationDeclaration

  init(_ relationship: CoreDataSchema.Relationship) {
    self.relationship = relationship
    let prototype: AnyField = Self.field(relationship)
    fieldDeclaration = (prototype as? any MappedField)?.declaration(for: relationship)
    let inverseName = relationship.inverseName
    relationDeclaration = RelationDeclaration(deleteRule: relationship.modelDeleteRule) { related in
      inverseName.flatMap { (related as? DynamicModel)?.field(named: $0) as? any RelationField }
    }
    super.init(name: relationship.name)
  }

  private static func field(_ relationship: CoreDataSchema.Relationship) -> AnyField {
    let one = ModelField<Related>(key: relationship.keyPath, foreignKey: relationship.isForeignKey)
    return relationship.isToMany ? one* : one
  }

  override func make(hasAllDefaults: Bool) -> AnyField {
    let field = Self.field(relationship)
    fieldDeclaration?.apply(to: field)
    relationDeclaration.apply(to: field)
    return field
  }
}

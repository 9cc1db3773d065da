@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// A factory for the models of one entity.
final class DynamicEntity: Sendable {
  let schema: CoreDataSchema
  let entity: CoreDataSchema.Entity
  let modelClass: DynamicModel.Type
  /// The attribute that identifies a model.
  let identifierName: String?
  /// The type name in stores: the name of the topmost entity of the hierarchy.
  let typeName: String
  /// The key of the entity's name in a dictionary; nil if the entity belongs to no hierarchy.
  let entityKey: String?
  private let related: [String: DynamicModel.Type]
  private let makers = Lock<[FieldMaker]?>(nil)

  init(
    _ schema: CoreDataSchema, _ entity: CoreDataSchema.Entity, _ modelClass: DynamicModel.Type,
    related: [String: DynamicModel.Type]
  ) {
    self.schema = schema
    self.entity = entity
    self.modelClass = modelClass
    self.related = related
    identifierName = schema.identifierName(of: entity)
    let top = schema.lineage(of: entity)[0]
    typeName = top.name
    let isAlone = top.name == entity.name && !schema.isParent(entity)
    entityKey = isAlone ? nil : schema.entityKeyPath(of: entity) ?? "entity"
  }

  /// The makers of the fields of a model, in their order.
  var fieldMakers: [FieldMaker] {
    if let known = makers.withLock({ $0 }) { return known }
    let made = makeMakers()
    makers.withLock { $0 = made }
    return made
  }

  private func makeMakers() -> [FieldMaker] {
    var namesEntity = entityKey == nil
    let parts = schema.attributes(of: entity).flatMap { attribute in
      let parts = schema.parts(of: attribute)
      return parts.isEmpty ? [attribute] : parts
    }
    var attributes: [FieldMaker] = parts.map { attribute in
      var attribute = attribute
      if attribute.keyPath == entityKey, attribute.type == .string {
        namesEntity = true
        attribute.isOptional = false
        attribute.defaultText = entity.name
      }
      return FieldMaker.maker(
        for: attribute, transformers: schema.storage.transformers, isIdentifier: attribute.name == identifierName)
    }
    if !namesEntity, let entityKey {
      let attribute = CoreDataSchema.Attribute(
        name: entityKey, type: .string, isOptional: false, defaultText: entity.name)
      attributes.append(FieldMaker.maker(for: attribute, transformers: [:], isIdentifier: false))
    }
    let relations = schema.relationships(of: entity).compactMap { relationship in
      relationship.destinationName.flatMap { related[$0] }.flatMap { FieldMaker.maker(for: relationship, to: $0) }
    }
    return attributes + relations
  }

  /// Returns the key path of a composite attribute's object in JSON.
  func keyPath(ofComposite name: String) -> String? {
    schema.attributes(of: entity).first { $0.name == name && $0.compositeName != nil }?.keyPath
  }

  /// Returns the class of the entity that a dictionary names; nil if it is not of the same hierarchy.
  func memberClass(for dictionary: AttributeDictionary) -> DynamicModel.Type? {
    guard let entityKey, case .string(let name)? = try? dictionary.value(atNestedKey: entityKey),
      let found = related[name], EntityClasses.entity(of: found)?.typeName == typeName
    else { return nil }
    return found
  }

  /// Returns the entity of the models that a dictionary describes: the one it names, or this one by default.
  ///
  /// - Throws: ``SchemaMappingError/abstractEntity(_:)``.
  func concrete(for dictionary: AttributeDictionary) throws -> DynamicEntity {
    let named = memberClass(for: dictionary).flatMap { EntityClasses.entity(of: $0) }
    let isDerived = named.map { named in schema.lineage(of: named.entity).contains { $0.name == entity.name } } ?? false
    let found = isDerived ? named ?? self : self
    if found.entity.isAbstract { throw SchemaMappingError.abstractEntity(found.entity.name) }
    return found
  }
}

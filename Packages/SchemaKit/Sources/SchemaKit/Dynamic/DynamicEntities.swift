@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// A factory for the models of the entities of one schema.
final class DynamicEntities: Sendable {
  private let entities: [String: DynamicEntity]

  private init(_ schema: CoreDataSchema) {
    let classes = Self.classes(of: schema)
    entities = Dictionary(
      uniqueKeysWithValues: schema.storage.entities.map { name, index in
        let made = DynamicEntity(
          schema, schema.entities[index], classes[name] ?? DynamicModel.self, related: classes)
        EntityClasses.add(made)
        return (name, made)
      })
  }

  /// Returns a class for each entity, derived from the class of its parent.
  private static func classes(of schema: CoreDataSchema) -> [String: DynamicModel.Type] {
    let parents = Set(schema.entities.compactMap(\.parentName))
    var classes: [String: DynamicModel.Type] = [:]
    // The key is the names of the whole lineage, so that entities in a cycle of parents get classes of their own.
    var byLineage: [[String]: DynamicModel.Type] = [:]
    for name in schema.storage.entities.keys {
      guard let entity = schema.entity(name) else { continue }
      let lineage = schema.lineage(of: entity).map(\.name)
      guard lineage.count > 1 || parents.contains(name) else {
        classes[name] = EntityClasses.makeClass()
        continue
      }
      var parent = EntityFamilies.founder
      for length in 1...lineage.count {
        let key = Array(lineage.prefix(length))
        let made = byLineage[key] ?? EntityClasses.makeClass(derivedFrom: parent)
        byLineage[key] = made
        parent = made
      }
      classes[name] = parent
    }
    return classes
  }

  // MARK: One for equal schemas

  private static let known = Lock<[SchemaContent: DynamicEntities]>([:])

  /// Returns the factory of a schema. Equal schemas share one, so that reading a model file twice gives the same types.
  static func entities(of schema: CoreDataSchema) -> DynamicEntities {
    if let own = schema.storage.dynamicEntities.withLock({ $0 }) { return own }
    let isShared = schema.storage.transformers.isEmpty
    let content = schema.storage.content
    let shared = isShared ? known.withLock { $0[content] } : nil
    let made = shared ?? DynamicEntities(schema)
    let standing =
      isShared
      ? known.withLock { known in
        if let first = known[content] { return first }
        known[content] = made
        return made
      } : made
    return schema.storage.dynamicEntities.withLock { own in
      if let own { return own }
      own = standing
      return standing
    }
  }

  /// - Throws: ``SchemaMappingError/unknownEntity(_:known:)``.
  func entity(_ name: String) throws -> DynamicEntity {
    guard let entity = entities[name] else {
      throw SchemaMappingError.unknownEntity(name, known: entities.keys.sorted())
    }
    return entity
  }
}

extension CoreDataSchema {
  /// Returns the name of the attribute that identifies an object of an entity.
  ///
  /// It is the first of these:
  /// - the attribute of a uniqueness constraint of one attribute;
  /// - the attribute whose key path in JSON the user info of the entity names (`jsonKeyPath`, `externalKeyPath`);
  /// - an attribute named `id`, `identifier` or like the entity with the suffix `Id`, or with such a key (`author_id`).
  ///
  /// The entity is searched first, then its parents.
  ///
  /// - Returns: nil if the entity has no such attribute.
  public func identifierName(of entity: Entity) -> String? {
    let attributes = self.attributes(of: entity)
    let names = Set(attributes.map(\.name))
    let lineage = self.lineage(of: entity).reversed()
    for entity in lineage {
      for constraint in entity.uniquenessConstraints where constraint.count == 1 && names.contains(constraint[0]) {
        return constraint[0]
      }
    }
    for entity in lineage {
      guard let keyPath = Self.keyPath(in: entity.userInfo) else { continue }
      if let attribute = attributes.first(where: { $0.keyPath == keyPath }) { return attribute.name }
    }
    let usual = ["id", "identifier"] + lineage.map { "\($0.name)id".lowercased() }
    let named = attributes.first { usual.contains($0.name.lowercased()) }
    let keyed = attributes.first { usual.contains($0.keyPath.lowercased().filter { $0 != "_" && $0 != "-" }) }
    return (named ?? keyed)?.name
  }
  /// Returns the key path of the entity's name in a dictionary, from the user info of the topmost entity
  /// (`entityKeyPath`).
  ///
  /// - Returns: nil if the user info has no such key, or the entity belongs to no hierarchy.
  func entityKeyPath(of entity: Entity) -> String? {
    let top = lineage(of: entity)[0]
    guard top.name != entity.name || isParent(entity) else { return nil }
    return top.userInfo["entityKeyPath"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns whether entities are derived from this one.
  func isParent(_ entity: Entity) -> Bool { storage.parentNames.contains(entity.name) }
}

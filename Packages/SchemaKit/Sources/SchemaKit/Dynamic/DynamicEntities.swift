@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// How to make models of the entities of one schema.
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

  /// A class for each entity: derived from that of its parent, as the entity is.
  private static func classes(of schema: CoreDataSchema) -> [String: DynamicModel.Type] {
    let parents = Set(schema.entities.compactMap(\.parentName))
    var classes: [String: DynamicModel.Type] = [:]
    // By the names of the whole lineage: where entities are derived in a circle, each has one of its own.
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

  /// The entities of a schema. Equal schemas share theirs, so that a model file may be read more than once.
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
  /// The attribute that tells one object of an entity from the others.
  ///
  /// It is the one of a uniqueness constraint of one attribute; or else the one whose place in JSON the user info of the
  /// entity names (`jsonKeyPath`, `externalKeyPath`); or else the one that is called `id`, `identifier`, or like the entity
  /// with `Id` behind it, or has such a key (`author_id`). What an entity does not say its parent may say.
  ///
  /// - Returns: nil if there is none.
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
  /// Where in a dictionary the name of the entity is, as the user info of the topmost entity says (`entityKeyPath`).
  ///
  /// - Returns: nil if it does not say, or no entity is derived from another there.
  func entityKeyPath(of entity: Entity) -> String? {
    let top = lineage(of: entity)[0]
    guard top.name != entity.name || isParent(entity) else { return nil }
    return top.userInfo["entityKeyPath"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether entities are derived from this one.
  func isParent(_ entity: Entity) -> Bool { storage.parentNames.contains(entity.name) }
}

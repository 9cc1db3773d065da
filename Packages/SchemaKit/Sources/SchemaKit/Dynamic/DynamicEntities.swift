@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// How to make models of the entities of one schema.
final class DynamicEntities: Sendable {
  private let entities: [String: DynamicEntity]

  private init(_ schema: CoreDataSchema) {
    let names = schema.storage.entities.keys
    let classes = Dictionary(uniqueKeysWithValues: names.map { ($0, EntityClasses.makeClass()) })
    entities = Dictionary(
      uniqueKeysWithValues: schema.storage.entities.map { name, index in
        let made = DynamicEntity(
          schema, schema.entities[index], classes[name] ?? DynamicModel.self, related: classes)
        EntityClasses.add(made)
        return (name, made)
      })
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

/// How to make models of one entity.
final class DynamicEntity: Sendable {
  let schema: CoreDataSchema
  let entity: CoreDataSchema.Entity
  let modelClass: DynamicModel.Type
  /// The attribute that identifies a model.
  let identifierName: String?
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
  }

  /// What makes the fields of a model, in their order.
  var fieldMakers: [FieldMaker] {
    if let known = makers.withLock({ $0 }) { return known }
    let made = makeMakers()
    makers.withLock { $0 = made }
    return made
  }

  private func makeMakers() -> [FieldMaker] {
    let attributes = schema.attributes(of: entity).map { attribute in
      FieldMaker.maker(
        for: attribute, transformers: schema.storage.transformers, isIdentifier: attribute.name == identifierName)
    }
    let relations = schema.relationships(of: entity).compactMap { relationship in
      relationship.destinationName.flatMap { related[$0] }.flatMap { FieldMaker.maker(for: relationship, to: $0) }
    }
    return attributes + relations
  }
}

extension CoreDataSchema {
  /// The attribute that tells one object of an entity from the others.
  ///
  /// It is the one of a uniqueness constraint of one attribute; or else the one whose place in JSON the user info of the
  /// entity names (`jsonKeyPath`, `externalKeyPath`); or else the one that is called `id`, `identifier`, or like the entity
  /// with `Id` behind it. What an entity does not say its parent may say.
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
    return attributes.first { usual.contains($0.name.lowercased()) }?.name
  }
}

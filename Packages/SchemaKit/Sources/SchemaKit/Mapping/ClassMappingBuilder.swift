@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// A builder for the mapping of a class. It works on one instance that has only the declarations of its class.
struct ClassMappingBuilder {
  private let mapping: SchemaMapping
  private let model: ModelObject
  private(set) var issues: [SchemaIssue] = []

  init(_ mapping: SchemaMapping, _ model: ModelObject) {
    self.mapping = mapping
    self.model = model
  }

  mutating func build() -> ClassMapping {
    guard let mapped = type(of: model) as? any SchemaMapped.Type else { return .nothing }
    let name = mapped.entityName
    guard let entity = mapping.schema.entity(name) else {
      report(.unfitClass, "\(type(of: model)) is mapped by the entity \(name), which does not exist.", name, nil, nil)
      return .nothing
    }
    let attributes = Dictionary(
      mapping.schema.attributes(of: entity).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let relationships = Dictionary(
      mapping.schema.relationships(of: entity).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var declarations: [CompletedDeclaration] = []
    var initials: [ClassMapping.Initial] = []
    var missing = Set(attributes.keys).union(relationships.keys)
    let identifier = model.identifierField
    let entityKeyPath = mapping.schema.entityKeyPath(of: entity)
    for (index, name, field) in model.declaredFields {
      guard let mapped = field as? any MappedField else { continue }
      missing.remove(name)
      if let attribute = attributes[name] {
        check(mapped, attribute, entity)
        let declaration = mapped.declaration(for: attribute, transformers: mapping.transformers)
        declarations.append(CompletedDeclaration(index: index, field: declaration, relation: nil))
        if attribute.type == .string, attribute.keyPath == entityKeyPath {
          initials.append(.init(index: index, json: .string(entity.name), isRequired: true))
        } else if let json = attribute.defaultValue, identifier !== field {
          initials.append(.init(index: index, json: json, isRequired: !attribute.isOptional))
        }
      } else if let relationship = relationships[name] {
        check(field, relationship, entity)
        let declaration = mapped.declaration(for: relationship)
        declarations.append(
          CompletedDeclaration(
            index: index, field: declaration, relation: RelationDeclaration(relationship)))
      }
    }
    for name in missing.sorted() {
      let line = attributes[name]?.line ?? relationships[name]?.line
      report(.unfitClass, "\(type(of: model)) has no field \(name).", entity.name, name, line)
    }
    return ClassMapping(
      declarations: declarations.filter { $0.isUseful }, initials: initials)
  }

  // MARK: Mismatches

  private mutating func report(
    _ kind: SchemaIssue.Kind, _ message: String, _ entity: String, _ property: String?, _ line: Int?
  ) {
    issues.append(SchemaIssue(kind, message, entity: entity, property: property, line: line))
  }

  private mutating func check(
    _ field: any MappedField, _ attribute: CoreDataSchema.Attribute, _ entity: CoreDataSchema.Entity
  ) {
    let name = "\(type(of: model)).\(attribute.name)"
    if field.isRelation {
      report(
        .unfitClass, "\(name) is a relation, but an attribute of \(entity.name).", entity.name, attribute.name,
        attribute.line)
    }
    if let problem = field.transformerProblem(of: attribute, mapping.transformers) {
      report(.unknownTransformer, "\(name): \(problem).", entity.name, attribute.name, attribute.line)
    } else if !field.canHold(attribute) {
      report(
        .unfitClass, "\(name) holds \(field.valueType), but is a \(attribute.type.spelling) in \(entity.name).",
        entity.name, attribute.name, attribute.line)
    }
  }

  private mutating func check(
    _ field: AnyField, _ relationship: CoreDataSchema.Relationship, _ entity: CoreDataSchema.Entity
  ) {
    let name = "\(type(of: model)).\(relationship.name)"
    guard let relation = field as? any RelationField else {
      return report(
        .unfitClass, "\(name) is not a relation, but a relationship of \(entity.name).", entity.name, relationship.name,
        relationship.line)
    }
    if relation.isToMany != relationship.isToMany {
      let count = relationship.isToMany ? "many models" : "one model"
      report(
        .unfitClass, "\(name) must reference \(count), as in \(entity.name).", entity.name, relationship.name,
        relationship.line)
    }
    guard let related = relation.relatedClass as? any SchemaMapped.Type,
      let found = mapping.schema.entity(related.entityName),
      let destination = relationship.destinationName, mapping.schema.entity(destination) != nil
    else { return }
    if !mapping.schema.lineage(of: found).contains(where: { $0.name == destination }) {
      report(
        .unfitClass, "\(name) references \(relation.relatedClass), which is \(found.name) and not \(destination).",
        entity.name, relationship.name, relationship.line)
    }
  }
}

extension RelationDeclaration {
  convenience init?(_ relationship: CoreDataSchema.Relationship) {
    let deleteRule = relationship.modelDeleteRule
    guard let name = relationship.inverseName else {
      if deleteRule == .nullify { return nil }
      self.init(deleteRule: deleteRule, inverse: nil)
      return
    }
    let place = InverseIndex(name)
    self.init(deleteRule: deleteRule) { place.field(of: $0) }
  }
}

extension CoreDataSchema.Relationship {
  /// The delete rule of the model. Models never keep a dangling reference, so `No Action` acts as `Nullify`.
  var modelDeleteRule: DeleteRule {
    switch deletionRule {
    case .nullify, .noAction: .nullify
    case .cascade: .cascade
    case .deny: .deny
    }
  }
}

/// The index of the inverse field in each class of a relation's destination, computed once per class.
private final class InverseIndex: Sendable {
  private let name: String
  private let places = Lock<[ObjectIdentifier: Int]>([:])

  init(_ name: String) { self.name = name }

  func field(of model: ModelObject) -> (any RelationField)? {
    let key = ObjectIdentifier(type(of: model))
    let known = places.withLock { $0[key] }
    let index = known ?? model.declaredFields.first { $0.name == name }?.index ?? -1
    if known == nil { places.withLock { $0[key] = index } }
    return index < 0 ? nil : model.declaredField(at: index) as? any RelationField
  }
}

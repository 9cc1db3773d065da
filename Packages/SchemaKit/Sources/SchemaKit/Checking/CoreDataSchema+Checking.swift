import Foundation

extension CoreDataSchema {
  /// Returns the inconsistencies of the schema:
  ///
  /// - Duplicate names of entities, composites and properties.
  /// - Missing parents, destinations, inverses and composites.
  /// - Inverses that do not match.
  /// - Limits and defaults that are not values of their type.
  ///
  /// - Returns: the issues by entity in the order of the file; empty for a consistent schema. Unknown parts of the file
  ///   are in ``notes``.
  /// - Complexity: O(*n* *d*) in the number of properties *n* and the depth *d* of the entity hierarchy.
  public func check() -> [SchemaIssue] {
    var issues: [SchemaIssue] = []
    var names: Set<String> = []
    let circular = namesInCircles()
    let relationships = ownRelationships()
    for entity in entities {
      if !names.insert(entity.name).inserted {
        issues.append(
          SchemaIssue(
            .duplicateEntity, "Another entity is already named \(entity.name); the first one is used.",
            entity: entity.name,
            line: entity.line))
      }
      issues += parentIssues(of: entity, circular) + nameIssues(of: entity)
      for attribute in entity.attributes { issues += valueIssues(of: attribute, entity) }
      for relationship in entity.relationships { issues += relationIssues(of: relationship, entity, relationships) }
    }
    var compositeNames: Set<String> = []
    for composite in composites {
      let entity = Entity(name: composite.name, attributes: composite.attributes)
      if !compositeNames.insert(composite.name).inserted {
        issues.append(
          SchemaIssue(
            .duplicateEntity, "Another composite is already named \(composite.name); the first one is used.",
            entity: composite.name, line: composite.attributes.first?.line))
      }
      issues += nameIssues(of: entity)
      for attribute in entity.attributes { issues += valueIssues(of: attribute, entity) }
      // A composite that is too large is not searched for cycles: that could take as long as expanding it.
      let isTooLarge = self.isTooLarge(composite)
      guard isTooLarge || isInsideItself(composite) else { continue }
      let what = isTooLarge ? "expands to more than 1,000 attributes or is nested too deeply" : "contains itself"
      issues.append(
        SchemaIssue(
          .unfitValue, "The composite \(composite.name) \(what).", entity: composite.name,
          line: composite.attributes.first?.line))
    }
    return issues
  }

  /// Returns the entities in a cycle of parents, and those derived from them.
  private func namesInCircles() -> Set<String> {
    var circular: Set<String> = []
    var known: Set<String> = []
    for entity in entities {
      var path: [String] = []
      var onPath: Set<String> = []
      var next: String? = entity.name
      while let name = next, !known.contains(name), onPath.insert(name).inserted {
        path.append(name)
        next = self.entity(name)?.parentName
      }
      if let name = next, onPath.contains(name) || circular.contains(name) { circular.formUnion(path) }
      known.formUnion(path)
    }
    return circular
  }

  /// Returns the relationships of each entity by name, without inherited ones.
  private func ownRelationships() -> [String: [String: Relationship]] {
    Dictionary(
      entities.map { entity in
        (entity.name, Dictionary(entity.relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }))
      }, uniquingKeysWith: { first, _ in first })
  }

  private func parentIssues(of entity: Entity, _ circular: Set<String>) -> [SchemaIssue] {
    guard let parent = entity.parentName else { return [] }
    guard self.entity(parent) != nil else {
      return [
        SchemaIssue(
          .unknownParent, "\(entity.name) has the parent \(parent), which does not exist.", entity: entity.name,
          line: entity.line)
      ]
    }
    guard circular.contains(entity.name) else { return [] }
    return [
      SchemaIssue(
        .parentCycle, "\(entity.name) is derived from itself through \(parent).", entity: entity.name,
        line: entity.line)
    ]
  }

  private func nameIssues(of entity: Entity) -> [SchemaIssue] {
    let properties = entity.attributes.map { ($0.name, $0.line) } + entity.relationships.map { ($0.name, $0.line) }
    if properties.isEmpty { return [] }
    let parents = entity.parentName == nil ? [] : lineage(of: entity).dropLast()
    let inherited = Set(parents.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
    var names: Set<String> = []
    return properties.compactMap { name, line in
      let isNew = names.insert(name).inserted
      if isNew, !inherited.contains(name) { return nil }
      return SchemaIssue(
        .duplicateProperty, "\(entity.name) \(isNew ? "inherits a" : "has another") property \(name).",
        entity: entity.name, property: name, line: line)
    }
  }

  private func relationIssues(
    of relationship: Relationship, _ entity: Entity, _ known: [String: [String: Relationship]]
  ) -> [SchemaIssue] {
    let name = "\(entity.name).\(relationship.name)"
    func issue(_ kind: SchemaIssue.Kind, _ message: String) -> [SchemaIssue] {
      [SchemaIssue(kind, message, entity: entity.name, property: relationship.name, line: relationship.line)]
    }
    if let minimum = relationship.minimumCount, let maximum = relationship.maximumCount, maximum > 0, minimum > maximum
    {
      return issue(.unfitValue, "\(name) has a minimum count of \(minimum), above its maximum of \(maximum).")
    }
    guard let destinationName = relationship.destinationName, !destinationName.isEmpty else {
      return issue(.missingDestination, "\(name) has no destination.")
    }
    guard let destination = self.entity(destinationName) else {
      return issue(.unknownDestination, "\(name) has the destination \(destinationName), which does not exist.")
    }
    guard let inverseName = relationship.inverseName else { return [] }
    let inverseEntity = relationship.inverseEntityName.flatMap { self.entity($0) } ?? destination
    var inverse = known[inverseEntity.name]?[inverseName]
    if inverse == nil, inverseEntity.parentName != nil {
      inverse = lineage(of: inverseEntity).reversed().lazy.compactMap { known[$0.name]?[inverseName] }.first
    }
    guard let inverse else {
      return issue(
        .unknownInverse, "\(name) names the inverse \(inverseEntity.name).\(inverseName), which does not exist.")
    }
    let leadsBack = inverse.destinationName.flatMap { self.entity($0) }.map { isDerived(entity, from: $0) } ?? false
    let isDestination = isDerived(destination, from: inverseEntity) || isDerived(inverseEntity, from: destination)
    guard leadsBack, isDestination, inverse.inverseName == relationship.name else {
      return issue(
        .mismatchedInverse, "\(name) names the inverse \(inverseEntity.name).\(inverseName), which has another inverse."
      )
    }
    return []
  }

  private func isDerived(_ entity: Entity, from other: Entity) -> Bool {
    entity.name == other.name || entity.parentName != nil && lineage(of: entity).contains { $0.name == other.name }
  }

  private func valueIssues(of attribute: Attribute, _ entity: Entity) -> [SchemaIssue] {
    let name = "\(entity.name).\(attribute.name)"
    var issues: [SchemaIssue] = []
    func report(_ message: String) {
      issues.append(
        SchemaIssue(
          .unfitValue, message, entity: entity.name, property: attribute.name, line: attribute.line))
    }
    if attribute.type == .composite, attribute.compositeName.flatMap({ composite($0) }) == nil {
      let missing = attribute.compositeName.map { "the composite \($0), which does not exist" } ?? "no composite"
      issues.append(
        SchemaIssue(
          .unknownComposite, "\(name) names \(missing).", entity: entity.name, property: attribute.name,
          line: attribute.line))
    }
    if let text = attribute.defaultText, !attribute.canRead(text) {
      report("\(name) has the default \"\(text)\", which is not a value of type \(attribute.type.spelling).")
    }
    let limits = [attribute.minimumText, attribute.maximumText].map { text in
      text.flatMap { attribute.canLimit(by: $0) ? Decimal(string: $0) : nil }
    }
    if (limits[0] == nil) != (attribute.minimumText == nil) || (limits[1] == nil) != (attribute.maximumText == nil) {
      report("\(name) has a limit that is not a number, or not a whole one.")
    }
    if let minimum = limits[0], let maximum = limits[1], minimum > maximum {
      report("\(name) has a minimum above its maximum.")
    }
    if let pattern = attribute.regularExpression, (try? NSRegularExpression(pattern: pattern)) == nil {
      report("\(name) has an invalid regular expression: \(pattern)")
    }
    return issues
  }
}

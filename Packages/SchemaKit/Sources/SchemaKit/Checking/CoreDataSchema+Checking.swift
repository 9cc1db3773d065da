import Foundation

extension CoreDataSchema {
  /// Looks for what does not fit together: properties and entities of one name, parents, destinations and inverses that are
  /// not there, inverses that don't lead back, limits and defaults that are no values.
  ///
  /// - Returns: what was found, by entity in the order of the file; nothing if all is well. See ``notes`` for what is not
  ///   known.
  /// - Complexity: O(*n* *d*) in the number of properties and how deep entities are derived from one another.
  public func check() -> [SchemaIssue] {
    var issues: [SchemaIssue] = []
    var names: Set<String> = []
    let circular = namesInCircles()
    let relationships = ownRelationships()
    for entity in entities {
      if !names.insert(entity.name).inserted {
        issues.append(
          SchemaIssue(
            .duplicateEntity, "There is another entity \(entity.name); that one counts.", entity: entity.name,
            line: entity.line))
      }
      issues += parentIssues(of: entity, circular) + nameIssues(of: entity)
      for attribute in entity.attributes { issues += valueIssues(of: attribute, entity) }
      for relationship in entity.relationships { issues += relationIssues(of: relationship, entity, relationships) }
    }
    for composite in composites {
      // What is too large is not searched: that could take as long as to take it apart.
      let isTooLarge = self.isTooLarge(composite)
      guard isTooLarge || isInsideItself(composite) else { continue }
      let what = isTooLarge ? "stands for more than 1,000 attributes, or is nested too deeply" : "has itself as a part"
      issues.append(
        SchemaIssue(
          .unfitValue, "The composite \(composite.name) \(what).", entity: composite.name,
          line: composite.attributes.first?.line))
    }
    return issues
  }

  /// The entities that are derived from themselves, or from one that is.
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

  /// The relationships of each entity by name, without those of parents.
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
          .unknownParent, "\(entity.name) is derived from \(parent), which is not there.", entity: entity.name,
          line: entity.line)
      ]
    }
    guard circular.contains(entity.name) else { return [] }
    return [
      SchemaIssue(
        .parentCycle, "\(entity.name) is derived from itself, by way of \(parent).", entity: entity.name,
        line: entity.line)
    ]
  }

  private func nameIssues(of entity: Entity) -> [SchemaIssue] {
    var names: Set<String> = []
    let properties = entity.attributes.map { ($0.name, $0.line) } + entity.relationships.map { ($0.name, $0.line) }
    return properties.compactMap { name, line in
      if names.insert(name).inserted { return nil }
      return SchemaIssue(
        .duplicateProperty, "\(entity.name) has another property \(name).", entity: entity.name, property: name,
        line: line)
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
      return issue(.unfitValue, "\(name) leads to at least \(minimum), but at most \(maximum).")
    }
    guard let destinationName = relationship.destinationName, !destinationName.isEmpty else {
      return issue(.missingDestination, "\(name) leads nowhere.")
    }
    guard let destination = self.entity(destinationName) else {
      return issue(.unknownDestination, "\(name) leads to \(destinationName), which is not there.")
    }
    guard let inverseName = relationship.inverseName else { return [] }
    let inverseEntity = relationship.inverseEntityName.flatMap { self.entity($0) } ?? destination
    var inverse = known[inverseEntity.name]?[inverseName]
    if inverse == nil, inverseEntity.parentName != nil {
      inverse = lineage(of: inverseEntity).reversed().lazy.compactMap { known[$0.name]?[inverseName] }.first
    }
    guard let inverse else {
      return issue(
        .unknownInverse, "\(name) names the inverse \(inverseEntity.name).\(inverseName), which is not there.")
    }
    let leadsBack = inverse.destinationName.flatMap { self.entity($0) }.map { isDerived(entity, from: $0) } ?? false
    let isDestination = isDerived(destination, from: inverseEntity) || isDerived(inverseEntity, from: destination)
    guard leadsBack, isDestination, inverse.inverseName == relationship.name else {
      return issue(
        .mismatchedInverse, "\(name) names the inverse \(inverseEntity.name).\(inverseName), which does not lead back.")
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
      let missing = attribute.compositeName.map { "the composite \($0), which is not there" } ?? "no composite"
      issues.append(
        SchemaIssue(
          .unknownComposite, "\(name) names \(missing).", entity: entity.name, property: attribute.name,
          line: attribute.line))
    }
    if let text = attribute.defaultText, !attribute.canRead(text) {
      report("\(name) has the default \"\(text)\", which is no \(attribute.type.spelling).")
    }
    let limits = [attribute.minimumText, attribute.maximumText].map { $0.map { Decimal(string: $0) } }
    if limits.contains(where: { $0 == .some(nil) }) { report("\(name) has a limit that is no number.") }
    if let minimum = limits[0] ?? nil, let maximum = limits[1] ?? nil, minimum > maximum {
      report("\(name) has a least value above its greatest.")
    }
    if let pattern = attribute.regularExpression, (try? NSRegularExpression(pattern: pattern)) == nil {
      report("\(name) has a regular expression that is none: \(pattern)")
    }
    return issues
  }
}

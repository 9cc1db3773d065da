@_spi(ModelKitInternals) import ModelCore

/// The order in which models that reference each other are saved, and the links that have to wait for identifiers.
struct SaveOrder {
  /// One model to save.
  struct Step {
    let model: ModelObject
    /// The models that this one references, and that are saved after it, because they have no identifiers yet.
    let later: Set<ObjectIdentifier>
    /// The fields that reference such models, which have no identifiers yet.
    let linksToFollow: [AnyField]
  }

  private(set) var steps: [Step] = []

  /// Plans the save of a model and of the new models that it references.
  init(from model: ModelObject) {
    var models: [ModelObject] = []
    var seen: Set<ModelObject> = []
    Self.visit(Node(model: model, hasOwnRecord: false, followsInverses: true)) { node in
      seen.insert(node.model).inserted ? Self.nodes(after: node) : nil
    } leave: { node in
      if node.hasOwnRecord, Self.isUnstored(node.model) { models.append(node.model) }
    }
    models.append(model)
    let order = Self.ordered(models)
    var later = Set(order.map { ObjectIdentifier($0) })
    for model in order {
      later.remove(ObjectIdentifier(model))
      let waiting = Self.relations(of: model)
        .map { (relation: $0, models: Self.unidentified($0, from: model, in: later)) }
        .filter { !$0.models.isEmpty }
      steps.append(
        Step(model: model, later: Set(waiting.flatMap(\.models)), linksToFollow: waiting.map(\.relation)))
    }
  }

  /// A related model, and how it was found.
  private struct Node {
    let model: ModelObject
    /// Whether the model is saved with a record of its own, not inside another one.
    let hasOwnRecord: Bool
    /// Whether the models whose records reference this one are saved, too.
    let followsInverses: Bool
  }

  private static func nodes(after node: Node) -> [Node] {
    let model = node.model
    var nodes = relations(of: model).flatMap { relation in
      relation.relatedModels.map {
        Node(model: $0, hasOwnRecord: relation.isForeignKey, followsInverses: isUnstored($0))
      }
    }
    guard node.followsInverses else { return nodes }
    // A relation may be stored in the records of its related models only.
    for relation in allRelations(of: model) {
      for related in relation.relatedModelsAndUnloaded where isReferenced(model, by: related, relation) {
        nodes.append(Node(model: related, hasOwnRecord: true, followsInverses: isUnstored(related)))
      }
    }
    return nodes
  }

  /// Visits elements depth first. It does not recurse, because a chain of references may be long.
  ///
  /// - Parameters:
  ///   - enter: returns the elements after one, or nil if it is not to be visited.
  ///   - leave: called with an element once those after it are visited.
  private static func visit<Element>(
    _ root: Element, enter: (Element) -> [Element]?, leave: (Element) -> Void
  ) {
    var path: [(element: Element, next: IndexingIterator<[Element]>)] = []
    var entered: Element? = root
    while true {
      if let element = entered, let next = enter(element) { path.append((element, next.makeIterator())) }
      if path.isEmpty { return }
      entered = path[path.count - 1].next.next()
      if entered == nil { leave(path.removeLast().element) }
    }
  }

  /// Returns whether a model is new: neither deleted nor an unloaded reference.
  private static func isUnstored(_ model: ModelObject) -> Bool {
    if model.isKnownToStore || model.isDeletedFromStore { return false }
    return if case .loaded = model.loadStateOfModel { true } else { false }
  }

  /// Returns the relations that are written with a model.
  private static func relations(of model: ModelObject) -> [any RelationField] {
    model.fieldsForDictionaryValue().compactMap { $0 as? any RelationField }
  }

  private static func allRelations(of model: ModelObject) -> [any RelationField] {
    (model as? any ModelObject & ModelIsolation)?.fields.compactMap { $0 as? any RelationField } ?? []
  }

  /// Returns the models in an order in which a model precedes those that need its identifier, except in cycles.
  private static func ordered(_ models: [ModelObject]) -> [ModelObject] {
    var waiting = Set(models)
    var order: [ModelObject] = []
    for model in models {
      visit(model) { model in
        guard waiting.remove(model) != nil else { return nil }
        var first: [ModelObject] = []
        forEachLink(of: model) { relation, owner, related in
          // The members of a list mostly reference its owner, which must be created first.
          if !relation.isToMany || !isReferenced(owner, by: related, relation) { first.append(related) }
        }
        return first
      } leave: { model in
        order.append(model)
      }
    }
    return order
  }

  private static func isReferenced(
    _ owner: ModelObject, by related: ModelObject, _ relation: any RelationField
  ) -> Bool {
    guard let inverse = owner.inverseField(of: relation, on: related), inverse.isForeignKey,
      !(inverse.isToMany && relation.isForeignKey)
    else { return false }
    return related.fieldsForDictionaryValue().contains { $0 === inverse }
  }

  /// Calls a closure for the foreign keys in the record of a model.
  private static func forEachLink(
    of model: ModelObject, _ body: (any RelationField, _ owner: ModelObject, _ related: ModelObject) -> Void
  ) {
    var seen: Set<ModelObject> = [model]
    forEachLink(in: relations(of: model), of: model, &seen, body)
  }

  private static func forEachLink(
    in relations: [any RelationField], of owner: ModelObject, _ seen: inout Set<ModelObject>,
    _ body: (any RelationField, _ owner: ModelObject, _ related: ModelObject) -> Void
  ) {
    // Not recursive: a chain of embedded models may be long.
    var pending = relations.map { (relation: $0, owner: owner) }
    while let (relation, owner) = pending.popLast() {
      for related in relation.relatedModels {
        if relation.isForeignKey {
          body(relation, owner, related)
        } else if seen.insert(related).inserted {
          pending += self.relations(of: related).map { ($0, related) }
        }
      }
    }
  }

  /// Returns the models without identifier among those to be saved later that are needed to write a relation.
  private static func unidentified(
    _ relation: any RelationField, from model: ModelObject, in later: Set<ObjectIdentifier>
  ) -> [ObjectIdentifier] {
    var seen: Set<ModelObject> = [model]
    var found: [ObjectIdentifier] = []
    forEachLink(in: [relation], of: model, &seen) { _, _, related in
      if later.contains(ObjectIdentifier(related)), related.storedIdentifier == nil {
        found.append(ObjectIdentifier(related))
      }
    }
    return found
  }
}

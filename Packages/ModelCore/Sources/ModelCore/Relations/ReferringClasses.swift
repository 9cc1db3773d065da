@_spi(ModelKitInternals) import FieldKit

/// The classes of this process that reference others by relations.
///
/// A class is registered when its first model is created.
enum ReferringClasses {
  private static let classes = Lock<[ObjectIdentifier: [ModelObject.Type]]>([:])

  /// Registers the relations of a class, from its first model.
  static func add(_ model: ModelObject, _ fields: [AnyField]) {
    let modelClass = type(of: model)
    var targets: Set<ObjectIdentifier> = []
    for case let relation as any Relation in fields {
      targets.insert(ObjectIdentifier(ModelLayout.rootClass(of: relation.relatedClass)))
    }
    if targets.isEmpty { return }
    classes.withLock { classes in
      for target in targets where !(classes[target] ?? []).contains(where: { $0 == modelClass }) {
        classes[target, default: []].append(modelClass)
      }
    }
  }

  /// Returns the classes that have a relation to a class of a hierarchy.
  static func of(_ rootClass: ModelObject.Type) -> [ModelObject.Type] {
    classes.withLock { $0[ObjectIdentifier(rootClass)] ?? [] }
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// The relations of other classes that can reference this model and have no inverse here, each with a prototype of
  /// its class. A relation that several classes inherit is listed once, with the topmost of them.
  public var referringRelations: [(prototype: ModelObject, relation: any RelationField)] {
    var found: [(prototype: ModelObject, relation: any RelationField)] = []
    let classes = ReferringClasses.of(layout.rootClass)
    for modelClass in classes {
      let parents = classes.filter { $0 != modelClass && Self.isSubclass(modelClass, of: $0) }
      let prototype = modelClass.init()
      let stored = prototype.fieldsForDictionaryValue()
      for case let relation as any Relation in stored where self.isAccepted(by: relation) {
        if relation.inverse(on: self) != nil { continue }
        if parents.contains(where: { $0.init().relations.contains { $0.key == relation.key } }) { continue }
        found.append((prototype, relation))
      }
    }
    return found
  }

  private func isAccepted(by relation: any Relation) -> Bool { type(of: self).canStand(in: relation.relatedClass) }

  private static func canStand(in relatedClass: ModelObject.Type) -> Bool {
    isSubclass(self, of: relatedClass)
  }

  /// Removes the links from this model to deleted models whose inverse does not list it, and removes the deleted models
  /// from all baselines.
  ///
  /// Such an inverse does not exist, was unloaded, or belongs to a second object of a record whose first object was
  /// deallocated.
  ///
  /// - Returns: the changed fields that were not dirty before.
  public func nullifyOneWayLinks(to deleted: [ModelObject]) -> [AnyField] {
    let change = RelationChange(.deletion)
    var cut: [AnyField] = []
    for relation in relations {
      for model in deleted where model.isAccepted(by: relation) {
        relation.removeFromBaseline(model)
        relation.restoreReleasedLink(to: model, change)
        guard relation.refers(to: model), relation.inverse(on: model)?.refers(to: self) != true else { continue }
        if !relation.isDirty { cut.append(relation) }
        relation.unlink([model], change)
      }
    }
    change.announce()
    return cut
  }
}

@_spi(ModelKitInternals)
extension ModelScope {
  /// Returns the live model of a class with an identifier.
  public func liveModel(of modelClass: ModelObject.Type, identifier: String) -> ModelObject? {
    canonicalModel(of: modelClass, identifier: identifier)
  }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

extension PendingDeletion {
  /// Returns the relations whose stored models are queried.
  static func relations(
    of models: [ModelObject], _ completion: Completion
  ) -> [(field: any RelationField, owner: ModelObject)] {
    models.flatMap { model in
      model.relationFields.filter { completion == .everything || $0.deleteRule != .nullify }.map { ($0, model) }
    }
  }

  static func hasQueriedRelations(_ model: ModelObject, _ completion: Completion) -> Bool {
    !relations(of: [model], completion).isEmpty
  }

  /// Returns whether a model may have a record that its relations were not read from. It is an unloaded reference, was
  /// read from a document, or is in another scope.
  static func isUnread(_ model: ModelObject, in store: some ModelStore) -> Bool {
    if model.isNew || model.storedIdentifier == nil { return false }
    return !model.isKnownToStore || model.isUnloadedReference || liveDouble(of: model, in: store) != nil
      || (model as? any ModelObject & ModelIsolation)?.scope !== store.scope
  }

  /// Reads the records of models.
  ///
  /// - Returns: the models that were found, and those whose records can't be read.
  static func read(
    _ models: [ModelObject], in store: some ModelStore
  ) async throws -> (found: [ModelObject], unreadable: [ModelObject]) {
    let loader = RelationLoader(store, .byStore, isFresh: false, read: [])
    var (found, unreadable): ([ModelObject], [ModelObject]) = ([], [])
    var groups: [(type: ModelObject.Type, models: [ModelObject])] = []
    for model in models {
      if let index = groups.firstIndex(where: { $0.type == type(of: model) }) {
        groups[index].models.append(model)
      } else {
        groups.append((type(of: model), [model]))
      }
    }
    for (type, models) in groups {
      var present: [ModelObject] = []
      do {
        present = try await loader.models(type, models.compactMap(\.storedIdentifier))
      } catch let error as ModelStoreError where error.code == .corrupt {
        // Each is read by itself below.
      }
      found += present
      let identifiers = Set(present.compactMap(\.storedIdentifier).map { ExactText($0) })
      for model in models {
        guard let identifier = model.storedIdentifier, !identifiers.contains(ExactText(identifier)) else { continue }
        do {
          if let other = try await loader.model(type, identifier) { found.append(other) }
        } catch let error as ModelStoreError where error.code == .corrupt {
          // A record that can't be read can be removed.
          unreadable.append(model)
        }
      }
    }
    return (found, unreadable)
  }

  /// Returns the models that models reference by foreign keys, and so have records of their own.
  static func referencedModels(of models: [ModelObject]) -> Set<ModelObject> {
    let relations = models.flatMap(\.relationFields).filter(\.isForeignKey)
    return Set(relations.flatMap(\.relatedModels).filter { !$0.isNew && $0.storedIdentifier != nil })
  }

  /// Returns models without further objects of the same record. The requested model stays.
  static func withoutDoubles(_ models: [ModelObject], of requested: ModelObject) -> [ModelObject] {
    func name(_ model: ModelObject) -> [ExactText] {
      [ExactText(model.storedTypeName), ExactText(model.storedIdentifier ?? "")]
    }
    var seen: Set<[ExactText]> = [name(requested)]
    return models.filter { $0 === requested || seen.insert(name($0)).inserted }
  }

  /// Returns the live model of the store with the identifier of another object.
  private static func liveDouble(of model: ModelObject, in store: some ModelStore) -> ModelObject? {
    guard let identifier = model.storedIdentifier,
      let live = store.scope.liveModel(of: type(of: model), identifier: identifier), live !== model
    else { return nil }
    return live
  }

  static func hasRecord(_ model: ModelObject) -> Bool {
    model.isKnownToStore && model.storedIdentifier != nil
  }

  static func references(to models: [ModelObject]) -> [BackReference] {
    var references: [BackReference] = []
    for model in models {
      for relation in model.relationFields where relation.deleteRule == .nullify {
        guard let reference = BackReference(relation, of: model) else { continue }
        if !references.indices.contains(where: { references[$0].merge(reference) }) { references.append(reference) }
      }
    }
    return references + oneWayReferences(to: models)
  }

  /// Returns the relations without an inverse by which stored records may refer to models.
  static func oneWayReferences(to models: [ModelObject]) -> [BackReference] {
    var references: [BackReference] = []
    var relations: [ObjectIdentifier: [(prototype: ModelObject, relation: any RelationField)]] = [:]
    for model in models {
      let known = relations[ObjectIdentifier(type(of: model))] ?? model.referringRelations
      relations[ObjectIdentifier(type(of: model))] = known
      for (prototype, relation) in known {
        guard let reference = BackReference(relation, of: prototype, to: model) else { continue }
        if !references.indices.contains(where: { references[$0].merge(reference) }) { references.append(reference) }
      }
    }
    return references
  }

  /// Plans the deletion of a model, and of the live one with its identifier: links in the store are those of that one.
  static func plan(
    _ model: ModelObject, in store: some ModelStore, ignoresDenials: Bool = false
  ) throws -> DeletionPlan {
    do {
      return try DeletionPlan(
        deleting: [model] + [liveDouble(of: model, in: store)].compactMap { $0 }, ignoresDenials: ignoresDenials)
    } catch let error as DeletionDeniedError {
      throw ModelStoreError(
        .denied, error.description, identifier: model.storedIdentifier,
        fields: [
          error.relation: [
            "references \((error.members.prefix(3) + (error.count > 3 ? ["…"] : [])).joined(separator: ", "))"
          ]
        ], cause: error)
    }
  }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Returns the members of a to-many relation from the store, including members that are not loaded yet.
  ///
  /// ```swift
  /// let employees = try await store.list(in: company.employees)
  /// ```
  ///
  /// If records store the inverse, the members are found by it, in the order of their creation. The relation is then
  /// complete: it is `loaded` as long as the members are live. Members that only the record of the owner names follow
  /// at the end.
  ///
  /// Without a stored inverse, the members are read by the identifiers in the relation, in its order. If the relation
  /// is not loaded yet, its model is read first. Embedded members without identifiers are returned as they are.
  ///
  /// - Throws: ``ModelStoreError`` with the code `noIdentifier` if the model of the relation was not created yet.
  ///   `notFound` if a referenced model is not in the store, or the model of the relation if that has to be read.
  public func list<Related: Model>(in relation: ModelArrayField<Related>) async throws -> [Related] {
    guard let owner = relation.owner as? ModelObject else {
      throw ModelStoreError(.invalid, "Nothing was listed: the model of this relation was deallocated.")
    }
    if owner.storedIdentifier == nil { throw ModelStoreError.noIdentifier(owner.storedTypeName) }
    if let reference = BackReference(relation, of: owner) {
      var query = ModelQuery(Related.self)
      query.filter = reference.condition
      var models = try await list(query)
      reference.relink(models)
      models += try await membersOfRecord(relation, of: owner, except: models)
      let found = Set(models.map { ObjectIdentifier($0) })
      let missing = relation.relatedModels.filter {
        !$0.isNew && !$0.isUnloadedReference && !found.contains(ObjectIdentifier($0))
      }
      try await RelationLoader(self, .byStore, isFresh: false, read: []).readAgain(missing, of: relation, owner)
      withExtendedLifetime(models) { relation.markLoaded() }
      return models
    }
    if !owner.isNew, relation.loadState != .loaded { try await readRecord(of: owner) }
    let related = relation.value ?? []
    if !relation.isForeignKey, related.allSatisfy({ $0.identifier == nil }) { return related }
    return try await members(related, omitsMissing: false)
  }

  /// Reads the record of a model whose list was not read yet.
  private func readRecord(of model: ModelObject) async throws {
    guard let model = model as? any ModelObject & ModelIsolation else { return }
    try await readRecord(opened: model)
  }

  private func readRecord<M: Model>(opened model: M) async throws {
    guard let identifier = model.storedIdentifier else { return }
    _ = try await lookup(ModelType(type(of: model)), identifier: identifier)
  }

  /// Reads members of a relation together, in their order.
  private func members<Related: Model>(_ members: [Related], omitsMissing: Bool) async throws -> [Related] {
    let identifiers = members.compactMap(\.identifier)
    var seen: Set<ExactText> = []
    let found = try await RelationLoader(self, .byStore, isFresh: false, read: [])
      .storedModels(Related.self, identifiers.filter { seen.insert(ExactText($0)).inserted })
    let known = Dictionary(found.map { (ExactText($0.identifier ?? ""), $0) }) { first, _ in first }
    var models: [Related] = []
    for identifier in identifiers {
      do {
        // A lookup reports a missing model, and finds one whose identifier was replaced.
        let model =
          if let model = known[ExactText(identifier)] { model } else {
            try await lookup(Related.self, identifier: identifier)
          }
        models.append(model)
      } catch let error as ModelStoreError where omitsMissing && error.code == .notFound {}
    }
    return models
  }

  /// Reads the members that only the record of the owner names. Members whose records name another owner are removed
  /// from the relation.
  private func membersOfRecord<Related: Model>(
    _ relation: ModelArrayField<Related>, of owner: ModelObject, except models: [Related]
  ) async throws -> [Related] {
    guard !relation.isDirty, owner.storableFields.contains(where: { $0 === relation }) else { return [] }
    let known = Set(models.map { ObjectIdentifier($0) })
    let others = try await members(
      (relation.value ?? []).filter { !known.contains(ObjectIdentifier($0)) }, omitsMissing: true)
    return others.filter { relation.contains($0) }
  }
}

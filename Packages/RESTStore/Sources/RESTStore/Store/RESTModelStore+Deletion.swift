@_spi(ModelKitInternals) public import StoreProtocol

// Requests that delete several models.
extension RESTModelStore {
  /// The length of the identifiers in the address of one request, in bytes. Many servers accept addresses of 8,000
  /// bytes.
  private static let sizeOfDeletion = 1_800

  /// Deletes the models for which a condition holds. If the dialect deletes by identifiers, the listed models are
  /// deleted with one request for about 1,800 bytes of identifiers. Otherwise each has its own.
  ///
  /// A model that another client adds or changes meanwhile, so that the condition holds for it, is not deleted. Listed
  /// models are deleted whatever another client wrote to them since. Models are deleted one by one if delete rules
  /// cascade to others, or a save of one of them is in progress.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - filter: the condition; nil for all models of the type.
  ///   - evaluation: where conditions are evaluated.
  /// - Returns: the number of deleted models.
  /// - Throws: `ModelStoreError` as ``list(_:)`` and ``delete(_:)`` do. Deletions of earlier requests are kept.
  /// - Note: It is used for stores of this type. A store of the type `any ModelStore` deletes one by one.
  @discardableResult
  public func deleteAll<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    evaluation: QueryEvaluation = .byStore
  ) async throws -> Int {
    let models = try await list(ModelQuery(type, where: filter, evaluation: evaluation))
    for part in parts(of: models) {
      // A cascade may have deleted a model already.
      let rest = part.filter(\.isKnownToStore)
      if rest.count > 1, let call = try deletion(of: rest), try await delete(rest, with: call) { continue }
      for model in rest where model.isKnownToStore { try await delete(model) }
    }
    return models.count
  }

  /// Returns models in parts whose identifiers fit into one address.
  private func parts<M: Model>(of models: [M]) -> [ArraySlice<M>] {
    var parts: [ArraySlice<M>] = []
    var (start, length) = (0, 0)
    for (index, model) in models.enumerated() {
      let size = (model.storedIdentifier?.utf8.count ?? 0) + 3
      if length + size > Self.sizeOfDeletion, index > start {
        parts.append(models[start..<index])
        (start, length) = (index, 0)
      }
      length += size
    }
    if start < models.count { parts.append(models[start...]) }
    return parts
  }

  /// Returns the request that deletes some models, and no others; nil if they have none in common.
  private func deletion<M: Model>(of models: [M]) throws -> RESTCall? {
    let router = handle.router
    let collections = try Set(
      models.map { try router.pathOfCollection(containing: $0, depth: router.maxPathDepth) })
    let identifiers = models.compactMap(\.storedIdentifier)
    guard collections.count == 1, let collection = collections.first, identifiers.count == models.count else {
      return nil
    }
    let names = names(of: M.self)
    var operation = RESTOperation(
      .delete, typeName: names.typeName, collectionPath: collection, identifierKey: names.identifierKey)
    operation.isBulk = true
    guard let items = try handle.dialect.items(deleting: identifiers, by: operation), !items.isEmpty else { return nil }
    var call = try RESTCall(operation, self)
    call.address.query += items
    return call
  }

  /// Deletes models with one request.
  ///
  /// - Returns: `false` if nothing was sent. Then they have to be deleted one by one: delete rules cascade to other
  ///   models, or a save is in progress.
  private func delete<M: Model>(
    _ models: [M], with call: RESTCall, unless isOutdated: () -> Bool = { false }
  ) async throws -> Bool {
    // A save that is in progress would create a member again, or move it.
    let keys = models.map { ObjectIdentifier($0) }
    guard keys.allSatisfy({ saveTurns.isFree($0) }) else { return false }
    var deletions: [PendingDeletion] = []
    for model in models {
      deletions.append(try await PendingDeletion(of: model, in: self, completesRelations: false))
    }
    guard deletions.allSatisfy({ $0.records.count == 1 }), !isOutdated() else { return false }
    var taken: [ObjectIdentifier] = []
    defer { for key in taken { saveTurns.end(key) } }
    for key in keys {
      guard saveTurns.beginImmediately(key) else { return false }
      taken.append(key)
    }
    var call = call
    call.ignoresPayload = true
    let write = handle.writes.begin(call.typeName)
    defer { handle.writes.end(write) }
    try await ModelStoreEvent.recording(.delete, of: RESTModelStore.self, M.typeName) { event in
      try await handle.run(call) { _, _ in
        for (model, deletion) in zip(models, deletions) {
          tags.set(nil, of: model)
          for record in deletion.records { notifyDeletion(of: record) }
        }
      }
      for deletion in deletions { try await deletion.finish(updatesOthers: false) }
      event?.count = deletions.count
    }
    return true
  }

  /// Deletes the members of a to-many relation. If the dialect deletes relations, that is one DELETE of the relation's
  /// path, such as `/companies/10/employees`, after a request of the members. Otherwise each member has its own.
  ///
  /// A member that another client adds meanwhile is deleted, too. Some members are deleted one by one:
  ///
  /// - those to which the delete rules of relations cascade further;
  /// - members of a relation with unsaved changes, or of a collection of several classes;
  /// - members of a list whose pages are not followed (``RESTOptions/followsPages``).
  ///
  /// - Returns: the number of deleted models.
  /// - Throws: `ModelStoreError` as `list(in:)` and ``delete(_:)`` do.
  /// - Note: It is used for stores of this type. A store of the type `any ModelStore` deletes one by one.
  @discardableResult
  public func deleteAll<Related: Model>(in relation: ModelArrayField<Related>) async throws -> Int {
    let any: any ModelStore = self
    // The server deletes its members, which have to be the same ones.
    guard handle.dialect.deletesRelations, handle.options.followsPages, !relation.isDirty,
      !handle.router.sharesCollection(Related.self), let path = handle.router.path(to: relation)
    else {
      return try await any.deleteAll(in: relation)
    }
    let members = try await list(in: relation).filter { $0.storedIdentifier != nil && !$0.isNew }
    if members.isEmpty { return 0 }
    let names = names(of: Related.self)
    let call = try RESTCall(
      RESTOperation(
        .delete, typeName: names.typeName, collectionPath: path, identifierKey: names.identifierKey), self)
    // An edit may have come meanwhile.
    if try await delete(members, with: call, unless: { relation.isDirty }) { return members.count }
    return try await any.deleteAll(in: relation)
  }
}

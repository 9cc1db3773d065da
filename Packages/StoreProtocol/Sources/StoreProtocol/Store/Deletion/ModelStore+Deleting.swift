@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Ends a deletion: the model leaves the scope, can be created again, and its hook runs. For implementing stores.
  public func finishDeleting<M: Model>(_ model: M) { finishDeleting(model, in: nil) }

  /// As ``finishDeleting(_:)``; inside a transaction, the hook waits for its end.
  package func finishDeleting<M: Model>(_ model: M, in transaction: StoreTransactionLog?) {
    let identifier = model.storedIdentifier
    if let transaction {
      let (state, isMember) = (model.storeState, model.scope === scope)
      if isMember { scope.noteDeletion(of: model) }
      // A read of the transaction that is in progress may have the record.
      if let identifier { scope.pendingReads.noteDeletion(type(of: model), identifier) }
      // At once: another model may be created with its identifier before the transaction ends.
      scope.remove(model)
      model.markDeleted(in: scope)
      transaction.onFailure { [self] in
        model.restore(state)
        // Another task may have created a second object of the record.
        if isMember { scope.addCreated(model) }
      }
      let isSkipped = ModelHook.areSkipped
      return transaction.atEnd { [scope] in
        // A read of another task that began before the commit has the record.
        if let identifier { scope.pendingReads.noteDeletion(type(of: model), identifier) }
        ModelHook.afterDelete.run(on: model, in: scope, unless: isSkipped)
      }
    }
    if model.scope === scope { scope.noteDeletion(of: model) }
    if let identifier { scope.pendingReads.noteDeletion(type(of: model), identifier) }
    scope.remove(model)
    model.markDeleted(in: scope)
    scope.noteCommit(of: model)
    ModelHook.afterDelete.run(on: model, in: scope)
  }

  /// Deletes a model by its delete rules, for stores that remove records one by one: first the records of the cascade,
  /// then the model. For implementing stores.
  ///
  /// ```swift
  /// func delete<M: Model>(_ model: M) async throws -> M {
  ///   try await delete(model) { type, identifier in
  ///     try await pages.remove(type, identifier)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - model: the model to delete.
  ///   - completesRelations: whether this store is queried for the members of incomplete relations.
  ///   - remove: removes the record of a type with an identifier, or throws `notFound`.
  /// - Returns: the same model.
  /// - Throws: ``ModelStoreError`` as ``PendingDeletion`` does, and the errors of `remove`. Records that were removed
  ///   before stay removed.
  @discardableResult
  public func delete<M: Model>(
    _ model: M, completesRelations: Bool = true,
    removing remove: (_ typeName: String, _ identifier: String) async throws -> Void
  ) async throws -> M {
    let deletion = try await PendingDeletion(of: model, in: self, completesRelations: completesRelations)
    for record in deletion.records {
      do {
        try await remove(record.typeName, record.identifier)
      } catch let error as ModelStoreError where error.code == .notFound && !record.isRequested {
        continue
      }
    }
    try await deletion.finish()
    return model
  }
}

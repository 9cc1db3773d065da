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
}

@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Ends a deletion: the model leaves the scope, can be created again, and its hook runs. For those who write stores.
  public func finishDeleting<M: Model>(_ model: M) { finishDeleting(model, in: nil) }

  /// As ``finishDeleting(_:)``; inside a transaction what can't be undone waits for its end.
  @_spi(ModelKitInternals)
  public func finishDeleting<M: Model>(_ model: M, in transaction: StoreTransactionLog?) {
    if let transaction {
      let state = model.storeState
      model.markDeleted()
      transaction.onFailure { model.restore(state) }
      return transaction.atEnd { [self] in
        // It may have been created again since.
        let isStored = model.isKnownToStore
        scope.remove(model)
        if isStored { scope.add(model) }
        model.afterDelete()
      }
    }
    scope.remove(model)
    model.markDeleted()
    model.afterDelete()
  }
}

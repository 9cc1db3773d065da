@_spi(ModelKitInternals) import ModelCore
import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

extension CompoundModelStore {
  /// Removes a model from all stores, with the models that its delete rules remove. A store that lacks the model is
  /// skipped, unless all stores lack it.
  ///
  /// The delete rules apply to the records of all stores with own records, which are read before the first store
  /// deletes. A deletion that failed in a later store can be repeated with the same model.
  ///
  /// - Throws: the error of a store. The message has the number of stores that deleted the model, if any.
  @discardableResult
  public func delete<M: Model>(_ model: M) async throws -> M {
    try await ModelStoreEvent.recording(.delete, of: Self.self, M.typeName) { event in
      event?.count = 1
      return try await deleteFromAll(model)
    }
  }

  private func deleteFromAll<M: Model>(_ model: M) async throws -> M {
    let stores = try stores(M.self, .delete)
    if stores.count == 1 { return try await stores[0].delete(model) }
    // It was created again, or a transaction restored it.
    if model.isKnownToStore { unfinishedDeletions.end(model) }
    let isRepeated = unfinishedDeletions[model] != nil
    let planned = try await modelsToDelete(with: model, in: stores)
    var (count, missing): (Int, ModelStoreError?) = (0, nil)
    for store in stores {
      do {
        if count == 0, !isRepeated {
          try await store.delete(model)
        } else {
          try await ModelHook.withoutHooks { try await store.delete(planned, with: model) }
        }
        count += 1
      } catch let error as ModelStoreError {
        if error.code == .notFound {
          missing = missing ?? error
          continue
        }
        if count == 0 { throw error }
        unfinishedDeletions.begin(model, with: planned.filter { $0 !== model })
        throw incomplete(M.self, count, of: stores.count, error)
      }
    }
    if count == 0, let missing { throw missing }
    unfinishedDeletions.end(model)
    return model
  }

  /// Returns the models that a deletion removes in some of the stores, the most distant ones first. The first store
  /// takes them out of the scope, and cuts their links, so that the others would not find them.
  private func modelsToDelete<M: Model>(
    with model: M, in stores: [any ModelStore]
  ) async throws -> [ModelObject] {
    // These objects are in no scope, like those that the first attempt removed from it.
    var models = unfinishedDeletions[model]?.map { $0.makeModel() } ?? []
    var known = Set(models)
    func add(_ found: [ModelObject]) { models += found.filter { known.insert($0).inserted } }
    for store in stores {
      if let store = store as? CompoundModelStore {
        add(try await store.modelsToDelete(with: model, in: store.stores(M.self, .delete)))
      } else {
        add(try await store.modelsToDelete(with: model))
      }
    }
    return models
  }
}

extension ModelStore {
  /// Returns the models that a deletion removes in this store. A client of a server finds those that are live.
  fileprivate func modelsToDelete<M: Model>(with model: M) async throws -> [ModelObject] {
    try await PendingDeletion.storedModels(deletedWith: model, in: self, queriesStore: self is any EngineStore)
  }

  /// Deletes models that another store deleted: in one transaction if the store has transactions.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound` if the store lacks the model, after deleting the others.
  fileprivate func delete<M: Model>(_ models: [ModelObject], with model: M) async throws {
    if let store = self as? any TransactionalModelStore {
      try await store.deleteTogether(models, with: model)
    } else {
      try await deleteEach(models, with: model)
    }
  }

  fileprivate func deleteEach<M: Model>(_ models: [ModelObject], with model: M) async throws {
    for case let other as any ModelObject & ModelIsolation in models where other !== model {
      do {
        try await delete(opened: other)
      } catch let error as ModelStoreError where error.code == .notFound {
        continue
      }
    }
    try await delete(model)
  }

  private func delete<M: Model>(opened model: M) async throws { try await delete(model) }
}

extension TransactionalModelStore {
  fileprivate func deleteTogether<M: Model>(_ models: [ModelObject], with model: M) async throws {
    var missing: ModelStoreError?
    try await transaction { store in
      do {
        try await store.deleteEach(models, with: model)
      } catch let error as ModelStoreError where error.code == .notFound {
        missing = error
      }
    }
    if let missing { throw missing }
  }
}

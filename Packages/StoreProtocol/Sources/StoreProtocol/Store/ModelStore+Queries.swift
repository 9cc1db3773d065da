@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Finds models of a type.
  ///
  /// ```swift
  /// let page = try await store.list(
  ///   Person.self,
  ///   where: { $0.age > 30 && $0.name != "Bob" || $0.tags.contains("x") },
  ///   sort: [.ascending(\.name)],
  ///   limit: 20, offset: 40)
  /// ```
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - filter: the condition; see ``ModelColumns``.
  ///   - sort: the criteria of the order; without any it is the order of creation.
  ///   - limit: the largest number of models; nil for all.
  ///   - offset: the number of models to skip.
  ///   - evaluation: where conditions are evaluated, for stores that can't express every condition.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func list<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    limit: Int? = nil, offset: Int = 0, evaluation: QueryEvaluation = .byStore
  ) async throws -> [M] {
    try await list(
      ModelQuery(type, where: filter, sort: sort, limit: limit, offset: offset, evaluation: evaluation))
  }

  /// Returns the number of models of a type for which a condition holds.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func count<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    evaluation: QueryEvaluation = .byStore
  ) async throws -> Int {
    try await count(ModelQuery(type, where: filter, evaluation: evaluation))
  }

  /// Returns the first model for which a condition holds, in the order of the query; nil if there is none.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  public func first<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    evaluation: QueryEvaluation = .byStore
  ) async throws -> M? {
    try await list(ModelQuery(type, where: filter, sort: sort, limit: 1, evaluation: evaluation)).first
  }

  /// Deletes the models for which a condition holds: atomically if the store has transactions, otherwise one by one up
  /// to the first error. In a transaction, the models may deny each other's deletion, in any order.
  ///
  /// If another writer changes the models meanwhile, a store with transactions evaluates the condition again.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - filter: the condition; nil for all models of the type.
  ///   - evaluation: where conditions are evaluated.
  /// - Returns: the number of deleted models.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` and ``delete(_:)`` do; with the code `conflict` if other writers
  ///   changed the models during each of several attempts.
  @discardableResult
  public func deleteAll<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    evaluation: QueryEvaluation = .byStore
  ) async throws -> Int {
    let query = ModelQuery(type, where: filter, evaluation: evaluation)
    if let store = self as? any TransactionalModelStore {
      return try await store.deleteTogether { try await $0.list(query) }
    }
    return try await deleteEach(list(query))
  }

  /// Deletes the members of a to-many relation, as `deleteAll(_:where:)` deletes models.
  ///
  /// ```swift
  /// try await store.deleteAll(in: company.employees)
  /// ```
  ///
  /// - Returns: the number of deleted models.
  /// - Throws: ``ModelStoreError`` as ``list(in:)`` and ``delete(_:)`` do.
  @discardableResult
  public func deleteAll<Related: Model>(in relation: ModelArrayField<Related>) async throws -> Int {
    if let store = self as? any TransactionalModelStore {
      return try await store.deleteTogether { try await $0.storedMembers(of: relation) }
    }
    return try await deleteEach(storedMembers(of: relation))
  }

  /// Returns the members of a relation that have records of their own, and so can be deleted.
  private func storedMembers<Related: Model>(of relation: ModelArrayField<Related>) async throws -> [Related] {
    try await list(in: relation).filter { $0.isKnownToStore && $0.identifier != nil }
  }

  /// Replaces all models of a type: deletes those that are not among the given ones, and saves these. It is atomic if
  /// the store has transactions; otherwise it ends at the first error.
  ///
  /// If another writer changes the models meanwhile, a store with transactions evaluates the condition again.
  ///
  /// ```swift
  /// try await store.replaceAll(Person.self, with: people)
  /// ```
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - models: the new models, and those that stay.
  ///   - filter: the condition of the models to replace; nil for all models of the type.
  ///   - evaluation: where conditions are evaluated.
  /// - Throws: ``ModelStoreError`` as `deleteAll(_:where:)` and `save(_:)` do. The code is `conflict`, and nothing is
  ///   deleted, if a model has the identifier of a stored one but is another object. It is new, or was read from a
  ///   document without the scope of the store: read that with `in: store.scope` instead.
  public func replaceAll<M: Model>(
    _ type: M.Type, with models: [M], where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    evaluation: QueryEvaluation = .byStore
  ) async throws {
    let query = ModelQuery(type, where: filter, evaluation: evaluation)
    if let store = self as? any TransactionalModelStore {
      try await store.replaceTogether(models) {
        try await $0.list(query)
      } save: {
        try await $0.saveStaying(models)
      }
    } else {
      _ = try await deleteEach(models.leaving(list(query)))
      try await saveStaying(models)
    }
  }

  /// Replaces the members of a to-many relation by the given models, in their order. Other members are deleted, as by
  /// `deleteAll(in:)`. It is atomic if the store has transactions; otherwise it ends at the first error.
  ///
  /// ```swift
  /// try await store.replaceAll(in: company.employees, with: people)
  /// ```
  ///
  /// - Parameters:
  ///   - relation: the relation of a stored model.
  ///   - models: the new members, and those that stay.
  /// - Throws: ``ModelStoreError`` as `deleteAll(in:)` and `save(_:)` do, and `conflict` as
  ///   `replaceAll(_:with:where:evaluation:)` does.
  public func replaceAll<Related: Model>(
    in relation: ModelArrayField<Related>, with models: [Related]
  ) async throws {
    guard let owner = relation.owner as? any ModelObject & ModelIsolation else {
      throw ModelStoreError(.invalid, "Nothing was listed: the model of this relation was deallocated.")
    }
    try await replaceAll(in: relation, of: owner, with: models)
  }

  private func replaceAll<Owner: Model, Related: Model>(
    in relation: ModelArrayField<Related>, of owner: Owner, with models: [Related]
  ) async throws {
    if let store = self as? any TransactionalModelStore {
      try await store.replaceTogether(models) {
        try await $0.storedMembers(of: relation)
      } save: {
        try await $0.saveMembers(models, of: relation, owner)
      }
    } else {
      _ = try await deleteEach(models.leaving(storedMembers(of: relation)))
      try await saveMembers(models, of: relation, owner)
    }
  }

  /// Makes models the members of a relation, and saves them and the list.
  private func saveMembers<Owner: Model, Related: Model>(
    _ models: [Related], of relation: ModelArrayField<Related>, _ owner: Owner
  ) async throws {
    let hasRecords = relation.isForeignKey || BackReference(relation, of: owner) != nil
    let staying = Set<ModelObject>(models)
    for model in models where model.isDeletedFromStore { model.unlinkDeleted(except: staying) }
    relation.value = models
    if hasRecords { for model in models { try await save(model) } }
    if relation.isDirty, owner.storableFields.contains(where: { $0 === relation }) {
      try await update(owner, fields: [relation])
    }
  }

  /// Saves the models that a replacement keeps. A cascade may have deleted some of them with a model that they
  /// reference.
  fileprivate func saveStaying<M: Model>(_ models: [M]) async throws {
    let staying = Set<ModelObject>(models)
    for model in models where model.isDeletedFromStore { model.unlinkDeleted(except: staying) }
    for model in models { try await save(model) }
  }

  func deleteEach<M: Model>(_ models: [M]) async throws -> Int {
    // A cascade may have deleted a model already.
    for model in models where model.isKnownToStore { try await delete(model) }
    return models.count
  }

  /// Changes and updates the models for which a condition holds. This is atomic if the store has transactions, else one
  /// by one up to the first error.
  ///
  /// ```swift
  /// let count = try await store.updateAll(Book.self, where: { $0.rating == nil }) {
  ///   $0.rating.value = 3
  /// }
  /// ```
  ///
  /// Only fields that the closure sets are written; a model that it leaves unchanged is not. If an update fails in a
  /// transaction, the changes are rolled back; otherwise the models keep them, unsaved.
  ///
  /// If another writer changes the models meanwhile, a store with transactions rolls the changes back, evaluates the
  /// condition again, and calls the closure again.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - filter: the condition; nil for all models of the type.
  ///   - evaluation: where conditions are evaluated.
  ///   - change: changes one model, in the isolation of the caller.
  /// - Returns: the number of updated models.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` and ``update(_:fields:)`` do, and the errors of the closure. The
  ///   code is `conflict` if other writers changed the models during each of several attempts.
  /// - Complexity: O(*n*) in the number of found models, which are all in memory at once.
  @discardableResult
  public func updateAll<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    evaluation: QueryEvaluation = .byStore, _ change: (M) throws -> Void
  ) async throws -> Int {
    let query = ModelQuery(type, where: filter, evaluation: evaluation)
    if let store = self as? any TransactionalModelStore { return try await store.updateTogether(query, change) }
    return try await update(query, change)
  }

  fileprivate func update<M: Model>(_ query: ModelQuery<M>, _ change: (M) throws -> Void) async throws -> Int {
    var changed: [(model: M, fields: [AnyField])] = []
    for model in try await list(query) {
      let stamp = ChangeStamp.next()
      try change(model)
      let fields = model.fieldsToSave(since: stamp)
      if !fields.isEmpty { changed.append((model, fields)) }
    }
    for (index, (model, fields)) in changed.enumerated() {
      do {
        try await update(model, fields: fields)
      } catch let error as ModelStoreError {
        throw error.naming(model, at: index, of: changed.count)
      }
    }
    return changed.count
  }

  /// Returns whether the store has a model with an identifier, by looking it up. So it makes the model, and a record of
  /// another class, or one that can't be read, counts as it does there.
  ///
  /// - Throws: ``ModelStoreError`` as ``lookup(_:identifier:)`` does, apart from `notFound`.
  /// - Complexity: that of ``lookup(_:identifier:)``.
  public func contains<M: Model>(_ type: M.Type, identifier: String) async throws -> Bool {
    do {
      _ = try await lookup(type, identifier: identifier)
      return true
    } catch let error as ModelStoreError where error.code == .notFound {
      return false
    }
  }
}

extension TransactionalModelStore {
  /// Runs a transaction, which is repeated after a conflict with another writer if it is the outermost one.
  ///
  /// - Parameter isPermanent: whether the body has thrown a conflict that another attempt can't solve.
  private func repeatedTransaction<Result>(
    unless isPermanent: Box<Bool> = Box(false), _ body: (Self) async throws -> Result
  ) async throws -> Result {
    var attempt = 1
    while true {
      do {
        return try await transaction(body)
      } catch let error as ModelStoreError
        where error.code == .conflict && error.fields.isEmpty && !isPermanent.content && attempt < 8
      {
        // An error about fields, such as a unique value that is taken, is no change by another writer. Inside a
        // transaction a conflict remains one, and a cycle of waits ends with the outermost transaction.
        if TransactionMark.innermost(of: scope) != nil { throw error }
        if error.cause is TransactionWaits.Cycle, !TransactionMark.ofTask.isEmpty { throw error }
        attempt += 1
      }
    }
  }

  /// Lists models and deletes them in one transaction.
  func deleteTogether<M: Model>(_ list: (Self) async throws -> [M]) async throws -> Int {
    try await repeatedTransaction { store in try await store.deleteInAnyOrder(list(store)) }
  }

  fileprivate func replaceTogether<M: Model>(
    _ models: [M], _ list: (Self) async throws -> [M], save: (Self) async throws -> Void
  ) async throws {
    let isPermanent = Box(false)
    try await repeatedTransaction(unless: isPermanent) { store in
      let stored = try await list(store)
      isPermanent.content = true
      let leaving = try models.leaving(stored)
      isPermanent.content = false
      _ = try await store.deleteInAnyOrder(leaving)
      try await save(store)
    }
  }

  /// Deletes models in a transaction. A model may deny the deletion of another one until it is deleted itself.
  private func deleteInAnyOrder<M: Model>(_ models: [M]) async throws -> Int {
    var remaining = models
    while true {
      var denied: [M] = []
      var denial: (any Error)?
      for model in remaining where model.isKnownToStore {
        do {
          try await delete(model)
        } catch let error as ModelStoreError where error.code == .denied {
          denied.append(model)
          denial = denial ?? error
        }
      }
      guard let denial else { return models.count }
      if denied.count == remaining.count { throw denial }
      // In the opposite order, so that a chain is deleted at the second attempt.
      remaining = denied.reversed()
    }
  }

  fileprivate func updateTogether<M: Model>(
    _ query: ModelQuery<M>, _ change: (M) throws -> Void
  ) async throws -> Int {
    try await repeatedTransaction { store in try await store.update(query, change) }
  }
}

extension Array where Element: ModelObject {
  /// Returns the stored models that this list, which replaces them, does not contain.
  ///
  /// - Throws: ``ModelStoreError`` with the code `conflict` if another object in this list has the identifier of one of
  ///   them. It is new, or was read from a document outside of the store's scope.
  fileprivate func leaving(_ stored: [Element]) throws -> [Element] {
    let staying = Set(map { ObjectIdentifier($0) })
    let taken = Set(lazy.compactMap { $0.storedIdentifier.map { ExactText($0) } })
    return try stored.filter { model in
      if staying.contains(ObjectIdentifier(model)) { return false }
      if let identifier = model.storedIdentifier, taken.contains(ExactText(identifier)) {
        throw ModelStoreError.conflict(model.storedTypeName, identifier: identifier)
      }
      return true
    }
  }
}

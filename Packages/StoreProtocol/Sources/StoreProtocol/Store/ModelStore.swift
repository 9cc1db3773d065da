@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// A store of models: in memory, in files, behind an API, or your own.
///
/// ```swift
/// func addAda(to store: some ModelStore) async throws {
///   let person = Person()
///   person.name.value = "Ada"
///   _ = try await store.create(person)
///   for person in try await store.list(Person.self) {
///     print(person.name.value ?? "?")
///   }
/// }
/// ```
///
/// A store instance belongs to one isolation, like the models in its ``scope``, and runs there. Blocking work runs in
/// its engine, outside of that isolation. Failures are thrown as ``ModelStoreError``.
public protocol ModelStore: AnyObject, SendableMetatype {
  /// The identity map of this store instance: one object for one identifier.
  var scope: ModelScope { get }

  /// Adds a model. A model without identifier gets one.
  ///
  /// Runs `beforeSave`, checks all rules, writes, then runs `afterCreate`.
  ///
  /// - Returns: the same model.
  /// - Throws: ``ModelStoreError`` with the code `invalid` if a rule is broken, `conflict` if the identifier is taken.
  @discardableResult
  func create<M: Model>(_ model: M) async throws -> M

  /// Adds models: atomically if the store supports batches.
  ///
  /// - Returns: the same models.
  /// - Throws: ``ModelStoreError`` as for one model. It names the model.
  @discardableResult
  func createAll<M: Model>(_ models: [M]) async throws -> [M]

  /// Writes changes of a model.
  ///
  /// Runs `beforeSave`, checks all rules, writes, then runs `afterUpdate`. A field that is edited while the update is
  /// in progress stays dirty.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write. Those that were neither read nor set are left out. Nil writes those that changed
  ///     since the last read or save.
  /// - Returns: the same model.
  /// - Throws: ``ModelStoreError`` with the code `noIdentifier`, `invalid`, or `notFound` if there is no such model. If
  ///   the store detects changes, `conflict` as ``ConflictPolicy/merge`` defines it.
  @discardableResult
  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M

  /// Writes changes of a model, with a policy for a record that another writer changed since the model was read.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed since the model was last read or saved.
  ///   - policy: the changes of other writers that make the update fail.
  /// - Returns: the same model.
  /// - Throws: ``ModelStoreError`` with the code `conflict` and both sides in ``ModelStoreError/conflicts``,
  ///   `unsupported` if the store can't detect changes, or as ``update(_:fields:)`` does. The model keeps its local
  ///   changes.
  @discardableResult
  func update<M: Model>(
    _ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy
  ) async throws -> M

  /// Removes a model, then runs `afterDelete`.
  ///
  /// - Returns: the same model, which can be created again.
  /// - Throws: ``ModelStoreError`` with the code `noIdentifier`, or `notFound` if there is no such model.
  @discardableResult
  func delete<M: Model>(_ model: M) async throws -> M

  /// Deletes all models of all types.
  ///
  /// By default it throws `unsupported`, because a store does not know the types of its models.
  ///
  /// - Returns: the number of deleted models.
  /// - Throws: ``ModelStoreError`` with the code `unsupported` if the store can't list its types, or as
  ///   ``delete(_:)`` does.
  @discardableResult
  func deleteAll() async throws -> Int

  /// Finds a model by its identifier.
  ///
  /// - Returns: the live object if ``scope`` has one, updated except for its local changes.
  /// - Throws: ``ModelStoreError`` with the code `notFound` if there is no such model.
  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M

  /// Finds the models for which the condition holds, in the order of the query, or by default of their creation.
  ///
  /// - Returns: live objects if they exist, updated except for their local changes.
  /// - Throws: ``ModelStoreError`` with the code `invalid` for an invalid query, `unsupported` for one that the
  ///   store does not support; it names the part. A store never ignores a part of a query.
  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M]

  /// Finds one page of the models that ``list(_:)`` would find.
  ///
  /// A page begins after the sort values and the identifier of the last model of the previous page. So records that are
  /// created, changed or deleted before that position do not shift it. An unchanged model is in exactly one page.
  ///
  /// - Parameters:
  ///   - query: the query. Its limit is the size of the page; without one the store chooses the size. The offset is
  ///     skipped once, before the first page.
  ///   - mark: ``ModelPage/next`` of the previous page; nil for the first page.
  /// - Returns: the models, and the mark of the next page; nil as the mark of the last page.
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does, or with the code `invalid` for a mark of another query or
  ///   store.
  func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M>

  /// Returns the number of models that ``list(_:)`` would find.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int

  /// Returns the identifiers of the models that ``list(_:)`` would find, in its order.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String]

  /// Runs a query and reports its cost: the used indexes, the number of records that it reads, and the statement of a
  /// database.
  ///
  /// By default the store lists the models, without indexes.
  ///
  /// - Throws: ``ModelStoreError`` as ``list(_:)`` does.
  func explain<M: Model>(_ query: ModelQuery<M>) async throws -> QueryReport
}

extension ModelStore {
  /// Adds a model, and writes only some of its fields. The other values stay dirty, and an update writes them.
  ///
  /// ```swift
  /// try await store.create(person, fields: [person.name, person.age])
  /// ```
  ///
  /// The record also has the identifier, and the values that `beforeSave` sets. All rules of the model are checked, as
  /// by ``create(_:)``. Another reader of the record has the initial values of the other fields.
  ///
  /// - Parameters:
  ///   - model: the model to add.
  ///   - fields: the fields to write, without those that were never set.
  /// - Returns: the same model.
  /// - Throws: ``ModelStoreError`` as ``create(_:)`` does, and `invalid` if a required value is not among the fields,
  ///   or a field belongs to another model.
  @discardableResult
  public func create<M: Model>(_ model: M, fields: [AnyField]) async throws -> M {
    try SaveOperation<M>.check(fields, of: model)
    return try await CreationFields.choosing(fields, of: model) { try await create(model) }
  }

  /// Adds models one by one. The first error ends the call, and the models added before stay stored.
  @discardableResult
  public func createAll<M: Model>(_ models: [M]) async throws -> [M] {
    try await createEach(models)
    return models
  }

  /// Adds models one by one. An error names its model.
  @_spi(ModelKitInternals)
  public func createEach<M: Model>(_ models: [M]) async throws {
    for (index, model) in models.enumerated() {
      do {
        try await create(model)
      } catch let error as ModelStoreError {
        throw error.naming(model, at: index, of: models.count)
      }
    }
  }

  /// Writes the fields of a model that changed since it was last read or saved.
  ///
  /// An unloaded reference is read first, as by `save(_:)`.
  @discardableResult
  public func update<M: Model>(_ model: M) async throws -> M { try await change(model, onConflict: nil) }

  /// Updates a model, with the policy of the store if none is given.
  func change<M: Model>(
    _ model: M, _ fields: [AnyField]? = nil, onConflict policy: ConflictPolicy?
  ) async throws -> M {
    _ = try await readIfIncomplete(model)
    if model.isUntouchedReference { return model }
    do {
      guard let policy else { return try await update(model, fields: fields) }
      return try await update(model, fields: fields, onConflict: policy)
    } catch var error as ModelStoreError where error.code == .notFound && model.identifierField?.isDirty == true {
      error.message += " " + identifierAdvice(for: model)
      throw error
    }
  }

  /// Reads a changed unloaded reference, or a model with a changed list that lacks members, and keeps the changes.
  ///
  /// - Returns: `false` if the store has no such model.
  private func readIfIncomplete<M: Model>(_ model: M) async throws -> Bool {
    try ModelStoreError.rejectDraft(model)
    try ModelStoreError.rejectDeletedElsewhere(model, in: scope)
    guard model.isDirty, model.isUnloadedReference || model.needsReadingToSave(), let identifier = model.identifier
    else { return true }
    scope.add(model)
    model.discardReadVersion()
    do {
      _ = try await lookup(ModelType(type(of: model)), identifier: identifier)
      return true
    } catch let error as ModelStoreError where error.code == .notFound {
      return false
    }
  }

  /// Returns the remedy for a model that is not stored under its identifier, because the identifier was set locally.
  private func identifierAdvice<M: Model>(for model: M) -> String {
    let typeName = model.storedTypeName
    guard model.isKnownToStore else { return "This \(typeName) has not been stored yet: create it first, or use save." }
    let former = model.formerIdentifier.map(\.quotedForMessage) ?? "another one"
    return """
      Nothing was written, because this \(typeName) was stored as \(former), and its identifier has changed since: restore \
      the identifier, or create another \(typeName).
      """
  }

  /// Creates a model that no store has yet, and updates one that was created in a store or read from one.
  ///
  /// A changed unloaded reference is read first, and so is a model with a changed list that lacks deallocated members.
  /// Its changes are kept, and added and removed members are merged into the stored lists. If there is no record of a
  /// reference, the model is created.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write, as in ``create(_:fields:)`` and ``update(_:fields:)``. Nil writes all of a new
  ///     model, else those that changed since the last read or save.
  /// - Throws: ``ModelStoreError`` as ``create(_:)``, ``update(_:fields:)`` and ``lookup(_:identifier:)`` do.
  public func save<M: Model>(_ model: M, fields: [AnyField]? = nil) async throws {
    try await write(model, fields, onConflict: nil)
  }

  /// Creates or updates a model, with the policy of the store if none is given.
  func write<M: Model>(
    _ model: M, _ fields: [AnyField]? = nil, onConflict policy: ConflictPolicy?
  ) async throws {
    // There is no record: the local values are the whole model. Unless another task has created it meanwhile.
    if try await !readIfIncomplete(model), model.isUnloadedReference { scope.markNew(model) }
    // Another task may be creating it: a second creation would write a second record.
    try await scope.creations.waitForCreation(of: model)
    if model.isUntouchedReference { return }
    if model.isKnownToStore {
      _ = try await change(model, fields, onConflict: policy)
    } else if let fields {
      try await create(model, fields: fields)
    } else {
      try await create(model)
    }
  }

  /// Throws `unsupported`, unless a store implements it.
  @discardableResult
  public func deleteAll() async throws -> Int { throw ModelStoreError.cannotListTypes(self) }

  /// Counts by listing, unless a store implements it.
  public func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int { try await list(query).count }

  /// Lists the models, unless a store implements it.
  public func explain<M: Model>(_ query: ModelQuery<M>) async throws -> QueryReport {
    .listing(try await list(query).count)
  }

  /// Lists the models, unless a store implements it.
  public func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    try await list(query).compactMap(\.identifier)
  }
}

extension ModelObject {
  /// Whether the model is an unloaded reference without changes: a save of it writes nothing.
  fileprivate var isUntouchedReference: Bool { isUnloadedReference && unsavedFields.isEmpty && storedIdentifier != nil }
}

extension ModelStoreError {
  /// Returns the error of a store that can't delete everything.
  package static func cannotListTypes(_ store: any ModelStore) -> ModelStoreError {
    ModelStoreError(
      .unsupported,
      """
      Nothing was deleted: deleteAll() without a type is not supported by \(type(of: store)), which can't list the \
      types of its models. Call deleteAll(_:) for each type.
      """)
  }
}

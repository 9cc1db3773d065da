@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) public import StoreProtocol

/// A store that passes each call to other stores, which are chosen by class and operation.
///
/// A read uses the first available store: a store that lacks the model or can't be reached is skipped. A write goes to
/// all stores in order.
///
/// ```swift
/// let scope = ModelScope()
/// let cache = MemoryModelStore(scope: scope)
/// let api = RESTModelStore(baseURL: url, scope: scope)
/// let store = CompoundModelStore(scope: scope) { type, operation in
///   operation == .read ? [cache, api] : [api, cache]
/// }
/// ```
///
/// A store that serves reads should also get the writes. Otherwise its values are outdated.
///
/// - Note: It belongs to one isolation, together with the other stores. All of them share one scope, so that each
///   identifier has one object.
public final class CompoundModelStore: ModelStore {
  /// A call for which stores are chosen.
  public enum Operation: Sendable, Hashable, CaseIterable {
    /// A lookup of a model by its identifier. A model that is found in a later store is written to the earlier ones.
    case read
    /// Models are found by a query, or counted. The first store that answers decides, even if it has none.
    case list
    /// A model is added.
    case create
    /// A model is changed.
    case update
    /// A model is removed.
    case delete
  }

  /// The identity map of all stores.
  public let scope: ModelScope
  /// The deletions that failed in a later store.
  var unfinishedDeletions = UnfinishedDeletions()
  private let choose: (any Model.Type, Operation) -> [any ModelStore]

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - scope: the scope of all stores. A store with another scope is a programming error.
  ///   - choose: returns the stores for a class and an operation, in order.
  public init(scope: ModelScope, _ choose: @escaping (any Model.Type, Operation) -> [any ModelStore]) {
    (self.scope, self.choose) = (scope, choose)
  }

  /// Returns the stores for an operation.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` if there is none.
  func stores<M: Model>(_ type: M.Type, _ operation: Operation) throws -> [any ModelStore] {
    let stores = choose(type, operation)
    precondition(stores.allSatisfy { $0.scope === scope }, "The stores of a CompoundModelStore share its scope.")
    if stores.isEmpty {
      throw ModelStoreError(
        .unsupported, "No store was chosen for the operation \(operation) of \(M.displayName). Nothing was done.")
    }
    return stores
  }

  // MARK: Reading

  /// Returns the answer of the first store that has one.
  ///
  /// - Parameters:
  ///   - stores: the stores, in the order in which they are read.
  ///   - skipsInvalid: whether a call that another store could answer may be invalid in a later one.
  ///   - absent: called with the stores that lack the model, before the answer is returned.
  private func first<Answer>(
    of stores: [any ModelStore], skipsInvalid: Bool = false,
    absent: ([any ModelStore], Answer) async -> Void = { _, _ in },
    _ read: (any ModelStore) async throws -> Answer
  ) async throws -> Answer {
    var (lacking, failure): ([any ModelStore], ModelStoreError?) = ([], nil)
    for store in stores {
      do {
        let answer = try await read(store)
        await absent(lacking, answer)
        return answer
      } catch let error as ModelStoreError {
        switch error.code {
        case .notFound: lacking.append(store)
        case .offline, .timeout, .server, .corrupt, .unsupported: break
        // Such as the mark of a page that another store returned.
        case .invalid where failure != nil && skipsInvalid: break
        default: throw error
        }
        // A store that could not answer may have the model.
        if failure == nil || failure?.code == .notFound { failure = error }
      }
    }
    throw failure ?? ModelStoreError(.unsupported, "No store was chosen.")
  }

  /// Finds a model by its identifier, in the first store that has it, and writes it to the earlier stores.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound` if no store has the model; otherwise the error of the first
  ///   store that failed.
  public func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await ModelStoreEvent.recording(.lookup, of: Self.self, M.typeName) { event in
      event?.count = 1
      return try await first(of: stores(type, .read)) { lacking, model in
        for store in lacking where !model.isDirty && model.isWhollySaved {
          // That a cache can't be filled is not a failure of the read.
          _ = try? await ModelHook.withoutHooks { try await store.create(model) }
        }
      } _: {
        try await $0.lookup(type, identifier: identifier)
      }
    }
  }

  /// Finds models in the first store that answers.
  ///
  /// - Throws: the error of the first store if none answers.
  public func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    try await ModelStoreEvent.recording(.list, of: Self.self, M.typeName, query: "\(query)") { event in
      let models = try await first(of: stores(M.self, .list)) { try await $0.list(query) }
      event?.count = models.count
      return models
    }
  }

  /// Finds a page of models in the first store that does not fail. Only the store that returned a mark accepts it.
  ///
  /// - Throws: as ``list(_:)``.
  public func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    try await ModelStoreEvent.recording(.page, of: Self.self, M.typeName, query: "\(query)") { event in
      let page = try await first(of: stores(M.self, .list), skipsInvalid: mark != nil) {
        try await $0.page(query, after: mark)
      }
      event?.count = page.models.count
      return page
    }
  }

  /// Counts models in the first store that answers.
  ///
  /// - Throws: as ``list(_:)``.
  public func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int {
    try await ModelStoreEvent.recording(.count, of: Self.self, M.typeName, query: "\(query)") { event in
      let count = try await first(of: stores(M.self, .list)) { try await $0.count(query) }
      event?.count = count
      return count
    }
  }

  /// Finds identifiers in the first store that does not fail.
  ///
  /// - Throws: as ``list(_:)``.
  public func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    try await ModelStoreEvent.recording(.identifiers, of: Self.self, M.typeName, query: "\(query)") { event in
      let identifiers = try await first(of: stores(M.self, .list)) { try await $0.identifiers(query) }
      event?.count = identifiers.count
      return identifiers
    }
  }

  /// Runs a query in the first store that does not fail, and reports its cost there.
  ///
  /// - Throws: as ``list(_:)``.
  public func explain<M: Model>(_ query: ModelQuery<M>) async throws -> QueryReport {
    try await first(of: stores(M.self, .list)) { try await $0.explain(query) }
  }

  // MARK: Writing

  /// Writes to the first store, then to the others. Hooks run once.
  ///
  /// A value is saved when all stores have it. A value that is edited during the first write stays unsaved. If a later
  /// store fails, all written values stay unsaved.
  ///
  /// - Parameters:
  ///   - models: the models to write.
  ///   - operation: the operation.
  ///   - chosen: fields that are written in addition to the unsaved ones.
  ///   - first: writes the models to the first store.
  ///   - others: writes fields of the models to another store.
  /// - Throws: the error of the first store; nothing was written then. The error of another one declares where it was.
  private func writeToAll<M: Model>(
    _ models: [M], _ operation: Operation, fields chosen: [AnyField] = [],
    _ first: (any ModelStore) async throws -> Void, others: (any ModelStore, [AnyField]) async throws -> Void
  ) async throws {
    let stores = try stores(M.self, operation)
    // After the first write they are not dirty.
    let fields = models.flatMap { scope.fieldsToSave(of: $0) } + chosen
    try await first(stores[0])
    for (index, store) in stores.enumerated().dropFirst() {
      do {
        try await ModelHook.withoutHooks { try await others(store, fields) }
      } catch {
        for model in models { model.markUnsaved(fields.filter { $0.owner === model }) }
        guard let error = error as? ModelStoreError else { throw error }
        throw incomplete(M.self, index, of: stores.count, error)
      }
    }
  }

  /// Returns the error of a store after others have done the write.
  func incomplete<M: Model>(
    _ type: M.Type, _ count: Int, of total: Int, _ error: ModelStoreError
  ) -> ModelStoreError {
    var error = error
    error.message =
      "The \(M.displayName) was written to \(count) of \(total) stores; the next store failed: \(error.message)"
    return error
  }

  /// Adds a model to all stores. The first one assigns the identifier.
  ///
  /// - Throws: the error of a store. The message has the number of stores that wrote the model, if any. Its values stay
  ///   unsaved, so that the next save writes them to all stores.
  @discardableResult
  public func create<M: Model>(_ model: M) async throws -> M {
    try await ModelStoreEvent.recording(.create, of: Self.self, M.typeName) { event in
      try await writeToAll([model], .create) {
        try await $0.create(model)
      } others: { store, _ in
        if model.isWhollySaved {
          try await store.create(model)
        } else if CreationFields.areChosen(for: model), model.isKnownToStore {
          try await store.create(model, fields: model.storableFields.filter { !$0.isDirty })
        }
      }
      event?.count = 1
      return model
    }
  }

  /// Adds models to all stores, atomically in each store that supports it.
  ///
  /// - Throws: as ``create(_:)``.
  @discardableResult
  public func createAll<M: Model>(_ models: [M]) async throws -> [M] {
    try await ModelStoreEvent.recording(.create, of: Self.self, M.typeName) { event in
      try await writeToAll(models, .create) {
        try await $0.createAll(models)
      } others: { store, _ in
        try await store.createAll(models.filter(\.isWhollySaved))
      }
      event?.count = models.count
      return models
    }
  }

  /// Writes changes of a model to all stores. One that lacks the model gets it, unless the model has other unsaved
  /// changes.
  ///
  /// - Throws: as ``create(_:)``.
  @discardableResult
  public func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await update(model, fields) { try await $0.update(model, fields: fields) }
  }

  /// Writes changes of a model to all stores. The policy is that of the first one.
  ///
  /// - Throws: as ``create(_:)``.
  @discardableResult
  public func update<M: Model>(
    _ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy
  ) async throws -> M {
    try await update(model, fields) { try await $0.update(model, fields: fields, onConflict: policy) }
  }

  private func update<M: Model>(
    _ model: M, _ fields: [AnyField]?, _ first: (any ModelStore) async throws -> Void
  ) async throws -> M {
    try await ModelStoreEvent.recording(.update, of: Self.self, M.typeName) { event in
      try await updateAll(model, fields, first)
      event?.count = 1
      return model
    }
  }

  private func updateAll<M: Model>(
    _ model: M, _ fields: [AnyField]?, _ first: (any ModelStore) async throws -> Void
  ) async throws {
    let stamp = ChangeStamp.next()
    try await writeToAll([model], .update, fields: fields ?? [], first) { store, written in
      let unsaved = model.unsavedFields
      var saved: [AnyField] = []
      for field in written + model.storedFields(readSince: stamp) {
        if !(saved + unsaved).contains(where: { $0 === field }) { saved.append(field) }
      }
      do {
        try await store.update(model, fields: saved, onConflict: .overwrite)
      } catch let error as ModelStoreError where error.code == .notFound {
        if model.isWhollySaved { try await store.create(model) }
      }
    }
  }
}

@_spi(ModelKitInternals)
extension CompoundModelStore: ProjectingModelStore {
  /// Reads columns in the first store that does not fail, without creating models if that store can.
  ///
  /// - Throws: as ``list(_:)``.
  @discardableResult
  public func run<M: Model>(_ query: ModelQuery<M>, into projection: QueryProjection) async throws -> QueryReport {
    try await ModelStoreEvent.recording(.columns, of: Self.self, M.typeName, query: "\(query)") { event in
      let report = try await first(of: stores(M.self, .list)) { try await $0.project(query, projection) }
      event?.report = report
      event?.count = report.matchCount
      return report
    }
  }
}

extension ModelObject {
  /// Whether a store has the model with all its values. Only then does a creation in another store mark no edit as
  /// saved, and bring no deleted model back.
  fileprivate var isWhollySaved: Bool { isKnownToStore && !hasUnsavedValues }

  /// Marks saved fields as unsaved, because not all stores have their values. A revert keeps these.
  fileprivate func markUnsaved(_ fields: [AnyField]) {
    guard isKnownToStore else { return }
    for field in fields where !field.isDirty && field.loadState != .notLoaded && field !== identifierField {
      field.markNeverSaved()
      field.registerRestoration { _ in false }
    }
    // The scope retains unsaved models.
    restore(storeState)
  }
}

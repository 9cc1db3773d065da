@_spi(ModelKitInternals) public import ModelCore
@_exported @_spi(ModelKitInternals) public import StoreProtocol

/// A store over a ``RecordEngine``: the common part of all stores that keep their own records.
///
/// It validates and saves models, applies delete rules, detects conflicts, evaluates queries, updates live results, and
/// runs transactions. Derive your own store from it:
///
/// ```swift
/// final class MyStore: RecordStore<MyEngine>, TransactionalModelStore {}
/// ```
///
/// - Note: A store instance belongs to one isolation. For another isolation create one with ``init(_:scope:)`` and the
///   ``handle``.
open class RecordStore<Engine: RecordEngine>: LiveModelStore, EngineStore {
  /// The type of the ``handle``, such as `FileModelStore.Handle`.
  public typealias Handle = Engine

  /// The identity map of this store instance.
  public final let scope: ModelScope
  /// The engine that instances of this store share. It is `Sendable`.
  public final let handle: Engine
  /// The default policy of saves and updates.
  public var conflictPolicy = ConflictPolicy.merge
  /// The open transactions of this instance. Each includes the task that began it, and the tasks created inside it.
  @_spi(ModelKitInternals) public internal(set) final var transactions: [StoreTransaction] = []
  /// The nested transactions of this instance.
  final let parts = TransactionParts()
  /// The saves of this instance: those of one model run one after the other.
  final let saveTurns = Turns<ObjectIdentifier>()
  /// The demand of deletions for indexes of foreign keys.
  final var indexDemand = IndexDemand()
  /// The columns that repeated conditions and aggregates read.
  @_spi(ModelKitInternals) public final var columnCache = ColumnCache()
  private final var types: [ObjectIdentifier: TypeContext] = [:]
  // Most calls concern the same class as the previous call. Not retained: `types` retains it.
  private final var lastType: Unmanaged<TypeContext>?

  /// Creates a store instance over an engine.
  ///
  /// - Parameters:
  ///   - handle: the engine, such as the `handle` of another instance.
  ///   - scope: the identity map of this instance.
  public init(_ handle: Engine, scope: ModelScope = ModelScope()) {
    self.handle = handle
    self.scope = scope
    if handle is any IdentifierNormalizingEngine { scope.acceptOtherSpellingsOfIdentifiers() }
    scope.addClasses(of: self) { [weak self] in self?.classOfRecord($0, $1) }
  }

  // MARK: Writing

  /// Adds a model. A model without identifier gets the next integer or a UUID, depending on the type of its identifier
  /// field.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`, `conflict` or `noIdentifier`, or as the engine throws.
  @discardableResult
  public final func create<M: Model>(_ model: M) async throws -> M {
    try await ModelStoreEvent.recording(.create, of: Self.self, M.typeName) { event in
      try await repeating { try await createTogether([model]) }
      event?.count = 1
      return model
    }
  }

  /// Adds models atomically. If they share an embedded model that references them, its record contains all their new
  /// identifiers.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`, `conflict` or `noIdentifier`, or as the engine throws.
  @discardableResult
  public final func createAll<M: Model>(_ models: [M]) async throws -> [M] {
    try await ModelStoreEvent.recording(.create, of: Self.self, M.typeName) { event in
      try await repeating { try await createTogether(models) }
      event?.count = models.count
      return models
    }
  }

  /// Writes changes of a model by ``conflictPolicy``.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed.
  /// - Throws: `ModelStoreError` as ``update(_:fields:onConflict:)`` does.
  @discardableResult
  public final func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await update(model, fields: fields, onConflict: conflictPolicy)
  }

  /// Writes changes of a model.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed.
  ///   - policy: the decision where another writer changed the record since the model was read.
  /// - Throws: `ModelStoreError` with the code `invalid`, `noIdentifier` or `notFound`, or as the engine throws. The
  ///   code is `conflict` if another writer changed the record, or a value violates a unique index.
  @discardableResult
  public final func update<M: Model>(
    _ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy
  ) async throws -> M {
    try await ModelStoreEvent.recording(.update, of: Self.self, M.typeName) { event in
      try await repeating { try await write(changesOf: model, fields, policy) }
      event?.count = 1
      return model
    }
  }

  /// Atomically removes a model and the models that its delete rules cascade to. Links to them are cut in the remaining
  /// records, even if the models are not live.
  ///
  /// Live models that referenced a deleted one have nil or a shorter list. The change is stored, and `afterUpdate`
  /// runs.
  ///
  /// - Throws: `ModelStoreError` with the code `noIdentifier`, `notFound`, or `denied` if a rule denies it; or as the
  ///   engine throws.
  /// - Complexity: O(*n*) in the number of records that could reference the model, or O(log *n*) with an index of the
  ///   foreign key. If there are more than a thousand, or several deletions have read as many, the store creates the
  ///   index automatically, if the engine has indexes. A foreign key that is a list can't be indexed.
  @discardableResult
  public final func delete<M: Model>(_ model: M) async throws -> M {
    try await ModelStoreEvent.recording(.delete, of: Self.self, M.typeName) { event in
      try await repeating { try await remove(model) }
      event?.count = 1
      return model
    }
  }

  /// Deletes all models of all types, in one transaction: also records of classes that this instance did not use yet,
  /// for which no hooks run. No delete rule denies it.
  ///
  /// A store that synchronises records the deletions for its server.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` if the engine can't list its types, or belongs to a
  ///   synchronised store or a change log. Otherwise as ``delete(_:)`` does.
  /// - Complexity: O(*n*) in the number of stored models, which are all in memory at once.
  @discardableResult
  open func deleteAll() async throws -> Int {
    try await ModelStoreEvent.recording(.deleteAll, of: Self.self, nil) { event in
      let count = try await deleteEverything()
      event?.count = count
      return count
    }
  }

  // MARK: Reading

  /// Finds a model by its identifier.
  ///
  /// A live model is not read again if the engine has a ``WriteState`` and no record of its type was written since.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`, or `corrupt` if its record can't be read.
  open func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await ModelStoreEvent.recording(.lookup, of: Self.self, M.typeName) { event in
      event?.count = 1
      if let model = unchangedModel(type, identifier) {
        try checkCancellation()
        return model
      }
      return try await find(type, identifier)
    }
  }

  /// Finds the models for which the condition holds, in the order of the query, or by default of their creation.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for an invalid query, `corrupt` if a record can't be
  ///   read.
  /// - Complexity: O(*n*), where *n* is the number of stored models of the type, up to the end of an unsorted list.
  ///   With indexes of the condition, *n* is the number of their matches. For a list with a limit that is sorted by an
  ///   indexed field, *n* is the number of models before the limit is reached. Only matches are kept in memory.
  /// - Note: All models, and the records that conditions on relations read, are from one snapshot.
  open func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    try await ModelStoreEvent.recording(.list, of: Self.self, M.typeName, query: "\(query)") { event in
      let read = beginRead(try await context(of: M.self))
      defer { scope.pendingReads.end() }
      let found = try await execute(query)
      event?.report = found.report(on: query)
      let answer = scope.pendingReads.answer(since: read.start)
      try await scope.creations.waitForCreations(of: M.typeName)
      let models = try await readableModels(M.self, found.records, read, answeredAt: answer)
      event?.count = models.count
      return models
    }
  }

  /// Finds one page of the models that ``list(_:)`` would find, in its order.
  ///
  /// - Parameters:
  ///   - query: the query. Its limit is the size of the page, 100 by default. The offset is skipped once, before the
  ///     first page.
  ///   - mark: `next` of the previous page; nil for the first page.
  /// - Throws: `ModelStoreError` with the code `invalid` for an invalid query, or a mark of another query. The code is
  ///   also `invalid` if all records were replaced and the last one of the previous page was deleted. It is `corrupt`
  ///   if a record can't be read.
  /// - Complexity: O(*n*) in the number of models read until the page is full, if the query has no order or that of an
  ///   index. Otherwise as ``list(_:)`` without limit.
  open func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    try await ModelStoreEvent.recording(.page, of: Self.self, M.typeName, query: "\(query)") { event in
      let page = try await readPage(query, after: mark)
      event?.count = page.models.count
      return page
    }
  }

  /// Returns the number of models that ``list(_:)`` would find, without creating them.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does.
  /// - Complexity: O(1) for all models of a type, and O(log *n*) for a condition that indexes can count; otherwise as
  ///   ``list(_:)``.
  open func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int {
    try await ModelStoreEvent.recording(.count, of: Self.self, M.typeName, query: "\(query)") { event in
      let count = try await countRecords(query)
      event?.count = count
      return count
    }
  }

  /// Returns the identifiers of the models that ``list(_:)`` would find, without creating them.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does.
  open func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    try await ModelStoreEvent.recording(.identifiers, of: Self.self, M.typeName, query: "\(query)") { event in
      let found = try await execute(query)
      event?.report = found.report(on: query)
      event?.count = found.records.count
      return found.records.map(\.identifier)
    }
  }

  /// Runs a query and reports its cost: the used indexes, the number of records that it reads, and the statement of a
  /// database.
  ///
  /// ```swift
  /// print(try await store.explain(ModelQuery(Person.self, where: { $0.age == 30 })))
  /// // by the index of age, 12 of 1000 records; read 12, tested 0, found 12
  /// ```
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does: the query is executed, without creating models.
  open func explain<M: Model>(_ query: ModelQuery<M>) async throws -> QueryReport {
    var report = try await execute(query).report(on: query)
    let records = try await handle.current()
    report.statement = try await records.statement(for: query, in: scope.transformers)
    report.databasePlan = try await records.databasePlan(for: query, in: scope.transformers)
    return report
  }

  /// Returns the identifiers of the records that a query finds in a snapshot, in its order.
  ///
  /// - Parameter position: the position of the tracker of the transaction under way, before the snapshot.
  /// - Returns: nil if the records are better read one after the other, in the order of creation.
  @_spi(ModelKitInternals)
  open func selectedIdentifiers<M: Model>(
    _ program: QueryProgram<M>, at snapshot: Engine.Snapshot, after position: UInt64?
  ) async throws -> [String]? {
    if !program.isSorted, transaction == nil {
      let indexes = program.query.filter == nil ? nil : snapshot.indexes(of: M.typeName)
      guard let indexes, QueryPlanner(program, fields: indexes.fields).canUseIndexes else { return nil }
    }
    return try await execute(program, at: snapshot, isSnapshot: true, after: position, keepsValues: false).plain()
      .records.map(\.identifier)
  }

  /// Whether records that can't be read are left out: see `RecordEngine`.
  public final var skipsUnreadableRecords: Bool { if case .skip = handle.unreadable { true } else { false } }

  /// Reports a record among others that can't be read, or throws the error about it.
  public final func skip(_ error: ModelStoreError, _ type: String, _ identifier: String) async throws {
    try await handle.skip(error, type, identifier)
  }

  // MARK: Live results

  /// The feed of the commits of all instances, in their order.
  public final var changeFeed: StoreChangeFeed { handle.changeFeed }

  /// Returns `true`: the store can read its records.
  public final var canReadRecords: Bool { true }

  /// Reads the stored records of a type, in the order of creation.
  public final func readRecords(
    of typeName: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64? {
    try await handle.readRecords(of: typeName, body)
  }

  /// Returns a stored record; nil if there is none.
  public final func readRecord(of typeName: String, identifier: String) async throws -> StoredRecord? {
    try await handle.read(typeName, identifier)
  }

  // MARK: Types

  /// Returns the context of a class; nil if its write state was not requested from the engine yet.
  @_spi(ModelKitInternals)
  @inline(__always)
  public final func knownContext<M: Model>(_ type: M.Type) -> Unmanaged<TypeContext>? {
    if let lastType, lastType._withUnsafeGuaranteedRef({ $0.modelClass == type }) { return lastType }
    guard let known = types[ObjectIdentifier(type)] else { return nil }
    let unretained = Unmanaged.passUnretained(known)
    lastType = unretained
    return unretained
  }

  /// Creates the context of a class.
  ///
  /// - Parameter state: the write state of its type in the engine.
  @_spi(ModelKitInternals)
  public final func addContext<M: Model>(_ type: M.Type, _ state: WriteState?) -> Unmanaged<TypeContext> {
    let made = TypeContext(type, state)
    types[ObjectIdentifier(type)] = made
    let unretained = Unmanaged.passUnretained(made)
    lastType = unretained
    beginUse(of: type)
    return unretained
  }

  /// Called when a class is used for the first time, and by each live query. Does nothing by default.
  @_spi(ModelKitInternals)
  open func beginUse<M: Model>(of type: M.Type) {}

  /// Returns the context of a class.
  @_spi(ModelKitInternals)
  public final func context<M: Model>(of type: M.Type) async throws -> TypeContext {
    if let known = knownContext(type) { return known.takeUnretainedValue() }
    // From its first use, even without a record of it, the class checks imported records.
    if let conflict = scope.claimTypeName(of: type) { throw ModelStoreError(.invalid, conflict) }
    return addContext(type, try await handle.writeState(of: M.typeName)).takeUnretainedValue()
  }
}

@_spi(ModelKitInternals) public import ModelCore
@_exported @_spi(ModelKitInternals) public import StoreProtocol

/// A store over an engine that keeps records: all that is the same in all such stores.
///
/// It saves and deletes models by their rules, reports conflicts, evaluates queries, keeps live results up to date, and has
/// transactions. A store of your own is a class derived from it:
///
/// ```swift
/// final class MyStore: RecordStore<MyEngine>, TransactionalModelStore {}
/// ```
///
/// - Note: A store instance lives in one isolation. Make another with ``init(_:scope:)`` and ``handle`` elsewhere.
open class RecordStore<Engine: RecordEngine>: LiveModelStore, EngineStore {
  /// The identity map of this store instance.
  public final let scope: ModelScope
  /// The engine that instances of this store share. It is `Sendable`.
  public final let handle: Engine
  /// The decision of saves and updates that name none.
  public var conflictPolicy = ConflictPolicy.merge
  /// The transactions under way in this instance: one of a task, and of the tasks that it has begun.
  @_spi(ModelKitInternals) public internal(set) final var transactions: [StoreTransaction] = []
  /// The foreign keys of which deletions need an index.
  final var indexDemand = IndexDemand()
  /// The columns that repeated conditions and aggregates read.
  @_spi(ModelKitInternals) public final var columnCache = ColumnCache()
  private final var types: [ObjectIdentifier: TypeContext] = [:]
  // Most calls are about the class that the one before was about. Not retained again for each: what is in `types` stays.
  private final var lastType: Unmanaged<TypeContext>?

  /// Creates a store instance over an engine.
  ///
  /// - Parameters:
  ///   - handle: the engine, such as the `handle` of another instance.
  ///   - scope: the identity map of this instance.
  public init(_ handle: Engine, scope: ModelScope = ModelScope()) {
    self.handle = handle
    self.scope = scope
  }

  // MARK: Writing

  /// Adds a model. A model without identifier gets the next integer or a UUID, as its identifier field can hold.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`, `conflict` or `noIdentifier`, or as the engine throws.
  @discardableResult
  public final func create<M: Model>(_ model: M) async throws -> M {
    try await createTogether([model])
    return model
  }

  /// Adds models, all or none. Those that share a model that is written inside them are in it by their new identifiers, all
  /// of them.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`, `conflict` or `noIdentifier`, or as the engine throws.
  @discardableResult
  public final func createAll<M: Model>(_ models: [M]) async throws -> [M] {
    try await createTogether(models)
    return models
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
  ///   - policy: the decision where someone else changed the record since the model read it.
  /// - Throws: `ModelStoreError` with the code `invalid`, `noIdentifier` or `notFound`, or as the engine throws. The code is
  ///   `conflict` if someone else changed the record, or a value is not unique that has to be.
  @discardableResult
  public final func update<M: Model>(
    _ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy
  ) async throws -> M {
    try await write(changesOf: model, fields, policy)
    return model
  }

  /// Removes a model, what goes with it by the delete rules of its relations, and the links to them in the records of
  /// models that stay: all or none. Models need not be live for that.
  ///
  /// Live models that stay and referred to a deleted one refer to nothing then; that is stored, and `afterUpdate` runs.
  ///
  /// - Throws: `ModelStoreError` with the code `noIdentifier`, `notFound`, or `denied` if a rule denies it; or as the engine
  ///   throws.
  /// - Complexity: O(*n*) in the number of records that could refer to the model, or O(log *n*) with an index of the foreign
  ///   key. Where there are more than a thousand, or several deletions have read as many, the store makes an index by
  ///   itself if the engine has indexes. A foreign key that is a list has none.
  @discardableResult
  public final func delete<M: Model>(_ model: M) async throws -> M {
    try await remove(model)
    return model
  }

  // MARK: Reading

  /// Finds a model by its identifier.
  ///
  /// A live model is not read again as long as nothing of its type was written, if the engine tells.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`, or `corrupt` if its record can't be read.
  open func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    if let model = unchangedModel(type, identifier) {
      try checkCancellation()
      return model
    }
    return try await find(type, identifier)
  }

  /// Finds models: those for which the condition holds, in the order of the query, or else of their creation.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense, `corrupt` if a record can't be
  ///   read.
  /// - Complexity: O(*n*) in the number of stored models of the type, up to the end of the list if it is not sorted. With
  ///   indexes of fields of the condition, in the number of their matches. Sorted by an indexed field and with a limit, in
  ///   the number of models before the limit is reached. Only records that are found are kept in memory.
  /// - Note: All models, and the records that conditions about relations read, are of one moment.
  open func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    let read = beginRead(try await context(of: M.self))
    defer { scope.pendingReads.end() }
    let records = try await execute(query).records
    let answer = scope.pendingReads.answer(since: read.start)
    try await scope.creations.settled(of: M.typeName)
    return try await readableModels(M.self, records, read, answeredAt: answer)
  }

  /// Finds one page of the models that ``list(_:)`` would find, in its order.
  ///
  /// - Parameters:
  ///   - query: the query. Its limit is the size of the page, 100 without one. The offset is passed over once, before the
  ///     first page.
  ///   - mark: `next` of the page before; nil for the first page.
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense, or a mark of another query. Also if
  ///   all records were replaced and the last one of the page before is gone; `corrupt` if a record can't be read.
  /// - Complexity: without order, or in that of an index, in the number of models that are passed before the page is full;
  ///   otherwise as ``list(_:)`` without limit.
  open func page<M: Model>(_ query: ModelQuery<M>, after mark: ModelPageMark?) async throws -> ModelPage<M> {
    try await readPage(query, after: mark)
  }

  /// Returns how many models ``list(_:)`` would find. No model is made for that.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does.
  /// - Complexity: O(1) for all models of a type, and O(log *n*) for a condition that indexes answer by themselves; otherwise as
  ///   ``list(_:)``.
  open func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int { try await countRecords(query) }

  /// Returns the identifiers of the models that ``list(_:)`` would find. No model is made for that.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does.
  open func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    try await execute(query).records.map(\.identifier)
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
    guard case .skip(let report) = handle.unreadable, error.code == .corrupt else { throw error }
    report(try await handle.unreadableRecord(type, identifier, error))
  }

  // MARK: Live results

  /// The feed of the commits of all instances, in their order.
  public final var changeFeed: StoreChangeFeed { handle.changeFeed }

  /// Records are given.
  public final var canReadRecords: Bool { true }

  /// Goes through what is stored of a type, in the order of creation.
  public final func readRecords(
    of typeName: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64? {
    try await handle.readRecords(of: typeName, body)
  }

  /// Returns a record as it is stored.
  public final func readRecord(of typeName: String, identifier: String) async throws -> StoredRecord? {
    try await handle.read(typeName, identifier)
  }

  // MARK: Types

  /// Returns what is known of a class of models; nil if its state was not requested from the engine yet.
  @_spi(ModelKitInternals)
  @inline(__always)
  public final func knownContext<M: Model>(_ type: M.Type) -> Unmanaged<TypeContext>? {
    if let lastType, lastType._withUnsafeGuaranteedRef({ $0.modelClass == type }) { return lastType }
    guard let known = types[ObjectIdentifier(type)] else { return nil }
    let unretained = Unmanaged.passUnretained(known)
    lastType = unretained
    return unretained
  }

  /// Takes up a class of models.
  ///
  /// - Parameter state: the state of its type in the engine.
  @_spi(ModelKitInternals)
  public final func addContext<M: Model>(_ type: M.Type, _ state: WriteState?) -> Unmanaged<TypeContext> {
    let made = TypeContext(type, state)
    types[ObjectIdentifier(type)] = made
    let unretained = Unmanaged.passUnretained(made)
    lastType = unretained
    return unretained
  }

  /// Returns what is known of a class of models.
  @_spi(ModelKitInternals)
  public final func context<M: Model>(of type: M.Type) async throws -> TypeContext {
    if let known = knownContext(type) { return known.takeUnretainedValue() }
    return addContext(type, try await handle.writeState(of: M.typeName)).takeUnretainedValue()
  }
}

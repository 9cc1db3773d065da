@_exported @_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// A store that keeps models in memory until its last instance is released: for tests, caches, and models that need no
/// disk.
///
/// It keeps snapshots, like every store: an edit of a model does not change the stored record until the model is saved.
///
/// ```swift
/// let store = MemoryModelStore()
/// let person = Person()
/// person.name.value = "Ada"
/// try await store.create(person)
/// let same = try store.lookupImmediately(
///   Person.self, identifier: person.identifier ?? "")
/// ```
///
/// - Note: A store instance belongs to one isolation. For another isolation create one with `init(_:scope:)` and the
///   `handle`.
public final class MemoryModelStore: RecordStore<MemoryEngine>, TransactionalModelStore {
  // Most calls concern the same class as the previous call. Cached here, because a call of another module takes longer.
  private var lastContext: Unmanaged<TypeContext>?

  /// Creates an empty store.
  ///
  /// - Parameter scope: the identity map of this store instance.
  public convenience init(scope: ModelScope = ModelScope()) {
    self.init(MemoryEngine(), scope: scope)
  }

  /// Finds a model by its identifier.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`.
  public override func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try checkCancellation(.lookup, M.self)
    if isRefreshing {
      return try ModelStoreEvent.recordingImmediately(.lookup, of: Self.self, M.typeName) { event in
        event?.count = 1
        return try read(type, identifier)
      }
    }
    return try lookupImmediately(type, identifier: identifier)
  }

  /// Finds the models for which the condition holds, in the order of the query, or by default of their creation.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for an invalid query.
  public override func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    try checkCancellation(.list, M.self, "\(query)")
    return try listImmediately(query)
  }

  /// Finds one page of the models that ``list(_:)`` would find, in its order.
  ///
  /// - Parameters:
  ///   - query: the query. Its limit is the size of the page, 100 by default. The offset is skipped once, before the
  ///     first page.
  ///   - mark: `next` of the previous page; nil for the first page.
  /// - Throws: `ModelStoreError` with the code `invalid` for an invalid query, or a mark of another query. The code is
  ///   also `invalid` if the store was restored and no longer has the last record of the previous page.
  /// - Complexity: O(*n*) in the number of models read until the page is full, if the query has no order or that of an
  ///   index. Otherwise as ``list(_:)`` without limit.
  public override func page<M: Model>(
    _ query: ModelQuery<M>, after mark: ModelPageMark?
  ) async throws -> ModelPage<M> {
    try checkCancellation(.page, M.self, "\(query)")
    return try pageImmediately(query, after: mark)
  }

  /// Returns the number of models that ``list(_:)`` would find, without creating them.
  ///
  /// - Complexity: O(1) without a condition, and O(log *n*) for a condition that indexes can count; otherwise as
  ///   ``list(_:)``.
  public override func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int {
    try checkCancellation(.count, M.self, "\(query)")
    return try countImmediately(query)
  }

  /// Returns the identifiers of the models that ``list(_:)`` would find, without creating them.
  public override func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    try checkCancellation(.identifiers, M.self, "\(query)")
    return try ModelStoreEvent.recordingImmediately(.identifiers, of: Self.self, M.typeName, query: "\(query)") {
      let found = try run(query)
      $0?.report = report(found, on: query)
      $0?.count = found.rows.count
      return found.rows.map(\.identifier)
    }
  }

  /// Throws `cancelled` in a cancelled task, and sends the event of the operation.
  private func checkCancellation<M: Model>(
    _ operation: ModelStoreEvent.Operation, _ type: M.Type, _ query: @autoclosure () -> String? = nil
  ) throws {
    guard Task.isCancelled else { return }
    try ModelStoreEvent.recordingImmediately(operation, of: Self.self, M.typeName, query: query()) { _ in
      try checkCancellation()
    }
  }

  /// Returns how the store runs a query: the indexes that it uses, and the number of records that it reads.
  ///
  /// ```swift
  /// print(try await store.explain(ModelQuery(Person.self, where: { $0.age == 30 })))
  /// // by the index of age, 12 of 1000 records; read 12, tested 0, found 12
  /// ```
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does: the query is executed, without creating models.
  public override func explain<M: Model>(_ query: ModelQuery<M>) async throws -> QueryReport {
    report(try run(query), on: query)
  }

  /// Returns the identifiers that a stream reads: in the order of the query, or as indexes find them.
  @_spi(ModelKitInternals)
  public override func selectedIdentifiers<M: Model>(
    _ program: QueryProgram<M>, at snapshot: MemorySnapshot, after position: UInt64?
  ) async throws -> [String]? {
    let fields = snapshot.engine.indexedFields(M.typeName)
    if transaction == nil, !program.isSorted, !QueryPlanner(program, fields: fields).canUseIndexes { return nil }
    return try run(program.query, nil, at: snapshot.engine, after: position).rows.map(\.identifier)
  }

  /// Returns the facts about a class of models.
  func context<M: Model>(of type: M.Type) -> TypeContext { unretainedContext(of: type).takeUnretainedValue() }

  /// Returns the context of a class, which lasts as long as the store.
  @inline(__always)
  func unretainedContext<M: Model>(of type: M.Type) -> Unmanaged<TypeContext> {
    if let lastContext, lastContext._withUnsafeGuaranteedRef({ $0.modelClass == type }) { return lastContext }
    let context = knownContext(type) ?? addContext(type, handle.writeState(of: M.typeName))
    lastContext = context
    return context
  }
}

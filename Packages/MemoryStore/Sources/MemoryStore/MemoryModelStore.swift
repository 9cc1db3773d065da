@_exported @_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// A store that keeps models in memory until its last instance is gone: for tests, caches and models that need no disk.
///
/// It keeps snapshots, as every store does: an edited model does not change what is stored until it is saved.
///
/// ```swift
/// let store = MemoryModelStore()
/// let person = Person()
/// person.name.value = "Ada"
/// try await store.create(person)
/// let same = try store.lookupImmediately(Person.self, identifier: person.identifier ?? "")
/// ```
///
/// - Note: A store instance lives in one isolation. Make another with `init(_:scope:)` and `handle` elsewhere.
public final class MemoryModelStore: RecordStore<MemoryEngine>, TransactionalModelStore {
  // Most calls are about the class that the one before was about. Here, since a call of another module takes longer.
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
    try checkCancellation()
    if isRefreshing { return try read(type, identifier) }
    return try lookupImmediately(type, identifier: identifier)
  }

  /// Finds models: those for which the condition holds, in the order of the query, or else of their creation.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense.
  public override func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    try checkCancellation()
    return try listImmediately(query)
  }

  /// Finds one page of the models that ``list(_:)`` would find, in its order.
  ///
  /// - Parameters:
  ///   - query: the query. Its limit is the size of the page, 100 without one. The offset is passed over once, before the
  ///     first page.
  ///   - mark: `next` of the page before; nil for the first page.
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense, or a mark of another query. Also if
  ///   the store was restored and no longer has the last record of the page before.
  /// - Complexity: without order, or in that of an index, in the number of models that are passed before the page is full;
  ///   otherwise as ``list(_:)`` without limit.
  public override func page<M: Model>(
    _ query: ModelQuery<M>, after mark: ModelPageMark?
  ) async throws -> ModelPage<M> {
    try checkCancellation()
    return try pageImmediately(query, after: mark)
  }

  /// How many models ``list(_:)`` would find. No model is made for that.
  ///
  /// - Complexity: O(1) without condition; with one that indexes answer by themselves, as many steps as it takes to find
  ///   the ends of its ranges; otherwise as ``list(_:)``.
  public override func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int {
    try checkCancellation()
    return try countImmediately(query)
  }

  /// The identifiers of the models that ``list(_:)`` would find. No model is made for that.
  public override func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    try checkCancellation()
    return try run(query).rows.map(\.identifier)
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

  /// The facts about a class of models.
  func context<M: Model>(of type: M.Type) -> TypeContext { unretainedContext(of: type).takeUnretainedValue() }

  /// The facts about a class of models, for as long as the store is there.
  @inline(__always)
  func unretainedContext<M: Model>(of type: M.Type) -> Unmanaged<TypeContext> {
    if let lastContext, lastContext._withUnsafeGuaranteedRef({ $0.modelClass == type }) { return lastContext }
    let context = knownContext(type) ?? addContext(type, handle.writeState(of: M.typeName))
    lastContext = context
    return context
  }
}

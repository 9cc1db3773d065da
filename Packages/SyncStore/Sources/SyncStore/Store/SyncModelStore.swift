import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore
@_exported @_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// An offline-first store: it reads and writes a local store, and synchronises it with a remote one.
///
/// A write returns when the local store has committed it, together with an outbox entry. ``sync(comparingAll:)`` sends the entries,
/// reads the changes of the server, and merges them by field with local changes.
///
/// ```swift
/// let files = FileModelStore(directory: folder)
/// let store = SyncModelStore(
///   local: files, remote: RESTModelStore(baseURL: api),
///   types: [Author.self, Book.self])
/// try await store.save(book)
/// try await store.sync()
/// ```
///
/// - Note: A store instance belongs to one isolation, and calls its remote store there. For another isolation create
///   one with ``init(local:remote:types:options:scope:)`` and the `handle`. Don't use the local and the remote store
///   for anything else.
public final class SyncModelStore<Local: RecordEngine>: RecordStore<SyncEngine<Local>>, TransactionalModelStore {
  /// The remote store; nil in an instance that only reads and writes locally.
  public private(set) var remote: (any ModelStore)?
  /// The classes to pull, by type name, in the order of their registration.
  var types: [(name: String, modelClass: any Model.Type)] = []
  /// The conflict resolvers, by class.
  var resolvers: [ObjectIdentifier: (SyncConflict) -> SyncResolution] = [:]
  /// The sync policies, by type name.
  var policies: [String: TypePolicy] = [:]
  /// The times of the last pulls of types by this instance, except those that failed temporarily.
  var lastPulls: [String: Int] = [:]
  /// The time of the last synchronisation without failures.
  var lastCompletion: Date?
  /// The time of the first failure since the server could be reached; nil if the last exchange reached it.
  var unreachableSince: Date?
  /// The state of the synchronisation, which can be observed.
  public let status = ValueSource<SyncStatus>(.idle(since: nil))
  /// The identifiers that were replaced since models were last read.
  private let replaced = ReplacedIdentifiers()
  /// The foreign keys of records.
  lazy var references = RecordReferences(scope.transformers)

  /// Creates a store instance over an engine, without remote store.
  ///
  /// - Parameters:
  ///   - handle: the engine, such as the `handle` of another instance.
  ///   - scope: the identity map of this instance.
  public override init(_ handle: SyncEngine<Local>, scope: ModelScope = ModelScope()) {
    super.init(handle, scope: scope)
    handle.replacementListeners.add(replaced)
    scope.beforeReading { [weak self] in self?.adoptReplacedIdentifiers() }
  }

  /// Creates a store over a local and a remote one. It reads and sends nothing yet.
  ///
  /// - Parameters:
  ///   - local: the store that keeps records and outbox, such as a `FileModelStore`.
  ///   - remote: the remote store, such as a `RESTModelStore`.
  ///   - types: the classes to synchronise. Others are added when they are first read through this instance.
  ///   - options: the options of the synchronisation.
  ///   - scope: the identity map of this instance.
  public convenience init(
    local: RecordStore<Local>, remote: any ModelStore, types: [any Model.Type] = [],
    options: SyncOptions = SyncOptions(), scope: ModelScope = ModelScope()
  ) {
    self.init(SyncEngine(local.handle, options: options), remote: remote, types: types, scope: scope)
  }

  /// Creates another instance over the engine of a store, such as for another actor.
  ///
  /// - Parameters:
  ///   - handle: the `handle` of another instance.
  ///   - remote: an instance of the remote store for this isolation.
  ///   - types: the classes to synchronise. Others are added when they are first read through this instance.
  ///   - scope: the identity map of this instance.
  public convenience init(
    _ handle: SyncEngine<Local>, remote: any ModelStore, types: [any Model.Type] = [], scope: ModelScope = ModelScope()
  ) {
    self.init(handle, scope: scope)
    self.remote = remote
    for type in types { synchronize(type) }
  }

  // A background synchronisation of this instance ends.
  deinit { for task in handle.signals.change({ $0.deallocations += 1 }) { task.resume() } }

  /// Adds a class to the synchronised classes.
  public func synchronize(_ type: any Model.Type) {
    if scope.claimTypeName(of: type) != nil { return }
    let name = type.typeName
    if types.contains(where: { $0.name == name }) { return }
    types.append((name, scope.storedClass(named: name) as? any Model.Type ?? type))
    for task in handle.signals.change({ $0.registrations += 1 }) { task.resume() }
  }

  /// Returns the class of the records of a type; nil if it is not registered.
  func modelClass(named name: String) -> (any Model.Type)? {
    types.first { $0.name == name }?.modelClass ?? scope.storedClass(named: name) as? any Model.Type
  }

  // MARK: Reading

  /// Finds a model by its identifier, or by the one that the server replaced.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`, or `corrupt` if its record can't be read.
  public override func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    guard let current = try await handle.replacement(of: identifier, M.typeName) else {
      do {
        return try await super.lookup(type, identifier: identifier)
      } catch let error as ModelStoreError where error.code == .notFound {
        // A record that was created again may have another identifier.
        guard let current = try await handle.assignedIdentifier(of: identifier, M.typeName) else { throw error }
        return try await super.lookup(type, identifier: current)
      }
    }
    adopt(type, identifier, current)
    return try await lookup(type, identifier: current)
  }

  /// Adds the class to those that are synchronised.
  @_spi(ModelKitInternals)
  public override func beginUse<M: Model>(of type: M.Type) { synchronize(type) }

  /// Sets the server's identifier on a live model with a temporary one. The model is found by both.
  func adopt<M: Model>(_ type: M.Type, _ temporary: String, _ identifier: String) {
    guard let model = scope.liveModel(type, identifier: temporary), model.identifier == temporary,
      let value = model.storedValue(ofIdentifier: identifier, in: scope.transformers)
    else { return }
    var record: AttributeDictionary = [:]
    value.write(to: &record)
    // Fails if another live model has the identifier: that one stays the object for it.
    (try? scope.staged(record, into: model))?()
  }

  /// Sets the server's identifiers on live models, before records with them become other models.
  private func adoptReplacedIdentifiers() {
    func adopt<M: Model>(_ type: M.Type, _ mapping: IdentifierMapping) {
      self.adopt(type, mapping.temporary, mapping.identifier)
    }
    for mapping in replaced.take() {
      if let modelClass = modelClass(named: mapping.type) { adopt(modelClass, mapping) }
    }
  }

  // MARK: Synchronising

  /// Pulls the changes of the server, then sends the entries of the outbox, each at most once unless it was edited
  /// during the call.
  ///
  /// Only one exchange with the server runs at a time: another call waits for it. After a cancelled call the next one
  /// continues.
  ///
  /// - Parameter comparingAll: whether to compare all records of the server, such as after a backup of it was restored.
  ///   Otherwise a type with the policy ``SyncPolicy/changes(by:overlap:comparingAllAfter:)`` or a change log is read from
  ///   its last changes on.
  /// - Returns: the report. Rejected records are among its failures, and stay in the outbox.
  /// - Throws: `ModelStoreError` with the code `offline` or `unauthorized` if no request can succeed now. The code is
  ///   `unsupported` in an instance without remote store, `cancelled`, or that of the local engine.
  @discardableResult
  public func sync(comparingAll: Bool = false) async throws -> SyncReport {
    let report = try await sync(comparingAll: comparingAll) { _ in true }
    // The server can be reached: a background synchronisation does not wait any longer after its failures.
    if !report.isUnanswered {
      let tasks = handle.signals.change { signals in
        signals.isConnected = true
        signals.calls += 1
      }
      for task in tasks { task.resume() }
    }
    return report
  }

  /// Synchronises, and reads only some types.
  ///
  /// - Parameters:
  ///   - comparesAll: whether to compare all records in any case.
  ///   - obeysDelays: whether entries that failed wait for their time.
  ///   - isDue: returns whether a type is to be read.
  func sync(
    comparingAll comparesAll: Bool = false, obeyingDelays obeysDelays: Bool = false, where isDue: (String) -> Bool
  ) async throws -> SyncReport {
    guard let remote else {
      throw ModelStoreError(.unsupported, "This instance has no remote store to synchronise with. Nothing was sent.")
    }
    try await handle.beginExchange()
    defer { handle.endExchange() }
    if PlantedFault.isPlanted(.blocksAfterCrash) {
      // The lock of a killed process.
      try await handle.local.commit(RecordBatch([.create("sync.lock", "lock", [])]))
    }
    let exchange = SyncExchange(self, RemoteRecords(remote, local: scope.transformers))
    exchange.comparesAll = comparesAll
    exchange.obeysDelays = obeysDelays
    exchange.emit(.began)
    let before = status.value
    do {
      try await exchange.run(where: isDue)
    } catch {
      let code = (error as? ModelStoreError)?.code.description ?? "\(Swift.type(of: error))"
      exchange.emit(.failed(code: code))
      status.value = status(after: error, before)
      if PlantedFault.isPlanted(.blocksAfterCrash) {
        try await handle.local.commit(RecordBatch([.delete("sync.lock", "lock")]))
      }
      throw error
    }
    if PlantedFault.isPlanted(.blocksAfterCrash) {
      try await handle.local.commit(RecordBatch([.delete("sync.lock", "lock")]))
    }
    exchange.emit(.ended(waiting: exchange.report.waiting))
    return exchange.report
  }

  /// Returns the status after a failed exchange.
  private func status(after error: any Error, _ before: SyncStatus) -> SyncStatus {
    guard let error = error as? ModelStoreError, RemoteFault.endsExchange(error) else {
      return .idle(since: lastCompletion)
    }
    if error.code == .cancelled { return before }
    let since = noteFailure()
    return error.code == .unauthorized ? .unauthorized(since: since) : .offline(since: since, retryAt: nil)
  }

  /// Returns the time since when the server can't be reached, which begins now if it could be.
  private func noteFailure() -> Date {
    let since = unreachableSince ?? handle.options.environment.date
    unreachableSince = since
    return since
  }

  /// Publishes that the server did not answer.
  func noteUnreachable() { status.value = .offline(since: noteFailure(), retryAt: nil) }

  /// Sets policies of a type. Policies that are not given are unchanged.
  ///
  /// - Parameters:
  ///   - type: the class of the models. All classes of a hierarchy have the policies of the topmost one: those of
  ///     another class are reported to `ModelIssue.handler`, and not set.
  ///   - policies: the policies.
  public func policy<M: Model>(_ type: M.Type, _ policies: SyncPolicy<M>...) {
    synchronize(type)
    if let topmost = modelClass(named: M.typeName), topmost != type {
      let message = """
        The policies of \(M.displayName) were not set: all classes of its hierarchy share those of \
        \(topmost.displayName). Set them there.
        """
      return ModelIssue.report(ModelStoreError(.unsupported, message))
    }
    for policy in policies {
      switch policy.kind {
      case .refresh(let interval):
        self.policies[M.typeName, default: TypePolicy()].refreshInterval = interval.milliseconds
      case .keep(let condition):
        self.policies[M.typeName, default: TypePolicy()].kept = ModelQuery(type, where: condition).filter
      case .changes(let reading): self.policies[M.typeName, default: TypePolicy()].incremental = reading
      }
    }
  }

  /// Returns the query for the records of the server that are kept here.
  func query<M: Model>(_ type: M.Type) -> ModelQuery<M> {
    var query = ModelQuery(type)
    query.filter = policies[M.typeName]?.kept
    return query
  }
}

extension SyncEngine {
  /// Waits until no other exchange with the server is in progress.
  ///
  /// - Throws: `ModelStoreError` with the code `cancelled`.
  func beginExchange() async throws {
    while true {
      if Task.isCancelled {
        throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was sent.")
      }
      let isFree = isExchanging.withLock { isExchanging in
        defer { isExchanging = true }
        return !isExchanging
      }
      if isFree { return }
      await isExchanging.wait(isolation: #isolation) { !$0 }
    }
  }

  /// Lets the next exchange begin.
  func endExchange() {
    for task in isExchanging.change({ $0 = false }) { task.resume() }
  }
}

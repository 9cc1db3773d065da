@_spi(ModelKitInternals) public import ModelCore

/// The creations of a scope between the write of a record and the registration of its model.
///
/// Once an engine has a record, other tasks can read it, even in the isolation of the model. A live query does so after
/// a notification of the change feed. The model is registered under its identifier only when the write has succeeded.
/// Readers therefore wait for the creations in progress before they create models. Otherwise the record would have two
/// objects.
///
/// ```swift
/// let creation = try await scope.creations.begin([model])
/// defer { scope.creations.end(creation) }
/// let save = try await SaveOperation(creating: model, in: scope)
/// creation.willWrite([save.typeName])
/// try await engine.insert(save.record)
/// try save.finish()
/// ```
///
/// A creation that fails has no effect: its model was never registered.
@_spi(ModelKitInternals)
public final class CreationsInProgress {
  /// Models that are written together.
  public final class Creation {
    fileprivate let models: Set<ModelObject>
    fileprivate var typeNames: Set<String>
    /// Made when a reader has to wait.
    fileprivate var end: AwaitedState<Bool>?

    fileprivate init(_ models: [ModelObject], _ typeNames: Set<String>) {
      self.models = Set(models)
      self.typeNames = typeNames
    }

    /// Begins the write of the records: readers of these types wait until the creation ends.
    ///
    /// Not inside a transaction: no other task reads its records before it ends.
    public func willWrite(_ typeNames: Set<String>) { self.typeNames = typeNames }
  }

  private var creations: [Creation] = []

  init() {}

  /// Begins a creation, once other creations of the models have ended: a save of one of them waits until this one ends.
  ///
  /// - Throws: ``ModelStoreError`` with the code `cancelled` if the task is cancelled while it waits.
  public func begin(_ models: [ModelObject]) async throws -> Creation {
    if !creations.isEmpty {
      while creations.contains(where: { !$0.models.isDisjoint(with: models) }) {
        try await wait { !$0.models.isDisjoint(with: models) }
      }
    }
    return begin(models, [])
  }

  /// Begins a creation: readers of these types wait until it ends.
  public func begin(_ models: [ModelObject], _ typeNames: Set<String>) -> Creation {
    let creation = Creation(models, typeNames)
    creations.append(creation)
    return creation
  }

  /// Ends a creation, whether it succeeded or not.
  public func end(_ creation: Creation) {
    creations.removeAll { $0 === creation }
    for task in creation.end?.change({ $0 = true }) ?? [] { task.resume() }
  }

  /// Whether models are being created.
  package var areUnderWay: Bool { !creations.isEmpty }

  /// Whether models of a type are being created.
  public func areUnderWay(of typeName: String) -> Bool { creations.contains { $0.typeNames.contains(typeName) } }

  /// Waits until the creations of a type that are in progress now have ended.
  ///
  /// It does not wait for creations that begin later: they can't have written a record that was read before.
  ///
  /// - Returns: whether there were any.
  /// - Throws: ``ModelStoreError`` with the code `cancelled` if the task is cancelled.
  @discardableResult
  public func waitForCreations(of typeName: String) async throws -> Bool {
    guard areUnderWay(of: typeName) else { return false }
    try await wait { $0.typeNames.contains(typeName) }
    return true
  }

  /// Waits until the creations that are in progress now have ended.
  ///
  /// - Throws: ``ModelStoreError`` with the code `cancelled` if the task is cancelled.
  public func waitForAll() async throws { try await wait { !$0.typeNames.isEmpty } }

  /// Waits until none of some models is being created.
  ///
  /// - Returns: whether any was.
  /// - Throws: ``ModelStoreError`` with the code `cancelled` if the task is cancelled.
  func waitForCreations(of models: some Sequence<ModelObject>) async throws -> Bool {
    if creations.isEmpty { return false }
    let models = Set(models)
    guard creations.contains(where: { !$0.models.isDisjoint(with: models) }) else { return false }
    try await wait { !$0.models.isDisjoint(with: models) }
    return true
  }

  /// Waits until a model is not being created.
  ///
  /// - Throws: ``ModelStoreError`` with the code `cancelled` if the task is cancelled.
  package func waitForCreation(of model: ModelObject) async throws {
    while creations.contains(where: { $0.models.contains(model) }) { try await wait { $0.models.contains(model) } }
  }

  private func wait(for isConcerned: (Creation) -> Bool) async throws {
    // All before the first wait: a creation that ends wakes only the waiters that are registered with it.
    let ends = creations.filter(isConcerned).map { creation in
      let end = creation.end ?? AwaitedState(false)
      creation.end = end
      return end
    }
    for end in ends {
      await end.wait(isolation: #isolation) { $0 }
      guard !Task.isCancelled else {
        throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.")
      }
    }
  }
}

/// The calls of a scope that wait for an engine.
final class ScopeActivity {
  let creations = CreationsInProgress()
  let reads = PendingReads()
  let transactionTurns = Turns<Bool>()
  let innerTransactionTurns = Turns<ObjectIdentifier>()
  /// Called before records become models.
  var readingHooks: [() -> Void] = []
  /// Whether the value of a record must have the identifier under which the record is stored.
  var comparesIdentifiers = true
  /// The identifiers of the entries of imports in progress.
  var reservations: [ObjectIdentifier: (typeName: String, contains: (String) -> Bool)] = [:]
}

extension ModelScope {
  /// The calls that wait for an engine.
  var activity: ScopeActivity {
    // Nothing else is kept there, and a cast would cost as much as a lookup.
    if let known = storeState { return unsafeDowncast(known, to: ScopeActivity.self) }
    let made = ScopeActivity()
    storeState = made
    return made
  }
}

@_spi(ModelKitInternals)
extension ModelScope {
  /// The creations in progress in this scope.
  public var creations: CreationsInProgress { activity.creations }

  /// The transactions of the stores of this scope: they run one after the other, because they share its live models.
  package var transactionTurns: Turns<Bool> { activity.transactionTurns }

  /// The transactions inside others, by the outer one: they run one after the other.
  package var innerTransactionTurns: Turns<ObjectIdentifier> { activity.innerTransactionTurns }

  /// Reads records whose values have other spellings of their identifiers.
  package func acceptOtherSpellingsOfIdentifiers() { activity.comparesIdentifiers = false }

  /// Returns whether an entry of an import in progress has an identifier, which is not assigned to other models.
  package func isReserved(_ identifier: String, of typeName: String) -> Bool {
    activity.reservations.values.contains { $0.typeName == typeName && $0.contains(identifier) }
  }

  /// Adds a function that is called before records become models, and before a store writes, as long as the scope
  /// exists.
  public func beforeReading(_ hook: @escaping () -> Void) { activity.readingHooks.append(hook) }

  /// Calls the functions that were added by ``beforeReading(_:)``: live models of records are found only then.
  package func prepareToRead() { for hook in activity.readingHooks { hook() } }
}

@_spi(ModelKitInternals) public import ModelCore

/// The creations of a scope between the write of a record and the registration of its model.
///
/// Once an engine has a record, others can read it, also in the isolation of the model: a live query does when the change
/// feed wakes it. The model becomes the object of its identifier only when the write is known to have succeeded. Readers
/// therefore wait for the creations under way before they make models; otherwise a second object would stand for the record.
///
/// ```swift
/// let creation = scope.creations.begin([model], typeName)
/// defer { scope.creations.end(creation) }
/// try await engine.insert(save.record)
/// try save.finish()
/// ```
///
/// A creation that fails leaves nothing behind: its model was never registered.
@_spi(ModelKitInternals)
public final class CreationsUnderWay {
  /// Models that are written together.
  public final class Creation {
    fileprivate let models: [ModelObject]
    fileprivate let typeNames: Set<String>
    /// Made when a reader has to wait.
    fileprivate var settlement: Settlement?

    fileprivate init(_ models: [ModelObject], _ typeNames: Set<String>) {
      self.models = models
      self.typeNames = typeNames
    }
  }

  private var creations: [Creation] = []

  fileprivate init() {}

  /// Begins a creation: readers of these types wait until it ends.
  ///
  /// Not for a creation inside a transaction: its record is read by nobody else before the transaction ends.
  public func begin(_ models: [ModelObject], _ typeNames: Set<String>) -> Creation {
    let creation = Creation(models, typeNames)
    creations.append(creation)
    return creation
  }

  /// Ends a creation, whether it succeeded or not.
  public func end(_ creation: Creation) {
    creations.removeAll { $0 === creation }
    creation.settlement?.settle()
  }

  /// Whether models of a type are being created.
  public func areUnderWay(of typeName: String) -> Bool { creations.contains { $0.typeNames.contains(typeName) } }

  /// Waits until the creations of a type that are under way now have ended.
  ///
  /// Creations that begin meanwhile are not waited for: a record that was read before is not theirs.
  ///
  /// - Throws: ``ModelStoreError`` with the code `cancelled` if the task is cancelled.
  public func settled(of typeName: String) async throws {
    if creations.isEmpty { return }
    try await wait { $0.typeNames.contains(typeName) }
  }

  /// Waits until a model is not being created.
  ///
  /// - Throws: ``ModelStoreError`` with the code `cancelled` if the task is cancelled.
  func settled(_ model: ModelObject) async throws {
    if creations.isEmpty { return }
    try await wait { $0.models.contains { $0 === model } }
  }

  private func wait(for isConcerned: (Creation) -> Bool) async throws {
    // All before the first wait: a creation that ends meanwhile wakes those only that it knows.
    let settlements = creations.filter(isConcerned).map { creation in
      let settlement = creation.settlement ?? Settlement()
      creation.settlement = settlement
      return settlement
    }
    for settlement in settlements {
      await settlement.wait(isolation: #isolation)
      guard !Task.isCancelled else {
        throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.")
      }
    }
  }
}

@_spi(ModelKitInternals)
extension ModelScope {
  /// The creations under way in this scope.
  public var creations: CreationsUnderWay {
    // Nothing else is kept there, and a cast would cost as much as a lookup.
    if let known = storeState { return unsafeDowncast(known, to: CreationsUnderWay.self) }
    let made = CreationsUnderWay()
    storeState = made
    return made
  }
}

/// The end of a creation, for which tasks wait.
private final class Settlement: Sendable {
  private struct State: Sendable {
    var isSettled = false
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var nextID: UInt64 = 0
  }

  private let state = Lock(State())

  /// Wakes all that wait.
  func settle() {
    let waiting = state.withLock { state in
      state.isSettled = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume() }
  }

  /// Waits for the end, or until the task is cancelled.
  func wait(isolation actor: isolated (any Actor)?) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = Task.isCancelled
        let goesOn = state.withLock { state in
          if isCancelled || state.isSettled { return true }
          state.waiting[id] = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }
  }
}

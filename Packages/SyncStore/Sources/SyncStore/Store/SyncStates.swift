import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// The sync states of a model as an async sequence, as returned by ``SyncModelStore/syncStates(of:)``.
///
/// Every iteration begins with the current state. A slow consumer skips intermediate states. The iteration ends when
/// its task is cancelled.
public struct SyncStates<M: Model, Local: RecordEngine>: AsyncSequence {
  /// The type of the states.
  public typealias Element = SyncState

  let store: SyncModelStore<Local>
  let model: M

  /// Begins an iteration, which gets the current state first.
  public func makeAsyncIterator() -> Iterator { Iterator(store: store, model: model) }

  /// One iteration over the states of a model.
  public struct Iterator: AsyncIteratorProtocol {
    let store: SyncModelStore<Local>
    let model: M
    private var last: SyncState?

    init(store: SyncModelStore<Local>, model: M) { (self.store, self.model) = (store, model) }

    /// Returns the next state that differs from the one before.
    ///
    /// - Returns: nil if the task is cancelled.
    /// - Throws: the errors of the local engine.
    public mutating func next() async throws -> SyncState? { try await next(isolation: #isolation) }

    /// Returns the next state that differs from the one before.
    ///
    /// - Parameter actor: the isolation of the store, in which it runs.
    /// - Returns: nil if the task is cancelled.
    /// - Throws: the errors of the local engine.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> SyncState? {
      let signals = store.handle.signals
      while !Task.isCancelled {
        let known = signals.withLock { $0 }
        let state = try await store.syncState(of: model)
        if state != last {
          last = state
          return state
        }
        await signals.wait(isolation: actor) { $0.commits != known.commits || $0.steps != known.steps }
      }
      return nil
    }
  }
}

extension SyncModelStore {
  /// Returns the sync states of a model: the current one first, then each change.
  ///
  /// ```swift
  /// for try await state in store.syncStates(of: book) {
  ///   badge.isHidden = state == .synced
  /// }
  /// ```
  ///
  /// - Parameter model: the model, which the sequence keeps alive.
  public func syncStates<M: Model>(of model: M) -> SyncStates<M, Local> { SyncStates(store: self, model: model) }
}

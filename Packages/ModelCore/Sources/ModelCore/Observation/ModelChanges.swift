@_spi(ModelKitInternals) import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// The changes of this model and of the models that can be reached from it, in batches of paths.
  ///
  /// ```swift
  /// for await paths in person.changes {
  ///   if paths.contains("name") { … }
  /// }
  /// ```
  ///
  /// It begins when this property is read, and each reading begins a sequence of its own, for one consumer. A batch has the
  /// path of every field that changed since the consumer asked last, as `addObserver(for:action:)` tells them, each once:
  /// so a slow consumer gets fewer and larger batches, and memory is bounded by the number of different paths. What changes
  /// in one `transaction` comes in one batch if the consumer runs in the isolation of the model. The sequence ends when
  /// the model is gone; dropping it, or cancelling the task, ends the observation.
  ///
  /// Batches are `Sendable`, and so is the sequence: it may be consumed in any isolation, the model stays where it is.
  public var changes: ModelChanges {
    let buffer = PathBuffer()
    let end = PathBufferEnd(buffer)
    watch(for: nil).addObserver(buffer, updateImmediately: false) { path in end.buffer?.add(path) }
    return ModelChanges(buffer: buffer)
  }
}

/// What ``ModelIsolation/changes`` gives.
public struct ModelChanges: AsyncSequence, Sendable {
  /// A batch: the paths of the fields that changed, relative to the model.
  public typealias Element = Set<FieldPath>
  /// Waiting for changes never fails.
  public typealias Failure = Never

  fileprivate let buffer: PathBuffer

  /// What a `for await` loop uses.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let buffer: PathBuffer

    /// The next batch, or nil once the model is gone and all was told, or the task was cancelled.
    public mutating func next() async -> Set<FieldPath>? { await next(isolation: nil) }

    /// The next batch, or nil once the model is gone and all was told, or the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Set<FieldPath>? {
      await buffer.next(isolation: actor)
    }
  }

  /// Begins to consume. Iterators of one sequence share its batches.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: buffer) }
}

/// Paths between the model that changes and the task that consumes.
private final class PathBuffer: ObservationOwner, Sendable {
  private struct State: Sendable {
    var paths: Set<FieldPath> = []
    var isEnded = false
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var nextID: UInt64 = 0
  }

  private let state = Lock(State())

  func add(_ path: FieldPath) {
    wake { $0.paths.insert(path) }
  }

  func end() {
    wake { $0.isEnded = true }
  }

  /// Changes the state and lets those who wait look at it. They take what is there when they run, not what is there now:
  /// so one that runs in the isolation of the model finds all that a transaction changed.
  private func wake(_ change: @Sendable (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      let waiting = Array(state.waiting.values)
      state.waiting = [:]
      return waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func next(isolation actor: isolated (any Actor)?) async -> Set<FieldPath>? {
    while !Task.isCancelled {
      let (paths, isEnded) = state.withLock { state in
        let paths = state.paths
        state.paths = []
        return (paths, state.isEnded)
      }
      if !paths.isEmpty { return paths }
      if isEnded { return nil }
      await wait(isolation: actor)
    }
    return nil
  }

  private func wait(isolation actor: isolated (any Actor)?) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = Task.isCancelled
        let goesOn = state.withLock { state in
          // Something may have come meanwhile.
          if isCancelled || state.isEnded || !state.paths.isEmpty { return true }
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

/// Ends a buffer when the model's observers, which keep this object, are gone.
private final class PathBufferEnd {
  private(set) weak var buffer: PathBuffer?

  init(_ buffer: PathBuffer) { self.buffer = buffer }

  deinit { buffer?.end() }
}

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
  /// Each access to this property starts a sequence of its own, for one consumer. A batch contains the path of every
  /// field that changed since the last batch, as `addObserver(for:action:)` reports it, each path once. A slow consumer
  /// gets fewer and larger batches, so memory is bounded by the number of different paths.
  ///
  /// The changes of one `transaction` are in one batch if the consumer runs in the isolation of the model. The sequence
  /// ends when the model is deallocated. Releasing the sequence, or cancelling the task, ends the observation.
  ///
  /// The sequence and its batches are `Sendable`: they may be consumed in any isolation, while the model stays in its
  /// own.
  public var changes: ModelChanges {
    let buffer = PathBuffer()
    let end = PathBufferEnd(buffer)
    watch(for: nil).addObserver(buffer, updateImmediately: false) { path in end.buffer?.add(path) }
    return ModelChanges(buffer: buffer)
  }
}

/// A sequence of the changes of a model, in batches of paths: see ``ModelIsolation/changes``.
public struct ModelChanges: AsyncSequence, Sendable {
  /// A batch: the paths of the fields that changed, relative to the model.
  public typealias Element = Set<FieldPath>
  /// Waiting for changes never fails.
  public typealias Failure = Never

  fileprivate let buffer: PathBuffer

  /// The iterator of a `for await` loop.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let buffer: PathBuffer

    /// Returns the next batch; nil after the last batch of a deallocated model, or if the task was cancelled.
    public mutating func next() async -> Set<FieldPath>? { await next(isolation: nil) }

    /// Returns the next batch; nil after the last batch of a deallocated model, or if the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Set<FieldPath>? {
      await buffer.next(isolation: actor)
    }
  }

  /// Returns an iterator. Iterators of one sequence share its batches.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: buffer) }
}

/// The paths of changes that the consuming task has not yet received.
private final class PathBuffer: ObservationOwner, Sendable {
  private struct State: Sendable {
    var paths: Set<FieldPath> = []
    var isEnded = false
  }

  private let state = AwaitedState(State())

  func add(_ path: FieldPath) {
    wake { $0.paths.insert(path) }
  }

  func end() {
    wake { $0.isEnded = true }
  }

  /// Changes the state and resumes all waiting consumers. They take the paths that are there when they run. A consumer
  /// in the isolation of the model therefore gets all changes of a transaction.
  private func wake(_ change: (inout State) -> Void) {
    for task in state.change(change) { task.resume() }
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
      await state.wait(isolation: actor) { $0.isEnded || !$0.paths.isEmpty }
    }
    return nil
  }
}

/// Ends a buffer when it is deallocated, together with the model's observers.
private final class PathBufferEnd {
  private(set) weak var buffer: PathBuffer?

  init(_ buffer: PathBuffer) { self.buffer = buffer }

  deinit { buffer?.end() }
}

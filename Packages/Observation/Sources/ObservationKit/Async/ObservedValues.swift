/// The values of an observable as an async sequence, as returned by ``ValueObservable/values``.
///
/// ```swift
/// let volume = ValueSource(3)
/// let values = volume.values
/// Task {
///   for await value in values { print("volume", value) }
/// }
/// ```
///
/// Every iteration begins with the current value. A slow consumer skips intermediate values. It never sees an older
/// value after a newer one, and never misses the last one.
///
/// The sequence ends after the last value when the observable is deallocated, or when all its observations are removed.
/// An iteration also ends as soon as its task is cancelled. The sequence does not keep the observable alive. Once the
/// sequence and its iterators are released, the observable removes their observation with its next change.
///
/// Unlike the observable, the sequence and its iterators are `Sendable`. Pass the sequence to any number of tasks and
/// actors. Each `for await` iterates independently, in the isolation it is written in.
public struct ObservedValues<Value: Sendable>: AsyncSequence, Sendable {
  /// The type of the values.
  public typealias Element = Value
  /// Iterating throws nothing.
  public typealias Failure = Never

  private let lease: ObservedValuesLease<Value>

  init(_ lease: ObservedValuesLease<Value>) { self.lease = lease }

  /// Begins an iteration, which gets the current value first.
  public func makeAsyncIterator() -> Iterator { Iterator(lease) }

  /// One iteration over the values of an observable.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    /// The type of the values.
    public typealias Element = Value
    /// Iterating throws nothing.
    public typealias Failure = Never

    /// Nil once the iteration has ended, so that a retained iterator retains nothing.
    private var lease: ObservedValuesLease<Value>?
    /// The version of the last value received.
    private var seen: UInt64 = 0

    init(_ lease: ObservedValuesLease<Value>) { self.lease = lease }

    /// Returns the next value that this iteration has not seen, in the isolation of the caller.
    ///
    /// - Returns: nil once the observable is deallocated and its last value was seen, or the task is cancelled. All
    ///   later calls return nil, too.
    public mutating func next() async -> Value? {
      await next(isolation: #isolation)
    }

    /// Returns the next value that this iteration has not seen.
    ///
    /// Returns without suspending if there is one already.
    ///
    /// - Parameter actor: the isolation to run in, which is never left.
    /// - Returns: nil once the observable is deallocated and its last value was seen, or the task is cancelled. All
    ///   later calls return nil, too.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      if let value = await newest(isolation: actor) { return value }
      lease = nil
      return nil
    }

    private mutating func newest(isolation actor: isolated (any Actor)?) async -> Value? {
      guard let latest = lease?.latest, !Task.isCancelled else { return nil }
      switch latest.lookOrEnrol(after: seen) {
      case .newer(let value, let version):
        seen = version
        return value
      case .ended:
        return nil
      case .enrolled(let ticket):
        await latest.wait(with: ticket, isolation: actor)
      }
      // A consumer that is woken without a new value was cancelled.
      guard !Task.isCancelled, let (value, version) = latest.look(after: seen) else { return nil }
      seen = version
      return value
    }
  }
}

/// The subscription of the consumers to an observable's values. It ends when the sequence and all iterators are
/// released.
final class ObservedValuesLease<Value: Sendable>: Sendable {
  let latest: LatestValue<Value>

  init(_ latest: LatestValue<Value>) { self.latest = latest }

  deinit { latest.abandon() }
}

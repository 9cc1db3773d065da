/// The values of an observable for `for await`: what ``ValueObservable/values`` gives.
///
/// ```swift
/// let volume = ValueSource(3)
/// let values = volume.values
/// Task {
///   for await value in values { print("volume", value) }
/// }
/// ```
///
/// Every iteration begins with the current value and goes on with the newest one: a consumer that was busy meanwhile skips
/// what came between. It never sees an older value after a newer one, and never misses the last one.
///
/// The sequence ends when the observable dies, after the last value, or when all observations are removed from it. An
/// iteration also ends as soon as its task is cancelled. The sequence does not keep the observable alive. Once the sequence
/// and its iterators are gone, the observable forgets them with its next change.
///
/// Unlike the observable, the sequence and its iterators are `Sendable`: hand the sequence to as many tasks and actors as
/// you like. Each `for await` goes its own way, and runs in the isolation it is written in.
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

    /// Nil once the iteration has ended, so that an iterator that is kept keeps nothing.
    private var lease: ObservedValuesLease<Value>?
    /// The version of the value that came last.
    private var seen: UInt64 = 0

    init(_ lease: ObservedValuesLease<Value>) { self.lease = lease }

    /// The newest value, as soon as there is one that this iteration has not seen. In the isolation of the caller.
    ///
    /// - Returns: nil once the observable is gone and its last value was seen, or the task is cancelled; from then on
    ///   always.
    public mutating func next() async -> Value? {
      await next(isolation: #isolation)
    }

    /// The newest value, as soon as there is one that this iteration has not seen.
    ///
    /// Returns without suspending if there is one already.
    ///
    /// - Parameter actor: the isolation to run in, which is never left.
    /// - Returns: nil once the observable is gone and its last value was seen, or the task is cancelled; from then on
    ///   always.
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
      // Who is woken and finds nothing new was cancelled.
      guard !Task.isCancelled, let (value, version) = latest.look(after: seen) else { return nil }
      seen = version
      return value
    }
  }
}

/// The interest of consumers in the values of an observable, which ends when the sequence and all iterators are gone.
final class ObservedValuesLease<Value: Sendable>: Sendable {
  let latest: LatestValue<Value>

  init(_ latest: LatestValue<Value>) { self.latest = latest }

  deinit { latest.abandon() }
}

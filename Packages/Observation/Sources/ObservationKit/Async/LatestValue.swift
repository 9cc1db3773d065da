/// The newest value of an observable, and the consumers that wait for a newer one. The observable's isolation writes
/// it; any isolation reads it.
///
/// Nothing is resumed or destroyed under the lock: both may run code of the user that calls this object again.
final class LatestValue<Value: Sendable>: Sendable {
  /// The state that a consumer finds when it is ready for the next value.
  enum ConsumerState {
    case newer(Value, version: UInt64)
    case ended
    /// Nothing new: the consumer is enrolled and has to wait with this ticket.
    case enrolled(ticket: UInt64)
  }

  private struct State {
    /// The newest value, if any.
    var value: Value?
    /// The number of values so far.
    var version: UInt64 = 0
    /// Whether the observable was deallocated or its observations were removed.
    var isFinished = false
    /// Whether no consumers are left.
    var isAbandoned = false
    /// The consumers to wake with the next value, by ascending ticket.
    var waiters: [Waiter] = []
    var nextTicket: UInt64 = 0

    func value(after seen: UInt64) -> (value: Value, version: UInt64)? {
      guard version > seen, let value else { return nil }
      return (value, version)
    }
  }

  /// A consumer that waits, or is about to.
  private struct Waiter {
    let ticket: UInt64
    var continuation: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  /// Whether no consumers are left.
  var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

  // MARK: The observable

  /// Replaces the value and wakes the waiting consumers.
  ///
  /// - Returns: false if no consumers are left.
  func offer(_ value: Value) -> Bool {
    var other: Value? = value
    var waiters: [Waiter] = []
    let isWanted = state.withLock { state in
      if state.isAbandoned { return false }
      swap(&state.value, &other)
      swap(&state.waiters, &waiters)
      state.version += 1
      return true
    }
    for waiter in waiters { waiter.continuation?.resume() }
    // The previous value may be destroyed here, but no sooner.
    withExtendedLifetime(other) {}
    return isWanted
  }

  /// Marks the sequence as finished. Consumers that have not seen the last value still get it.
  func finish() {
    var waiters: [Waiter] = []
    state.withLock { state in
      state.isFinished = true
      swap(&state.waiters, &waiters)
    }
    for waiter in waiters { waiter.continuation?.resume() }
  }

  // MARK: The consumers

  /// Returns the value, if a consumer has not seen it.
  func look(after seen: UInt64) -> (value: Value, version: UInt64)? {
    state.withLock { $0.value(after: seen) }
  }

  /// Returns the value if a consumer has not seen it, and otherwise enrolls the consumer.
  func lookOrEnrol(after seen: UInt64) -> ConsumerState {
    state.withLock { state in
      if let (value, version) = state.value(after: seen) { return .newer(value, version: version) }
      if state.isFinished { return .ended }
      state.nextTicket += 1
      state.waiters.append(Waiter(ticket: state.nextTicket, continuation: nil))
      return .enrolled(ticket: state.nextTicket)
    }
  }

  /// Suspends until something new has happened since the consumer was enrolled, or its task is cancelled.
  func wait(with ticket: UInt64, isolation actor: isolated (any Actor)?) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A consumer that is no longer enrolled was woken before it could wait. Whoever removes a waiter from the list
        // wakes it, so each is woken once.
        let isListed = state.withLock { state in
          guard let index = state.waiters.lastIndex(where: { $0.ticket == ticket }) else { return false }
          state.waiters[index].continuation = continuation
          return true
        }
        if !isListed { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation?.resume()
    }
  }

  /// Marks the sequence as having no consumers, and releases the value.
  func abandon() {
    var value: Value?
    state.withLock { state in
      state.isAbandoned = true
      swap(&state.value, &value)
    }
    withExtendedLifetime(value) {}
  }
}

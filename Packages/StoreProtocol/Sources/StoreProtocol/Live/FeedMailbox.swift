@_spi(ModelKitInternals) import ModelCore

/// The batches that wait for one consumer of a feed. Writers add batches and never wait; excess batches are dropped.
final class FeedMailbox: Sendable {
  /// The treatment of a consumer that is too slow.
  enum Overflow: Sendable {
    /// All batches are dropped: the consumer lists the stored records again.
    case collapse
    /// Waiting batches stay, and new ones are dropped and counted until the consumer has taken all waiting ones.
    case drop
  }

  /// The content that a consumer receives.
  struct Mail: Sendable {
    var batches: [[RoutedChange]] = []
    /// The number of changes that were dropped after those.
    var dropped = 0
    /// Whether changes are missing.
    var hasGap = false
    var isEnded = false

    var isEmpty: Bool { batches.isEmpty && !hasGap }
  }

  private struct State: Sendable {
    var mail = Mail()
    var capacity: Int
    /// The number of waiting changes.
    var count = 0
    /// The size of the records of the waiting changes.
    var byteCount = 0

    mutating func collapse() {
      mail.hasGap = true
      mail.batches = []
      (count, byteCount) = (0, 0)
    }
  }

  /// The size of the records that wait, above which a mailbox collapses. Waiting records are kept only for the
  /// consumer.
  static let maximumByteCount = 8 << 20

  let overflow: Overflow
  private let maximumByteCount: Int
  private let state: AwaitedState<State>

  /// - Parameters:
  ///   - capacity: the largest number of waiting changes.
  ///   - maximumByteCount: the largest size of their records, for a mailbox that collapses.
  init(capacity: Int, maximumByteCount: Int = FeedMailbox.maximumByteCount, overflow: Overflow) {
    self.maximumByteCount = maximumByteCount
    self.overflow = overflow
    state = AwaitedState(State(capacity: capacity))
  }

  /// Replaces the capacity. A mailbox with more changes collapses.
  func setCapacity(_ capacity: Int) {
    state.withLock { state in
      state.capacity = capacity
      if overflow == .collapse, state.count > capacity { state.collapse() }
    }
  }

  /// Adds a batch. The result has to be resumed once no lock is held.
  func put(_ batch: [RoutedChange]) -> [CheckedContinuation<Void, Never>] {
    state.change { state in
      // A batch that exceeds the limit by itself is accepted if the mailbox is empty.
      let isFull = state.mail.hasGap || (state.count > 0 && state.count + batch.count > state.capacity)
      switch overflow {
      case .collapse:
        if isFull || batch.count > state.capacity { return state.collapse() }
        state.byteCount += batch.reduce(0) { $0 + $1.byteCount }
        if state.byteCount > maximumByteCount { return state.collapse() }
      case .drop:
        if isFull {
          state.mail.hasGap = true
          state.mail.dropped += batch.count
          return
        }
      }
      state.mail.batches.append(batch)
      state.count += batch.count
    }
  }

  /// Reports that everything stored was replaced.
  func putGap() -> [CheckedContinuation<Void, Never>] {
    state.change { state in
      if overflow == .collapse { return state.collapse() }
      state.mail.hasGap = true
    }
  }

  /// Ends the mailbox: no batch follows.
  func end() -> [CheckedContinuation<Void, Never>] { state.change { $0.mail.isEnded = true } }

  /// Whether the feed ended and nothing waits.
  var isAtEnd: Bool { state.withLock { $0.mail.isEnded && $0.mail.isEmpty } }

  /// Removes and returns the content.
  func take() -> Mail {
    state.withLock { state in
      let mail = state.mail
      state.mail = Mail()
      state.mail.isEnded = mail.isEnded
      (state.count, state.byteCount) = (0, 0)
      return mail
    }
  }

  /// Waits until the mailbox is not empty, or the task is cancelled.
  func wait(isolation actor: isolated (any Actor)?) async {
    await state.wait(isolation: actor) { $0.mail.isEnded || !$0.mail.isEmpty }
  }
}

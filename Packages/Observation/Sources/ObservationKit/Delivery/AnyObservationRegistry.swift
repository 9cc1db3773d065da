/// What an ``ObservationRegistry`` knows and does whatever the type of its values.
public class AnyObservationRegistry {
  // Unchecked, here and below: every access is over before a closure is called, so there is no conflict to be found.

  /// In the order in which they were added, which is that of their identifiers.
  @exclusivity(unchecked) @usableFromInline final var entries: ContiguousArray<ObservationEntry> = []
  /// Whether a round is under way or waits for the end of a transaction: what is set meanwhile has to wait too.
  @exclusivity(unchecked) @usableFromInline final var isBusy = false
  @exclusivity(unchecked) @usableFromInline final var isDelivering = false
  /// How many bindings a value went through to get here.
  @exclusivity(unchecked) @usableFromInline final var hops: Int32 = 0
  /// Entries whose token was cancelled but which are still there.
  @exclusivity(unchecked) @usableFromInline final var cancelledCount = 0
  /// Observations that want to hear of every set, changed or not.
  @exclusivity(unchecked) @usableFromInline final var unconditionalCount = 0
  @exclusivity(unchecked) @usableFromInline final var nextID: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline final var sweepThreshold = 16
  @exclusivity(unchecked) @usableFromInline final var deliveredStamp = ChangeStamp.never
  /// The stamp of the last set.
  @exclusivity(unchecked) @usableFromInline final var lastStamp = ChangeStamp.never
  @exclusivity(unchecked) @usableFromInline final var arrivalHops: Int32 = 0
  /// Where the run of bindings began, which therefore delivers as long as one refers to it.
  @exclusivity(unchecked) @usableFromInline final var arrivalRoot: Unmanaged<AnyObservationRegistry>?
  @exclusivity(unchecked) @usableFromInline final var root: Unmanaged<AnyObservationRegistry>?
  /// What waits until the run of bindings that began here has come back: see `hopLimit`.
  @exclusivity(unchecked) @usableFromInline final var deferred: [(AnyObservationRegistry) -> Void] = []
  /// How tokens reach this registry; made with the first one.
  @usableFromInline final var knownLifeline: Lifeline?

  /// Observations that keep a derived observable alive: all but those of derived observables nobody observes.
  @usableFromInline final var keeperCount = 0
  /// What a derived observable does when it gets its first keeper, and when it loses the last one. It adds what its
  /// sources have to count then.
  @usableFromInline final var keepersChanged: ((Bool, inout [KeeperChange]) -> Void)?

  /// The longest run of bindings on the stack. What goes beyond waits until the run has come back to where it began.
  @inlinable static var hopLimit: Int32 { 64 }

  @usableFromInline
  init() {}

  /// The stamp of the change that is being delivered; `never` during the first call of a new observation. A binding
  /// passes it on, so that a change that comes back to where it started is recognised as not newer.
  @inlinable
  public final var stamp: ChangeStamp { deliveredStamp }

  /// Whether nobody observes. Observers that died but were not yet noticed still count.
  public final var isEmpty: Bool { entries.count == cancelledCount }

  /// Whether somebody wants to be told of a set to an equal value.
  @_spi(ModelKitInternals)
  public final var hearsOfEqualValues: Bool { unconditionalCount > 0 }

  /// Remembers what the value is for an observation made in the middle of a transaction, whose first call shows it.
  func didJoin(_ token: ObservationToken) {}

  /// Lets the values that a transaction set flow through the bindings.
  func flowPending() {}

  /// Tells the observers what a transaction set.
  func deliverPending() {}

  @usableFromInline
  final var lifeline: Lifeline {
    if let knownLifeline { return knownLifeline }
    let lifeline = Lifeline(of: self)
    knownLifeline = lifeline
    return lifeline
  }

  @usableFromInline
  final func deferToRoot(_ body: @escaping (AnyObservationRegistry) -> Void) {
    (root?.takeUnretainedValue() ?? self).deferred.append(body)
  }

  @usableFromInline
  final func runDeferred() {
    hops = 0
    let bodies = deferred
    deferred = []
    for body in bodies { body(self) }
  }

  /// Counts the observations that keep a derived observable, and tells its sources. In a loop, because a chain may be
  /// longer than the stack is deep.
  @usableFromInline
  final func addKeepers(_ number: Int) {
    if keepersChanged == nil {
      keeperCount += number
      return
    }
    var changes: [KeeperChange] = []
    countKeepers(number, &changes)
    var released: [AnyObject] = []
    while let change = changes.popLast() {
      change.source.use { unsafeDowncast($0, to: AnyObservationRegistry.self).countKeepers(change.number, &changes) }
      // The last reference to a node may go with its last keeper: first count, then let go.
      if let node = change.node { released.append(node) }
    }
    ReleaseQueue.release(&released)
  }

  private func countKeepers(_ number: Int, _ changes: inout [KeeperChange]) {
    let before = keeperCount
    keeperCount += number
    if (before == 0) != (keeperCount == 0) { keepersChanged?(keeperCount > 0, &changes) }
  }
}

/// What a source has to count because a derived observable is observed from now on, or no more.
@usableFromInline
struct KeeperChange {
  let source: Lifeline
  let number: Int
  /// What the way from the source held.
  let node: AnyObject?
}

/// The part of an ``ObservationRegistry`` that does not depend on the type of its values.
///
/// It is public as the superclass of ``ObservationRegistry``, and as the type of the registry that
/// ``BindingArrival/forward(to:_:)`` takes. Only registries are instances of it.
public class AnyObservationRegistry {
  // Unchecked, here and below: every access ends before a closure is called, so there is no conflict to detect.

  /// In the order in which they were added, which is that of their identifiers.
  @exclusivity(unchecked) @usableFromInline final var entries: ContiguousArray<ObservationEntry> = []
  /// Whether a round is being delivered or waits for the end of a transaction. Later sets are queued then.
  @exclusivity(unchecked) @usableFromInline final var isBusy = false
  @exclusivity(unchecked) @usableFromInline final var isDelivering = false
  /// The number of bindings a value passed to get here.
  @exclusivity(unchecked) @usableFromInline final var hops: Int32 = 0
  /// The number of entries whose token was cancelled but which are still stored.
  @exclusivity(unchecked) @usableFromInline final var cancelledCount = 0
  /// The number of observations that receive every set, changed or not.
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
  /// The deliveries that wait until the run of bindings that began here has returned: see `hopLimit`.
  @exclusivity(unchecked) @usableFromInline final var deferred: [(AnyObservationRegistry) -> Void] = []
  /// The reference through which tokens reach this registry. It is created with the first token.
  @usableFromInline final var knownDeallocationGuard: DeallocationGuard?

  /// The number of observations that keep a derived observable alive. Those of unobserved derived observables don't
  /// count.
  @usableFromInline final var keeperCount = 0
  /// The action of a derived observable when the first observation starts to keep it alive, and when the last one ends.
  /// It returns the changes to the counts of its sources.
  @usableFromInline final var keepersChanged: ((Bool, inout [KeeperChange]) -> Void)?

  /// The longest run of bindings on the stack. Deliveries beyond it wait until the run has returned to its start.
  @inlinable static var hopLimit: Int32 { 64 }

  @usableFromInline
  init() {}

  /// The stamp of the change that is being delivered; `never` during the first call of a new observation. A binding
  /// passes it on, so that a change that returns to its origin is not newer and is ignored.
  @inlinable
  public final var stamp: ChangeStamp { deliveredStamp }

  /// Whether there are no observers. Deallocated observers that were not yet removed still count.
  public final var isEmpty: Bool { entries.count == cancelledCount }

  /// Whether any observation receives sets to an equal value.
  @_spi(ModelKitInternals)
  public final var notifiesOfEqualValues: Bool { unconditionalCount > 0 }

  /// Records the current value for an observation added during a transaction, whose first call delivers it.
  func didJoin(_ token: ObservationToken) {}

  /// Propagates the values that a transaction set through the bindings.
  func flowPending() {}

  /// Notifies the observers of the changes of a transaction.
  func deliverPending() {}

  @usableFromInline
  final var deallocationGuard: DeallocationGuard {
    if let knownDeallocationGuard { return knownDeallocationGuard }
    let deallocationGuard = DeallocationGuard(of: self)
    knownDeallocationGuard = deallocationGuard
    return deallocationGuard
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

  /// Counts the observations that keep a derived observable alive, and updates its sources. It is a loop, because a
  /// chain may be longer than the stack is deep.
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

/// A change to a source's count because a derived observable starts or stops being observed.
@usableFromInline
struct KeeperChange {
  let source: DeallocationGuard
  let number: Int
  /// The node that the inlet from the source retained.
  let node: AnyObject?
}

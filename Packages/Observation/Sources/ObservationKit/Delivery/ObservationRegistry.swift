/// The observers of one observable, and the order in which they are told.
///
/// A class becomes observable by owning a registry and calling `notify(from:to:)` when its value is set.
///
/// Delivery: observers run synchronously, in the order in which they were added, before `notify` returns. A notification
/// that is made while one is being delivered waits until the current round is over and is delivered before the outermost
/// `notify` returns, so every observer sees all values in one order and ends on the last. An observer that is added
/// during a delivery joins with the next change; one that is removed is not called again. In a ``transaction(_:)`` the
/// observers are told at its end.
///
/// ```swift
/// let registry = ObservationRegistry<Int>()
/// registry.notify(from: 1, to: 2)
/// ```
public final class ObservationRegistry<Value>: AnyObservationRegistry {
  /// In the order in which they were added, which is that of their identifiers.
  @exclusivity(unchecked) @usableFromInline var entries: ContiguousArray<ObservationEntry<Value>> = []
  @exclusivity(unchecked) @usableFromInline var queue: [ObservationRound<Value>] = []
  /// What a transaction set, until it is delivered.
  @exclusivity(unchecked) @usableFromInline var pending: ObservationRound<Value>?
  /// What a derived observable shows that has nothing to tell yet. Such a one makes no first calls.
  @exclusivity(unchecked) @usableFromInline var later: LaterValue<Value>?

  /// Creates a registry without observers.
  @inlinable
  public override init() {}

  deinit { knownLifeline?.end() }

  /// Whether nobody observes. Observers that died but were not yet noticed still count.
  public override var isEmpty: Bool { entries.count == cancelledCount }

  // MARK: Telling

  /// Tells every observer that the value was set, whether or not it differs.
  ///
  /// - Parameters:
  ///   - oldValue: the value before.
  ///   - newValue: the value now.
  /// - Complexity: O(*n*), where *n* is the number of observers.
  @inlinable
  public func notify(from oldValue: Value, to newValue: Value) {
    notify(from: oldValue, to: newValue, isChange: true, stamp: .next(), areEqual: { _, _ in false })
  }

  /// Tells the observers that the value was set: all of them if it changed, otherwise only those that asked for every
  /// set with `requiresChange: false`.
  ///
  /// - Parameters:
  ///   - oldValue: the value before.
  ///   - newValue: the value now.
  /// - Complexity: O(*n*), where *n* is the number of observers.
  @inlinable
  public func notify(from oldValue: Value, to newValue: Value) where Value: Equatable {
    notify(
      from: oldValue, to: newValue, isChange: oldValue != newValue, stamp: .next(), areEqual: ==)
  }

  /// Tells the observers of a change whose stamp is known, such as one that a binding passes on.
  ///
  /// - Parameters:
  ///   - oldValue: the value before.
  ///   - newValue: the value now.
  ///   - isChange: whether the two differ. If not, only observers with `requiresChange: false` are told.
  ///   - stamp: when the value was set.
  ///   - areEqual: compares two values, to find out what several sets in a transaction come to. Never kept.
  /// - Complexity: O(*n*), where *n* is the number of observers.
  @inlinable
  public func notify(
    from oldValue: Value, to newValue: Value, isChange: Bool, stamp: ChangeStamp,
    areEqual: (Value, Value) -> Bool = { _, _ in false }
  ) {
    lastStamp = stamp
    guard !entries.isEmpty, isChange || unconditionalCount > 0 else { return }
    if isBusy || isInTransaction() {
      wait(with: oldValue, newValue, isChange: isChange, stamp: stamp, areEqual: areEqual)
      return
    }
    isBusy = true
    isDelivering = true
    hops = arrivalHops
    root = arrivalRoot
    deliveredStamp = stamp
    deliver(oldValue, newValue, isChange: isChange)
    if !queue.isEmpty || !deferred.isEmpty { deliverQueue() }
    endDelivery()
  }

  @inlinable
  func deliver(_ old: Value, _ new: Value, isChange: Bool) {
    // Entries that are added meanwhile come behind; none are removed before the delivery is over.
    let count = entries.count
    var index = 0
    while index < count {
      let entry = entries.withUnsafeBufferPointer { Unmanaged.passUnretained($0[index].action) }
      // Nothing was cancelled in most rounds: one comparison instead of a look at every token.
      if cancelledCount == 0 || entries[index].token.isActive {
        entry._withUnsafeGuaranteedRef { action in
          if isChange || !action.requiresChange { action.call(old, new) }
        }
      }
      index += 1
    }
  }

  @inlinable
  func endDelivery() {
    isDelivering = false
    isBusy = pending != nil
    if cancelledCount > 0 { removeCancelled() }
  }

  override func flowPending() {
    guard let round = pending else { return }
    // What is set again meanwhile changes the round, and flows again.
    let (new, flowsAgain) = (round.new, round.hasEverFlowed)
    round.hasFlowed = true
    round.hasEverFlowed = true
    let (outerStamp, outerHops, wasDelivering) = (deliveredStamp, hops, isDelivering)
    isDelivering = true
    deliveredStamp = round.stamp
    hops = 0
    for entry in entries where entry.action.isBinding {
      if round.concerns(entry.action, entry.token, flowsAgain: flowsAgain) { entry.action.call(round.old, new) }
    }
    deliveredStamp = outerStamp
    hops = outerHops
    isDelivering = wasDelivering
    if !isDelivering, cancelledCount > 0 { removeCancelled() }
  }

  override func deliverPending() {
    guard let round = pending else { return }
    pending = nil
    if isDelivering {
      queue.append(round)
      return
    }
    isBusy = true
    isDelivering = true
    hops = 0
    root = nil
    deliver(round)
    if !queue.isEmpty || !deferred.isEmpty { deliverQueue() }
    endDelivery()
  }

  /// Makes the first call of a new observation, which is no change and so has no stamp. It counts as a delivery: what
  /// the observer sets meanwhile is delivered after the call, not inside it.
  @inlinable
  func announce(_ body: () -> Void) {
    if later != nil { return }
    let outerStamp = deliveredStamp
    let isOutermost = !isDelivering
    if isOutermost {
      // What the last delivery left here is no way back to where this one begins.
      hops = 0
      root = nil
    }
    isBusy = true
    isDelivering = true
    deliveredStamp = .never
    body()
    deliveredStamp = outerStamp
    guard isOutermost else { return }
    if !queue.isEmpty || !deferred.isEmpty { deliverQueue() }
    endDelivery()
  }

  // MARK: Coming and going

  /// Adds an observation and returns its token. The first call is the caller's affair: see `announce`.
  @inlinable
  func add(_ action: ObservationAction<Value>, owner: OwnerReference? = nil) -> ObservationToken {
    if entries.count >= sweepThreshold { sweepOrphans() }
    let token = ObservationToken(id: nextID, lifeline: lifeline, owner: owner, isKeeper: !action.isPassive)
    nextID += 1
    if !action.requiresChange { unconditionalCount += 1 }
    entries.append(ObservationEntry(action: action, token: token))
    if isBusy { join(token) }
    if !action.isPassive { keep() }
    return token
  }

  @inlinable
  func keep() {
    if keepersChanged == nil { keeperCount += 1 } else { addKeepers(1) }
  }

  /// Ends all observations of an observer or owner. A stranger is ignored.
  ///
  /// - Complexity: O(*n*), where *n* is the number of observations.
  public func remove(owner: AnyObject) {
    for entry in entries where entry.token.owner?.refers(to: owner) == true { entry.token.cancel() }
  }

  /// Ends all observations.
  public func removeAll() {
    for entry in entries { entry.token.cancel() }
  }

  @usableFromInline
  override func sweepOrphans() {
    for entry in entries where entry.token.owner?.isGone == true { entry.token.cancel() }
    if !isDelivering { removeCancelled() }
    sweepThreshold = Swift.max(16, 2 * (entries.count - cancelledCount))
  }

  @usableFromInline
  func removeCancelled() {
    guard cancelledCount > 0 else { return }
    // Closures die after the array is whole again: a deinitialiser they hold the last reference to may come back here.
    let old = entries
    entries = old.filter { $0.token.isActive }
    cancelledCount = 0
    unconditionalCount = entries.count { !$0.action.requiresChange }
  }

  @usableFromInline
  override func didCancel(_ token: ObservationToken) {
    cancelledCount += 1
    if token.isKeeper { addKeepers(-1) } else { (token.owner as? DerivedInlet)?.cut() }
    if isDelivering { return }
    if let last = entries.last, last.token === token {
      let entry = entries.removeLast()
      cancelledCount -= 1
      if !entry.action.requiresChange { unconditionalCount -= 1 }
      return
    }
    // Compacting when half is gone makes a cancellation cost a constant on average.
    if cancelledCount * 2 >= entries.count || entries.count < 32 { removeCancelled() }
  }
}

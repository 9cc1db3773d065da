/// The observers of one observable, and the order in which they are notified.
///
/// A class becomes observable by owning a registry and calling `notify(from:to:)` when its value is set.
///
/// Observers run synchronously, in the order in which they were added, before `notify` returns. A notification made
/// during a delivery waits until the current round is over, and is delivered before the outermost `notify` returns. So
/// every observer sees all values in one order and ends on the last. An observer added during a delivery joins with the
/// next change; a removed one is not called again. In a ``transaction(_:)`` the observers are notified at its end.
///
/// ```swift
/// let registry = ObservationRegistry<Int>()
/// registry.notify(from: 1, to: 2)
/// ```
public final class ObservationRegistry<Value>: AnyObservationRegistry {
  @exclusivity(unchecked) @usableFromInline var queue: [ObservationRound<Value>] = []
  /// The changes of a transaction that are not yet delivered.
  @exclusivity(unchecked) @usableFromInline var pending: ObservationRound<Value>?
  /// The value of a derived observable that no value has passed to yet. It makes no first calls.
  @exclusivity(unchecked) @usableFromInline var later: LaterValue<Value>?

  /// Creates a registry without observers.
  @inlinable
  public override init() {}

  deinit { knownDeallocationGuard?.end() }

  // MARK: Notifying

  /// Notifies every observer that the value was set, whether or not it differs.
  ///
  /// - Parameters:
  ///   - oldValue: the value before.
  ///   - newValue: the value now.
  /// - Complexity: O(*n*), where *n* is the number of observers.
  @inlinable
  public func notify(from oldValue: Value, to newValue: Value) {
    notify(from: oldValue, to: newValue, isChange: true, stamp: .next(), areEqual: { _, _ in false })
  }

  /// Notifies the observers that the value was set: all of them if it changed, otherwise only those added with
  /// `requiresChange: false`.
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

  /// Notifies the observers of a change whose stamp is known, such as one that a binding passes on.
  ///
  /// - Parameters:
  ///   - oldValue: the value before.
  ///   - newValue: the value now.
  ///   - isChange: whether the two differ. If not, only observers with `requiresChange: false` are notified.
  ///   - stamp: when the value was set.
  ///   - areEqual: compares two values, to merge several sets of a transaction. It is never retained.
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
    // Entries added during the delivery are appended; none are removed before its end.
    let count = entries.count
    var index = 0
    while index < count {
      let entry = entries.withUnsafeBufferPointer { Unmanaged.passUnretained($0[index].action) }
      // Nothing was cancelled in most rounds: one comparison instead of a check of every token.
      if cancelledCount == 0 || entries[index].token.isActive {
        entry._withUnsafeGuaranteedRef { action in
          if isChange || !action.requiresChange {
            unsafeDowncast(action, to: ObservationAction<Value>.self).call(old, new)
          }
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
    // A value that is set again during the propagation changes the round, and is propagated again.
    let (new, flowsAgain) = (round.new, round.hasEverFlowed)
    round.hasFlowed = true
    round.hasEverFlowed = true
    let (outerStamp, outerHops, outerRoot, wasDelivering) = (deliveredStamp, hops, root, isDelivering)
    isDelivering = true
    deliveredStamp = round.stamp
    hops = 0
    // The root of the last delivery may be deallocated.
    root = nil
    for entry in entries where entry.action.isBinding {
      if round.concerns(entry.action, entry.token, flowsAgain: flowsAgain) { action(of: entry).call(round.old, new) }
    }
    deliveredStamp = outerStamp
    hops = outerHops
    root = outerRoot
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

  /// Makes the first call of a new observation, which is not a change and so has no stamp. It counts as a delivery:
  /// values that the observer sets meanwhile are delivered after the call, not inside it.
  @inlinable
  func announce(_ body: () -> Void) {
    if later != nil { return }
    let outerStamp = deliveredStamp
    let isOutermost = !isDelivering
    if isOutermost {
      // The root of the last delivery is not the origin of this one.
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

  /// Adds an observation and returns its token. The caller makes the first call: see `announce`.
  @inlinable
  func add(_ action: ObservationAction<Value>, owner: OwnerReference? = nil) -> ObservationToken {
    append(action, owner: owner)
  }

  /// Returns the action of an entry, with the value type of this registry.
  func action(of entry: ObservationEntry) -> ObservationAction<Value> {
    unsafeDowncast(entry.action, to: ObservationAction<Value>.self)
  }

  override func didJoin(_ token: ObservationToken) { pending?.join(token) }
}

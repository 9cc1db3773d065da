/// The observers of one observable, and the order in which they are told.
///
/// A class becomes observable by owning a registry and calling `notify(from:to:)` when its value is set.
///
/// Delivery: observers run synchronously, in the order in which they were added, before `notify` returns. A notification
/// that is made while one is being delivered waits until the current round is over and is delivered before the outermost
/// `notify` returns, so every observer sees all values in one order and ends on the last. An observer that is added
/// during a delivery joins with the next change; one that is removed is not called again.
///
/// ```swift
/// let registry = ObservationRegistry<Int>()
/// registry.notify(from: 1, to: 2)
/// ```
public final class ObservationRegistry<Value> {
  /// What is called. An object of its own, because to retain a closure around its call costs more than the call, and
  /// an object that the array holds need not be retained.
  @usableFromInline
  final class Action {
    @usableFromInline let call: (Value, Value) -> Void
    @usableFromInline let requiresChange: Bool

    @inlinable
    init(requiresChange: Bool, _ call: @escaping (Value, Value) -> Void) {
      self.call = call
      self.requiresChange = requiresChange
    }
  }

  /// An observation. Only the registry holds the closure: a token that is kept after it was cancelled keeps nothing.
  @usableFromInline
  struct Entry {
    @usableFromInline let action: Action
    @usableFromInline let token: ObservationToken

    @inlinable
    init(action: Action, token: ObservationToken) {
      self.action = action
      self.token = token
    }
  }

  @usableFromInline
  struct Round {
    @usableFromInline let old: Value
    @usableFromInline let new: Value
    @usableFromInline let isChange: Bool
    @usableFromInline let stamp: ChangeStamp
    /// Observations made after the round was queued started with its value and don't hear of it again.
    @usableFromInline let firstLaterID: UInt64

    @usableFromInline
    init(old: Value, new: Value, isChange: Bool, stamp: ChangeStamp, firstLaterID: UInt64) {
      self.old = old
      self.new = new
      self.isChange = isChange
      self.stamp = stamp
      self.firstLaterID = firstLaterID
    }
  }

  // Unchecked, here and below: every access is over before a closure is called, so there is no conflict to be found.

  /// In the order in which they were added, which is that of their identifiers.
  @exclusivity(unchecked) @usableFromInline var entries: ContiguousArray<Entry> = []
  @exclusivity(unchecked) @usableFromInline var queue: [Round] = []
  @exclusivity(unchecked) @usableFromInline var nextID: UInt64 = 0
  /// Entries whose token was cancelled but which are still in `entries`.
  @exclusivity(unchecked) @usableFromInline var cancelledCount = 0
  /// Observations that want to hear of every set, changed or not.
  @exclusivity(unchecked) @usableFromInline var unconditionalCount = 0
  @exclusivity(unchecked) @usableFromInline var isDelivering = false
  @exclusivity(unchecked) @usableFromInline var sweepThreshold = 16

  /// The stamp of the change that is being delivered; `never` during the first call of a new observation. A binding
  /// passes it on, so that a change that comes back to where it started is recognised as not newer.
  @inlinable
  public var stamp: ChangeStamp { deliveredStamp }
  @exclusivity(unchecked) @usableFromInline var deliveredStamp: ChangeStamp = .never

  /// Creates a registry without observers.
  @inlinable
  public init() {}

  /// Whether nobody observes. Observers that died but were not yet noticed still count.
  public var isEmpty: Bool { entries.count == cancelledCount }

  /// Tells every observer that the value was set, whether or not it differs.
  ///
  /// - Parameters:
  ///   - oldValue: the value before.
  ///   - newValue: the value now.
  /// - Complexity: O(*n*), where *n* is the number of observers.
  @inlinable
  public func notify(from oldValue: Value, to newValue: Value) {
    notify(from: oldValue, to: newValue, isChange: true, stamp: .next())
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
    notify(from: oldValue, to: newValue, isChange: oldValue != newValue, stamp: .next())
  }

  /// Tells the observers of a change whose stamp is known, such as one that a binding passes on.
  ///
  /// - Parameters:
  ///   - oldValue: the value before.
  ///   - newValue: the value now.
  ///   - isChange: whether the two differ. If not, only observers with `requiresChange: false` are told.
  ///   - stamp: when the value was set.
  /// - Complexity: O(*n*), where *n* is the number of observers.
  @inlinable
  public func notify(from oldValue: Value, to newValue: Value, isChange: Bool, stamp: ChangeStamp) {
    guard !entries.isEmpty, isChange || unconditionalCount > 0 else { return }
    if isDelivering {
      queue.append(
        Round(old: oldValue, new: newValue, isChange: isChange, stamp: stamp, firstLaterID: nextID))
      return
    }
    isDelivering = true
    deliveredStamp = stamp
    deliver(oldValue, newValue, isChange: isChange)
    if !queue.isEmpty { deliverQueue() }
    isDelivering = false
    if cancelledCount > 0 { removeCancelled() }
  }

  @inlinable
  func deliver(_ old: Value, _ new: Value, isChange: Bool) {
    // The copy keeps the entries where they are while an observer adds others.
    let entries = entries
    entries.withUnsafeBufferPointer { entries in
      for index in entries.indices {
        // Nothing was cancelled in most rounds: one comparison instead of a look at every token.
        if cancelledCount > 0, !entries[index].token.isActive { continue }
        Unmanaged.passUnretained(entries[index].action)._withUnsafeGuaranteedRef { action in
          if isChange || !action.requiresChange { action.call(old, new) }
        }
      }
    }
  }

  @inlinable
  func deliverQueue() {
    var next = 0
    while next < queue.count {
      let round = queue[next]
      next += 1
      deliveredStamp = round.stamp
      for entry in entries where entry.token.id < round.firstLaterID {
        if !round.isChange && entry.action.requiresChange { continue }
        if entry.token.isActive { entry.action.call(round.old, round.new) }
      }
      // A long run of changes made by observers must not hold every value it went through.
      if next >= 64 {
        queue.removeFirst(next)
        next = 0
      }
    }
    queue.removeAll()
  }

  /// Makes the first call of a new observation, which is no change and so has no stamp. It counts as a delivery: what
  /// the observer sets meanwhile is delivered after the call, not inside it.
  @inlinable
  func announce(_ body: () -> Void) {
    let outer = deliveredStamp
    let isOutermost = !isDelivering
    isDelivering = true
    deliveredStamp = .never
    body()
    deliveredStamp = outer
    guard isOutermost else { return }
    if !queue.isEmpty { deliverQueue() }
    isDelivering = false
    if cancelledCount > 0 { removeCancelled() }
  }

  /// Adds an observation and returns its token. The first call is the caller's affair: see `announce`.
  @inlinable
  func add(
    owner: AnyObject?, requiresChange: Bool, action: @escaping (Value, Value) -> Void
  ) -> ObservationToken {
    if entries.count >= sweepThreshold { sweepOrphans() }
    let token = ObservationToken(id: nextID, registry: self, owner: owner)
    nextID += 1
    if !requiresChange { unconditionalCount += 1 }
    entries.append(Entry(action: Action(requiresChange: requiresChange, action), token: token))
    return token
  }

  /// Ends all observations of an observer or owner. A stranger is ignored.
  ///
  /// - Complexity: O(*n*), where *n* is the number of observations.
  public func remove(owner: AnyObject) {
    for entry in entries where entry.token.hasOwner && entry.token.owner === owner { entry.token.cancel() }
  }

  /// Ends all observations.
  public func removeAll() {
    for entry in entries { entry.token.cancel() }
  }

  /// Drops what belongs to owners that are gone, so that an observable that outlives many of them doesn't grow.
  @usableFromInline
  func sweepOrphans() {
    for entry in entries where entry.token.isOrphaned { entry.token.cancel() }
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
}

extension ObservationRegistry: CancellationTarget {
  @usableFromInline
  func remove(_ token: ObservationToken) {
    cancelledCount += 1
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

/// A set that waits to be delivered. It is an object, because its callers do not know the type of its values. To copy a
/// reference then costs less than to copy a structure.
@usableFromInline
final class ObservationRound<Value> {
  let old: Value
  private(set) var new: Value
  /// Whether the last value differs from the first.
  private(set) var isChange: Bool
  private(set) var stamp: ChangeStamp
  /// The observations made after the set. They started with its value and don't receive it again.
  private var firstLaterID: UInt64
  /// Whether the bindings have the last value already.
  var hasFlowed = false
  /// Whether the bindings have had a value of this round.
  var hasEverFlowed = false
  /// Whether any of the sets was a change, even if the value came back.
  private var wasChange: Bool
  private var joined: JoinedObservations<Value>?

  init(old: Value, new: Value, isChange: Bool, stamp: ChangeStamp, firstLaterID: UInt64) {
    self.old = old
    self.new = new
    self.isChange = isChange
    self.stamp = stamp
    self.firstLaterID = firstLaterID
    wasChange = isChange
  }

  /// Merges a later set. The round keeps the first old and the last new value.
  func merge(
    _ new: Value, isChange: Bool, stamp: ChangeStamp, firstLaterID: UInt64, areEqual: (Value, Value) -> Bool
  ) {
    if isChange {
      wasChange = true
      self.isChange = !areEqual(old, new)
      joined?.merge(new, areEqual)
    }
    self.stamp = stamp
    self.firstLaterID = firstLaterID
    // Last, because the `deinit` of the previous value may set again.
    self.new = new
  }

  /// Records a new observation, which has received the current value.
  func join(_ token: ObservationToken) {
    let joined = joined ?? JoinedObservations()
    self.joined = joined
    joined.add(token, new)
  }

  /// Whether an observation was made between two sets.
  var hasJoined: Bool { joined != nil }

  /// Returns the value that an observation received last.
  func old(for token: ObservationToken) -> Value { joined?[token]?.value ?? old }

  /// Returns whether an observation is to be called.
  ///
  /// - Parameter flowsAgain: whether bindings have had a value before this one.
  @inline(__always)
  func concerns(_ action: AnyObservationAction, _ token: ObservationToken, flowsAgain: Bool) -> Bool {
    if token.id >= firstLaterID || !token.isActive { return false }
    // A value that was restored is passed on, so that both ends of a binding are as they would be without a
    // transaction. Its derived values did not change.
    if action.isBinding, flowsAgain || (wasChange && !action.isPassive) { return true }
    if !action.requiresChange { return true }
    return joined?[token]?.isChange ?? isChange
  }
}

/// Observations that were made between two sets of one round. An object, because there are hardly ever any.
private final class JoinedObservations<Value> {
  private struct Joined {
    let value: Value
    var isChange = false
  }

  private var all: [UInt64: Joined] = [:]

  func add(_ token: ObservationToken, _ value: Value) { all[token.id] = Joined(value: value) }

  /// Updates whether the new value differs from the one that each observation received.
  func merge(_ new: Value, _ areEqual: (Value, Value) -> Bool) {
    for (id, joined) in all { all[id]?.isChange = !areEqual(joined.value, new) }
  }

  subscript(_ token: ObservationToken) -> (value: Value, isChange: Bool)? {
    all[token.id].map { ($0.value, $0.isChange) }
  }
}

/// A set that waits to be delivered.
@usableFromInline
struct ObservationRound<Value> {
  @usableFromInline let old: Value
  @usableFromInline var new: Value
  @usableFromInline var isChange: Bool
  @usableFromInline var stamp: ChangeStamp
  /// Observations made after the set started with its value and don't hear of it again.
  @usableFromInline var firstLaterID: UInt64
  /// Whether the bindings have the value already.
  @usableFromInline var hasFlowed = false

  @usableFromInline
  init(old: Value, new: Value, isChange: Bool, stamp: ChangeStamp, firstLaterID: UInt64) {
    self.old = old
    self.new = new
    self.isChange = isChange
    self.stamp = stamp
    self.firstLaterID = firstLaterID
  }

  /// Takes a later set in: what counts is the first old and the last new value.
  mutating func merge(_ new: Value, isChange: Bool, stamp: ChangeStamp, firstLaterID: UInt64) {
    self.new = new
    self.isChange = isChange
    self.stamp = stamp
    self.firstLaterID = firstLaterID
  }
}

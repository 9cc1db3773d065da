/// All values from one bound to another, both included. A value beyond a bound becomes that bound.
@frozen
@usableFromInline
struct RangeValueDomain<Value: Comparable>: ValueDomain {
  @usableFromInline let lowerBound: Value?
  @usableFromInline let upperBound: Value?

  @inlinable
  init(lowerBound: Value? = nil, upperBound: Value? = nil) {
    self.lowerBound = lowerBound
    self.upperBound = upperBound
  }

  @inlinable
  func contains(_ value: Value) -> Bool {
    (lowerBound.map { value >= $0 } ?? true) && (upperBound.map { value <= $0 } ?? true)
  }

  /// Returns the value itself or the bound beyond which it lies. Returns nil for a value that can't be compared with a
  /// bound, such as not-a-number.
  @inlinable
  func clamp(_ value: Value) -> Value? {
    if let lowerBound, value < lowerBound { return lowerBound }
    if let upperBound, value > upperBound { return upperBound }
    return contains(value) ? value : nil
  }
}

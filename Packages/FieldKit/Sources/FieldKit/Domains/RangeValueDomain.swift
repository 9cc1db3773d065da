/// All values from one bound to another, both included. A value beyond a bound becomes that bound.
///
/// ```swift
/// let percent = RangeValueDomain(0...100)
/// assert(percent.containment(of: 130) == .above)
/// assert(percent.clamp(130) == 100)
/// ```
@frozen
public struct RangeValueDomain<Value: Comparable>: ValueDomain {
  /// Where a value lies.
  @frozen
  public enum Containment: Hashable, Sendable {
    /// Less than the lower bound.
    case below
    /// Between the bounds, or one of them.
    case within
    /// Greater than the upper bound.
    case above
  }

  /// The least value; nil if there is none.
  public let lowerBound: Value?
  /// The greatest value; nil if there is none.
  public let upperBound: Value?

  /// Creates a domain from its bounds, each of which may be missing.
  ///
  /// - Precondition: the lower bound is not greater than the upper one.
  @inlinable
  public init(lowerBound: Value? = nil, upperBound: Value? = nil) {
    if let lowerBound, let upperBound {
      precondition(
        lowerBound <= upperBound,
        "No value lies between \(lowerBound) and \(upperBound): swap the bounds of the domain.")
    }
    self.lowerBound = lowerBound
    self.upperBound = upperBound
  }

  /// Creates a domain with both bounds.
  @inlinable
  public init(_ range: ClosedRange<Value>) {
    self.init(lowerBound: range.lowerBound, upperBound: range.upperBound)
  }

  /// Where a value lies; nil for one that can't be compared with a bound, such as a not-a-number.
  @inlinable
  public func containment(of value: Value) -> Containment? {
    if let lowerBound, value < lowerBound { return .below }
    if let upperBound, value > upperBound { return .above }
    return contains(value) ? .within : nil
  }

  /// Whether the value lies between the bounds, or is one of them.
  @inlinable
  public func contains(_ value: Value) -> Bool {
    (lowerBound.map { value >= $0 } ?? true) && (upperBound.map { value <= $0 } ?? true)
  }

  /// The value itself or the bound beyond which it lies; nil for a value that can't be compared with a bound, such as a
  /// not-a-number.
  @inlinable
  public func clamp(_ value: Value) -> Value? {
    switch containment(of: value) {
    case .below: lowerBound
    case .above: upperBound
    case .within: value
    case nil: nil
    }
  }
}

extension RangeValueDomain: Equatable {}
extension RangeValueDomain: Hashable where Value: Hashable {}
extension RangeValueDomain: Sendable where Value: Sendable {}

/// The values of two observables, as combined by `combineLatest(_:)`.
///
/// A structure and not a pair, because `{ first, second in }` means an old and a new value to `-->`.
///
/// ```swift
/// let (first, last) = (ValueSource("Ada"), ValueSource("Lovelace"))
/// first.combineLatest(last) --> { print($0.first, $0.second) }
/// ```
@frozen
public struct CombinedValues<First, Second> {
  /// The value of the observable on which `combineLatest` was called.
  public var first: First
  /// The value of the other observable.
  public var second: Second

  /// Creates a pair of values.
  @inlinable
  public init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }
}

extension CombinedValues: Equatable where First: Equatable, Second: Equatable {}
extension CombinedValues: Hashable where First: Hashable, Second: Hashable {}
extension CombinedValues: Sendable where First: Sendable, Second: Sendable {}

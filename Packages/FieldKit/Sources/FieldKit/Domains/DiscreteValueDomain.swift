/// A list of allowed values. Everything else becomes nil.
///
/// ```swift
/// let sizes: DiscreteValueDomain<String> = ["S", "M", "L"]
/// assert(sizes.contains("M"))
/// assert(sizes.clamp("XXL") == nil)
/// ```
@frozen
public struct DiscreteValueDomain<Value: Equatable>: ValueDomain {
  /// The allowed values.
  public let values: [Value]

  /// Creates a domain from the allowed values.
  @inlinable
  public init(_ values: some Sequence<Value>) { self.values = Array(values) }

  /// Whether the value is in the list.
  ///
  /// - Complexity: O(*n*), where *n* is the number of allowed values.
  @inlinable
  public func contains(_ value: Value) -> Bool { values.contains(value) }

  /// The value itself, or nil if it is not in the list.
  @inlinable
  public func clamp(_ value: Value) -> Value? { contains(value) ? value : nil }
}

extension DiscreteValueDomain: ExpressibleByArrayLiteral {
  /// Creates a domain from the allowed values.
  public init(arrayLiteral elements: Value...) { self.init(elements) }
}

extension DiscreteValueDomain: Equatable {}
extension DiscreteValueDomain: Hashable where Value: Hashable {}
extension DiscreteValueDomain: Sendable where Value: Sendable {}

/// A list of allowed values. Everything else becomes nil.
@frozen
@usableFromInline
struct DiscreteValueDomain<Value: Equatable>: ValueDomain {
  @usableFromInline let values: [Value]

  @inlinable
  init(_ values: [Value]) { self.values = values }

  @inlinable
  var allowedValues: [Value]? { values }

  /// - Complexity: O(*n*), where *n* is the number of allowed values.
  @inlinable
  func contains(_ value: Value) -> Bool { values.contains(value) }

  @inlinable
  func clamp(_ value: Value) -> Value? { contains(value) ? value : nil }
}

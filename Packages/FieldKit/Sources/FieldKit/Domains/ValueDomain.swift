/// The values a field may hold. Unlike a rule, a domain never complains: it replaces what it does not contain.
///
/// A domain of one's own says what it contains and what it makes of everything else:
///
/// ```swift
/// struct EvenNumbers: ValueDomain {
///   func contains(_ value: Int) -> Bool { value % 2 == 0 }
///   func clamp(_ value: Int) -> Int? { value - 1 }
/// }
/// let count = Field<Int>().constrain(to: EvenNumbers())
/// count.value = 7
/// assert(count == 6)
/// ```
public protocol ValueDomain<Value> {
  /// The type of the values.
  associatedtype Value

  /// Whether a value is kept as it is.
  func contains(_ value: Value) -> Bool

  /// What to take instead of a value that the domain does not contain; nil if there is nothing near enough.
  ///
  /// What this returns has to be in the domain, or two fields that are bound to each other may never agree.
  func clamp(_ value: Value) -> Value?
}

extension ValueDomain {
  /// What a field of this domain makes of a value: the value itself if the domain contains it, otherwise what
  /// ``clamp(_:)`` says.
  @inlinable
  func coercion(of value: Value) -> Coercion<Value> { contains(value) ? .none : .replaced(by: clamp(value)) }
}

/// What a field does to a value before it stores it.
@usableFromInline
@frozen
enum Coercion<Value> {
  /// Nothing: the value is stored as it was given.
  case none
  /// Another value is stored, or nil.
  case replaced(by: Value?)
}

/// The values a field may hold. Unlike a rule, a domain reports no violation: it replaces values that it does not
/// contain.
///
/// A domain of your own declares the values that it contains and the replacement of all others:
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

  /// Returns whether the domain contains a value, which is then stored unchanged.
  func contains(_ value: Value) -> Bool

  /// Returns the replacement of a value that the domain does not contain; nil if there is none.
  ///
  /// The replacement has to be in the domain, or two bound fields may never agree.
  func clamp(_ value: Value) -> Value?

  /// The values of the domain if they can be listed, such as for a menu of a form; otherwise nil, as by default.
  var allowedValues: [Value]? { get }
}

extension ValueDomain {
  /// The values of the domain: nil, because they can't be listed.
  public var allowedValues: [Value]? { nil }

  /// Returns the change of a value by this domain: none if the domain contains it, otherwise the result of
  /// ``clamp(_:)``.
  @inlinable
  func coercion(of value: Value) -> Coercion<Value> { contains(value) ? .none : .replaced(by: clamp(value)) }
}

/// The change of a value before it is stored.
@usableFromInline
@frozen
enum Coercion<Value> {
  /// The value is stored as it was given.
  case none
  /// A different value is stored, or nil.
  case replaced(by: Value?)
}

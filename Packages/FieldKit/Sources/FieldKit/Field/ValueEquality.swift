/// The comparison of a field's values. A type without instances, rather than a closure: it takes half the memory in
/// every field, and there is nothing to retain.
@usableFromInline
class ValueEquality<Value> {
  /// Returns whether two values are equal.
  @usableFromInline
  class func areEqual(_ one: Value, _ other: Value) -> Bool { false }

  /// The comparison of lists of such values.
  @usableFromInline
  class var ofLists: ValueEquality<[Value]>.Type { ValueEquality<[Value]>.self }
}

/// A comparison of values by their own `==`.
@usableFromInline
final class EquatableEquality<Value: Equatable>: ValueEquality<Value> {
  @inlinable
  override class func areEqual(_ one: Value, _ other: Value) -> Bool { one == other }

  @usableFromInline
  override class var ofLists: ValueEquality<[Value]>.Type { EquatableEquality<[Value]>.self }
}

/// A comparison of objects by identity.
private final class ObjectEquality<Value: AnyObject>: ValueEquality<Value> {
  override class func areEqual(_ one: Value, _ other: Value) -> Bool { one === other }
}

/// A comparison of lists of objects by the identity of their elements.
private final class ObjectListEquality<Element: AnyObject>: ValueEquality<[Element]> {
  override class func areEqual(_ one: [Element], _ other: [Element]) -> Bool { one.elementsEqual(other, by: ===) }
}

extension ValueEquality {
  /// Returns the comparison of a type that is not known to be `Equatable` at compile time; nil if it has none.
  @usableFromInline
  static func foundAtRunTime() -> ValueEquality.Type? { ValueComparison<Value>.known().equality }
}

/// The comparison of the objects that a relation references.
@_spi(ModelKitInternals)
public struct ObjectComparison<Content> {
  let equality: ValueEquality<Content>.Type
}

extension ObjectComparison where Content: AnyObject {
  /// A comparison of objects by identity.
  public static var sameObject: ObjectComparison { ObjectComparison(equality: ObjectEquality<Content>.self) }
}

extension ObjectComparison {
  /// Returns a comparison of lists of objects by the identity and order of their elements.
  public static func sameObjects<Element: AnyObject>() -> ObjectComparison where Content == [Element] {
    ObjectComparison(equality: ObjectListEquality<Element>.self)
  }
}

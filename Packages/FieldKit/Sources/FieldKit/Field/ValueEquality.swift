/// How the values of a field are compared. A type that is never made, rather than a closure: it takes half the place in
/// every field, and there is nothing to retain.
@usableFromInline
class ValueEquality<Value> {
  /// Whether two values are equal.
  @usableFromInline
  class func areEqual(_ one: Value, _ other: Value) -> Bool { false }

  /// How lists of such values are compared.
  class var ofLists: ValueEquality<[Value]>.Type { ValueEquality<[Value]>.self }
}

/// Compares values by their own `==`.
@usableFromInline
final class EquatableEquality<Value: Equatable>: ValueEquality<Value> {
  @inlinable
  override class func areEqual(_ one: Value, _ other: Value) -> Bool { one == other }

  override class var ofLists: ValueEquality<[Value]>.Type { EquatableEquality<[Value]>.self }
}

/// Takes for equal what is one object.
private final class ObjectEquality<Value: AnyObject>: ValueEquality<Value> {
  override class func areEqual(_ one: Value, _ other: Value) -> Bool { one === other }
}

/// Takes for equal what lists the same objects.
private final class ObjectListEquality<Element: AnyObject>: ValueEquality<[Element]> {
  override class func areEqual(_ one: [Element], _ other: [Element]) -> Bool { one.elementsEqual(other, by: ===) }
}

extension ValueEquality {
  /// How values of a type are compared that the caller's compiler does not know to be `Equatable`; nil if they are not.
  @usableFromInline
  static func foundAtRunTime() -> ValueEquality.Type? { ValueComparison<Value>.known().equality }
}

/// How a relation compares what it leads to.
@_spi(ModelKitInternals)
public struct ObjectComparison<Content> {
  let equality: ValueEquality<Content>.Type
}

@_spi(ModelKitInternals)
extension ObjectComparison where Content: AnyObject {
  /// Takes for equal what is one object.
  public static var sameObject: ObjectComparison { ObjectComparison(equality: ObjectEquality<Content>.self) }
}

@_spi(ModelKitInternals)
extension ObjectComparison {
  /// Takes for equal what lists the same objects in the same order.
  public static func sameObjects<Element: AnyObject>() -> ObjectComparison where Content == [Element] {
    ObjectComparison(equality: ObjectListEquality<Element>.self)
  }
}

@_spi(ModelKitInternals) public import FieldKit
import Foundation

@_spi(ModelKitInternals)
extension ModelIsolation where Self: ModelObject {
  /// Returns the field whose value an ordinary property of this model is. Call it on a model that is not used otherwise, such
  /// as a ``prototype()``: its values are changed.
  ///
  /// The property is read once, and the fields that are read meanwhile are recorded. Then it is set, which has to set that
  /// field to what the property is afterwards: a computed property that changes the value on its way is none.
  ///
  /// - Parameter property: a property declared with `@Field`, `@Required`, `@ArrayField`, `@ModelField` or
  ///   `@ModelArrayField`.
  /// - Returns: nil if the property reads no field, or several, or one of other values.
  /// - Complexity: O(*n*) in the number of fields.
  public func field<Value>(of property: ReferenceWritableKeyPath<Self, Value?>) -> Field<Value>? {
    guard let field = fieldRead(by: property) as? Field<Value> else { return nil }
    let former = field.lastSet
    self[keyPath: property] = ProbeValue.value(of: Value.self) ?? self[keyPath: property]
    return field.lastSet != former && ProbeValue.areSame(self[keyPath: property], field.value) ? field : nil
  }

  /// Returns the field whose value a property that is not optional is: see the method for optional ones.
  public func field<Value>(of property: ReferenceWritableKeyPath<Self, Value>) -> Field<Value>? {
    guard let field = fieldRead(by: property) as? Field<Value> else { return nil }
    let former = field.lastSet
    self[keyPath: property] = ProbeValue.value(of: Value.self) ?? self[keyPath: property]
    return field.lastSet != former && ProbeValue.areSame(self[keyPath: property], field.value) ? field : nil
  }

  private func fieldRead<Value>(by property: ReferenceWritableKeyPath<Self, Value>) -> AnyField? {
    let fields = allFields
    for field in fields { field.recordReads() }
    _ = self[keyPath: property]
    var read: AnyField?
    var isOne = true
    for field in fields where field.endRecordingReads() {
      isOne = read == nil
      read = field
    }
    return isOne ? read : nil
  }
}

/// Values that distinguish a property that is a field's from one that computes something of it.
private enum ProbeValue {
  static func value<Value>(of type: Value.Type) -> Value? { any(type) as? Value }

  private static func any(_ type: Any.Type) -> Any? {
    switch type {
    case is String.Type: "aB ß1 "
    case is Bool.Type: true
    case is Double.Type: 1.25
    case is Float.Type: Float(1.25)
    case is Decimal.Type: Decimal(string: "1.25")
    case is Date.Type: Date(timeIntervalSinceReferenceDate: 100_000.5)
    case is Day.Type: Day(daysSince1970: 10_000)
    case is UUID.Type: UUID()
    case is Data.Type: Data([1, 2])
    case let type as any FixedWidthInteger.Type: seventeen(type)
    case let type as any CaseIterable.Type: last(type)
    default: nil
    }
  }

  private static func seventeen<Number: FixedWidthInteger>(_ type: Number.Type) -> Any { Number(17) }

  private static func last<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { Array(type.allCases).last }

  static func areSame<Value>(_ left: Value?, _ right: Value?) -> Bool {
    guard let left = left as? any Hashable, let right = right as? any Hashable else {
      return (left == nil) == (right == nil)
    }
    return AnyHashable(left) == AnyHashable(right)
  }
}

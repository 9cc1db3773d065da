// Names of the predecessor libraries, so that the compiler suggests the current ones.

extension Field {
  /// An unavailable initialiser: `Field(_:name:key:)` takes the initial value without a label.
  @available(*, unavailable, message: "Write the initial value without a label, as in Field(0, name: \"Age\").")
  public convenience init(value: Content?, name: String? = nil, key: String? = nil) {
    self.init(value, name: name, key: key)
  }
}

/// `AnyField` is the type of a field of any value type, without `any`.
@available(*, unavailable, renamed: "AnyField", message: "Write AnyField, without any.")
public typealias FieldProtocol = AnyField

extension AnyField {
  /// An unavailable property: `anyValue` returns the value, and `set(anyValue:)` sets it or throws for another type.
  @available(*, unavailable, message: "Read anyValue, and set with set(anyValue:), which throws for another type.")
  public var anyObjectValue: Any? { anyValue }
}

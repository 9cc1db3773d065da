@_spi(ModelKitInternals) public import FieldKit

@_spi(ModelKitInternals)
extension ModelIsolation where Self: ModelObject {
  /// Returns the field whose value an ordinary property of this model is. Call it on a model that is not used
  /// otherwise, such as a ``prototype()``: its values are changed.
  ///
  /// The property is read once, and the fields read by it are recorded. Then it is set, which must set one of these
  /// fields to the same value. A computed property that changes the value has no field.
  ///
  /// - Parameter property: a property declared with `@Field`, `@Required`, `@ArrayField`, `@ModelField` or
  ///   `@ModelArrayField`.
  /// - Returns: nil if the property reads no field, or several, or one of other values.
  /// - Complexity: O(*n*) in the number of fields.
  public func field<Value>(of property: ReferenceWritableKeyPath<Self, Value?>) -> Field<Value>? {
    guard let field = fieldRead(by: property) as? Field<Value> else { return nil }
    let former = field.lastSet
    self[keyPath: property] = SampleValue.value(of: Value.self, isChanged: true) ?? self[keyPath: property]
    return field.lastSet != former && SampleValue.areSame(self[keyPath: property], field.value) ? field : nil
  }

  /// Returns the field whose value a property that is not optional is: see the method for optional ones.
  public func field<Value>(of property: ReferenceWritableKeyPath<Self, Value>) -> Field<Value>? {
    guard let field = fieldRead(by: property) as? Field<Value> else { return nil }
    let former = field.lastSet
    self[keyPath: property] = SampleValue.value(of: Value.self, isChanged: true) ?? self[keyPath: property]
    return field.lastSet != former && SampleValue.areSame(self[keyPath: property], field.value) ? field : nil
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

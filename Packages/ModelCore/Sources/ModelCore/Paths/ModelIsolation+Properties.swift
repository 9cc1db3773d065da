@_spi(ModelKitInternals) public import FieldKit

@_spi(ModelKitInternals)
extension ModelIsolation where Self: ModelObject {
  /// Returns the field whose value an ordinary property of this model is. Call it on a model that is not used
  /// otherwise, such as a ``prototype()``.
  ///
  /// The property is read, and the fields read by it are recorded. It must read one field alone, and equal the value of
  /// that field for some sample values. No hook or observer of the field receives these. Then it is set to its own
  /// value, which must set the field.
  ///
  /// - Parameter property: a property declared with `@Field`, `@Required`, `@ArrayField`, `@ModelField` or
  ///   `@ModelArrayField`.
  /// - Returns: nil if the property reads no field, or several, or one of other values.
  /// - Complexity: O(*n*) in the number of fields at the first call with a key path, then O(1).
  public func field<Value>(of property: ReferenceWritableKeyPath<Self, Value?>) -> Field<Value>? {
    field(equalTo: property)
  }

  /// Returns the field whose value a property that is not optional is: see the method for optional ones.
  public func field<Value>(of property: ReferenceWritableKeyPath<Self, Value>) -> Field<Value>? {
    field(equalTo: property)
  }

  private func field<Value, Content>(equalTo property: ReferenceWritableKeyPath<Self, Value>) -> Field<Content>? {
    if let known = layout.index(of: property) { return layout.field(at: known, of: self) as? Field<Content> }
    guard let field = fieldRead(by: property) as? Field<Content> else { return nil }
    let isSame = field.allSatisfySamples {
      fieldRead(by: property) === field && SampleValue.areSame(self[keyPath: property] as? Content, $0)
    }
    guard isSame else { return nil }
    let former = field.lastSet
    self[keyPath: property] = self[keyPath: property]
    guard field.lastSet != former else { return nil }
    if let index = layout.slots.indices.first(where: { layout.field(at: $0, of: self) === field }) {
      layout.remember(property, at: index)
    }
    return field
  }

  /// Returns the only field whose value a property reads.
  private func fieldRead<Value>(by property: ReferenceWritableKeyPath<Self, Value>) -> AnyField? {
    let fields = allFields
    for field in fields { field.recordReads() }
    _ = self[keyPath: property]
    let read = fields.filter { $0.endRecordingReads() }
    return read.count == 1 ? read[0] : nil
  }
}

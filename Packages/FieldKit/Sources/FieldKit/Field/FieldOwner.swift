/// The object that a field belongs to, and from which it takes its key.
@_spi(ModelKitInternals)
public protocol FieldOwner: AnyObject {
  /// Returns the name of the property that holds the field.
  func propertyName(of field: AnyField) -> String?
}

/// An object that adds declarations to the owners of fields, such as a schema that was read from a file.
///
/// A ``ValueTransformerContext`` has one at most. Every owner created in such a context is prepared before it is read.
@_spi(ModelKitInternals)
public protocol OwnerPreparing: AnyObject, Sendable {
  /// Completes the declarations of the fields of a new owner.
  func prepare(_ owner: AnyObject)
}

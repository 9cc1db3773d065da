/// What knows more of the owners of fields than their classes say, such as a schema that was read from a file.
///
/// A ``ValueTransformerContext`` has one at most. What is made in such a context is handed to it before anything is read.
@_spi(ModelKitInternals)
public protocol OwnerPreparing: AnyObject, Sendable {
  /// Completes the declarations of the fields of an owner that was just made.
  func prepare(_ owner: AnyObject)
}

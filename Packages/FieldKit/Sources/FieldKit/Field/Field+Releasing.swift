@_spi(ModelKitInternals) import ObservationKit

/// The release queue of ObservationKit, for packages that import only this one. It releases a chain of objects one
/// after another, so that a long chain does not overflow the stack.
@_spi(ModelKitInternals)
public enum ReleaseQueue {
  /// Releases the object of a variable and sets the variable to nil. If a release is in progress on this thread, the
  /// object is released after it.
  public static func release(_ object: inout AnyObject?) { ObservationKit.ReleaseQueue.release(&object) }
}

@_spi(ModelKitInternals)
extension Field {
  /// Removes the stored value and returns it, bypassing hooks of subclasses. Observers are not notified.
  @inlinable
  public final func moveStoredValue() -> Content? { storage.take() }
}

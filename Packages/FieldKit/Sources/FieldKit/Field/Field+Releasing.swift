@_spi(ModelKitInternals) import ObservationKit

/// The release queue of ObservationKit, for the packages that see only this one: objects of which each may hold the last
/// reference to the next are released one after another, so that no chain of them is too long for the stack.
@_spi(ModelKitInternals)
public enum ReleaseQueue {
  /// Takes what a variable refers to, and releases it now or when the release under way on this thread is over.
  public static func release(_ object: inout AnyObject?) { ObservationKit.ReleaseQueue.release(&object) }
}

extension Field {
  /// Takes the stored value out, whatever a subclass makes of it. Tells nobody.
  @_spi(ModelKitInternals)
  @inlinable
  public final func takeStoredValue() -> Content? { storage.take() }
}

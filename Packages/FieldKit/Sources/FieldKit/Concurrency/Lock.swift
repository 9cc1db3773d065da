@_spi(ModelKitInternals) public import ObservationKit

/// The lock of ObservationKit, for packages that import only this one.
@_spi(ModelKitInternals)
public struct Lock<State>: Sendable {
  @usableFromInline let base: ObservationKit.Lock<State>

  /// Creates a lock that guards a state.
  @inlinable
  public init(_ state: sending State) { base = ObservationKit.Lock(state) }

  /// Runs `body` with exclusive access to the state. `body` must not call callbacks, take a second lock or access
  /// files.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try base.withLock(body)
  }
}

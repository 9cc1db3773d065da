@_spi(ModelKitInternals) public import ObservationKit

/// The lock of ObservationKit, for the packages that see only this one.
@_spi(ModelKitInternals)
public struct Lock<State>: Sendable {
  @usableFromInline let base: ObservationKit.Lock<State>

  /// Guards a state.
  @inlinable
  public init(_ state: sending State) { base = ObservationKit.Lock(state) }

  /// Runs `body` alone with the state. Never call out from `body`: no callback, no second lock, no file.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try base.withLock(body)
  }
}

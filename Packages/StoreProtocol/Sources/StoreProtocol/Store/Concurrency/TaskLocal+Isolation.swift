@_spi(ModelKitInternals)
extension TaskLocal {
  /// Runs `body` with a value, in the isolation of the caller.
  ///
  /// `withValue` runs a closure without static isolation on the global executor. So code that uses a store of an actor
  /// would leave that actor.
  ///
  /// - Throws: the errors of `body`.
  public func withValue<Result>(
    _ value: Value, in isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await withValue(
      value,
      operation: {
        _ = isolation
        return try await body()
      }, isolation: isolation)
  }
}

extension TaskLocal {
  /// Runs `body` with a value, in the isolation of the caller.
  ///
  /// `withValue` alone runs a closure that is not statically isolated on the global executor: code that uses a store of an
  /// actor would leave that actor.
  ///
  /// - Throws: what `body` throws.
  @_spi(ModelKitInternals)
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

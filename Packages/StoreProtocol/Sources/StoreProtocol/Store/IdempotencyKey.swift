/// The idempotency key of creations that the running task sends. A server that has seen the key repeats its response.
///
/// A store adds it to its requests:
///
/// ```swift
/// request.headers["Idempotency-Key"] = IdempotencyKey.current ?? UUID().uuidString
/// ```
public enum IdempotencyKey {
  /// The key; nil if each request has a different one.
  @TaskLocal public static var current: String?

  /// Runs a closure whose creations have a key.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - isolation: the isolation of the caller.
  ///   - body: sends one creation.
  /// - Throws: the errors of `body`.
  public static func with<Result>(
    _ key: String, in isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await $current.withValue(key, in: isolation, body)
  }
}

/// A store whose requests can have an idempotency key, so that a repeated creation takes effect once.
///
/// ```swift
/// extension MyStore: IdempotentModelStore {
///   var supportsIdempotencyKeys: Bool { true }
/// }
/// ```
public protocol IdempotentModelStore: ModelStore {
  /// Whether the server supports ``IdempotencyKey/current``.
  var supportsIdempotencyKeys: Bool { get }
}

/// The key of the creations that the running task sends: a server that knows the key repeats its first answer.
///
/// A store that sends requests puts it into them:
///
/// ```swift
/// request.headers["Idempotency-Key"] = IdempotencyKey.current ?? UUID().uuidString
/// ```
public enum IdempotencyKey {
  /// The key; nil if each request has one of its own.
  @TaskLocal public static var current: String?

  /// Runs a closure whose creations have a key.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - isolation: the isolation of the caller.
  ///   - body: sends one creation.
  /// - Throws: what `body` throws.
  public static func with<Result>(
    _ key: String, in isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await $current.withValue(key, in: isolation, body)
  }
}

/// A store whose requests can have a key, so that a creation that arrives twice takes effect once.
///
/// ```swift
/// extension MyStore: IdempotentModelStore {
///   var recognizesIdempotencyKeys: Bool { true }
/// }
/// ```
public protocol IdempotentModelStore: ModelStore {
  /// Whether the server supports ``IdempotencyKey/current``.
  var recognizesIdempotencyKeys: Bool { get }
}

/// The response of a server that rejected a request: a part of a ``ModelStoreError``.
///
/// ```swift
/// if let wait = error.refusal?.retryAfter { try await Task.sleep(for: wait) }
/// ```
public struct ServerRefusal: Hashable, Sendable {
  /// The status, such as 422.
  public var status: Int
  /// The time to wait before another request, as the server requires; nil if it requires none.
  public var retryAfter: Duration?

  /// Creates a description of a response.
  ///
  /// - Parameters:
  ///   - status: the status.
  ///   - retryAfter: the time to wait before another request.
  public init(status: Int, retryAfter: Duration? = nil) {
    self.status = status
    self.retryAfter = retryAfter
  }
}

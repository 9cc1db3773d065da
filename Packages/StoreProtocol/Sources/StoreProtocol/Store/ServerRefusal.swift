/// The answer of a server that did not do what it was asked to: a part of a ``ModelStoreError``.
///
/// ```swift
/// if let wait = error.refusal?.retryAfter { try await Task.sleep(for: wait) }
/// ```
public struct ServerRefusal: Hashable, Sendable {
  /// The status, such as 422.
  public var status: Int
  /// The time that the server asks to wait before another request; nil if it asks for none.
  public var retryAfter: Duration?

  /// Describes an answer.
  ///
  /// - Parameters:
  ///   - status: the status.
  ///   - retryAfter: the time to wait before another request.
  public init(status: Int, retryAfter: Duration? = nil) {
    self.status = status
    self.retryAfter = retryAfter
  }
}

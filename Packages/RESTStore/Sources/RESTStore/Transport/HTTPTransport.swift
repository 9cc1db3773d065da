/// A transport that carries requests to a server and answers back: ``URLSessionTransport``, or your own.
///
/// ```swift
/// struct CannedTransport: HTTPTransport {
///   func send(_ request: HTTPRequest) async throws -> HTTPResponse {
///     HTTPResponse(status: 200, body: Data("[]".utf8))
///   }
/// }
/// ```
public protocol HTTPTransport: Sendable {
  /// The short name of a request. Inside the protocol it can't be mistaken for that of swift-http-types.
  typealias HTTPRequest = HTTPRequestData
  /// The short name of a response. Inside the protocol it can't be mistaken for that of swift-http-types.
  typealias HTTPResponse = HTTPResponseData

  /// Sends a request and waits for the whole answer. A status such as 404 is an answer, not an error.
  ///
  /// Keep to the request's time-out and size limit, and stop when the task is cancelled. Send nothing twice.
  ///
  /// - Throws: a `ModelStoreError` with a code such as `offline` or `timeout`; `CancellationError` and `URLError` are
  ///   understood too.
  /// - Note: It runs in the isolation of the store instance, which suspends: never block.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

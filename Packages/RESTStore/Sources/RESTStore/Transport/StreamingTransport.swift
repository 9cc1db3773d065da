public import Foundation

/// A transport that streams bodies: it sends the contents of a file, and hands over an answer part by part.
///
/// Stores need it to download and upload files. ``URLSessionTransport`` and `AsyncHTTPClientTransport` stream.
public protocol StreamingTransport: HTTPTransport {
  /// Sends a request as ``HTTPTransport/send(_:)`` does, without keeping its files in memory.
  ///
  /// The time limit of the request applies to each pause: the exchange fails if no byte is sent or received for so
  /// long.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - file: a file with the body; nil for the body of the request.
  ///   - receive: receives status and headers of the answer as soon as they are known, with nil, and returns whether it
  ///     takes the body. If so, it receives each part of the body in order, and the response has none. Otherwise the
  ///     response has the body, within the size limit. An error ends the exchange.
  /// - Throws: `ModelStoreError` as ``HTTPTransport/send(_:)`` does, and the error of `receive`.
  func send(
    _ request: HTTPRequest, from file: URL?, receive: @escaping @Sendable (HTTPResponse, Data?) throws -> Bool
  ) async throws -> HTTPResponse
}

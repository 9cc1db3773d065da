import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import StoreProtocol

extension ModelStoreError {
  /// Creates the error of a store for one of the client. The client's error is not its cause, because it can contain
  /// the address and headers.
  init(clientError error: any Error) {
    switch error {
    case let error as ModelStoreError: self = error
    case let error as HTTPClientError: self = Self.meaning(of: error)
    // The parser reports a connection that ends within an answer as one more answer that it can't read.
    case HTTPParserError.invalidEOFState, NIOSSLError.uncleanShutdown: self = .lostConnection
    case is HTTPParserError, is NIOHTTPDecoderError, is NIOHTTPDecompression.DecompressionError,
      is NIOHTTPDecompression.ExtraDecompressionError:
      self.init(.server, "the response is invalid: \(error)")
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
      self.init(.offline, "the server can't be reached: no secure connection could be made\(Self.reason(of: error))")
    case let error as NIOConnectionError:
      let reason = error.connectionErrors.first.map { "\($0.error)" } ?? "its host name can't be resolved"
      self.init(.offline, "the server can't be reached: \(reason)")
    case is IOError, is ChannelError: self.init(.offline, "the connection was lost: \(error)")
    default: self.init(.offline, "the connection was lost: \(type(of: error))")
    }
  }

  /// Creates the error for an answer over the limit of its request.
  init(longerThan limit: Int) {
    self.init(.server, "the response is longer than \(limit) bytes, which is the limit, and was not read completely")
  }

  static var cancelledTask: ModelStoreError { ModelStoreError(.cancelled, "the task was cancelled") }

  private static var lostConnection: ModelStoreError { ModelStoreError(.offline, "the connection was lost") }

  private static func meaning(of error: HTTPClientError) -> ModelStoreError {
    switch error {
    case .readTimeout, .writeTimeout, .deadlineExceeded, .connectTimeout, .tlsHandshakeTimeout,
      .getConnectionFromPoolTimeout, .socksHandshakeTimeout, .httpProxyHandshakeTimeout:
      ModelStoreError(.timeout, "no response arrived in time")
    // The client cancels by itself when a connection closes that others use, too.
    case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled, .cancelled: lostConnection
    case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath, .traceRequestWithBody, .bodyLengthMismatch,
      .identityCodingIncorrectlyPresent, .contentLengthMissing:
      ModelStoreError(.invalid, "the request can't be sent: \(error.shortDescription)")
    case .proxyAuthenticationRequired: ModelStoreError(.unauthorized, "the proxy requires credentials")
    case .invalidProxyResponse:
      ModelStoreError(.offline, "the server can't be reached: the proxy refused the connection")
    default: ModelStoreError(.server, "the response is invalid: \(error.shortDescription)")
    }
  }

  /// Returns the reasons in an error of BoringSSL, such as `CERTIFICATE_VERIFY_FAILED`, without the source lines around
  /// them.
  private static func reason(of error: any Error) -> String {
    let words = "\(error)".split { !$0.isASCII || !($0.isUppercase || $0 == "_") }
    let reasons = words.filter { $0.contains("_") && $0.first != "_" && $0.last != "_" }
    return reasons.isEmpty ? "" : ": \(reasons.joined(separator: ", "))"
  }
}

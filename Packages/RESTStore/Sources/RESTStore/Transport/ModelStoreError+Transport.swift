import Foundation
import StoreProtocol

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension ModelStoreError {
  /// Creates the error of a store for an error of a transport.
  init(transportError error: any Error) {
    switch error {
    case let error as ModelStoreError: self = error
    case is CancellationError: self.init(.cancelled, "the task was cancelled", cause: error)
    case let error as URLError:
      let (code, message) = Self.meaning(of: error)
      // The rest of the error contains the address with its secrets.
      self.init(code, message, cause: URLError(error.code))
    default: self.init(.server, "no response arrived: \(error)", cause: error)
    }
  }

  /// Whether `badServerResponse` stands for a connection that ends without a byte, as on Linux. Elsewhere that is a
  /// lost connection.
  #if canImport(FoundationNetworking)
    private static let saysBadServerResponseForNothing = true
  #else
    private static let saysBadServerResponseForNothing = false
  #endif

  /// The beginnings of libcurl's messages for unreadable answers: on Linux such errors have no code of their own. It
  /// reports headers over its limit as a lack of memory.
  private static let beginningsOfUnreadable = [
    "Failed writing header", "Invalid Content-Length", "Header without colon",
    "Error while processing content unencoding",
    "Out of memory", "Too large response headers", "Too many response headers", "Weird server reply",
    "Unsupported HTTP",
    "Invalid status line",
    "Failed writing body", "Unrecognized content encoding", "Received HTTP/0.9", "Malformed encoding found",
    "Illegal or missing hexadecimal", "Too long hexadecimal", "Unrecognized or bad HTTP",
    "Failed writing received data", "Nul byte in header",
  ]

  private static func meaning(of error: URLError) -> (Code, String) {
    switch error.code {
    case .cancelled: (.cancelled, "the task was cancelled")
    case .timedOut: (.timeout, "no response arrived in time")
    case .badURL, .unsupportedURL: (.invalid, "the address can't be used: \(error.localizedDescription)")
    case .userAuthenticationRequired, .userCancelledAuthentication:
      (.unauthorized, "credentials are missing: \(error.localizedDescription)")
    case .badServerResponse where saysBadServerResponseForNothing:
      (.offline, "the connection was closed without a response: \(error.localizedDescription)")
    case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData,
      .dataLengthExceedsMaximum, .httpTooManyRedirects, .redirectToNonExistentLocation, .zeroByteResource:
      (.server, "the response is invalid: \(error.localizedDescription)")
    case .unknown where beginningsOfUnreadable.contains(where: error.localizedDescription.hasPrefix):
      (.server, "the response is invalid: \(error.localizedDescription)")
    case .networkConnectionLost:
      (.offline, "the connection was lost: \(error.localizedDescription)")
    default: (.offline, "the server can't be reached: \(error.localizedDescription)")
    }
  }
}

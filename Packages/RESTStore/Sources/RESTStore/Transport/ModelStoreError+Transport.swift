import Foundation
import StoreProtocol

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension ModelStoreError {
  /// What an error of a transport means for a store.
  init(transportError error: any Error) {
    switch error {
    case let error as ModelStoreError: self = error
    case is CancellationError: self.init(.cancelled, "the task was cancelled", cause: error)
    case let error as URLError:
      let (code, message) = Self.meaning(of: error)
      self.init(code, message, cause: error)
    default: self.init(.server, "no answer came: \(error)", cause: error)
    }
  }

  /// On Linux this is the error for a connection that ends without a byte; elsewhere that is a lost connection.
  #if canImport(FoundationNetworking)
    private static let saysBadServerResponseForNothing = true
  #else
    private static let saysBadServerResponseForNothing = false
  #endif

  private static func meaning(of error: URLError) -> (Code, String) {
    switch error.code {
    case .cancelled: (.cancelled, "the task was cancelled")
    case .timedOut: (.timeout, "no answer came in time")
    case .badURL, .unsupportedURL: (.invalid, "the address can't be used: \(error.localizedDescription)")
    case .userAuthenticationRequired, .userCancelledAuthentication:
      (.unauthorized, "credentials are missing: \(error.localizedDescription)")
    case .badServerResponse where saysBadServerResponseForNothing:
      (.offline, "the connection was closed without an answer: \(error.localizedDescription)")
    case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData,
      .dataLengthExceedsMaximum, .httpTooManyRedirects, .redirectToNonExistentLocation, .zeroByteResource:
      (.server, "the answer can't be understood: \(error.localizedDescription)")
    case .networkConnectionLost:
      (.offline, "the connection was lost: \(error.localizedDescription)")
    default: (.offline, "the server can't be reached: \(error.localizedDescription)")
    }
  }
}

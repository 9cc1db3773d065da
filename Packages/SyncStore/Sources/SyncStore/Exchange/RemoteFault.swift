import FieldKit
import ModelCore
import StoreProtocol

/// The meaning of an error of the remote store for the exchange. It is decided by codes, never by text.
enum RemoteFault {
  /// Returns the response that an error represents.
  static func answer(_ error: ModelStoreError) -> Lane.Answer {
    if PlantedFault.isPlanted(.parksByText), error.message.contains("400") {
      return .refused(status: 400, message: error.message)
    }
    if let refusal = error.refusal {
      return .refused(
        status: refusal.status, message: error.message, fields: error.fields,
        retryAfter: refusal.retryAfter?.milliseconds)
    }
    if isUnreadable(error) { return .unreadable(error.message) }
    return switch error.code {
    case .offline, .timeout, .cancelled: .none
    case .notFound: .refused(status: 404, message: error.message)
    case .conflict: .refused(status: 409, message: error.message, fields: error.fields)
    case .unauthorized: .refused(status: 401, message: error.message)
    case .denied: .refused(status: 403, message: error.message)
    case .unsupported: .refused(status: 405, message: error.message)
    case .invalid, .noIdentifier: .refused(status: 422, message: error.message, fields: error.fields)
    default: .refused(status: 500, message: error.message)
    }
  }

  /// Returns whether the response of the server is invalid, so that the outcome is unknown.
  static func isUnreadable(_ error: ModelStoreError) -> Bool {
    error.code == .corrupt || error.cause is ModelDecodingError || error.cause is JSONSyntaxError
  }

  /// Returns whether no other request can succeed now.
  static func endsExchange(_ error: ModelStoreError) -> Bool {
    switch error.code {
    case .offline, .cancelled: true
    // The status 403 is about one record.
    case .unauthorized: error.refusal?.status != 403
    default: error.refusal.map { $0.status == 429 || $0.status == 503 && $0.retryAfter != nil } ?? false
    }
  }

  /// Returns whether the same request may succeed later, because the server is temporarily unavailable.
  static func isTemporary(_ error: ModelStoreError) -> Bool {
    error.code == .timeout || error.refusal.map { $0.status >= 500 || [408, 425, 429].contains($0.status) } ?? false
  }

  /// Returns an error as one of a store.
  static func storeError(_ error: any Error) -> ModelStoreError {
    if let error = error as? ModelStoreError { return error }
    if error is CancellationError {
      return ModelStoreError(
        .cancelled, "The task was cancelled. Unsent changes are kept in the outbox.", cause: error)
    }
    return ModelStoreError(.server, "The remote store failed: \(error)", cause: error)
  }
}

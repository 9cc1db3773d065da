import StoreProtocol

extension ModelStoreError {
  /// Creates the error for a status that is not a success.
  init(status response: HTTPResponseData, details: FailureDetails) {
    let isDenied = response.status == 409 && details.code == Code.denied.description
    self.init(isDenied ? .denied : Code(status: response.status), "status \(response.status)", fields: details.fields)
    if (300..<400).contains(response.status), let location = response.headers["Location"] {
      message += ", a redirect to \(location.prefix(200)) which is not followed"
      cause = RedirectedRequest(status: response.status)
    }
    let list = details.fields.sorted { $0.key < $1.key }
      .flatMap { field in field.value.map { "\(field.key) \($0)" } }.joined(separator: "; ").prefix(500)
    if let sentence = details.message {
      message += ": \(sentence.prefix(500))" + (list.isEmpty ? "" : " (\(list))")
    } else if let text = list.isEmpty ? response.excerpt() ?? Self.meaning(ofStatus: response.status) : String(list) {
      message += ": \(text)"
    }
  }

  /// Returns an explanation of a status, for an answer without a message; nil where the number needs none.
  private static func meaning(ofStatus status: Int) -> String? {
    switch status {
    case 401: "the server requires valid credentials"
    case 403: "the server does not allow it with these credentials"
    case 405: "the server does not support this method for this path"
    case 413: "the request is too large for the server"
    case 429: "the server received too many requests; wait before the next one"
    case 503: "the server is temporarily unavailable; try again later"
    case 507: "the storage of the server is full"
    default: nil
    }
  }
}

extension ModelStoreError.Code {
  fileprivate init(status: Int) {
    switch status {
    case 400, 422: self = .invalid
    case 401, 403, 407: self = .unauthorized
    case 404, 410: self = .notFound
    case 405, 501: self = .unsupported
    case 409, 412: self = .conflict
    case 408, 504: self = .timeout
    case 507: self = .full
    default: self = .server
    }
  }
}

import StoreProtocol

extension ModelStoreError {
  /// What a status other than a success means for a store.
  init(status response: HTTPResponseData, details: FailureDetails) {
    self.init(Code(status: response.status), "status \(response.status)", fields: details.fields)
    if (300..<400).contains(response.status), let location = response.headers["Location"] {
      message += ", a redirect to \(location.prefix(200)) which is not followed"
    }
    if let excerpt = details.message.map({ String($0.prefix(500)) }) ?? response.excerpt() { message += ": \(excerpt)" }
    if details.message != nil, !details.fields.isEmpty {
      let list = details.fields.sorted { $0.key < $1.key }.flatMap { field in field.value.map { "\(field.key) \($0)" } }
      message += " (\(list.joined(separator: "; ").prefix(500)))"
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

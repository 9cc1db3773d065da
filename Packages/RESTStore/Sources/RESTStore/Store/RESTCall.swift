import Foundation
import StoreProtocol

/// One request of a store, before it has an absolute address: an operation on a model, with its payload.
struct RESTCall: Sendable {
  /// Whether the running task sends a creation: a request for its credentials can't wait until it ends.
  @TaskLocal static var isSendingCreation = false

  var operation: RESTOperation
  var method: HTTPRequestData.Method
  /// The base address of the store.
  let base: BaseAddress
  /// The address below the base address.
  var address: RESTAddress
  /// The query of any other request as it was given, percent-encoded.
  var givenQuery: String?
  /// An absolute address from the server, which replaces the other one.
  var link: URL?
  /// The payload in the form of the API; nil for none.
  var payload: JSONValue?
  /// The headers of this request alone, which replace those of the dialect.
  var headers = HTTPHeaderList()
  /// The time limit of this request; nil for that of the dialect.
  var timeout: Duration?
  /// Whether the request is sent with credentials.
  var sendsCredentials = true
  /// Whether a cache may answer this request; nil for the policy of the dialect.
  var cachePolicy: HTTPRequestData.CachePolicy?
  /// The body of any other request; nil for that of the payload.
  var body: Data?
  /// The file that the body or the answer is streamed from or to; nil for bodies in memory.
  var transfer: (any FileTransfer)?
  /// The number of the call in the events for a monitor; nil for a new one.
  var number: UInt64?
  /// Whether the answer need not be JSON, because nothing is read from it.
  var ignoresPayload = false

  init(_ operation: RESTOperation, _ store: RESTModelStore) throws {
    self.init(operation, method: store.handle.dialect.method(for: operation.kind), store)
    address = try store.handle.dialect.address(of: operation)
    address.query += store.additions.query
  }

  /// Creates any other request.
  init(_ method: HTTPRequestData.Method, _ path: String, _ store: RESTModelStore) {
    let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let operation = RESTOperation(.request, typeName: "", collectionPath: String(parts[0]))
    self.init(operation, method: method, store)
    if parts.count > 1, !parts[1].isEmpty { givenQuery = String(parts[1]) }
    address.query += store.additions.query
  }

  private init(_ operation: RESTOperation, method: HTTPRequestData.Method, _ store: RESTModelStore) {
    self.operation = operation
    self.method = method
    base = store.handle.base
    sendsCredentials = store.additions.sendsCredentials
    address = RESTAddress(operation.path)
    headers = store.additions.headers
    timeout = store.additions.timeout
    cachePolicy = store.additions.cachePolicy
  }

  /// Adds the parameters with which the answer contains related models.
  mutating func embed(_ items: [RESTQueryItem]) {
    for item in items {
      if let index = address.query.firstIndex(where: { $0.name == item.name }) {
        let known = address.query[index].value
        address.query[index] = RESTQueryItem(item.name, known.isEmpty ? item.value : "\(known),\(item.value)")
      } else {
        address.query.append(item)
      }
    }
  }

  /// Sets the header that identifies the request, if the server honors one.
  ///
  /// - Parameter key: the key; nil for a new one.
  mutating func setIdempotencyKey(_ key: String? = nil, by options: RESTOptions) {
    if let header = options.idempotencyKeyHeader { headers[header] = key ?? UUID().uuidString }
  }

  var typeName: String { operation.typeName }

  /// Whether the request may change something.
  var isWrite: Bool {
    switch operation.kind {
    case .create, .update, .delete: true
    case .lookup, .list: false
    case .request: method != .get && method.description != "HEAD"
    }
  }

  /// Returns whether a request of this call may safely arrive twice. With a precondition the second one would fail
  /// because of the first.
  func mayRepeat(_ request: HTTPRequestData, idempotencyKeyHeader: String?) -> Bool {
    let headers = request.headers
    if let idempotencyKeyHeader, headers[idempotencyKeyHeader] != nil { return true }
    guard headers["If-Match"] == nil, !(isWrite && headers["If-None-Match"] != nil) else { return false }
    return !isWrite || [.put, .delete].contains(request.method)
  }

  /// Returns the address below the base address, whose own path and query are kept.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` if the base address is not that of a server.
  func url(adding items: [RESTQueryItem] = []) throws -> URL {
    if let link { return link }
    let given = givenQuery.map { [$0] } ?? []
    return try base.url(
      address.path, hasSecrets: sendsCredentials, query: given + (address.query + items).map(\.description))
  }

  /// The path for error messages, with that of the base address.
  var displayedPath: String {
    if let link { return URLComponents(url: link, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? link.path }
    return base.path + address.path
  }

  /// Returns an error for the caller of the store, with the outcome for the model and the request.
  ///
  /// - Parameters:
  ///   - error: the original error.
  ///   - isAccepted: whether the server reported that it carried out the request.
  ///   - isUncertain: whether the server may have carried out an earlier attempt.
  ///   - path: the path of the request, with that of the base address.
  func explained(_ error: any Error, isAccepted: Bool, isUncertain: Bool, path: String) -> ModelStoreError {
    var explained: ModelStoreError
    switch error {
    case let error as ModelStoreError: explained = error
    case let error as JSONSyntaxError:
      explained = ModelStoreError(.server, "the response is not JSON: \(error)", cause: error)
    case let error as ModelDecodingError:
      explained = ModelStoreError(.server, "the response does not match the model: \(error)", cause: error)
    case is CancellationError: explained = ModelStoreError(transportError: error)
    default: explained = ModelStoreError(.server, "the response can't be used: \(error)", cause: error)
    }
    let lead = lead(for: explained, isAccepted: isAccepted, isCertain: !isUncertain && Self.isCertain(explained))
    // An identifier may be very long.
    let path = path.utf8.count > 200 ? path.prefix(200) + "…" : path
    explained.message = "\(lead)\(method) \(path): \(explained.message)"
    if explained.identifier == nil { explained.identifier = operation.identifier }
    return explained
  }

  /// Returns a sentence on the outcome for the model.
  private func lead(for error: ModelStoreError, isAccepted: Bool, isCertain: Bool) -> String {
    if error.code == .notFound, operation.kind != .create, let identifier = operation.identifier {
      return ModelStoreError.notFound(typeName, identifier: identifier).message + " "
    }
    if !isWrite { return "" }
    if operation.kind == .request {
      if isAccepted { return "The server reports that it carried out this request, but its response can't be used. " }
      return isCertain ? "" : "It is not certain whether the server carried out this request. "
    }
    let done = operation.kind == .delete ? "deleted" : "written"
    if let redirect = error.cause as? RedirectedRequest { return redirect.lead(typeName, done) }
    if isAccepted {
      return
        "The server reports that this \(typeName) was \(done), but its response can't be used; the model here is unchanged. "
    }
    return isCertain
      ? "This \(typeName) was not \(done). " : "It is not certain whether this \(typeName) was \(done). "
  }

  /// Returns whether an error means that the server did not carry out the request.
  private static func isCertain(_ error: ModelStoreError) -> Bool {
    // The others are about one attempt, and an earlier one may have been carried out.
    if let status = error.refusal?.status, status == 304 || (400..<500).contains(status),
      ![408, 425, 429].contains(status)
    {
      return true
    }
    return [.invalid, .conflict, .unauthorized, .notFound, .unsupported, .full].contains(error.code)
  }
}

/// A redirect that was not followed, as the cause of an error.
struct RedirectedRequest: Error, CustomStringConvertible {
  let status: Int

  var description: String { "a redirect with the status \(status)" }

  /// Returns a sentence on the outcome of a write that was answered by the redirect.
  func lead(_ typeName: String, _ done: String) -> String {
    switch status {
    case 301, 307, 308:
      """
      This \(typeName) was not \(done): the server redirects to another address, and writes don't follow redirects. \
      Use that address for the store if you trust it. 
      """
    default:
      """
      The server responded with a redirect, which does not show whether this \(typeName) was \(done): look it up before you \
      try again. 
      """
    }
  }
}

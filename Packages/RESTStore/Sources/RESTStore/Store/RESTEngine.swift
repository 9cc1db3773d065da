public import Foundation
@_spi(ModelKitInternals) public import StoreProtocol

/// The engine that the instances of a REST store share: its base address, dialect, router, transport and options.
///
/// ```swift
/// let handle = store.handle
/// Task {
///   let instance = RESTModelStore(handle)
///   print(try await instance.list(Person.self).count)
/// }
/// ```
public final class RESTEngine: Sendable {
  /// The address below which all paths are. ``RESTModelStore/at(_:router:scope:)`` returns a store with another one.
  public var baseURL: URL { base.url }
  /// The dialect of the API.
  public let dialect: any RESTDialect
  /// The paths of collections and models.
  public let router: RESTRouter
  /// The transport of the requests.
  public let transport: any HTTPTransport
  /// The options for authentication, retries, limits and other features beyond one request per call.
  public let options: RESTOptions

  /// The feed that notifies all store instances of writes.
  public let changeFeed = StoreChangeFeed()

  let base: BaseAddress
  let gate: RequestGate
  let shared = SharedExchanges()
  let secrets = SecretValues()
  let writes = OverlappingWrites()

  init(
    baseURL: URL, dialect: any RESTDialect, router: RESTRouter, transport: any HTTPTransport, options: RESTOptions
  ) {
    base = BaseAddress(baseURL)
    self.router = router
    self.dialect = dialect
    self.transport = transport
    self.options = options
    gate = RequestGate(limit: options.maximumConcurrentRequests)
  }

  /// Sends a request and passes the answer to `body`, all in the caller's isolation. An error is explained, and
  /// reported to the dialect, before it is thrown.
  ///
  /// - Parameters:
  ///   - call: the request.
  ///   - onConflict: fetches the record of the server if the request fails with a conflict.
  ///   - reports: whether an error is reported. The caller reports that of an attempt it may repeat.
  ///   - whenAnswered: runs before the answer is read, whatever its status.
  ///   - raw: receives the answer first, whatever its status; nil continues with `body`.
  ///   - body: receives the answer if it is a success.
  func run<Result>(
    _ call: RESTCall, onConflict: (() async -> RESTConflict?)? = nil, reports: Bool = true,
    whenAnswered: (HTTPResponseData) async throws -> Void = { _ in },
    raw: (HTTPResponseData) throws -> Result? = { _ in nil },
    _ body: (RESTResponse, HTTPResponseData) throws -> Result
  ) async throws -> Result {
    var isAccepted = false
    var isUncertain = false
    do {
      try Task.checkCancellation()
      let request = try await request(for: call)
      let response = try await response(to: request, call, &isUncertain)
      try await whenAnswered(response)
      // A custom transport may ignore the limit.
      guard response.body.count <= request.maximumResponseBytes else {
        throw ModelStoreError(
          .server,
          "the response is longer than \(request.maximumResponseBytes) bytes, which is the limit, and was not read")
      }
      if let result = try raw(response) { return result }
      let answer = try self.answer(to: call, response)
      isAccepted = true
      return try body(answer, response)
    } catch {
      var explained = explained(error, call, isAccepted: isAccepted, isUncertain: isUncertain)
      // An error about fields, such as a value that is taken, is no change by another writer.
      if explained.code == .conflict, explained.fields.isEmpty, let conflict = await onConflict?() {
        explained.cause = conflict
      }
      if !reports { throw explained }
      throw await reported(explained)
    }
  }

  /// Returns an error for the caller of the store, without credentials.
  func explained(
    _ error: any Error, _ call: RESTCall, isAccepted: Bool, isUncertain: Bool = false
  ) -> ModelStoreError {
    secrets.redactor(call.link ?? call.base.url).redacted(
      call.explained(error, isAccepted: isAccepted, isUncertain: isUncertain, path: call.displayedPath))
  }

  /// Returns the answer to a call, which equal requests at the same time may share.
  func response(to call: RESTCall) async throws -> HTTPResponseData {
    var isUncertain = false
    return try await response(to: try await request(for: call), call, &isUncertain)
  }

  /// - Parameter isUncertain: set if the server may have carried out an attempt that failed.
  private func response(
    to request: HTTPRequestData, _ call: RESTCall, _ isUncertain: inout Bool
  ) async throws -> HTTPResponseData {
    try await ModelStoreEvent.recording(
      .request, of: RESTModelStore.self,
      secrets.redactor(call.link ?? call.base.url).redacted("\(call.method) \(call.displayedPath)")
    ) { event in
      let response = try await sharedResponse(to: request, call, &isUncertain)
      if let event, !response.isSuccessful, response.status != 304 {
        event.errorCode = ((try? RESTResponse(response))?.error as? ModelStoreError)?.code ?? .server
      }
      return response
    }
  }

  private func sharedResponse(
    to request: HTTPRequestData, _ call: RESTCall, _ isUncertain: inout Bool
  ) async throws -> HTTPResponseData {
    let exchange = RESTExchange(self, call)
    guard call.operation.kind == .lookup, options.coalescesLookups else {
      // A lookup that begins after now, or after the request has ended, must not get an earlier answer.
      if call.isWrite { shared.close() }
      defer { shared.close() }
      return try await exchange.response(to: request, isUncertain: &isUncertain)
    }
    // Callers may have different credentials.
    let first = try await exchange.authorized(request)
    do {
      return try await shared.response(
        to: first, joined: { exchange.report(.shared, about: request) },
        { try await exchange.response(to: request, first: first, isUncertain: &isUncertain) })
    } catch {
      throw ModelStoreError(transportError: error)
    }
  }

  private func request(for call: RESTCall) async throws -> HTTPRequestData {
    let operation = call.operation
    do {
      var output = RESTEncoding.Output()
      if let payload = call.payload {
        // Parameters of any other request are not a record.
        let formatted = operation.kind == .request ? payload : try dialect.formatPayload(payload, for: operation)
        output = try dialect.encoding(for: call.method).encode(formatted)
      } else if let body = call.body {
        output.body = body
      }
      var request = HTTPRequestData(
        call.method, try call.url(adding: output.query), body: output.body)
      request.maximumRedirects = options.maximumRedirects
      request.headers["Accept"] = "application/json"
      if let type = output.contentType { request.headers["Content-Type"] = type }
      try await dialect.adjust(&request, for: operation)
      request.headers.replace(with: call.headers)
      request.timeout = call.timeout ?? request.timeout
      request.cachePolicy = call.cachePolicy ?? request.cachePolicy
      try request.checkHeaders()
      if !call.sendsCredentials { request.url = request.url.withoutCredentials }
      return request
    } catch let error as ModelStoreError {
      throw error
    } catch let error as CancellationError {
      throw error
    } catch {
      throw ModelStoreError(.invalid, "the request was not sent, because it is invalid: \(error)", cause: error)
    }
  }

  /// Returns the answer as the dialect reads it. The status decides whether it is a success.
  private func answer(to call: RESTCall, _ response: HTTPResponseData) throws -> RESTResponse {
    let answer: RESTResponse
    do {
      answer = try dialect.constructResponse(response, to: call.operation)
    } catch  where !response.isSuccessful {
      throw refused(try RESTResponse(response).error ?? error, response)
    } catch is JSONSyntaxError where call.ignoresPayload {
      return RESTResponse(payload: nil)
    } catch let error as ModelStoreError where call.operation.kind == .request {
      throw refused(error, response)
    } catch  where call.operation.kind == .request {
      // The answer need not have the form of the dialect.
      return RESTResponse(payload: nil)
    } catch let error as JSONSyntaxError {
      var message = "the response with status \(response.status) is not JSON"
      if let type = response.headers["Content-Type"], !type.lowercased().contains("json") {
        message += " but \(type.prefix(60))"
      }
      message += ": \(error)"
      if let excerpt = response.excerpt() { message += " It begins: \(excerpt)" }
      throw ModelStoreError(.server, message, cause: error)
    }
    if let error = answer.error { throw refused(error, response) }
    if !response.isSuccessful, let error = try RESTResponse(response).error { throw refused(error, response) }
    return answer
  }

  /// Returns an error with the status of the answer, if that is not a success.
  private func refused(_ error: any Error, _ response: HTTPResponseData) -> any Error {
    guard var error = error as? ModelStoreError, !response.isSuccessful else { return error }
    error.refusal = ServerRefusal(
      status: response.status,
      retryAfter: response.headers["Retry-After"].flatMap {
        RESTRetryPolicy.duration(ofRetryAfter: $0, now: options.retry.now())
      })
    return error
  }
}

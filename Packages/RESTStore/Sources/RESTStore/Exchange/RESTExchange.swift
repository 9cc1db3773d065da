import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// The exchange of one call: its request with credentials, repeated where that is safe, and its events for the monitor.
struct RESTExchange: Sendable {
  private let engine: RESTEngine
  private let call: RESTCall
  private let number: UInt64

  private static let numbers = Lock<UInt64>(0)

  init(_ engine: RESTEngine, _ call: RESTCall) {
    self.engine = engine
    self.call = call
    // Without a monitor the number is not used.
    number =
      engine.options.monitor == nil
      ? 0 : call.number ?? Self.nextNumber()
  }

  /// Returns the number of another call.
  static func nextNumber() -> UInt64 {
    numbers.withLock { number in
      number += 1
      return number
    }
  }

  private var options: RESTOptions { engine.options }

  func report(_ kind: @autoclosure () -> RESTEvent.Kind, about request: HTTPRequestData? = nil, attempt: Int = 1) {
    guard let monitor = options.monitor else { return }
    monitor.record(
      RESTEvent(
        kind(), call: number, attempt: attempt, method: (request?.method ?? call.method).description,
        path: call.displayedPath))
  }

  /// Sends the request, repeatedly if necessary, and returns the final answer.
  ///
  /// - Parameters:
  ///   - request: the request without credentials.
  ///   - first: the request of the first attempt; nil to authorize it here.
  ///   - isUncertain: set if the server may have carried out an attempt that failed.
  func response(
    to request: HTTPRequestData, first: HTTPRequestData? = nil, isUncertain: inout Bool
  ) async throws -> HTTPResponseData {
    let mayRepeat = call.mayRepeat(request, idempotencyKeyHeader: options.idempotencyKeyHeader)
    // A request with new credentials is the same attempt for the retry policy.
    var (attempt, count) = (1, 0)
    var hasRenewed = false
    var next = first
    while true {
      let authorized = if let next { next } else { try await self.authorized(request, isFirst: attempt == 1) }
      next = nil
      count += 1
      let result = await send(authorized, attempt: count)
      if case .success(let response) = result, response.status == 401, !hasRenewed,
        call.sendsCredentials, let authentication = options.authentication
      {
        hasRenewed = true
        report(.renewingCredentials, about: request, attempt: count)
        if try await renewed(authentication, after: authorized) { continue }
      }
      guard mayRepeat, let wait = wait(after: result, attempt: attempt) else {
        return try finalResponse(result, isUncertain: isUncertain)
      }
      if case .success(let response) = result {
        isUncertain = isUncertain || response.status >= 500
      } else {
        isUncertain = true
      }
      report(.retrying(after: wait), about: request, attempt: count)
      try await options.retry.sleep(wait)
      attempt += 1
    }
  }

  /// Returns the request with credentials.
  func authorized(_ request: HTTPRequestData, isFirst: Bool = true) async throws -> HTTPRequestData {
    guard call.sendsCredentials, let authentication = options.authentication else {
      engine.secrets.remember(request)
      return request
    }
    let plain = request.headers
    var request = request
    do {
      try await authentication.authorize(&request, for: call.operation)
    } catch let error where !(error is ModelStoreError || error is CancellationError) {
      let outcome = isFirst ? "nothing was sent" : "the request was not sent again"
      throw ModelStoreError(.unauthorized, "\(outcome), because there are no credentials: \(error)", cause: error)
    }
    // Every header that the authentication added is a secret, whatever its name.
    request.credentialNames = Set(request.headers.entries.filter { !plain.entries.contains($0) }.map(\.name))
    engine.secrets.remember(request)
    try request.checkHeaders()
    return request
  }

  private func renewed(_ authentication: any RESTAuthentication, after request: HTTPRequestData) async throws -> Bool {
    do {
      return try await authentication.renew(after: request)
    } catch let error where !(error is ModelStoreError || error is CancellationError) {
      throw ModelStoreError(
        .unauthorized, "status 401, and there are no new credentials: \(error)", cause: error)
    }
  }

  private func send(_ request: HTTPRequestData, attempt: Int) async -> Result<HTTPResponseData, ModelStoreError> {
    let clock = ContinuousClock()
    var start = clock.now
    var receivedBytes: Int?
    do {
      let response = try await admitted {
        report(
          .sent(bytes: call.transfer?.sentBytes ?? request.body?.count ?? 0), about: request, attempt: attempt)
        start = clock.now
        guard let transfer = call.transfer, let transport = engine.transport as? any StreamingTransport else {
          return try await engine.transport.send(request)
        }
        let answer = try await transfer.send(request, through: transport)
        receivedBytes = answer.receivedBytes
        return answer.response
      }
      report(
        .answered(status: response.status, bytes: receivedBytes ?? response.body.count, after: clock.now - start),
        about: request, attempt: attempt)
      return .success(response)
    } catch {
      let error = ModelStoreError(transportError: error)
      report(.failed(code: error.code.description, after: clock.now - start), about: request, attempt: attempt)
      return .failure(error)
    }
  }

  /// Sends the request when the gate admits it. A stream that stays open would occupy it.
  private func admitted<Result>(_ body: () async throws -> Result) async throws -> Result {
    if call.transfer?.countsAsRequest == false { return try await body() }
    return try await engine.gate.run(body)
  }

  /// Returns the delay before the request is sent again; nil if it is not.
  private func wait(after result: Result<HTTPResponseData, ModelStoreError>, attempt: Int) -> Duration? {
    let policy = options.retry
    switch result {
    case .success(let response):
      guard policy.statuses.contains(response.status) else { return nil }
      return policy.delay(after: attempt, retryAfter: response.headers["Retry-After"])
    case .failure(let error):
      guard error.code == .offline || error.code == .timeout else { return nil }
      return policy.delay(after: attempt, retryAfter: nil)
    }
  }

  /// Returns the final answer. A repeated delete that finds no model is a success: the attempt whose answer was lost
  /// has deleted it.
  private func finalResponse(
    _ result: Result<HTTPResponseData, ModelStoreError>, isUncertain: Bool
  ) throws -> HTTPResponseData {
    let response = try result.get()
    if isUncertain, call.operation.kind == .delete, response.status == 404 || response.status == 410 {
      return HTTPResponseData(status: 204)
    }
    return response
  }
}

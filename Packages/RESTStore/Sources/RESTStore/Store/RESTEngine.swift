public import Foundation
public import StoreProtocol

/// What the fronts of a REST store share: where the server is, how it speaks, and what carries the requests.
///
/// ```swift
/// let handle = store.handle
/// Task {
///   let front = RESTModelStore(handle)
///   print(try await front.list(Person.self).count)
/// }
/// ```
public final class RESTEngine: Sendable {
  /// The address below which all paths are.
  public let baseURL: URL
  /// How the API speaks.
  public let dialect: any RESTDialect
  /// Where collections and models are.
  public let router: RESTRouter
  /// What carries the requests.
  public let transport: any HTTPTransport

  /// Where writes are told, to all fronts.
  public let changeFeed = StoreChangeFeed()

  init(baseURL: URL, dialect: any RESTDialect, router: RESTRouter, transport: any HTTPTransport) {
    self.baseURL = baseURL
    self.dialect = dialect
    self.router = router
    self.transport = transport
  }

  /// Sends one request, once, and hands the answer to `body`, all in the caller's isolation. Whatever goes wrong is
  /// explained and reported to the dialect before it is thrown.
  func run<Result>(_ call: RESTCall, _ body: (RESTResponse) throws -> Result) async throws -> Result {
    var isAccepted = false
    do {
      try Task.checkCancellation()
      let response = try await transport(try await request(for: call))
      let answer = try self.answer(to: call, response)
      isAccepted = true
      return try body(answer)
    } catch {
      let basePath = URLComponents(url: baseURL, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
      let path = (basePath.hasSuffix("/") ? String(basePath.dropLast()) : basePath) + call.path
      let explained = call.explained(error, isAccepted: isAccepted, path: path)
      if explained.code != .cancelled { await dialect.handleError(explained) }
      throw explained
    }
  }

  private func request(for call: RESTCall) async throws -> HTTPRequestData {
    var request = HTTPRequestData(
      call.method, try call.url(below: baseURL), timeout: dialect.timeout,
      maximumResponseBytes: dialect.maximumResponseBytes)
    request.headers["Accept"] = "application/json"
    do {
      if let payload = call.payload {
        request.headers["Content-Type"] = "application/json"
        request.body = try dialect.formatPayload(payload).jsonData(JSONWritingOptions(sortedKeys: true))
      }
      for (name, value) in try await dialect.defaultHeaders() { request.headers[name] = value }
    } catch let error as ModelStoreError {
      throw error
    } catch let error as CancellationError {
      throw error
    } catch {
      throw ModelStoreError(.invalid, "the request was not sent, for it can't be made: \(error)", cause: error)
    }
    try request.checkHeaders()
    return request
  }

  private func transport(_ request: HTTPRequestData) async throws -> HTTPResponseData {
    do {
      return try await transport.send(request)
    } catch {
      throw ModelStoreError(transportError: error)
    }
  }

  /// The answer as the dialect sees it. The status decides whether it is a success.
  private func answer(to call: RESTCall, _ response: HTTPResponseData) throws -> RESTResponse {
    guard response.body.count <= dialect.maximumResponseBytes else {
      throw ModelStoreError(
        .server,
        "the answer is longer than \(dialect.maximumResponseBytes) bytes, which is the limit, and was not read")
    }
    let answer: RESTResponse
    do {
      answer = try dialect.constructResponse(response)
    } catch  where !response.isSuccessful {
      throw try RESTResponse(response).error ?? error
    } catch is JSONSyntaxError where call.ignoresPayload {
      return RESTResponse(payload: nil)
    } catch let error as JSONSyntaxError {
      var message = "the answer with status \(response.status) is not JSON: \(error)"
      if let excerpt = response.excerpt() { message += " It begins: \(excerpt)" }
      throw ModelStoreError(.server, message, cause: error)
    }
    if let error = answer.error { throw error }
    if !response.isSuccessful, let error = try RESTResponse(response).error { throw error }
    return answer
  }
}

import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

/// A transport without a network: it answers from a list, and stores the requests.
final class StubTransport: HTTPTransport {
  private let state: Lock<(answers: [Result<HTTPResponseData, any Error>], requests: [HTTPRequestData])>

  init(_ answers: [Result<HTTPResponseData, any Error>]) { state = Lock((answers, [])) }

  convenience init(status: Int, _ body: String = "", headers: HTTPHeaderList = [:]) {
    self.init([.success(HTTPResponseData(status: status, headers: headers, body: Data(body.utf8)))])
  }

  convenience init(failing error: any Error) { self.init([.failure(error)]) }

  var requests: [HTTPRequestData] { state.withLock { $0.requests } }
  /// The method and address of every request.
  var lines: [String] { requests.map { "\($0.method) \($0.url.absoluteString)" } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try state.withLock { state in
      state.requests.append(request)
      // The last answer is repeated.
      return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
    }.get()
  }
}

extension RESTModelStore {
  convenience init(
    _ transport: any HTTPTransport, base: String = "http://api.test", dialect: any RESTDialect = JSONDialect(),
    router: RESTRouter = RESTRouter(), options: RESTOptions = RESTOptions(), scope: ModelScope = ModelScope()
  ) throws {
    let url = try #require(URL(string: base))
    self.init(baseURL: url, dialect: dialect, router: router, transport: transport, options: options, scope: scope)
  }
}

/// Returns the store error that a body throws.
func storeError(
  _ body: () async throws -> Void
) async throws -> ModelStoreError {
  do {
    try await body()
  } catch let error as ModelStoreError {
    return error
  }
  throw Missing(description: "no error was thrown")
}

struct Missing: Error, CustomStringConvertible {
  let description: String
}

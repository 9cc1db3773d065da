import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol

/// A transport that answers when it is told to.
final class GatedTransport: HTTPTransport {
  private let state = Lock<(waiting: [CheckedContinuation<Void, Never>], isOpen: Bool, requests: [HTTPRequestData])>(
    ([], false, []))
  private let answer: @Sendable (HTTPRequestData) throws -> HTTPResponseData
  private let arrivals = AsyncStream.makeStream(of: Void.self)

  init(_ answer: @escaping @Sendable (HTTPRequestData) throws -> HTTPResponseData) { self.answer = answer }

  var requests: [HTTPRequestData] { state.withLock { $0.requests } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    state.withLock { $0.requests.append(request) }
    arrivals.continuation.yield()
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
    try Task.checkCancellation()
    return try answer(request)
  }

  /// Waits until requests have come.
  func arrived(_ count: Int) async {
    if count == 0 { return }
    var left = count
    for await _ in arrivals.stream {
      left -= 1
      if left == 0 { return }
    }
  }

  /// Lets those through that wait, and all others.
  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// Remembers what it hears.
final class ListeningMonitor: RESTMonitor {
  private let log = Lock<[RESTEvent]>([])
  var events: [RESTEvent] { log.withLock { $0 } }
  func record(_ event: RESTEvent) { log.withLock { $0.append(event) } }
}

/// Ada as a server answers with her.
func ada(_ headers: HTTPHeaderList = [:]) -> HTTPResponseData {
  HTTPResponseData(status: 200, headers: headers, body: Data(#"{"id": 1, "name": "Ada"}"#.utf8))
}

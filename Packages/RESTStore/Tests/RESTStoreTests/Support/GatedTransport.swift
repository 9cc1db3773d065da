import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol

/// A transport that holds requests until it is opened, and releases cancelled ones at once.
final class GatedTransport: HTTPTransport {
  private struct State {
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var cancelled: Set<Int> = []
    var isOpen = false
    var requests: [HTTPRequestData] = []
  }

  private let state = Lock(State())
  private let holds: @Sendable (HTTPRequestData) -> Bool
  private let answer: @Sendable (HTTPRequestData) throws -> HTTPResponseData
  private let arrivals = AsyncStream.makeStream(of: Void.self)

  /// - Parameter holds: whether a request is held; all are by default.
  init(
    holding holds: @escaping @Sendable (HTTPRequestData) -> Bool = { _ in true },
    _ answer: @escaping @Sendable (HTTPRequestData) throws -> HTTPResponseData
  ) {
    self.holds = holds
    self.answer = answer
  }

  var requests: [HTTPRequestData] { state.withLock { $0.requests } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let number = state.withLock { state in
      state.requests.append(request)
      return state.requests.count
    }
    guard holds(request) else { return try answer(request) }
    arrivals.continuation.yield()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let resumesNow = state.withLock { state in
          let resumesNow = state.isOpen || state.cancelled.contains(number)
          if !resumesNow { state.waiting[number] = continuation }
          return resumesNow
        }
        if resumesNow { continuation.resume() }
      }
    } onCancel: {
      state.withLock { state in
        state.cancelled.insert(number)
        return state.waiting.removeValue(forKey: number)
      }?.resume()
    }
    try Task.checkCancellation()
    return try answer(request)
  }

  /// Waits until requests are held.
  func arrived(_ count: Int) async {
    if count == 0 { return }
    var left = count
    for await _ in arrivals.stream {
      left -= 1
      if left == 0 { return }
    }
  }

  /// Answers the waiting requests and all later ones.
  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting.values.map { $0 }
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// A monitor that stores its events.
final class ListeningMonitor: RESTMonitor {
  private let log = Lock<[RESTEvent]>([])
  var events: [RESTEvent] { log.withLock { $0 } }
  func record(_ event: RESTEvent) { log.withLock { $0.append(event) } }
}

/// Returns the answer of a server with a person named Ada.
func ada(_ headers: HTTPHeaderList = [:]) -> HTTPResponseData {
  HTTPResponseData(status: 200, headers: headers, body: Data(#"{"id": 1, "name": "Ada"}"#.utf8))
}

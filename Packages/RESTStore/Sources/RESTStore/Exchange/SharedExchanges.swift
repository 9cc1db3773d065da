@_spi(ModelKitInternals) import StoreProtocol

/// The requests in progress that later, equal requests join.
///
/// The first caller sends the request in its own task. A separate task would take another change of threads, which
/// costs more than all other work of the store. So the request ends if the first caller is cancelled. Then the first
/// waiting caller sends it again.
final class SharedExchanges: Sendable {
  typealias Continuation = CheckedContinuation<HTTPResponseData?, any Error>

  private struct SharedExchange {
    let request: HTTPRequestData
    /// The callers that joined, and wait or are about to wait.
    var waiting: [Int: Continuation?] = [:]
  }

  private struct State {
    var nextNumber = 0
    var exchanges: [Int: SharedExchange] = [:]
    /// The exchanges that may still be joined.
    var open: [HTTPRequestData: Int] = [:]
    /// The results for callers that joined and do not wait yet.
    var early: [Int: Result<HTTPResponseData?, any Error>] = [:]
  }

  private let state = Lock(State())

  /// Sends a request, or waits for the answer to an equal one.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - joined: called if an equal one is in progress.
  ///   - send: sends the request.
  func response(
    to request: HTTPRequestData, joined: () -> Void, _ send: () async throws -> HTTPResponseData
  ) async throws -> HTTPResponseData {
    var hasJoined = false
    while true {
      switch join(request) {
      case .started(let exchange):
        let result: Result<HTTPResponseData, any Error>
        do { result = .success(try await send()) } catch { result = .failure(error) }
        finish(exchange, result, isCancelled: Task.isCancelled)
        return try result.get()
      case .joined(let exchange, let number):
        if !hasJoined { joined() }
        hasJoined = true
        // There is no answer if the caller that sent the request was cancelled.
        if var response = try await answer(to: exchange, number) {
          response.isJoined = true
          return response
        }
      }
    }
  }

  /// Closes all requests in progress to further callers, after a write or a list that may have newer records. A later
  /// request must not get an earlier answer.
  func close() { state.withLock { $0.open = [:] } }

  private enum RequestSharing {
    case started(exchange: Int)
    case joined(exchange: Int, number: Int)
  }

  private func join(_ request: HTTPRequestData) -> RequestSharing {
    state.withLock { state in
      state.nextNumber += 1
      let number = state.nextNumber
      if let exchange = state.open[request] {
        state.exchanges[exchange]?.waiting[number] = .some(nil)
        return .joined(exchange: exchange, number: number)
      }
      state.exchanges[number] = SharedExchange(request: request)
      state.open[request] = number
      return .started(exchange: number)
    }
  }

  private func finish(_ exchange: Int, _ result: Result<HTTPResponseData, any Error>, isCancelled: Bool) {
    var shared = result.map { HTTPResponseData?.some($0) }
    if isCancelled, case .failure = result { shared = .success(nil) }
    let waiting = state.withLock { state -> [Continuation] in
      guard let finished = state.exchanges.removeValue(forKey: exchange) else { return [] }
      if state.open[finished.request] == exchange { state.open[finished.request] = nil }
      for (number, continuation) in finished.waiting where continuation == nil { state.early[number] = shared }
      return finished.waiting.values.compactMap { $0 }
    }
    for continuation in waiting { continuation.resume(with: shared) }
  }

  // MARK: Waiting

  private func answer(to exchange: Int, _ number: Int) async throws -> HTTPResponseData? {
    defer { state.withLock { _ = $0.early.removeValue(forKey: number) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: Continuation) in
        let early = state.withLock { state -> Result<HTTPResponseData?, any Error>? in
          if let early = state.early.removeValue(forKey: number) { return early }
          state.exchanges[exchange]?.waiting[number] = .some(continuation)
          return nil
        }
        if let early { continuation.resume(with: early) }
      }
    } onCancel: {
      withdraw(exchange, number)
    }
  }

  /// Removes a caller that joined, and cancels its wait.
  private func withdraw(_ exchange: Int, _ number: Int) {
    let continuation = state.withLock { state -> Continuation? in
      guard let place = state.exchanges[exchange]?.waiting.removeValue(forKey: number) else { return nil }
      if place == nil { state.early[number] = .failure(CancellationError()) }
      return place
    }
    continuation?.resume(throwing: CancellationError())
  }
}

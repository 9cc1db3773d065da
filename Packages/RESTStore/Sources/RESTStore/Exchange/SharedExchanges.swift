@_spi(ModelKitInternals) import StoreProtocol

/// Makes one request of equal ones that are under way at the same time. It is cancelled when nobody waits for it any more.
final class SharedExchanges: Sendable {
  typealias Continuation = CheckedContinuation<HTTPResponseData, any Error>

  private struct Flight {
    let request: HTTPRequestData
    var waiting: [Int: Continuation]
    var task: Task<Void, Never>?
  }

  private struct State {
    var nextNumber = 0
    var flights: [Int: Flight] = [:]
    /// The flights that may still be joined.
    var open: [HTTPRequestData: Int] = [:]
    /// Those that were cancelled before they waited.
    var cancelled: Set<Int> = []

    mutating func remove(_ number: Int) -> Flight? {
      guard let flight = flights.removeValue(forKey: number) else { return nil }
      if open[flight.request] == number { open[flight.request] = nil }
      return flight
    }
  }

  private let state = Lock(State())

  /// Sends a request, or waits for the answer to an equal one.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - joined: called if an equal one is under way.
  ///   - send: sends it.
  func response(
    to request: HTTPRequestData, joined: () -> Void,
    _ send: @escaping @Sendable () async throws -> HTTPResponseData
  ) async throws -> HTTPResponseData {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    defer { state.withLock { _ = $0.cancelled.remove(number) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        switch board(number, request, continuation) {
        case .cancelled: continuation.resume(throwing: CancellationError())
        case .joined: joined()
        case .started: start(number, send)
        }
      }
    } onCancel: {
      leave(number)
    }
  }

  /// Says that something is being written: a request that is made now must not get an answer from before.
  func close() { state.withLock { $0.open = [:] } }

  private enum Boarding { case cancelled, joined, started }

  private func board(_ number: Int, _ request: HTTPRequestData, _ continuation: Continuation) -> Boarding {
    state.withLock { state in
      if state.cancelled.remove(number) != nil { return .cancelled }
      if let flight = state.open[request] {
        state.flights[flight]?.waiting[number] = continuation
        return .joined
      }
      state.flights[number] = Flight(request: request, waiting: [number: continuation])
      state.open[request] = number
      return .started
    }
  }

  private func start(_ flight: Int, _ send: @escaping @Sendable () async throws -> HTTPResponseData) {
    let fly: @Sendable () async -> Void = {
      let result: Result<HTTPResponseData, any Error>
      do { result = .success(try await send()) } catch { result = .failure(error) }
      self.land(flight, result)
    }
    let task: Task<Void, Never>
    if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
      // Up to where it waits for the server it need not change threads, which would cost more than all of that.
      task = Task.immediate { await fly() }
    } else {
      task = Task { @concurrent in await fly() }
    }
    let isLeft = state.withLock { state in
      state.flights[flight]?.task = task
      return state.flights[flight] == nil
    }
    // Harmless if it has ended already.
    if isLeft { task.cancel() }
  }

  private func land(_ flight: Int, _ result: Result<HTTPResponseData, any Error>) {
    let waiting = state.withLock { $0.remove(flight)?.waiting.values.map { $0 } ?? [] }
    for continuation in waiting { continuation.resume(with: result) }
  }

  private func leave(_ number: Int) {
    let (continuation, task) = state.withLock { state -> (Continuation?, Task<Void, Never>?) in
      guard let flight = state.flights.first(where: { $0.value.waiting[number] != nil })?.key else {
        state.cancelled.insert(number)
        return (nil, nil)
      }
      let continuation = state.flights[flight]?.waiting.removeValue(forKey: number)
      guard state.flights[flight]?.waiting.isEmpty == true else { return (continuation, nil) }
      return (continuation, state.remove(flight)?.task)
    }
    task?.cancel()
    continuation?.resume(throwing: CancellationError())
  }
}

@_spi(ModelKitInternals) import StoreProtocol

/// A gate that admits a limited number of requests at a time. The others wait in a queue, and can be cancelled there.
final class RequestGate: Sendable {
  private struct State {
    var free: Int
    var nextNumber = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    /// The numbers of requests that were cancelled before they were queued.
    var cancelled: Set<Int> = []
  }

  private let state: Lock<State>

  init(limit: Int) { state = Lock(State(free: max(1, limit))) }

  func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await enter()
    defer { leave() }
    return try await body()
  }

  private func enter() async throws {
    let number = state.withLock { state -> Int? in
      if state.free > 0 {
        state.free -= 1
        return nil
      }
      state.nextNumber += 1
      return state.nextNumber
    }
    guard let number else { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Void, any Error>? in
          if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if state.free > 0 {
            state.free -= 1
            return .success(())
          }
          state.waiting.append((number, continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
        guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.waiting.remove(at: index).continuation
      }
      continuation?.resume(throwing: CancellationError())
    }
    // The request may have been admitted and cancelled at the same time.
    state.withLock { _ = $0.cancelled.remove(number) }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume()
  }
}

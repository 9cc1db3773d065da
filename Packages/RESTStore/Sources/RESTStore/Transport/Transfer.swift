import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// One exchange that is under way: whoever ends it first, the server, the timer or a cancellation, decides how it ends.
final class Transfer: Sendable {
  typealias Continuation = CheckedContinuation<HTTPResponseData, any Error>

  private struct State {
    var continuation: Continuation?
    var result: Result<HTTPResponseData, any Error>?
    var response: HTTPResponseData?
  }

  private let state = Lock(State())
  private let maximumBytes: Int

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// Starts to wait.
  ///
  /// - Returns: `false` if the transfer has ended before it began; the continuation was resumed then.
  func begin(_ continuation: Continuation) -> Bool {
    let result = state.withLock { state in
      if state.result == nil { state.continuation = continuation }
      return state.result
    }
    guard let result else { return true }
    continuation.resume(with: result)
    return false
  }

  func fail(_ error: any Error) { end(.failure(error)) }

  /// Takes down status and headers. After a redirect they come once more, for the final answer.
  ///
  /// - Returns: whether to go on.
  func receive(_ response: HTTPResponseData, expectedBytes: Int64) -> Bool {
    guard expectedBytes <= Int64(maximumBytes) else {
      fail(tooLong())
      return false
    }
    return state.withLock { state in
      state.response = response
      return state.result == nil
    }
  }

  /// Takes down a part of the body.
  ///
  /// - Returns: whether to go on.
  func receive(_ data: Data) -> Bool {
    let count = state.withLock { state in
      state.response?.body.append(data)
      return state.response?.body.count ?? 0
    }
    guard count <= maximumBytes else {
      fail(tooLong())
      return false
    }
    return true
  }

  func complete(_ error: (any Error)?) {
    if let error { return fail(error) }
    guard let response = state.withLock({ $0.response }) else { return fail(URLError(.badServerResponse)) }
    end(.success(response))
  }

  private func end(_ result: Result<HTTPResponseData, any Error>) {
    let continuation = state.withLock { state -> Continuation? in
      guard state.result == nil else { return nil }
      state.result = result
      state.response = nil
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(with: result)
  }

  private func tooLong() -> ModelStoreError {
    ModelStoreError(
      .server, "the answer is longer than \(maximumBytes) bytes, which is the limit, and was not read to its end")
  }
}

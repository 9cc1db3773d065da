import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// An exchange that is in progress. The first of the server, the timer and a cancellation decides how it ends.
final class Transfer: Sendable {
  typealias Continuation = CheckedContinuation<HTTPResponseData, any Error>

  private struct State {
    var continuation: Continuation?
    var result: Result<HTTPResponseData, any Error>?
    var response: HTTPResponseData?
    /// Whether the receiver takes the body of the response.
    var isTaken = false
    var redirects = 0
    var progress: HTTPProgress
  }

  private let state: Lock<State>
  private let maximumBytes: Int
  private let maximumRedirects: Int
  private let observer: (@Sendable (HTTPProgress) -> Void)?
  private let receiver: Receiver?

  /// A function that takes the bodies of answers: see ``StreamingTransport``.
  typealias Receiver = @Sendable (HTTPResponseData, Data?) throws -> Bool

  init(
    _ request: HTTPRequestData, observer: (@Sendable (HTTPProgress) -> Void)?, receiver: Receiver? = nil
  ) {
    self.receiver = receiver
    maximumBytes = request.maximumResponseBytes
    maximumRedirects = request.maximumRedirects
    self.observer = observer
    // Decoding a path takes time, and only the observer reads it.
    state = Lock(State(progress: HTTPProgress(path: observer == nil ? "" : request.url.path)))
  }

  /// Starts the wait.
  ///
  /// - Returns: `false` if the transfer had already ended; then the continuation was resumed.
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

  /// Stores status and headers. After a redirect they arrive once more, for the final answer.
  ///
  /// - Returns: whether to continue.
  func receive(_ response: HTTPResponseData, expectedBytes: Int64) -> Bool {
    var isTaken = false
    if let receiver {
      do {
        isTaken = try receiver(response, nil)
      } catch {
        fail(error)
        return false
      }
    }
    guard isTaken || expectedBytes <= Int64(maximumBytes) else {
      fail(tooLong())
      return false
    }
    return state.withLock { state in
      state.response = response
      state.isTaken = isTaken
      state.progress.expectedBytes = expectedBytes < 0 ? nil : Int(expectedBytes)
      return state.result == nil
    }
  }

  /// Counts a redirect.
  ///
  /// - Returns: whether it may be followed.
  func redirect() -> Bool {
    let count = state.withLock { state in
      state.redirects += 1
      return state.redirects
    }
    guard count > maximumRedirects else { return true }
    fail(
      ModelStoreError(.server, "the server redirects more than \(maximumRedirects) times, which is the limit"))
    return false
  }

  /// Reports that a part of the request was sent.
  func sent(_ count: Int64) {
    guard let observer else { return }
    observer(
      state.withLock { state in
        state.progress.sentBytes = Int(count)
        return state.progress
      })
  }

  /// Appends a part of the body, or hands it over.
  func receive(_ data: Data) {
    if let receiver, let head = state.withLock({ $0.isTaken ? $0.response : nil }) {
      do {
        _ = try receiver(head, data)
      } catch {
        return fail(error)
      }
      let progress = state.withLock { state in
        state.progress.receivedBytes += data.count
        return state.progress
      }
      observer?(progress)
      return
    }
    let (count, progress) = state.withLock { state in
      state.response?.body.append(data)
      state.progress.receivedBytes = state.response?.body.count ?? 0
      return (state.progress.receivedBytes, state.progress)
    }
    guard count <= maximumBytes else { return fail(tooLong()) }
    observer?(progress)
  }

  func complete(_ error: (any Error)?) {
    if let error { return fail(error) }
    guard let response = state.withLock({ $0.response }) else { return fail(URLError(.networkConnectionLost)) }
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
      .server, "the response is longer than \(maximumBytes) bytes, which is the limit, and was not read completely")
  }
}

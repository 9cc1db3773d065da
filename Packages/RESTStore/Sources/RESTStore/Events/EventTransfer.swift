import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// The transfer of an event stream. Each request continues after the last event that arrived.
final class EventTransfer: FileTransfer {
  private struct State: Sendable {
    var scanner = EventScanner()
    var hasBegun = false
    var receivedBytes = 0
  }

  private let state = Lock(State())
  private let onEvent: @Sendable () -> Void

  /// - Parameter onEvent: called when events have arrived, and when a stream begins that can't continue another one.
  init(onEvent: @escaping @Sendable () -> Void) { self.onEvent = onEvent }

  var sentBytes: Int { 0 }
  var countsAsRequest: Bool { false }

  /// Whether the answer to the last request was a stream.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// The time after which the server wants the client to connect again; nil if it sent none.
  var retryDelay: Duration? { state.withLock { $0.scanner.retryDelay } }

  func send(
    _ request: HTTPRequestData, through transport: any StreamingTransport
  ) async throws -> (response: HTTPResponseData, receivedBytes: Int) {
    var request = request
    let last = state.withLock { state in
      state.scanner.restart()
      (state.hasBegun, state.receivedBytes) = (false, 0)
      return state.scanner.lastIdentifier
    }
    // An empty one means that the client has no event.
    let identifier = last.flatMap { $0.isEmpty ? nil : $0 }
    request.headers["Last-Event-ID"] = identifier
    let response = try await transport.send(request, from: nil) { [self] head, bytes in
      guard let bytes else {
        guard head.isEventStream else { return false }
        state.withLock { $0.hasBegun = true }
        // Changes before it are unknown.
        if identifier == nil { onEvent() }
        return true
      }
      let count = state.withLock { state in
        state.receivedBytes += bytes.count
        return state.scanner.read(bytes)
      }
      if count > 0 { onEvent() }
      return true
    }
    return (response, state.withLock { $0.receivedBytes } + response.body.count)
  }
}

extension HTTPResponseData {
  /// Whether the body is a stream of events.
  var isEventStream: Bool {
    let type = headers["Content-Type"]?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
    return status == 200 && type?.lowercased() == "text/event-stream"
  }
}

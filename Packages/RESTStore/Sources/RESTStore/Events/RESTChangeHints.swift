import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// Hints that a server has changes, from its streams of server-sent events: see ``RESTModelStore/changeHints(of:)``.
///
/// An iteration connects to the server, and connects again after the end of a stream, with the identifier of the last
/// event. It waits for the time that the server requires, or for three seconds. After failures it waits for a time that
/// doubles up to five minutes. The iteration ends with its task. Several events can cause one hint.
public struct RESTChangeHints: AsyncSequence, Sendable {
  /// A hint has no value.
  public typealias Element = Void
  /// A failure is not an element: the next attempt follows.
  public typealias Failure = Never

  let engine: RESTEngine
  /// The requests of the streams.
  let calls: [RESTCall]

  /// Connects to the server.
  public func makeAsyncIterator() -> Iterator {
    let (hints, hint) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let connections = Task { [engine, calls] in
      await withTaskGroup(of: Void.self) { group in
        for call in calls { group.addTask { await engine.follow(call) { hint.yield() } } }
      }
      hint.finish()
    }
    hint.onTermination = { _ in connections.cancel() }
    return Iterator(base: hints.makeAsyncIterator())
  }

  /// An iterator over the hints of a server.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncStream<Void>.AsyncIterator

    /// Waits for a hint.
    ///
    /// - Returns: nil if the task is cancelled, or the server has no streams.
    public mutating func next() async -> Void? { await base.next(isolation: #isolation) }

    /// Waits for a hint.
    ///
    /// - Parameter actor: the isolation of the caller.
    /// - Returns: nil if the task is cancelled, or the server has no streams.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Void? {
      await base.next(isolation: actor)
    }
  }
}

extension RESTModelStore {
  /// Returns hints that models of some classes were created, changed or deleted on the server. They come from the
  /// streams of server-sent events that the server has for the collections, as a `RESTService` does.
  ///
  /// ```swift
  /// let hints = try remote.changeHints(of: [Book.self])
  /// await store.keepSynchronized(hints: hints)
  /// ```
  ///
  /// The requests have the credentials, headers and events of the store. A stream does not count as a request for
  /// ``RESTOptions/maximumConcurrentRequests``. A hint does not prove that something changed: each stream that can't
  /// continue an earlier one begins with a hint. A collection without a stream gives no hints.
  ///
  /// - Parameter types: the classes.
  /// - Throws: `ModelStoreError` with the code `unsupported` if the transport is no ``StreamingTransport``, or
  ///   `invalid` for an address that can't be sent.
  public func changeHints(of types: [any Model.Type]) throws -> RESTChangeHints {
    try checkStreaming("receive events")
    func call<M: Model>(_ type: M.Type) throws -> RESTCall {
      let names = names(of: type)
      let operation = RESTOperation(
        .list, typeName: names.typeName, collectionPath: try handle.router.pathOfCollection(type),
        identifierKey: names.identifierKey)
      var call = try RESTCall(operation, self)
      call.headers.replace(with: ["Accept": "text/event-stream", "Cache-Control": "no-store"])
      return call
    }
    return RESTChangeHints(engine: handle, calls: try types.map { try call($0) })
  }
}

extension RESTEngine {
  /// Reads a stream of events, and the next one after its end, until the task is cancelled.
  fileprivate func follow(_ call: RESTCall, onEvent: @escaping @Sendable () -> Void) async {
    let transfer = EventTransfer(onEvent: onEvent)
    var call = call
    call.transfer = transfer
    var failures = 0
    while !Task.isCancelled {
      var required: Duration?
      do {
        let isStream = try await run(call, reports: false, raw: { $0.isSuccessful ? $0.isEventStream : nil }) { _, _ in
          false
        }
        // Another answer would be the whole list each time.
        if !isStream { return }
      } catch {
        required = (error as? ModelStoreError)?.refusal?.retryAfter
      }
      failures = transfer.hasBegun ? 0 : failures + 1
      let delay = max(delay(failures, after: transfer.retryDelay), required ?? .zero)
      try? await options.retry.sleep(min(delay, .seconds(21_600)))
    }
  }

  /// Returns the time before another connection.
  private func delay(_ failures: Int, after required: Duration?) -> Duration {
    let shortest = min(max(required ?? .seconds(3), .seconds(1)), .seconds(300))
    if failures == 0 { return shortest }
    // Clients that lost their connections together do not return together.
    let limit = min(300_000, 1_000 << min(failures, 9))
    return max(shortest, .milliseconds(Int(Double(limit) * (1 + options.retry.random()) / 2)))
  }
}

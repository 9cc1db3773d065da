public import Foundation
public import RESTStore
import StoreProtocol

/// The events about the records that a query finds, in the format of server-sent events.
///
/// An adapter sends each element when it arrives:
///
/// ```swift
/// if let events = service.events(for: request, user: user) {
///   for await bytes in events { try await connection.write(bytes) }
/// }
/// ```
///
/// The stream ends when its task is cancelled, after an error of the store, and after
/// ``RESTServiceOptions/streamTime``. The limit is needed because the user is authenticated only at its beginning. A
/// client connects again with the identifier of the last event that it got, in the header `Last-Event-ID`.
public struct RESTEventStream: AsyncSequence, Sendable {
  typealias Reader = @Sendable (String?) async throws -> EventBatch

  /// The headers of the response.
  public static let headers: HTTPHeaderList = ["Content-Type": "text/event-stream", "Cache-Control": "no-store"]
  /// The time after which a comment keeps a silent connection open.
  private static let silence = Duration.seconds(15)

  private let slot: StreamSlot
  private let position: String?
  private let read: Reader

  /// - Returns: nil if the service or the user has too many streams.
  init?(_ service: RESTService, _ user: String?, _ position: String?, _ read: @escaping Reader) {
    guard let slot = StreamSlot(service, user) else { return nil }
    (self.slot, self.position, self.read) = (slot, position, read)
  }

  /// Starts the stream at the event that the request names.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(slot: slot, position: position, read: read, end: .now + slot.service.options.streamTime)
  }

  /// An iterator over the events.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    fileprivate let slot: StreamSlot
    fileprivate var position: String?
    fileprivate let read: Reader
    fileprivate let end: ContinuousClock.Instant
    fileprivate var lastText = ContinuousClock.now

    /// Waits for events.
    ///
    /// - Returns: some complete events, or a comment; nil at the end.
    public mutating func next() async -> Data? {
      guard let log = slot.service.log else { return nil }
      while !Task.isCancelled, ContinuousClock.now < end {
        // Read before the log, so that no commit is missed.
        let count = log.commitCount
        guard let batch = try? await read(position) else { return nil }
        let isSilent = ContinuousClock.now - lastText >= RESTEventStream.silence
        position = batch.position
        if !batch.events.isEmpty || isSilent {
          lastText = .now
          return Data(batch.text.utf8)
        }
        if !batch.hasMore { await wait(for: log, after: count) }
      }
      return nil
    }

    /// Waits for a commit of this process, or until it is time to poll those of others.
    private func wait(for log: any ChangeLogging, after count: Int) async {
      let interval = slot.service.options.eventInterval
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await log.waitForCommit(after: count, isolation: nil) }
        group.addTask { try? await Task.sleep(for: interval) }
        await group.next()
        group.cancelAll()
      }
    }
  }
}

/// The permission of a stream among those that a service allows. It ends with the last use of the stream.
private final class StreamSlot: Sendable {
  let service: RESTService
  private let user: String?

  /// - Returns: nil if there is none.
  init?(_ service: RESTService, _ user: String?) {
    guard service.admission.beginStream(user, at: service.now()) else { return nil }
    (self.service, self.user) = (service, user)
  }

  deinit { service.admission.endStream(user) }
}

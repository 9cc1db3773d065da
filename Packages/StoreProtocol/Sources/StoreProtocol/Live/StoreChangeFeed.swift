@_spi(ModelKitInternals) import ModelCore
import Synchronization

/// The change feed of an engine: it delivers the commits of all store instances to their consumers.
///
/// ```swift
/// public final class MyEngine: Sendable {
///   public let changeFeed = StoreChangeFeed()
///   func write(_ record: [UInt8], _ identifier: String) throws {
///     // … write it, then
///     changeFeed.publish(
///       [RecordChange(.created, "Person", identifier, after: record)])
///   }
/// }
/// ```
///
/// An engine reports each commit after it has completed, in the order of the commits; a transaction is one batch. It
/// never waits for a consumer: each has a mailbox, and is resumed once per relevant batch. Without a consumer a report
/// costs the read of one number.
public final class StoreChangeFeed: Sendable {
  private enum Entry: Sendable {
    case changes([RecordChange], position: UInt64)
    case gap
  }

  private struct Queue: Sendable {
    var entries: [Entry] = []
    var position: UInt64 = 0
  }

  private let consumers = Atomic<Int>(0)
  // Locked inside the lock of an engine, and inside the lock of the router. Nothing is locked inside it.
  private let queue = Lock(Queue())
  // Locked while mailboxes are filled, so that each consumer gets batches in the order of the queue.
  private let router = Lock(ChangeRouter())

  private let whenObserved: @Sendable () -> Void

  /// Creates a feed without consumers.
  public init() { whenObserved = {} }

  /// Creates a feed whose engine is notified of each new consumer, such as to start polling for changes.
  @_spi(ModelKitInternals)
  public init(whenObserved: @escaping @Sendable () -> Void) { self.whenObserved = whenObserved }

  // // MARK: Notifying

  /// Whether there is a consumer. The value is current if it is read inside the lock under which records are written.
  public var isObserved: Bool { consumers.load(ordering: .relaxed) > 0 }

  /// Returns whether there is a consumer of the changes of a type.
  @_spi(ModelKitInternals)
  public func isObserved(_ typeName: String) -> Bool { isObserved && router.withLock { $0.isObserved(typeName) } }

  /// Reports a committed batch or transaction.
  ///
  /// Don't call it with a lock held; see ``append(_:)``.
  public func publish(_ changes: [RecordChange]) {
    guard isObserved else { return }
    append(changes)
    deliver()
  }

  /// Queues a committed batch without notifying consumers. Engines call it with their lock held, so that the batches
  /// are in the order of the commits. They call ``deliver()`` when the lock is released.
  ///
  /// - Complexity: O(1).
  public func append(_ changes: [RecordChange]) {
    guard isObserved, !changes.isEmpty else { return }
    queue.withLock { queue in
      queue.position += 1
      queue.entries.append(.changes(changes, position: queue.position))
    }
  }

  /// Queues the replacement of all records, as by a restored backup. Live results are listed again.
  public func appendReplacement() {
    guard isObserved else { return }
    queue.withLock { queue in
      queue.position += 1
      queue.entries.append(.gap)
    }
  }

  /// Delivers the queued batches. Don't call it with a lock held.
  public func deliver() {
    guard isObserved else { return }
    let woken = router.withLock { router -> [CheckedContinuation<Void, Never>] in
      let entries = queue.withLock { queue in
        let entries = queue.entries
        if !entries.isEmpty { queue.entries = [] }
        return entries
      }
      var woken: [CheckedContinuation<Void, Never>] = []
      for entry in entries {
        switch entry {
        case .changes(let changes, let position):
          var delivery = ChangeRouter.Delivery()
          router.route(changes, position, &delivery)
          woken += router.hand(delivery)
        case .gap:
          for mailbox in router.mailboxes { woken += mailbox.putGap() }
        }
      }
      return woken
    }
    for continuation in woken { continuation.resume() }
  }

  /// Ends the feed, as when a store is closed: consumers receive the waiting batches, and then end.
  public func finish() {
    deliver()
    let woken = router.withLock { router in router.mailboxes.flatMap { $0.end() } }
    for continuation in woken { continuation.resume() }
  }

  /// The number of the last queued batch. An engine that reads records for a live result returns it, read inside its
  /// lock: the records contain all batches up to that one.
  public var position: UInt64 { queue.withLock { $0.position } }

  // MARK: Listening

  func subscribe(_ mailbox: FeedMailbox, _ interests: [FeedInterest]) -> FeedSubscription {
    // First, so that writes from here on are reported. Those that previous consumers left are older.
    queue.withLock { queue in
      if consumers.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue == 0 { queue.entries = [] }
    }
    let id = router.withLock { $0.add(mailbox, interests) }
    whenObserved()
    return FeedSubscription(feed: self, mailbox: mailbox, id: id)
  }

  func remove(_ id: Int) {
    guard let mailbox = router.withLock({ $0.remove(id) }) else { return }
    consumers.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    for continuation in mailbox.end() { continuation.resume() }
  }

  func setLoading(_ id: Int, _ type: String, _ isLoading: Bool) {
    router.withLock { $0.setLoading(id, type, isLoading) }
  }

  func changeMembers(_ id: Int, _ type: String, adding: [String], removing: [String]) {
    if adding.isEmpty, removing.isEmpty { return }
    router.withLock { $0.changeMembers(id, type, adding: adding, removing: removing) }
  }
}

extension StoreChangeFeed {
  /// The number of consumers, for tests.
  var consumerCount: Int { consumers.load(ordering: .relaxed) }

  /// The number of batches delivered to mailboxes so far, for tests.
  var deliveryCount: Int { router.withLock { $0.deliveries } }
}

/// The subscription of a consumer. It ends with its deallocation.
final class FeedSubscription: Sendable {
  let feed: StoreChangeFeed
  let mailbox: FeedMailbox
  let id: Int

  init(feed: StoreChangeFeed, mailbox: FeedMailbox, id: Int) {
    self.feed = feed
    self.mailbox = mailbox
    self.id = id
  }

  deinit { feed.remove(id) }

  /// Ends the subscription.
  func end() { feed.remove(id) }
}

@_spi(ModelKitInternals) import ModelCore
import Synchronization

/// The reports of an engine's writes, and their consumers: one for all store instances of the engine.
///
/// ```swift
/// public final class MyEngine: Sendable {
///   public let changeFeed = StoreChangeFeed()
///   func write(_ record: [UInt8], _ identifier: String) throws {
///     // … write it, then
///     changeFeed.publish([RecordChange(.created, "Person", identifier, after: record)])
///   }
/// }
/// ```
///
/// An engine reports a write once it is done, a batch or a transaction at once, and in the order of its commits. It waits
/// for no consumer: each has a mailbox, and is woken once per relevant batch. Without a consumer a report costs the read
/// of one number.
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

  /// Creates a feed whose engine is notified of each new consumer: one that has to look for changes does so from then on.
  @_spi(ModelKitInternals)
  public init(whenObserved: @escaping @Sendable () -> Void) { self.whenObserved = whenObserved }

  // MARK: Telling

  /// Whether there is a consumer. Read inside the lock under which records are written, the answer is up to date.
  public var isObserved: Bool { consumers.load(ordering: .relaxed) > 0 }

  /// Reports a written batch, or a transaction as a whole.
  ///
  /// Not to be called with a lock held; see ``append(_:)``.
  public func publish(_ changes: [RecordChange]) {
    guard isObserved else { return }
    append(changes)
    deliver()
  }

  /// Captures a written batch without notifying consumers yet: for engines that do so with their lock held, for then
  /// batches come in the order of their commits. Once the lock is released they call ``deliver()``.
  ///
  /// - Complexity: O(1).
  public func append(_ changes: [RecordChange]) {
    guard isObserved, !changes.isEmpty else { return }
    queue.withLock { queue in
      queue.position += 1
      queue.entries.append(.changes(changes, position: queue.position))
    }
  }

  /// Captures that everything stored may have changed, as after the restoration of a backup. Live results are listed
  /// again.
  public func appendReplacement() {
    guard isObserved else { return }
    queue.withLock { queue in
      queue.position += 1
      queue.entries.append(.gap)
    }
  }

  /// Delivers the captured batches. Not to be called with a lock held.
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

  /// The number of the last captured batch. An engine that reads records for a live result returns it, read inside its lock:
  /// the records include everything up to that batch.
  public var position: UInt64 { queue.withLock { $0.position } }

  // MARK: Listening

  func subscribe(_ mailbox: FeedMailbox, _ interests: [FeedInterest]) -> FeedSubscription {
    // First, so that writes from here on are reported.
    consumers.wrappingAdd(1, ordering: .sequentiallyConsistent)
    let id = router.withLock { $0.add(mailbox, interests) }
    whenObserved()
    return FeedSubscription(feed: self, mailbox: mailbox, id: id)
  }

  func remove(_ id: Int) {
    guard let mailbox = router.withLock({ $0.remove(id) }) else { return }
    consumers.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    if !isObserved { queue.withLock { $0.entries = [] } }
    for continuation in mailbox.end() { continuation.resume() }
  }

  func setLoading(_ id: Int, _ type: String, _ isLoading: Bool) {
    router.withLock { $0.setLoading(id, type, isLoading) }
  }

  func changeMembers(_ id: Int, _ type: String, adding: [String], removing: [String]) {
    if adding.isEmpty, removing.isEmpty { return }
    router.withLock { $0.changeMembers(id, type, adding: adding, removing: removing) }
  }

  /// How many listen, for tests.
  @_spi(ModelKitInternals)
  public var consumerCount: Int { consumers.load(ordering: .relaxed) }

  /// How many batches were put into mailboxes since the feed exists, for tests.
  @_spi(ModelKitInternals)
  public var deliveryCount: Int { router.withLock { $0.deliveries } }
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

  /// Gives the place up.
  func end() { feed.remove(id) }
}

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The feeds of the groups of a store.
final class FileChangeFeeds: Sendable {
  private let feeds = Lock<[ExactText: StoreChangeFeed]>([:])

  /// Returns the feed of a group, created when it is first needed.
  func feed(of engine: FileEngine) -> StoreChangeFeed {
    feeds.withLock { feeds in
      if let feed = feeds[ExactText(engine.group)] { return feed }
      // Weakly: the engine retains the feeds.
      let feed =
        engine.isReadOnly
        ? StoreChangeFeed(whenObserved: { [weak service = engine.service, group = engine.group] in
          service?.beginFollowing(group)
        })
        : StoreChangeFeed()
      feeds[ExactText(engine.group)] = feed
      return feed
    }
  }

  private func observedFeed(_ group: String) -> StoreChangeFeed? {
    feeds.withLock { $0[ExactText(group)] }.flatMap { $0.isObserved ? $0 : nil }
  }

  /// Returns whether the feed of a group is observed.
  func isObserved(_ group: String) -> Bool { observedFeed(group) != nil }

  /// Reports the writes of another process; nil if everything may have changed, as by a repair.
  func reportFollowed(_ group: String, _ batches: [[Change]]?) {
    guard let feed = observedFeed(group) else { return }
    guard let batches else {
      feed.appendReplacement()
      return feed.deliver()
    }
    for batch in batches { feed.append(batch.map(Self.recordChange)) }
    feed.deliver()
  }

  /// Reports a written batch. Called on the writing thread, in the order of the commits.
  func report(_ group: String, _ changes: [Change]) {
    observedFeed(group)?.publish(changes.map(Self.recordChange))
  }

  private static func recordChange(_ change: Change) -> RecordChange {
    // Observers handle a record that was unreadable when it was followed.
    let after = change.value.isEmpty ? nil : Array(change.value)
    return switch change.operation {
    case .create: RecordChange(.created, change.type, change.identifier, after: after)
    case .update: RecordChange(.updated, change.type, change.identifier, before: change.previousValue, after: after)
    case .delete: RecordChange(.deleted, change.type, change.identifier, before: change.previousValue)
    }
  }

  /// Ends the feeds of a closed store.
  func finish() {
    for feed in feeds.withLock({ Array($0.values) }) { feed.finish() }
  }
}

@_spi(ModelKitInternals) public import StoreProtocol

extension FileModelStore: LiveModelStore {
  /// Where writes of all fronts are told, in the order of their commits, once they are as durable as the store promises.
  ///
  /// A store that was opened for reading only tells of what another process writes, while it is observed.
  public var changeFeed: StoreChangeFeed { handle.feeds.feed(of: handle.engine) }

  /// Records are given.
  public var canReadRecords: Bool { true }

  /// Goes through what is stored of a type.
  ///
  /// In a store that was opened for reading only all of it is in memory before `body` is called: the process that writes may
  /// compact the store meanwhile, and then everything has to be read again.
  public func readRecords(
    of typeName: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64? {
    guard handle.options.mode == .readOnly else {
      do {
        try await readParts(of: typeName, body)
      } catch let error as RecordsWereReplaced {
        throw ModelStoreError(
          .conflict, "The store was repaired while all \(typeName) were being read. Read them again.", cause: error)
      }
      return nil
    }
    var parts: [[StoredRecord]]?
    while parts == nil {
      var read: [[StoredRecord]] = []
      do {
        try await readParts(of: typeName) { read.append($0) }
        parts = read
      } catch is RecordsWereReplaced {
        continue
      }
    }
    for part in parts ?? [] { try await body(part) }
    return nil
  }

  private func readParts(of typeName: String, _ body: ([StoredRecord]) async throws -> Void) async throws {
    if StoreFormat.isReservedType(typeName) { throw ModelStoreError(FileEngineError.reservedType(typeName)) }
    var cursor: CreationCursor? = .start
    while let position = cursor {
      let chunk = try await translating { try await handle.engine.readChunk(typeName, after: position) }
      try skipDamage(in: chunk, of: typeName)
      let records = chunk.rows.map { StoredRecord($0.identifier, Array(chunk.value($0)), order: $0.ordinal) }
      try await body(records)
      cursor = chunk.next
    }
  }

  /// A record as it is stored.
  public func readRecord(of typeName: String, identifier: String) async throws -> StoredRecord? {
    guard let order = try await translating({ try await handle.engine.ordinal(typeName, identifier) }),
      let stored = try await translating({ try await handle.engine.read(typeName, identifier) })
    else { return nil }
    return StoredRecord(identifier, stored.value, order: order)
  }
}

/// The feeds of the groups of a store.
final class FileChangeFeeds: Sendable {
  private let feeds = Lock<[ExactText: StoreChangeFeed]>([:])

  /// The feed of a group, made if nobody asked for it before.
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

  /// Whether the feed of a group is observed.
  func isObserved(_ group: String) -> Bool { observedFeed(group) != nil }

  /// Tells of what another process has written; nil if everything may be something else.
  func reportFollowed(_ group: String, _ batches: [[Change]]?) {
    guard let feed = observedFeed(group) else { return }
    guard let batches else {
      feed.appendReplacement()
      return feed.deliver()
    }
    for batch in batches { feed.append(batch.map(Self.told)) }
    feed.deliver()
  }

  /// Tells of a batch that was written. Called on the writing thread, in the order of the commits.
  func report(_ group: String, _ changes: [Change]) {
    observedFeed(group)?.publish(changes.map(Self.told))
  }

  private static func told(_ change: Change) -> RecordChange {
    // What was not readable when it was followed is left to observers.
    let after = change.value.isEmpty ? nil : Array(change.value)
    return switch change.operation {
    case .create: RecordChange(.created, change.type, change.identifier, after: after)
    case .update: RecordChange(.updated, change.type, change.identifier, before: change.previousValue, after: after)
    case .delete: RecordChange(.deleted, change.type, change.identifier, before: change.previousValue)
    }
  }

  /// Says that the store is closed.
  func finish() {
    for feed in feeds.withLock({ Array($0.values) }) { feed.finish() }
  }
}

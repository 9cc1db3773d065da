@_spi(ModelKitInternals) public import StoreProtocol

extension FileModelStore: LiveModelStore {
  /// Where writes of all fronts are told, in the order of their commits, once they are as durable as the store promises.
  public var changeFeed: StoreChangeFeed { handle.feeds.feed(of: handle.engine.group) }

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
    var cursor: CreationCursor? = .start
    while let position = cursor {
      let chunk = try await translating { try await handle.engine.readChunk(typeName, after: position) }
      try chunk.refuseDamage(of: typeName)
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
  func feed(of group: String) -> StoreChangeFeed {
    feeds.withLock { feeds in
      if let feed = feeds[ExactText(group)] { return feed }
      let feed = StoreChangeFeed()
      feeds[ExactText(group)] = feed
      return feed
    }
  }

  /// Tells of a batch that was written. Called on the writing thread, in the order of the commits.
  func report(_ group: String, _ changes: [Change]) {
    guard let feed = feeds.withLock({ $0[ExactText(group)] }), feed.isObserved else { return }
    feed.publish(
      changes.map { change in
        switch change.operation {
        case .create: RecordChange(.created, change.type, change.identifier, after: Array(change.value))
        case .update:
          RecordChange(
            .updated, change.type, change.identifier, before: change.previousValue, after: Array(change.value))
        case .delete: RecordChange(.deleted, change.type, change.identifier, before: change.previousValue)
        }
      })
  }

  /// Says that the store is closed.
  func finish() {
    for feed in feeds.withLock({ Array($0.values) }) { feed.finish() }
  }
}

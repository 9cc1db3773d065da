@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// An engine over a local one that commits each local change atomically with its outbox entry.
///
/// The entries are records of the local engine. A store over this engine works without a network and loses no change in
/// a crash.
///
/// ```swift
/// final class OfflineStore:
///   RecordStore<SyncEngine<FileStoreHandle>>, TransactionalModelStore {}
/// let store = OfflineStore(SyncEngine(FileModelStore(directory: folder).handle))
/// try await store.save(book)
/// print(try await store.handle.outbox().entries.count)  // 1
/// ```
public final class SyncEngine<Local: RecordEngine>: RecordEngine {
  /// The engine that keeps the records and the outbox.
  public let local: Local
  /// The choices of the synchronisation.
  public let options: SyncOptions
  /// The events that a background synchronisation waits for.
  let signals = AwaitedState(SyncSignals())
  /// The times of the next attempts at what failed.
  let retryTimes = Lock(RetryTimes())
  /// Whether an exchange with the server is in progress. There is one at a time.
  let isExchanging = AwaitedState(false)
  /// The store instances whose live models get the identifiers that the server assigns.
  let replacementListeners = ReplacementListeners()
  /// The names of the records that the server had and that were deleted here, by this process. Its undo may create them
  /// again.
  private let deletedRecords = Lock<Set<String>>([])
  private var environment: SyncEnvironment { options.environment }

  /// Creates an engine over a local one. There must be only one for each local engine: store instances share it.
  ///
  /// - Parameters:
  ///   - local: the engine that keeps the records and the outbox.
  ///   - options: the options of the synchronisation.
  public init(_ local: Local, options: SyncOptions = SyncOptions()) {
    self.local = local
    self.options = options
  }

  /// Commits a batch atomically, with an outbox entry for each record that it changes.
  ///
  /// - Throws: `ModelStoreError` with the code `full` if that would exceed ``SyncOptions/outboxLimit``, or what the
  ///   local engine throws.
  /// - Complexity: as the local commit, with two records for each record of the batch.
  public func commit(_ batch: RecordBatch) async throws { _ = try await commitCompleting(batch) }

  /// Commits a batch as ``commit(_:)`` does, and returns the records that the local engine completed.
  ///
  /// - Returns: the operations whose records have other values than were written.
  /// - Throws: `ModelStoreError` as ``commit(_:)`` does.
  public func commitCompleting(_ batch: RecordBatch) async throws -> [RecordOperation] {
    let isGroup = batch.operations.count > 1 && !batch.areIndependent
    let group = isGroup ? environment.makeIdentifier() : nil
    // The record may be pushed, or changed by another store instance, after its entry was read.
    return try await retryingMismatches(of: OutboxEntry.recordType) {
      var (operations, entries): ([RecordOperation], [RecordOperation]) = ([], [])
      for operation in batch.operations {
        let noted = try await note(try await mapped(operation), group)
        operations.append(noted.operation)
        entries += noted.entries
      }
      try await checkLimit(adding: entries)
      let completed: [RecordOperation]
      do {
        completed = try await local.commitCompleting(batch.with(operations, adding: entries))
      } catch let mismatch as RecordMismatch where mismatch.reason == .isMissing {
        // The server's identifier may have arrived after the operation was mapped.
        guard try await replacement(of: mismatch.identifier, mismatch.type) != nil else { throw mismatch }
        throw RecordMismatch(.wasChanged, mismatch.type, mismatch.identifier)
      }
      for task in signals.change({ $0.commits += 1 }) { task.resume() }
      return completed.filter { !BookkeepingType.contains($0.type) }
    }
  }

  private func checkLimit(adding entries: [RecordOperation]) async throws {
    guard let limit = options.outboxLimit else { return }
    let changed = entries.filter { $0.type == OutboxEntry.recordType }
    let added = changed.count { $0.operation == .create } - changed.count { $0.operation == .delete }
    if added <= 0 { return }
    let count = try await local.current().count(OutboxEntry.recordType)
    if count + added <= limit { return }
    throw ModelStoreError(
      .full,
      """
      Nothing was written: \(count) records have changes that are not on the server, and the outbox is limited to \(limit). \
      Synchronise first, or raise SyncOptions.outboxLimit.
      """)
  }

  /// Returns an operation that expects the record as it was read, and those on its entry; none if a clean record stays
  /// equal. A damaged entry is kept as a discarded value.
  private func note(
    _ operation: RecordOperation, _ group: String?
  ) async throws -> (operation: RecordOperation, entries: [RecordOperation]) {
    let (type, identifier) = (operation.type, operation.identifier)
    let name = OutboxEntry.recordIdentifier(type, identifier)
    let stored = try await storedEntry(type, identifier)
    let kept = stored?.damage.map { [$0] } ?? []
    var operation = operation
    var entry: OutboxEntry
    if let stored {
      // If the base is lost, every difference from the server's record is a conflict, and shown as one.
      let known =
        stored.entry
        ?? OutboxEntry(
          type, identifier, base: options.isTemporary(type, identifier) ? nil : [:], since: environment.date)
      guard let changed = known.changed(by: operation.operation, in: group) else {
        if known.wasDeleted { noteDeletion(type, identifier) }
        return (operation, [.delete(OutboxEntry.recordType, name, ifRevision: stored.revision)] + kept)
      }
      entry = changed
    } else {
      let base = try await base(of: &operation)
      if operation.operation == .update, let base, let record = (try? JSONValue(json: operation.value))?.objectValue,
        RecordMerge.areEqual(base, record)
      {
        return (operation, [])
      }
      entry = OutboxEntry(type, identifier, base: base, since: environment.date)
      if let group { entry.groups = [group] }
      entry.wasDeleted = operation.operation == .create && deletedRecords.withLock { $0.contains(name) }
    }
    if operation.operation == .delete, entry.base != nil || entry.wasDeleted { noteDeletion(type, identifier) }
    let bytes = try entry.bytes()
    let change: RecordOperation =
      if let stored {
        .update(OutboxEntry.recordType, name, bytes, ifRevision: stored.revision)
      } else {
        .create(OutboxEntry.recordType, name, bytes)
      }
    return (operation, [change] + kept)
  }

  /// An entry as the local engine has it.
  private struct StoredEntry {
    /// Nil if it is damaged.
    var entry: OutboxEntry?
    /// Nil if the local engine can't read it.
    var revision: UInt64?
    /// The operation that keeps a damaged entry as a discarded value.
    var damage: RecordOperation?
  }

  /// Reads the entry of a record; nil if it has none.
  private func storedEntry(_ type: String, _ identifier: String) async throws -> StoredEntry? {
    let name = OutboxEntry.recordIdentifier(type, identifier)
    var (stored, text): (StoredEntry, String)
    do {
      guard let found = try await local.read(OutboxEntry.recordType, name) else { return nil }
      stored = StoredEntry(entry: OutboxEntry(bytes: found.bytes), revision: found.revision)
      if stored.entry != nil { return stored }
      text = String(decoding: found.bytes, as: UTF8.self)
    } catch let error as ModelStoreError where error.code == .corrupt {
      stored = StoredEntry()
      text = try await local.unreadableRecord(OutboxEntry.recordType, name, error).description
    }
    let damaged = RecordMerge.Discarded(key: DiscardedValue.outboxEntryKey, value: .string(text))
    stored.damage = try DiscardedValue(damaged, of: type, identifier, environment).creation()
    return stored
  }

  /// Returns the operations that restore a deleted record whose entry is damaged, and keep that entry as a discarded
  /// value. There are none for a record that exists: a person can save it again.
  func restoration(_ type: String, _ identifier: String, _ bytes: [UInt8]) async throws -> [RecordOperation] {
    guard try await local.read(type, identifier) == nil, let stored = try await storedEntry(type, identifier),
      let damage = stored.damage
    else { return [] }
    let name = OutboxEntry.recordIdentifier(type, identifier)
    return [
      .create(type, identifier, bytes), .delete(OutboxEntry.recordType, name, ifRevision: stored.revision), damage,
    ]
  }

  /// Records that this process deleted a record that the server has, or had.
  private func noteDeletion(_ type: String, _ identifier: String) {
    deletedRecords.withLock { _ = $0.insert(OutboxEntry.recordIdentifier(type, identifier)) }
  }

  /// Removes what this process knows about earlier records.
  func forgetOutcomes() {
    deletedRecords.withLock { $0 = [] }
    retryTimes.withLock { $0 = RetryTimes() }
  }

  /// Returns the clean record before an operation, which then expects the record to be that one; nil if there is none.
  private func base(of operation: inout RecordOperation) async throws -> AttributeDictionary? {
    if operation.operation == .create { return nil }
    if operation.expectedRevision != nil, let bytes = operation.previousValue {
      return (try? JSONValue(json: bytes))?.objectValue ?? [:]
    }
    let stored: StoredRecord?
    do {
      stored = try await local.read(operation.type, operation.identifier)
    } catch let error as ModelStoreError where error.code == .corrupt {
      // It can be removed nevertheless: of its base only the existence is known.
      return [:]
    }
    guard let stored else { return [:] }
    if let expected = operation.expectedRevision, expected != stored.revision {
      throw RecordMismatch(.wasChanged, operation.type, operation.identifier)
    }
    operation.expectedRevision = stored.revision
    return (try? JSONValue(json: stored.bytes))?.objectValue ?? [:]
  }

  /// Returns an operation on the record that has the server's identifier, if that replaced the temporary one.
  ///
  /// - Throws: `RecordMismatch` if the operation is based on another state of the record.
  private func mapped(_ operation: RecordOperation) async throws -> RecordOperation {
    guard operation.operation != .create,
      let current = try await replacement(of: operation.identifier, operation.type),
      try await local.read(operation.type, operation.identifier) == nil
    else { return operation }
    // The record has the server's values since. Revisions of two records can be equal.
    if let previous = operation.previousValue, try await local.read(operation.type, current)?.bytes != Array(previous) {
      throw RecordMismatch(.wasChanged, operation.type, operation.identifier)
    }
    var operation = operation
    operation.identifier = current
    return operation
  }

  /// Returns the identifier that the server assigned to a record with a temporary one; nil if there is none.
  ///
  /// - Complexity: that of a read of the local engine for a temporary identifier, O(1) for others.
  public func replacement(of identifier: String, _ type: String) async throws -> String? {
    options.isTemporary(type, identifier) ? try await assignedIdentifier(of: identifier, type) : nil
  }

  /// Returns the identifier that the server assigned instead of another one; nil if there is none. Another record may
  /// have the other one again, unless it is temporary.
  func assignedIdentifier(of identifier: String, _ type: String) async throws -> String? {
    let name = IdentifierMapping.recordIdentifier(type, identifier)
    return try await local.read(IdentifierMapping.recordType, name).flatMap {
      IdentifierMapping.identifier(in: $0.bytes)
    }
  }

  /// Returns all entries in the order in which their records became dirty, and the identifiers of entries that are
  /// damaged.
  ///
  /// - Complexity: O(*n*) in the number of dirty records.
  public func outbox() async throws -> (entries: [OutboxEntry], damaged: [String]) {
    let snapshot = try await local.snapshot(pinned: true)
    var (entries, damaged, next): ([OutboxEntry], [String], UInt64?) = ([], [], 0)
    while let order = next {
      let part = try await snapshot.records(OutboxEntry.recordType, after: order, atMost: 1_000)
      for (record, entry) in zip(part.records, OutboxEntry.read(part.records)) {
        if let entry { entries.append(entry) } else { damaged.append(record.identifier) }
      }
      damaged += part.unreadable.map(\.identifier)
      next = part.next
    }
    return (entries, damaged)
  }

  // MARK: As the local engine

  /// The feed of the commits of the local engine.
  public var changeFeed: StoreChangeFeed { local.changeFeed }

  /// The open transactions in the local engine.
  public var conflictTrackers: ConflictTrackers { get async throws { try await local.conflictTrackers } }

  /// Returns a snapshot of the local engine.
  public func snapshot(pinned: Bool) async throws -> Local.Snapshot { try await local.snapshot(pinned: pinned) }

  /// Records the commits of other processes to the local store.
  public func followCommits() async throws { try await local.followCommits() }

  /// Returns the current records of the local engine, without isolation from later commits.
  public func current() async throws -> Local.Snapshot { try await local.current() }

  /// Returns a temporary integer. The server assigns the identifier that stays.
  public func nextInteger(for type: String) async throws -> Int? { environment.makeTemporaryInteger() }

  /// Returns a record of the local engine. One that was created with a temporary identifier is found under both.
  public func read(_ type: String, _ identifier: String) async throws -> StoredRecord? {
    if let record = try await local.read(type, identifier) { return record }
    guard let current = try await replacement(of: identifier, type) else { return nil }
    return try await local.read(type, current)
  }

  /// Returns a record of the local engine if that answers at once.
  public func readImmediately(_ type: String, _ identifier: String) throws -> ImmediateResult<StoredRecord?> {
    options.isTemporary(type, identifier) ? .needsWaiting : try local.readImmediately(type, identifier)
  }

  /// Returns a record of the local engine, even if that blocks for a disk.
  public func readBlocking(_ type: String, _ identifier: String) throws -> StoredRecord? {
    try local.readBlocking(type, identifier)
  }

  /// Iterates over the records of a type in the local engine.
  public func readRecords(
    of type: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64? {
    try await local.readRecords(of: type, body)
  }

  /// Returns the names of the types of models in the local engine; nil if it can't list them.
  public func typeNames() async throws -> [String]? {
    try await local.typeNames()?.filter { !BookkeepingType.contains($0) }
  }

  /// Returns when records of a type were last written.
  public func writeState(of type: String) async throws -> WriteState? { try await local.writeState(of: type) }

  /// The treatment of unreadable records by the local engine.
  public var unreadable: UnreadableRecords { local.unreadable }

  /// Returns the report of the local engine about a record that can't be read.
  public func unreadableRecord(
    _ type: String, _ identifier: String, _ error: ModelStoreError
  ) async throws -> UnreadableRecord {
    try await local.unreadableRecord(type, identifier, error)
  }

  /// Keeps an index of a field in the local engine.
  public func ensureIndex(_ type: String, _ field: StoredKeyPath) async throws {
    try await local.ensureIndex(type, field)
  }
}

extension OutboxEntry {
  /// Reads the entries of some records; nil where the bytes are not those of one.
  ///
  /// - Complexity: O(*n*) in the number of bytes. Short ones are read as one document, which takes longer to prepare than
  ///   to read.
  static func read(_ records: [StoredRecord]) -> [OutboxEntry?] {
    let length = records.reduce(2) { $0 + $1.bytes.count + 1 }
    if length > 4 << 20 { return records.map { OutboxEntry(bytes: $0.bytes) } }
    var document = [UInt8(ascii: "[")]
    document.reserveCapacity(length)
    for record in records {
      if document.count > 1 { document.append(UInt8(ascii: ",")) }
      document += record.bytes
    }
    document.append(UInt8(ascii: "]"))
    guard let values = (try? JSONValue(json: document))?.arrayValue, values.count == records.count else {
      return records.map { OutboxEntry(bytes: $0.bytes) }
    }
    return values.map { value in value.objectValue.flatMap { OutboxEntry(members: $0) } }
  }

  /// Reads an entry; nil if the bytes are not those of one.
  init?(bytes: [UInt8]) {
    guard let members = (try? JSONValue(json: bytes))?.objectValue else { return nil }
    self.init(members: members)
  }

  /// Returns the bytes of the record that holds the entry.
  func bytes() throws -> [UInt8] {
    Array(try JSONValue.object(members).jsonData(JSONWritingOptions(sortedKeys: true)))
  }
}

@_spi(ModelKitInternals) import FieldKit
public import Foundation
@_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// An engine over another one, the *inner engine*, that keeps a durable change log.
///
/// The log has the records that each commit wrote, in the order of the commits.
///
/// A ``RESTService`` over it answers requests with `updated_since`, and sends events. The log is in records of the
/// inner engine, which are written in the commit that they describe. All writers have to use this engine:
///
/// ```swift
/// final class BookStore:
///   RecordStore<ChangeLogEngine<FileStoreHandle>>, TransactionalModelStore {}
/// let engine = ChangeLogEngine(FileModelStore(directory: folder).handle)
/// let service = RESTService(engine, serving: [Book.self])
/// let store = BookStore(engine)
/// ```
///
/// Each change has one record in the log, with the values from before the change, until ``retention`` ends.
public final class ChangeLogEngine<Local: RecordEngine>: RecordEngine {
  /// The engine that keeps the records and the log.
  public let local: Local
  /// The time for which changes are kept. A client that was away for longer reads everything again.
  public let retention: Duration
  private let now: @Sendable () -> Date
  /// The number of commits, which readers of the log wait for.
  private let commits = AwaitedState(0)
  /// The commits, one after the other, for an engine whose positions are not those of the commits.
  private let turns = Turns<String>()
  /// The longest time before a commit is repeated after those of other processes.
  private static var maximumDelay: Duration { .milliseconds(250) }

  /// Creates an engine over another one.
  ///
  /// - Parameters:
  ///   - local: the engine that keeps the records and the log.
  ///   - retention: the time for which changes are kept.
  ///   - now: the clock, from which only the age of changes is measured.
  public init(
    _ local: Local, retention: Duration = .seconds(30 * 86_400), now: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.local, self.retention, self.now) = (local, retention, now)
  }

  /// Returns the names of the types of models in the inner engine; nil if it can't list them.
  public func typeNames() async throws -> [String]? {
    try await local.typeNames()?.filter { !BookkeepingType.contains($0) }
  }

  // MARK: Commits

  /// Commits a batch atomically, with a record in the log for each of its changes.
  ///
  /// - Throws: `ModelStoreError` as the inner engine does.
  /// - Complexity: that of a commit of twice as many records.
  public func commit(_ batch: RecordBatch) async throws { _ = try await commitCompleting(batch) }

  /// Commits a batch as ``commit(_:)`` does, and returns the records that the inner engine completed.
  ///
  /// - Returns: the operations whose records have other values than were written.
  /// - Throws: `ModelStoreError` as ``commit(_:)`` does.
  public func commitCompleting(_ batch: RecordBatch) async throws -> [RecordOperation] {
    let isOrdered = local is any CommitOrderedEngine
    if !isOrdered { try await turns.begin(LoggedChange.headType) }
    defer { if !isOrdered { turns.end(LoggedChange.headType) } }
    var delay = Duration.milliseconds(1)
    while true {
      var head: Head?
      if !isOrdered { head = Head(record: try await local.read(LoggedChange.headType, LoggedChange.headType)) }
      do {
        return try await commit(batch, after: head)
      } catch let mismatch as RecordMismatch {
        // Another writer committed since the head, or the record that the log describes, was read.
        if mismatch.type != LoggedChange.headType {
          let identifier = ExactText(mismatch.identifier)
          let operation = batch.operations.first { $0.type == mismatch.type && ExactText($0.identifier) == identifier }
          guard mismatch.reason == .wasChanged, let operation, operation.expectedRevision == nil else { throw mismatch }
        }
        // A random time: the process that is slower would lose against the others each time.
        try? await Task.sleep(for: delay * Double.random(in: 0.5...1))
        if Task.isCancelled { throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written.") }
        delay = min(delay * 2, Self.maximumDelay)
      }
    }
  }

  /// The record that each commit writes if positions in the engine are not those of the commits. So no two commits
  /// overlap, and their positions have their order.
  private struct Head {
    /// The record before the commit; nil if there is none.
    let record: StoredRecord?

    /// The last change in the log; nil if it is unknown.
    var position: String? { record.flatMap { (try? JSONValue(json: $0.bytes))?["position"]?.stringValue } }

    /// Returns the operation of a commit that ends the log with a change.
    func operation(position: String) throws -> RecordOperation {
      let (name, json) = (LoggedChange.headType, JSONValue.object(["position": .string(position)]))
      let bytes = Array(try json.jsonData())
      return record.map { .update(name, name, bytes, ifRevision: $0.revision) } ?? .create(name, name, bytes)
    }
  }

  private func commit(_ batch: RecordBatch, after head: Head?) async throws -> [RecordOperation] {
    var (operations, additions): ([RecordOperation], [RecordOperation]) = ([], [])
    for operation in batch.operations {
      guard !LoggedChange.isInternal(operation.type) else {
        operations.append(operation)
        continue
      }
      var operation = operation
      let before = try await previousValue(of: &operation)
      operations.append(operation)
      additions.append(try LoggedChange(operation, before: before, at: now()).creation())
    }
    guard let last = additions.last else { return try await local.commitCompleting(batch) }
    if let head { additions.append(try head.operation(position: last.identifier)) }
    let completed = try await local.commitCompleting(batch.with(operations, adding: additions))
    for task in commits.change({ $0 += 1 }) { task.resume() }
    // A failure is no reason to fail the commit: the next trim removes the rest.
    if commitCount.isMultiple(of: LoggedChange.commitsPerTrim) { try? await trim() }
    return completed.filter { !LoggedChange.isInternal($0.type) }
  }

  /// Returns the record before an operation, which then expects the record to be that one.
  private func previousValue(of operation: inout RecordOperation) async throws -> LoggedChange.Before {
    func values(_ bytes: [UInt8]) -> LoggedChange.Before {
      (try? JSONValue(json: bytes))?.objectValue.map { .values($0) } ?? .unknown
    }
    if operation.operation == .create { return .nothing }
    if operation.expectedRevision != nil, let bytes = operation.previousValue { return values(bytes) }
    let stored: StoredRecord?
    do {
      stored = try await local.read(operation.type, operation.identifier)
    } catch let error as ModelStoreError where error.code == .corrupt {
      // An unreadable record can be removed nevertheless.
      return .unknown
    }
    guard let stored else { return .nothing }
    if let expected = operation.expectedRevision, expected != stored.revision {
      throw RecordMismatch(.wasChanged, operation.type, operation.identifier)
    }
    operation.expectedRevision = stored.revision
    return values(stored.bytes)
  }

  /// Removes the changes whose retention ended. The last one stays: it is the current position.
  ///
  /// - Throws: `ModelStoreError` as the inner engine does. Nothing is removed then.
  /// - Complexity: O(*n*) in the number of removed changes.
  public func trim() async throws {
    let expiry = now().addingTimeInterval(-(retention / .seconds(1)))
    while true {
      let part = try await local.current().records(LoggedChange.recordType, after: 0, atMost: 500)
      var expired = part.records.prefix { LoggedChange(bytes: $0.bytes).map { $0.date < expiry } ?? true }
      if part.next == nil, expired.count == part.records.count { expired = expired.dropLast() }
      if expired.isEmpty { return }
      let removals = expired.map {
        RecordOperation.delete(LoggedChange.recordType, $0.identifier, ifRevision: $0.revision)
      }
      do {
        try await local.commit(RecordBatch(removals))
      } catch is RecordMismatch {
        // Another process trims the log.
        return
      }
    }
  }

  /// Discards all changes after writes that the log does not have: every position is unknown then.
  ///
  /// - Throws: `ModelStoreError` as the inner engine does.
  @_spi(ModelKitInternals)
  public func discardChanges() async throws {
    while true {
      let part = try await local.current().records(LoggedChange.recordType, after: 0, atMost: 500)
      if part.records.isEmpty { return }
      try await local.commit(
        RecordBatch(part.records.map { .delete(LoggedChange.recordType, $0.identifier, ifRevision: $0.revision) }))
    }
  }

  // MARK: As the inner engine

  /// The feed of the commits of the inner engine.
  public var changeFeed: StoreChangeFeed { local.changeFeed }

  /// The open transactions in the inner engine.
  public var conflictTrackers: ConflictTrackers { get async throws { try await local.conflictTrackers } }

  /// Returns a snapshot of the inner engine.
  public func snapshot(pinned: Bool) async throws -> Local.Snapshot { try await local.snapshot(pinned: pinned) }

  /// Records the commits of other processes.
  public func followCommits() async throws { try await local.followCommits() }

  /// Returns the current records of the inner engine, without isolation from later commits.
  public func current() async throws -> Local.Snapshot { try await local.current() }

  /// Returns an unused integer identifier.
  public func nextInteger(for type: String) async throws -> Int? { try await local.nextInteger(for: type) }

  /// Returns a record of the inner engine.
  public func read(_ type: String, _ identifier: String) async throws -> StoredRecord? {
    try await local.read(type, identifier)
  }

  /// Returns a record of the inner engine if that answers at once.
  public func readImmediately(_ type: String, _ identifier: String) throws -> ImmediateResult<StoredRecord?> {
    try local.readImmediately(type, identifier)
  }

  /// Returns a record of the inner engine, even if that blocks for a disk.
  public func readBlocking(_ type: String, _ identifier: String) throws -> StoredRecord? {
    try local.readBlocking(type, identifier)
  }

  /// Iterates over the records of a type in the inner engine.
  public func readRecords(of type: String, _ body: ([StoredRecord]) async throws -> Void) async throws -> UInt64? {
    try await local.readRecords(of: type, body)
  }

  /// Returns when records of a type were last written.
  public func writeState(of type: String) async throws -> WriteState? { try await local.writeState(of: type) }

  /// The treatment of unreadable records by the inner engine.
  public var unreadable: UnreadableRecords { local.unreadable }

  /// Returns the report of the inner engine about a record that can't be read.
  public func unreadableRecord(
    _ type: String, _ identifier: String, _ error: ModelStoreError
  ) async throws -> UnreadableRecord {
    try await local.unreadableRecord(type, identifier, error)
  }

  /// Keeps an index of a field in the inner engine.
  public func ensureIndex(_ type: String, _ field: StoredKeyPath) async throws {
    try await local.ensureIndex(type, field)
  }
}

// MARK: Reading the log

/// An engine with a durable change log, as a service reads it.
protocol ChangeLogging: Sendable {
  /// Returns the changes after a position, in the order of the commits.
  ///
  /// - Returns: nil if the position is unknown: changes after it may be missing.
  func changes(after position: String, atMost limit: Int) async throws -> LoggedChanges?

  /// Returns the position after the last change.
  func currentPosition() async throws -> String

  /// The number of commits so far in this process.
  var commitCount: Int { get }

  /// Waits until there are more commits than that, or the task is cancelled.
  func waitForCommit(after count: Int, isolation: isolated (any Actor)?) async
}

/// Changes that follow each other in a log.
struct LoggedChanges {
  var changes: [LoggedChange]
  /// The position after these changes.
  var position: String
  /// Whether there are more changes.
  var hasMore: Bool
}

extension ChangeLogEngine: ChangeLogging {
  func changes(after position: String, atMost limit: Int) async throws -> LoggedChanges? {
    try await local.followCommits()
    let snapshot = try await local.current()
    guard let order = try await snapshot.order(of: position, LoggedChange.recordType) else { return nil }
    var found = LoggedChanges(changes: [], position: position, hasMore: false)
    var next: UInt64? = order
    while let start = next, found.changes.count < limit {
      let part = try await snapshot.records(LoggedChange.recordType, after: start, atMost: limit - found.changes.count)
      // A change that can't be read may be any.
      guard part.unreadable.isEmpty else { return nil }
      for record in part.records {
        guard let change = LoggedChange(bytes: record.bytes) else { return nil }
        found.changes.append(change)
        found.position = record.identifier
      }
      next = part.next
    }
    found.hasMore = next != nil
    return found
  }

  func currentPosition() async throws -> String {
    let snapshot = try await local.current()
    let type = LoggedChange.recordType
    let head = Head(record: try await snapshot.record(LoggedChange.headType, LoggedChange.headType))
    // The change is missing if another program emptied the log.
    if let position = head.position, try await snapshot.order(of: position, type) != nil { return position }
    let count = try await snapshot.count(type)
    if count == 0 {
      // A position is that of a record.
      let mark = try LoggedChange.mark(at: now()).creation()
      try await local.commit(RecordBatch([mark]))
      return mark.identifier
    }
    var (position, next): (String?, UInt64?) = (nil, snapshot.order(ofLast: count - 1, of: type) ?? 0)
    while let start = next {
      let part = try await snapshot.records(type, after: start, atMost: 1_000)
      position = part.records.last?.identifier ?? position
      next = part.next
    }
    guard let position else { throw ModelStoreError(.corrupt, "The change log can't be read. Nothing was changed.") }
    return position
  }

  var commitCount: Int { commits.withLock { $0 } }

  func waitForCommit(after count: Int, isolation: isolated (any Actor)?) async {
    await commits.wait(isolation: isolation) { $0 > count }
  }
}

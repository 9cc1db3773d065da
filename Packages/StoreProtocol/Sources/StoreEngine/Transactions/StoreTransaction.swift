@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The writes of a transaction of one store instance, before they are committed.
@_spi(ModelKitInternals)
public final class StoreTransaction {
  /// The state of one record.
  public struct Entry {
    /// The revision before the transaction; nil if there was no record.
    public let revision: UInt64?
    /// The bytes before the transaction.
    let original: [UInt8]?
    /// The current bytes; nil if the record was removed.
    public var content: [UInt8]?
    /// The position among the records that the transaction wrote.
    let order: Int
    /// The position of the tracker at the first write.
    let position: UInt64
    /// Whether the transaction created it.
    let isOwn: Bool
    /// Whether it could not be read before the transaction removed it.
    let isUnreadable: Bool
    /// The log of the last write.
    let log: StoreTransactionLog
  }

  /// A model that has links or values of another state of its record.
  struct Outdated {
    let modelClass: ModelObject.Type
    /// Whether the transaction created the record.
    let isCreated: Bool
  }

  let mark: TransactionMark
  private let pendingReads: PendingReads
  private let parts: TransactionParts
  private let root = StoreTransactionLog()
  /// The epoch of the numbers of records that are new in the transaction.
  let epoch = Int.random(in: 0...Int.max)
  /// The commits of others since the transaction began.
  let tracker: ConflictTracker
  /// The records and types that were read, each with the position of the tracker before.
  private(set) var reads = TransactionReads()
  private var entries: [String: [ExactText: Entry]] = [:]
  /// The index keys of written records by type, created when a query needs them.
  private var keys: [String: WrittenKeys] = [:]
  private var count = 0
  /// The records that the transaction wrote and models were read from, each with the log of the last read.
  private var uncommittedReads: [RecordName: StoreTransactionLog] = [:]
  /// The classes of models that were read from records whose writes were rolled back, or before they were committed.
  private var outdated: [RecordName: Outdated] = [:]
  /// Read a record that the engine completed when it was committed, by type.
  var readers: [String: (RecordOperation) -> Void] = [:]

  init(_ tracker: ConflictTracker, of scope: ModelScope, _ parts: TransactionParts) {
    (self.tracker, self.parts, pendingReads) = (tracker, parts, scope.pendingReads)
    mark = TransactionMark(of: scope)
  }

  /// The log that completes or undoes the changes of the running task: that of its innermost transaction.
  var log: StoreTransactionLog { parts.nestedLog ?? root }

  /// Returns the record as the transaction sees it; nil if the transaction did not write it.
  public func entry(_ type: String, _ identifier: String) -> Entry? { entries[type]?[ExactText(identifier)] }

  /// The reads, and the records that were written over others: these may be deleted and created again by others, with
  /// the same revision.
  var dependencies: TransactionReads {
    var all = reads
    for (type, entries) in entries {
      for (identifier, entry) in entries where entry.revision != nil {
        _ = all.note(type, identifier.text, entry.position)
      }
    }
    return all
  }

  /// Returns whether the transaction wrote records of a type.
  public func touches(_ type: String) -> Bool { entries[type] != nil }

  /// The position of the tracker. Read it before a read of records.
  public var position: UInt64 { tracker.position }

  /// Records the read of a record. Call it before the read.
  ///
  /// - Parameter position: the position of the tracker before the snapshot that is read; nil for the current position.
  /// - Throws: `ModelStoreError` with the code `conflict` if another writer changed it since it was read before.
  public func noteRead(_ type: String, _ identifier: String, at position: UInt64? = nil) throws {
    if entry(type, identifier) != nil { return }
    let position = position ?? tracker.position
    if tracker.saw(type, identifier, after: reads.note(type, identifier, position)) {
      throw TransactionReads.Part(type: type, identifier: identifier).conflict
    }
  }

  /// Records a query of a type. Call it before the query reads records.
  ///
  /// - Parameter position: the position of the tracker before the snapshot that is read; nil for the current position.
  /// - Throws: `ModelStoreError` with the code `conflict` if another writer changed the type since it was read before.
  public func noteQuery(_ type: String, at position: UInt64? = nil) throws {
    let position = position ?? tracker.position
    if tracker.saw(type, after: reads.note(type, position)) {
      throw TransactionReads.Part(type: type, identifier: nil).conflict
    }
  }

  /// Records the read of a model. If the transaction wrote its record, the model is outdated after a rollback.
  func noteModel(_ modelClass: ModelObject.Type, _ type: String, _ identifier: String) {
    let name = RecordName(type, identifier), log = log
    guard let entry = entry(type, identifier), uncommittedReads[name] !== log else { return }
    uncommittedReads[name] = log
    let read = Outdated(modelClass: modelClass, isCreated: entry.revision == nil)
    log.onFailure { [weak self] in self?.outdated[name] = read }
  }

  /// Records that a model has links from before the transaction, which cut them.
  func noteOutdated(_ modelClass: ModelObject.Type, _ type: String, _ identifier: String) {
    outdated[RecordName(type, identifier)] = Outdated(modelClass: modelClass, isCreated: false)
  }

  /// The names of the types with records that the transaction wrote.
  var typeNames: Set<String> { Set(entries.keys) }

  /// Returns the models that have values of rolled back writes, since the last call.
  func takeOutdated() -> [RecordName: Outdated] {
    defer { outdated = [:] }
    return outdated
  }

  /// Throws if a nested transaction that the running task is not part of has written a record. Its rollback would also
  /// revert a later write.
  ///
  /// - Throws: `ModelStoreError` with the code `conflict`.
  func checkWriter(of type: String, _ identifier: String) throws {
    guard let entry = entry(type, identifier), parts.isOpenElsewhere(entry.log.current) else { return }
    throw ModelStoreError(
      .conflict,
      """
      The \(type.nameForMessage) \(identifier.quotedForMessage) was not written: a nested transaction that has not ended \
      has written it. Wait for that one, and repeat this call.
      """, identifier: identifier)
  }

  /// - Parameters:
  ///   - stored: the record before the call; nil if there was none.
  ///   - isUnreadable: whether it could not be read.
  func put(
    _ content: [UInt8]?, _ type: String, _ identifier: String, stored: (bytes: [UInt8], revision: UInt64)?,
    isUnreadable: Bool = false
  ) {
    let key = ExactText(identifier)
    let known = entries[type]?[key]
    // No record has revision 0: a write based on an older value does not overwrite commits of others since the
    // transaction began.
    let revision = stored.map { tracker.saw(type, identifier) ? 0 : $0.revision }
    // A record that was removed and created again is last.
    let isNew = known == nil || (known?.content == nil && content != nil)
    if isNew { count += 1 }
    let entry = Entry(
      revision: known.map(\.revision) ?? revision, original: known.map(\.original) ?? stored?.bytes,
      content: content, order: isNew ? count : known?.order ?? count, position: known?.position ?? tracker.position,
      isOwn: known == nil ? revision == nil : isNew || known?.isOwn == true,
      isUnreadable: known?.isUnreadable ?? isUnreadable, log: log)
    entries[type, default: [:]][key] = entry
    parts.nestedLog?.onFailure { [weak self] in self?.restore(known, type, key) }
    if keys[type] == nil { return }
    if let known, let content = known.content { keys[type]?.remove(content, at: known.order) }
    if let content { keys[type]?.insert(content, of: key, at: entry.order) }
  }

  /// Restores the entry of a record before a nested transaction wrote it.
  private func restore(_ known: Entry?, _ type: String, _ key: ExactText) {
    pendingReads.noteRollback(type, key.text)
    entries[type]?[key] = known
    if entries[type]?.isEmpty == true { entries[type] = nil }
    keys[type] = nil
  }

  /// Records for reads in progress that nothing was written.
  func noteRollback() {
    for (type, entries) in entries {
      for identifier in entries.keys { pendingReads.noteRollback(type, identifier.text) }
    }
  }

  /// Returns the number of records of a type that the transaction wrote.
  func count(_ type: String) -> Int { entries[type]?.count ?? 0 }

  /// A record that the transaction wrote.
  public struct WrittenRecord {
    /// The identifier.
    public let identifier: String
    /// The bytes.
    public let bytes: [UInt8]
    /// Whether the transaction created it.
    public let isNew: Bool
    /// The position among the records that the transaction wrote.
    public let order: Int
  }

  /// Returns the records of a type that the transaction wrote and that a query may find, in the order in which they
  /// were written.
  ///
  /// - Parameters:
  ///   - planner: the planner of the query, without order; nil for all records.
  ///   - fields: the fields of the planner.
  public func records(_ type: String, for planner: QueryPlanner?, _ fields: [StoredKeyPath]) -> [WrittenRecord] {
    guard let entries = entries[type] else { return [] }
    let found = planner.flatMap { identifiers(of: type, for: $0, fields) } ?? Array(entries.keys)
    return found.compactMap { identifier in
      guard let entry = entries[identifier], let content = entry.content else { return nil }
      return WrittenRecord(
        identifier: identifier.text, bytes: content, isNew: entry.revision == nil, order: entry.order)
    }
    .sorted { $0.order < $1.order }
  }

  private func identifiers(of type: String, for planner: QueryPlanner, _ fields: [StoredKeyPath]) -> [ExactText]? {
    if keys[type]?.fields != fields {
      var made = WrittenKeys(fields)
      for (identifier, entry) in entries[type] ?? [:] {
        if let content = entry.content { made.insert(content, of: identifier, at: entry.order) }
      }
      keys[type] = made
    }
    return keys[type]?.identifiers(for: planner)
  }

  /// The order of the first record that is new in the transaction: above those of all stored ones.
  public static var firstNewOrder: UInt64 { 1 << 62 }

  /// Returns the records of a type that the transaction wrote or deleted.
  public func written(_ type: String) -> [(identifier: String, entry: Entry)] {
    (entries[type] ?? [:]).map { ($0.key.text, $0.value) }
  }

  /// The operations to commit, in the order in which they were made.
  var operations: [RecordOperation] {
    entries.flatMap { type, entries in
      entries.compactMap { key, entry -> (order: Int, operation: RecordOperation)? in
        let identifier = key.text
        var operation: RecordOperation
        switch (entry.revision, entry.content) {
        case (nil, nil): return nil
        case (nil, let bytes?): operation = .create(type, identifier, bytes)
        case (let revision?, let bytes?): operation = .update(type, identifier, bytes, ifRevision: revision)
        case (let revision?, nil):
          operation = entry.isUnreadable ? .delete(type, identifier) : .delete(type, identifier, ifRevision: revision)
        }
        if !entry.isUnreadable { operation.previousValue = entry.original }
        return (entry.order, operation)
      }
    }
    .sorted { $0.order < $1.order }
    .map(\.operation)
  }
}

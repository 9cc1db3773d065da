@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The writes of a transaction of one store instance, before they are committed.
@_spi(ModelKitInternals)
public final class StoreTransaction {
  /// The state of one record.
  public struct Entry {
    /// The revision it had before; nil if it was not there.
    public let revision: UInt64?
    /// The bytes it had before.
    let original: [UInt8]?
    /// Its bytes now; nil if it was removed.
    public var content: [UInt8]?
    /// Its position among the records that the transaction wrote.
    public let order: Int
    /// Whether the transaction created it.
    let isOwn: Bool
  }

  let mark = TransactionMark()
  let parts = TransactionParts()
  /// The list in which records are numbered that are new in the transaction.
  public let epoch = Int.random(in: 0...Int.max)
  /// The commits of others while it is under way.
  let tracker: ConflictTracker
  /// The records and types that were read, each with the position of the tracker before.
  private(set) var reads = TransactionReads()
  private var entries: [String: [ExactText: Entry]] = [:]
  /// By type, once a query needs them.
  private var keys: [String: WrittenKeys] = [:]
  private var count = 0
  /// Read a record that the engine completed when it was committed, by type.
  var readers: [String: (RecordOperation) -> Void] = [:]

  init(_ tracker: ConflictTracker) { self.tracker = tracker }

  /// The steps that complete or undo what the running task does in the transaction.
  var log: StoreTransactionLog { parts.log }

  /// The record as the transaction sees it; nil if the transaction did not write it.
  public func entry(_ type: String, _ identifier: String) -> Entry? { entries[type]?[ExactText(identifier)] }

  /// Returns whether the transaction wrote records of a type.
  public func touches(_ type: String) -> Bool { entries[type] != nil }

  /// The position of the tracker, to be taken before a read.
  public var position: UInt64 { tracker.position }

  /// Notes that a record is about to be read.
  ///
  /// - Parameter position: the position of the tracker before the moment that is read; nil for now.
  /// - Throws: `ModelStoreError` with the code `conflict` if someone else changed it since it was read before.
  public func noteRead(_ type: String, _ identifier: String, at position: UInt64? = nil) throws {
    if entry(type, identifier) != nil { return }
    let position = position ?? tracker.position
    if tracker.saw(type, identifier, after: reads.note(type, identifier, position)) {
      throw TransactionReads.Part(type: type, identifier: identifier).conflict
    }
  }

  /// Notes that a query is about to read records of a type.
  ///
  /// - Parameter position: the position of the tracker before the moment that is read; nil for now.
  /// - Throws: `ModelStoreError` with the code `conflict` if someone else changed the type since it was read before.
  public func noteQuery(_ type: String, at position: UInt64? = nil) throws {
    let position = position ?? tracker.position
    if tracker.saw(type, after: reads.note(type, position)) {
      throw TransactionReads.Part(type: type, identifier: nil).conflict
    }
  }

  /// - Parameter stored: the record before the call; nil if it was not there.
  func put(
    _ content: [UInt8]?, _ type: String, _ identifier: String, stored: (bytes: [UInt8], revision: UInt64)?
  ) {
    let key = ExactText(identifier)
    let known = entries[type]?[key]
    // No record has this revision: what others wrote since the transaction began is not overwritten by what it has made
    // of the value before.
    let revision = stored.map { tracker.saw(type, identifier) ? 0 : $0.revision }
    // What was removed and is created again comes last.
    let isNew = known == nil || (known?.content == nil && content != nil)
    if isNew { count += 1 }
    let entry = Entry(
      revision: known.map(\.revision) ?? revision, original: known.map(\.original) ?? stored?.bytes,
      content: content, order: isNew ? count : known?.order ?? count,
      isOwn: known == nil ? revision == nil : isNew || known?.isOwn == true)
    entries[type, default: [:]][key] = entry
    parts.nestedLog?.onFailure { [weak self] in self?.restore(known, type, key) }
    if keys[type] == nil { return }
    if let known, let content = known.content { keys[type]?.remove(content, at: known.order) }
    if let content { keys[type]?.insert(content, of: key, at: entry.order) }
  }

  /// Restores what was known of a record before a nested transaction wrote it.
  private func restore(_ known: Entry?, _ type: String, _ key: ExactText) {
    entries[type]?[key] = known
    if entries[type]?.isEmpty == true { entries[type] = nil }
    keys[type] = nil
  }

  /// Returns how many records of a type the transaction wrote.
  public func count(_ type: String) -> Int { entries[type]?.count ?? 0 }

  /// A record that the transaction wrote.
  public struct WrittenRecord {
    /// The identifier.
    public let identifier: String
    /// The bytes.
    public let bytes: [UInt8]
    /// Whether it was not there before.
    public let isNew: Bool
    /// Its position among the records that the transaction wrote.
    public let order: Int
  }

  /// The records of a type that the transaction wrote and that a query may find, in the order in which they were written.
  ///
  /// - Parameters:
  ///   - planner: the query, without order; nil for all.
  ///   - fields: the fields that the planner was made for.
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

  /// The records of a type that the transaction wrote or deleted.
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
        case (let revision?, nil): operation = .delete(type, identifier, ifRevision: revision)
        }
        operation.previousValue = entry.original
        return (entry.order, operation)
      }
    }
    .sorted { $0.order < $1.order }
    .map(\.operation)
  }
}

@_spi(ModelKitInternals) import StoreProtocol

/// What was done in a transaction of one front, and is not written yet.
final class FileTransaction {
  /// What became of one record.
  struct Entry {
    /// The revision it had before; nil if it was not there.
    let revision: UInt64?
    /// What it was before, for those who are told of the change.
    let original: [UInt8]?
    /// What it is now; nil if it was removed.
    var content: [UInt8]?
    let order: Int
    /// Whether all of it is of the transaction, which created it.
    let isOwn: Bool
  }

  let mark = TransactionMark()
  let parts = TransactionParts()
  /// The list in which records are numbered that are new in the transaction.
  let epoch = Int.random(in: 0...Int.max)

  /// What others write while it is under way.
  let watch: RecordWatch
  /// The records and types that were read, each with the position of the watch before.
  private(set) var reads = TransactionReads()
  private var entries: [String: [ExactText: Entry]] = [:]
  /// By type, once a query has asked for them.
  private var keys: [String: WrittenKeys] = [:]
  private var count = 0

  init(watch: RecordWatch) { self.watch = watch }

  /// What completes or undoes what the running task does in the transaction.
  var log: StoreTransactionLog { parts.log }

  /// The record as the transaction sees it; nil if it has nothing to do with it.
  func entry(_ type: String, _ identifier: String) -> Entry? { entries[type]?[ExactText(identifier)] }

  /// Whether the transaction wrote records of a type.
  func touches(_ type: String) -> Bool { entries[type] != nil }

  /// Notes that a record is about to be read.
  ///
  /// - Parameter position: the position of the watch before the moment that is read; nil for now.
  /// - Throws: `ModelStoreError` with the code `conflict` if someone else changed it since it was read before.
  func noteRead(_ type: String, _ identifier: String, at position: UInt64? = nil) throws {
    if entry(type, identifier) != nil { return }
    let position = position ?? watch.position
    if watch.saw(type, identifier, after: reads.note(type, identifier, position)) {
      throw TransactionReads.Part(type: type, identifier: identifier).conflict
    }
  }

  /// Notes that a query is about to read records of a type.
  ///
  /// - Parameter position: the position of the watch before the moment that is read; nil for now.
  /// - Throws: `ModelStoreError` with the code `conflict` if someone else changed the type since it was read before.
  func noteQuery(_ type: String, at position: UInt64? = nil) throws {
    let position = position ?? watch.position
    if watch.saw(type, after: reads.note(type, position)) {
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
    let revision = stored.map { watch.saw(type, identifier) ? 0 : $0.revision }
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

  /// How many records of a type the transaction wrote.
  func count(_ type: String) -> Int { entries[type]?.count ?? 0 }

  /// A record that the transaction wrote.
  struct WrittenRecord {
    let identifier: String
    let bytes: [UInt8]
    /// Whether it was not there before.
    let isNew: Bool
    let order: Int
  }

  /// The records of a type that the transaction wrote and that a query may find, in the order in which they were written.
  ///
  /// - Parameters:
  ///   - planner: the query, without order.
  ///   - fields: the fields that the planner was made for.
  func records(_ type: String, for planner: QueryPlanner, _ fields: [StoredKeyPath]) -> [WrittenRecord] {
    guard let entries = entries[type] else { return [] }
    if keys[type]?.fields != fields {
      var made = WrittenKeys(fields)
      for (identifier, entry) in entries {
        if let content = entry.content { made.insert(content, of: identifier, at: entry.order) }
      }
      keys[type] = made
    }
    return (keys[type]?.identifiers(for: planner) ?? Array(entries.keys)).compactMap { identifier in
      guard let entry = entries[identifier], let content = entry.content else { return nil }
      return WrittenRecord(
        identifier: identifier.text, bytes: content, isNew: entry.revision == nil, order: entry.order)
    }
    .sorted { $0.order < $1.order }
  }

  /// The records of a type that were not there before the transaction, in the order of their creation.
  func newRecords(_ type: String) -> [(identifier: String, bytes: [UInt8], order: Int)] {
    (entries[type] ?? [:]).filter { $0.value.revision == nil }.sorted { $0.value.order < $1.value.order }
      .compactMap { key, entry in
        entry.content.map { (key.text, $0, entry.order) }
      }
  }

  /// Records that are new in the transaction have ordinals above those of all that are stored.
  static let firstNewOrdinal: UInt64 = 1 << 60

  /// The records of a type that the transaction wrote or deleted.
  func written(_ type: String) -> [(identifier: String, entry: Entry)] {
    (entries[type] ?? [:]).map { ($0.key.text, $0.value) }
  }

  /// What has to be written, in the order in which it was done.
  var changes: [Change] {
    entries.flatMap { type, entries in
      entries.compactMap { key, entry -> (order: Int, change: Change)? in
        let identifier = key.text
        var change: Change
        switch (entry.revision, entry.content) {
        case (nil, nil): return nil
        case (nil, let bytes?): change = .create(type, identifier, bytes)
        case (let revision?, let bytes?): change = .update(type, identifier, bytes, ifRevision: revision)
        case (let revision?, nil): change = .delete(type, identifier, ifRevision: revision)
        }
        change.previousValue = entry.original
        return (entry.order, change)
      }
    }
    .sorted { $0.order < $1.order }
    .map(\.change)
  }
}

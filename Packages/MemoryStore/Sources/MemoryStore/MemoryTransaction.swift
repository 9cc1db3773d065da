@_spi(ModelKitInternals) import StoreProtocol

/// What was done in a transaction of one front, and is not written yet.
final class MemoryTransaction {
  /// What became of one record.
  struct Entry {
    /// The revision it had before; nil if it was not there.
    let revision: UInt64?
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
  /// What was written since has a higher revision.
  private let beginning = MemoryTypeState.nextRevision()
  /// The states of records and types that were read: their revisions, 0 for a record that was not there.
  private(set) var reads = TransactionReads()
  private var entries: [String: [ExactText: Entry]] = [:]
  /// By type, once a query has asked for them.
  private var keys: [String: WrittenKeys] = [:]
  private var count = 0

  /// What completes or undoes what the running task does in the transaction.
  var log: StoreTransactionLog { parts.log }

  /// The record as the transaction sees it; nil if it has nothing to do with it.
  func entry(_ type: String, _ identifier: String) -> Entry? { entries[type]?[ExactText(identifier)] }

  /// Whether the transaction wrote records of a type.
  func touches(_ type: String) -> Bool { entries[type] != nil }

  /// Notes that a record was read.
  ///
  /// - Parameter revision: its revision; nil if it is not there.
  /// - Throws: `ModelStoreError` with the code `conflict` if someone else changed it since it was read before.
  func noteRead(_ type: String, _ identifier: String, revision: UInt64?) throws {
    if entry(type, identifier) != nil { return }
    guard reads.note(type, identifier, revision ?? 0) == revision ?? 0 else {
      throw TransactionReads.Part(type: type, identifier: identifier).conflict
    }
  }

  /// Notes that a query read records of a type.
  ///
  /// - Throws: `ModelStoreError` with the code `conflict` if someone else changed the type since it was read before.
  func noteQuery(_ type: String, lastWrite: UInt64) throws {
    guard reads.note(type, lastWrite) == lastWrite else {
      throw TransactionReads.Part(type: type, identifier: nil).conflict
    }
  }

  func put(_ content: [UInt8]?, _ type: String, _ identifier: String, revision: UInt64?) {
    let key = ExactText(identifier)
    let known = entries[type]?[key]
    // No record has the revision 0: what others wrote since the transaction began is not overwritten by what it has made of
    // the value before.
    let revision = revision.map { $0 > beginning ? 0 : $0 }
    // What was removed and is created again comes last.
    let isNew = known == nil || (known?.content == nil && content != nil)
    if isNew { count += 1 }
    let entry = Entry(
      revision: known.map(\.revision) ?? revision, content: content, order: isNew ? count : known?.order ?? count,
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

  /// The records of a type as the transaction sees them: `rows` with what was done to them, then those that are new.
  func rows(_ type: String, over rows: MemoryRows) -> [PlacedRow] {
    let entries = entries[type] ?? [:]
    var all: [PlacedRow] = []
    var seen: Set<ExactText> = []
    rows.forEach { row, place in
      guard let entry = entries[ExactText(row.identifier)] else { return all.append(PlacedRow(place: place, row: row)) }
      guard entry.revision != nil, let content = entry.content else { return }
      seen.insert(ExactText(row.identifier))
      let row = MemoryRow(identifier: row.identifier, bytes: content, revision: row.revision)
      all.append(PlacedRow(place: place, row: row))
    }
    for (identifier, entry) in entries.sorted(by: { $0.value.order < $1.value.order }) {
      guard let content = entry.content, !seen.contains(identifier) else { continue }
      let row = MemoryRow(identifier: identifier.text, bytes: content, revision: 0)
      all.append(PlacedRow(place: Self.firstNewPlace + entry.order, row: row))
    }
    return all
  }

  /// Records that are new in the transaction have places above those of all that are stored.
  static let firstNewPlace = 1 << 60

  /// The records of a type that the transaction wrote or deleted; nil for the content of one that was deleted.
  func written(_ type: String) -> [(identifier: ExactText, content: [UInt8]?)] {
    (entries[type] ?? [:]).map { ($0.key, $0.value.content) }
  }

  /// How many records of a type the transaction wrote.
  func count(_ type: String) -> Int { entries[type]?.count ?? 0 }

  /// The identifiers of the records of a type that the transaction wrote and that a query may find.
  ///
  /// - Parameters:
  ///   - planner: the query, without order.
  ///   - fields: the fields that the planner was made for.
  func identifiers(of type: String, for planner: QueryPlanner, _ fields: [StoredKeyPath]) -> [ExactText] {
    guard let entries = entries[type] else { return [] }
    if keys[type]?.fields != fields {
      var made = WrittenKeys(fields)
      for (identifier, entry) in entries {
        if let content = entry.content { made.insert(content, of: identifier, at: entry.order) }
      }
      keys[type] = made
    }
    return keys[type]?.identifiers(for: planner) ?? Array(entries.keys)
  }

  /// Those of a type that it left alone, of stored records, and some that it wrote, in the order of their creation.
  ///
  /// - Parameters:
  ///   - found: stored records, in the order of their creation.
  ///   - written: which of those that it wrote.
  ///   - places: where these are stored.
  func rows(
    _ type: String, over found: [PlacedRow], _ written: [ExactText], _ places: [ExactText: Int]
  ) -> [PlacedRow] {
    let entries = entries[type] ?? [:]
    var stored = found.filter { entries[ExactText($0.row.identifier)] == nil }
    var new: [PlacedRow] = []
    for identifier in written {
      guard let entry = entries[identifier], let content = entry.content else { continue }
      let row = MemoryRow(identifier: identifier.text, bytes: content, revision: entry.revision ?? 0)
      if entry.revision != nil, let place = places[identifier] {
        stored.append(PlacedRow(place: place, row: row))
      } else {
        new.append(PlacedRow(place: Self.firstNewPlace + entry.order, row: row))
      }
    }
    stored.sort { $0.place < $1.place }
    new.sort { $0.place < $1.place }
    return stored + new
  }

  /// What has to be written, in the order in which it was done.
  var changes: [MemoryEngine.Change] {
    entries.flatMap { type, entries in
      entries.compactMap { identifier, entry -> (Int, MemoryEngine.Change)? in
        let operation: MemoryEngine.Change.Operation
        switch (entry.revision, entry.content) {
        case (nil, nil): return nil
        case (nil, let bytes?): operation = .insert(bytes)
        case (let revision?, let bytes?): operation = .replace(bytes, revision: revision)
        case (let revision?, nil): operation = .remove(revision: revision, mustBeThere: true)
        }
        return (entry.order, MemoryEngine.Change(type: type, identifier: identifier.text, operation: operation))
      }
    }
    .sorted { $0.0 < $1.0 }
    .map(\.1)
  }
}

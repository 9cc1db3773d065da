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
  }

  let mark = TransactionMark()
  let log = StoreTransactionLog()

  /// What others write while it is under way.
  let watch: RecordWatch
  private var entries: [String: [ExactText: Entry]] = [:]
  private var count = 0

  init(watch: RecordWatch) { self.watch = watch }

  /// The record as the transaction sees it; nil if it has nothing to do with it.
  func entry(_ type: String, _ identifier: String) -> Entry? { entries[type]?[ExactText(identifier)] }

  /// Whether the transaction wrote records of a type.
  func touches(_ type: String) -> Bool { entries[type] != nil }

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
    entries[type, default: [:]][key] = Entry(
      revision: known.map(\.revision) ?? revision, original: known.map(\.original) ?? stored?.bytes,
      content: content, order: isNew ? count : known?.order ?? count)
  }

  /// The records of a type that were not there before the transaction, in the order of their creation.
  func newRecords(_ type: String) -> [(identifier: String, bytes: [UInt8])] {
    (entries[type] ?? [:]).filter { $0.value.revision == nil }.sorted { $0.value.order < $1.value.order }
      .compactMap { key, entry in
        entry.content.map { (key.text, $0) }
      }
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

@_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// A snapshot of the records of a memory store.
public struct MemorySnapshot: RecordSnapshot {
  let engine: MemoryEngine

  /// Returns a record; nil if there is none.
  public func record(_ type: String, _ identifier: String) -> StoredRecord? { engine.record(type, identifier) }

  /// Returns the records of a type after a position, in the order of their creation.
  public func records(_ type: String, after order: UInt64, atMost limit: Int) -> RecordPart {
    var part = RecordPart([], next: nil)
    engine.rows(type).forEach(from: Int(clamping: order)) { row, place in
      if part.records.count >= limit {
        part.next = part.records.last?.order
      } else {
        part.records.append(row.record(at: place))
      }
      return part.next == nil
    }
    return part
  }

  // The pages of `MemoryModelStore` count records from 0, a snapshot from 1.
  /// The epoch of positions: another one after all records were replaced, and in another process.
  public var epoch: Int { engine.epoch + 1 }

  /// Returns the number of records of a type.
  public func count(_ type: String) -> Int { engine.count(type) }

  /// Returns the position after the first `count` records of a type.
  public func order(ofLast count: Int, of type: String) -> UInt64? { UInt64(engine.rows(type).place(after: count)) }

  /// The indexes of a type, for stores of other packages over this engine. `MemoryModelStore` reads them itself.
  public func indexes(of type: String) -> RecordIndexes<[UInt8]>? {
    let fields = engine.indexedFields(type)
    if fields.isEmpty { return nil }
    return RecordIndexes(fields: fields, scatteredCost: 1) { [engine] in
      engine.select(of: type, $0, orderedLimit: $1, offset: $2, after: $3)
    } count: { [engine] in
      engine.count(type, $0)
    } plan: { [engine] in
      engine.plan(type, $0)
    } read: { records in
      records.map(\.location)
    }
  }
}

@_spi(ModelKitInternals)
extension MemorySnapshot: IndexedSnapshot {
  /// Returns the fields of the indexes of a type.
  public func fieldsOfIndexes(_ type: String) -> [StoredKeyPath] { engine.indexedFields(type) }

  /// Returns the first record of the index that answers a query.
  public func first(_ type: String, _ planner: QueryPlanner) -> (plan: QueryPlan, record: [UInt8]?)? {
    engine.first(type, planner)
  }

  /// Returns the number of different values of an indexed field.
  public func distinctCount(_ type: String, _ field: StoredKeyPath) -> (count: Int, totalCount: Int)? {
    engine.distinctCount(type, field)
  }
}

@_spi(ModelKitInternals)
extension MemorySnapshot: ScanningSnapshot {
  /// Returns scans of all records of a type.
  public func scans(of type: String, inParts count: Int) -> [any RecordScan] {
    // All parts have the same rows, even if the snapshot is the current state.
    let rows = engine.rows(type)
    return rows.parts(count).map { MemoryScan(rows: rows, part: $0) }
  }

  /// Calls a closure with the bytes of each record that indexes select.
  public func scan(
    _ type: String, selectedBy planner: QueryPlanner, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> QueryPlan? {
    guard let (plan, places, rows) = engine.places(type, planner) else { return nil }
    try rows.forEach(at: places) { row in try row.bytes.withUnsafeBytes(body) }
    return plan
  }
}

/// A scan of some chunks of rows.
private struct MemoryScan: RecordScan {
  let rows: MemoryRows
  let part: [Range<Int>]

  func forEach(_ body: (UnsafeRawBufferPointer) throws -> Bool) async throws -> Bool {
    var wantsMore = true
    for (number, chunks) in part.enumerated() where wantsMore {
      if number > 0 { await Task.yield() }
      try rows.forEach(inChunks: chunks) { row in
        wantsMore = try row.bytes.withUnsafeBytes(body)
        return wantsMore
      }
    }
    return true
  }
}

extension MemoryEngine {
  /// Returns a snapshot of all records.
  public func snapshot(pinned: Bool) -> MemorySnapshot { MemorySnapshot(engine: moment()) }

  /// Returns a snapshot of all records, which costs nothing.
  public func current() -> MemorySnapshot { MemorySnapshot(engine: self) }

  /// Returns a record; nil if there is none.
  public func read(_ type: String, _ identifier: String) -> StoredRecord? { record(type, identifier) }

  /// Whether the engine reads and commits without suspension: `true`.
  public var readsImmediately: Bool { true }

  /// Returns a record without waiting.
  public func readImmediately(_ type: String, _ identifier: String) -> ImmediateResult<StoredRecord?> {
    .answer(record(type, identifier))
  }

  /// Commits a batch without waiting, as `commit(_:)` does.
  public func commitImmediately(_ batch: RecordBatch) throws -> Bool {
    try commit(batch)
    return true
  }

  /// Reads the records of a type from one snapshot.
  public func readRecords(
    of type: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64? {
    let (rows, position) = rowsAndPosition(type)
    var records: [StoredRecord] = []
    rows.forEach { row, place in records.append(row.record(at: place)) }
    try await body(records)
    return position
  }
}

@_spi(ModelKitInternals)
extension MemoryEngine: WriteLoggingEngine {
  /// Returns the records that were written between two revisions.
  public func records(of type: String, writtenAfter revision: UInt64, upTo last: UInt64) -> [NumberedRecord]? {
    guard let table = table(type), table.lastWrite == last else { return nil }
    return table.records(writtenAfter: revision)
  }
}

extension MemoryRow {
  /// Returns the row as a record.
  func record(at place: Int) -> StoredRecord {
    StoredRecord(identifier, bytes, order: UInt64(place) + 1, revision: revision)
  }
}

@_spi(ModelKitInternals) public import StoreProtocol

extension MemoryModelStore: LiveModelStore {
  /// Where writes of all fronts are told, in the order of their commits.
  public var changeFeed: StoreChangeFeed { handle.changeFeed }

  /// Records are given.
  public var canReadRecords: Bool { true }

  /// Goes through what is stored of a type, as of one moment.
  public func readRecords(
    of typeName: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64? {
    let (rows, position) = handle.rowsAndPosition(typeName)
    var records: [StoredRecord] = []
    rows.forEach { row, place in
      records.append(StoredRecord(row.identifier, row.bytes, order: UInt64(place)))
    }
    try await body(records)
    return position
  }

  /// A record as it is stored.
  public func readRecord(of typeName: String, identifier: String) async throws -> StoredRecord? {
    handle.record(typeName, identifier)
  }
}

extension MemoryEngine {
  /// What the feed is told of changes that were made.
  ///
  /// - Parameter undoings: what each of them replaced.
  static func told(_ changes: [Change], _ undoings: [MemoryTable.Undoing]) -> [RecordChange] {
    var told: [RecordChange] = []
    told.reserveCapacity(changes.count)
    for (change, undoing) in zip(changes, undoings) where undoing.place != nil {
      let before = undoing.row?.bytes
      switch change.operation {
      case .insert(let bytes): told.append(RecordChange(.created, change.type, change.identifier, after: bytes))
      case .replace(let bytes, _):
        told.append(RecordChange(.updated, change.type, change.identifier, before: before, after: bytes))
      case .remove: told.append(RecordChange(.deleted, change.type, change.identifier, before: before))
      }
    }
    return told
  }
}

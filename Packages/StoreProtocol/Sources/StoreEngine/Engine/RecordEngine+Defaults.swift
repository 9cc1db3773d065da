public import ModelCore
public import StoreProtocol

extension RecordEngine {
  /// Returns nil: the engine can't list its types.
  public func typeNames() async throws -> [String]? { nil }

  /// Commits the batch. No record has other values than were written.
  public func commitCompleting(_ batch: RecordBatch) async throws -> [RecordOperation] {
    try await commit(batch)
    return []
  }

  /// Reads the record from a snapshot.
  public func read(_ type: String, _ identifier: String) async throws -> StoredRecord? {
    try await snapshot(pinned: false).record(type, identifier)
  }

  /// Returns a snapshot.
  public func current() async throws -> Snapshot { try await snapshot(pinned: false) }

  /// Goes through the records of a snapshot.
  public func readRecords(
    of type: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64? {
    let snapshot = try await snapshot(pinned: true)
    var next: UInt64? = 0
    while let order = next {
      let part = try await snapshot.records(type, after: order, atMost: 1_000)
      for (identifier, error) in part.unreadable { try await skip(error, type, identifier) }
      try await body(part.records)
      next = part.next
    }
    return nil
  }

  /// Returns nil: there is no state.
  public func writeState(of type: String) async throws -> WriteState? { nil }

  /// Does nothing: no other process writes.
  public func followCommits() async throws {}

  /// Does nothing: there are no indexes.
  public func ensureIndex(_ type: String, _ field: StoredKeyPath) async throws {}

  /// A call that reads an unreadable record throws.
  public var unreadable: UnreadableRecords { .fail }

  /// Returns a report without file.
  public func unreadableRecord(
    _ type: String, _ identifier: String, _ error: ModelStoreError
  ) async throws -> UnreadableRecord {
    UnreadableRecord(type, identifier, error)
  }

  /// The engine waits.
  public var readsImmediately: Bool { false }

  /// Returns ``ImmediateResult/needsWaiting``.
  public func readImmediately(_ type: String, _ identifier: String) throws -> ImmediateResult<StoredRecord?> {
    .needsWaiting
  }

  /// Returns the answer of ``readImmediately(_:_:)``, or nil.
  public func readBlocking(_ type: String, _ identifier: String) throws -> StoredRecord? {
    guard case .answer(let record) = try readImmediately(type, identifier) else { return nil }
    return record
  }

  /// Returns false: the engine has to wait.
  public func commitImmediately(_ batch: RecordBatch) throws -> Bool { false }
}

extension RecordSnapshot {
  /// Reads one record after the other.
  public func records(_ type: String, identifiers: [String]) async throws -> RecordPart {
    var part = RecordPart([], next: nil)
    for identifier in identifiers {
      do {
        if let record = try await record(type, identifier) { part.records.append(record) }
      } catch let error as ModelStoreError where error.code == .corrupt {
        part.unreadable.append((identifier, error))
      }
    }
    return part
  }

  /// The epoch of all snapshots: 0.
  public var epoch: Int { 0 }

  /// Returns nil.
  public func order(ofLast count: Int, of type: String) -> UInt64? { nil }

  /// Returns the order of a record, which it reads for this; nil if there is none.
  public func order(of identifier: String, _ type: String) async throws -> UInt64? {
    try await record(type, identifier)?.order
  }

  /// Returns nil: there are no indexes.
  public func indexes(of type: String) -> RecordIndexes<Location>? { nil }

  /// Returns nil: the store reads all records.
  public func select<M: Model>(
    _ query: ModelQuery<M>, after start: SelectionStart?, in context: ValueTransformerContext
  ) async throws -> SelectedRecords? { nil }

  /// Returns nil: the store sorts the records.
  public func cursor<M: Model>(
    _ query: ModelQuery<M>, in context: ValueTransformerContext
  ) async throws -> (any RecordCursor)? { nil }

  /// Returns nil: the store reads records.
  public func count<M: Model>(_ query: ModelQuery<M>, in context: ValueTransformerContext) async throws -> Int? { nil }

  /// Returns nil: the store reads records.
  public func first<M: Model>(
    _ query: ModelQuery<M>, in context: ValueTransformerContext
  ) async throws -> SelectedRecords? { nil }

  /// Returns nil: the store reads records.
  public func aggregate<M: Model>(
    _ aggregation: RecordAggregation, _ query: ModelQuery<M>, in context: ValueTransformerContext
  ) async throws -> [RecordAggregation.Group]? { nil }

  /// Returns nil: there are no statements.
  public func statement<M: Model>(
    for query: ModelQuery<M>, in context: ValueTransformerContext
  ) async throws -> String? { nil }

  /// Returns nil: there is no database with a plan.
  public func databasePlan<M: Model>(
    for query: ModelQuery<M>, in context: ValueTransformerContext
  ) async throws -> String? { nil }
}

extension RecordEngine {
  /// Reports a record among others that can't be read, or throws the error about it.
  func skip(_ error: ModelStoreError, _ type: String, _ identifier: String) async throws {
    guard case .skip(let report) = unreadable, error.code == .corrupt else { throw error }
    report(try await unreadableRecord(type, identifier, error))
  }
}

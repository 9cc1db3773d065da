@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) package import StoreProtocol

/// The number of records that a stream reads together.
private let batchSize = 256

extension RecordStore: SnapshotStreamStore {
  /// Begins a stream of the models that a query finds now.
  package final func beginStream<M: Model>(_ query: ModelQuery<M>) async throws -> () async throws -> M? {
    try checkCancellation()
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true)
    try await followCommits()
    let position = transaction?.position
    let read = beginRead(try await context(of: M.self))
    let stream = RecordStream(self, program, read, written: transaction?.written(M.typeName) ?? [])
    try await stream.begin(with: try await handle.snapshot(pinned: true), after: position)
    return { try await stream.next() }
  }
}

/// The models that a query finds in a pinned snapshot, one after the other. The snapshot is released with the stream.
///
/// A model is made when its turn comes, so that a live one keeps values that were written or read since the snapshot.
private final class RecordStream<Engine: RecordEngine, M: Model> {
  private enum Rest {
    /// The records after a position in the order of creation.
    case records(after: UInt64)
    /// The next records in the order of the query.
    case cursor(any RecordCursor)
    /// The records of some identifiers.
    case identifiers(ArraySlice<String>)
  }

  private let store: RecordStore<Engine>
  private let program: QueryProgram<M>
  private let read: PendingRead
  private var answer = PendingReads.Moment.unknown
  /// The records that the transaction under way had written when the stream began.
  private let written: [ExactText: StoreTransaction.Entry]
  private var memory: QueryMemory<Engine.Snapshot>?
  private var rest: Rest?
  /// The number of records that a cursor has found.
  private var foundCount = 0
  /// The records that were read, and are not models yet.
  private var records: ArraySlice<FoundRecord> = []

  init(
    _ store: RecordStore<Engine>, _ program: QueryProgram<M>, _ read: PendingRead,
    written: [(identifier: String, entry: StoreTransaction.Entry)]
  ) {
    (self.store, self.program, self.read) = (store, program, read)
    self.written = Dictionary(uniqueKeysWithValues: written.map { (ExactText($0.identifier), $0.entry) })
  }

  deinit { store.scope.pendingReads.end() }

  func begin(with snapshot: Engine.Snapshot, after position: UInt64?) async throws {
    answer = store.scope.pendingReads.answer(since: read.start)
    memory = QueryMemory(snapshot, isSnapshot: true, after: position, nil)
    if program.isSorted, store.transaction == nil,
      let cursor = try await snapshot.cursor(program.query, in: store.scope.transformers)
    {
      rest = .cursor(cursor)
      return
    }
    let identifiers = try await store.selectedIdentifiers(program, at: snapshot, after: position)
    rest = identifiers.map { .identifiers($0[...]) } ?? .records(after: 0)
  }

  /// Returns the next model; nil at the end.
  func next() async throws -> M? {
    while true {
      while let record = records.popFirst() {
        if let model = try await model(of: record) { return model }
      }
      guard let memory, let rest else { return nil }
      try store.checkCancellation()
      switch rest {
      case .records(let order): try await readRecords(after: order, memory)
      case .cursor(let cursor): try await readRecords(of: cursor, memory)
      case .identifiers(let identifiers): try await readRecords(of: identifiers, memory.records)
      }
    }
  }

  /// Returns the model of a record; nil if none can be made and such records are skipped.
  private func model(of record: FoundRecord) async throws -> M? {
    let scope = store.scope
    try await scope.creations.waitForCreations(of: M.typeName)
    if let live = scope.liveModel(M.self, identifier: record.identifier), !live.isUnloadedReference,
      !read.isInTransaction, scope.pendingReads.isNewer(live, than: read.start)
    {
      return live
    }
    return try await store.readableModels(M.self, [record], read, answeredAt: answer).first
  }

  /// Reads a part of all records of the type, and keeps those that the query finds.
  private func readRecords(after order: UInt64, _ memory: QueryMemory<Engine.Snapshot>) async throws {
    let (name, snapshot) = (M.typeName, memory.records)
    memory.related = [:]
    var query = program.query
    query.limit = batchSize
    let start = SelectionStart(order: order, allowsPart: true)
    var (part, plan): (RecordPart, QueryPlan?)
    if let selected = try await snapshot.select(query, after: start, in: store.scope.transformers) {
      part = RecordPart(selected.records, next: selected.next)
      plan = .selected(selected.records.count, isExact: selected.isExact)
    } else {
      (part, plan) = (try await snapshot.records(name, after: order, atMost: batchSize), nil)
    }
    for (identifier, error) in part.unreadable { try await store.skip(error, name, identifier) }
    var found = FoundRecords(try store.makeRun(program, plan, memory), plan ?? .all(part.records.count))
    for record in part.records {
      try await store.take((record.identifier, record.bytes), record.order, &found, memory)
    }
    records = found.sorted().map(\.record)[...]
    rest = part.next.map { .records(after: $0) }
  }

  /// Reads the next records of a cursor, and keeps those that the query finds.
  private func readRecords(of cursor: any RecordCursor, _ memory: QueryMemory<Engine.Snapshot>) async throws {
    memory.related = [:]
    guard let selected = try await cursor.next(atMost: batchSize) else {
      // The snapshot has the same records in the same order.
      let identifiers = try await store.selectedIdentifiers(program, at: memory.records, after: nil) ?? []
      rest = .identifiers(identifiers.dropFirst(foundCount))
      return
    }
    if selected.records.isEmpty { rest = nil }
    let plan = QueryPlan.selected(selected.records.count, isExact: selected.isExact)
    var found = FoundRecords(try store.makeRun(program, plan, memory), plan)
    for record in selected.records {
      try await store.take((record.identifier, record.bytes), record.order, &found, memory)
    }
    records = found.sorted().map(\.record)[...]
    foundCount += records.count
  }

  private func readRecords(of identifiers: ArraySlice<String>, _ snapshot: Engine.Snapshot) async throws {
    let name = M.typeName
    for identifier in identifiers.prefix(batchSize) {
      do {
        let bytes =
          if let entry = written[ExactText(identifier)] {
            entry.content
          } else {
            try await snapshot.record(name, identifier)?.bytes
          }
        if let bytes { records.append((identifier, bytes)) }
      } catch let error as ModelStoreError where error.code == .corrupt {
        try await store.skip(error, name, identifier)
      }
    }
    let left = identifiers.dropFirst(batchSize)
    rest = left.isEmpty ? nil : .identifiers(left)
  }
}

@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) package import StoreProtocol

/// The approximate number of records that are read together.
private let sliceSize = 1_024

@_spi(ModelKitInternals)
extension RecordStore {
  /// Runs a query. Returns the matches in its order, and the plan.
  package final func execute<M: Model>(
    _ query: ModelQuery<M>, into projection: QueryProjection? = nil
  ) async throws -> QueryResult {
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true, projection: projection)
    _ = try await context(of: M.self)
    // Most queries read one selection of records, which is from one snapshot.
    try await followCommits()
    let position = transaction?.position
    do {
      let current = try await handle.current()
      return try await execute(program, at: current, isSnapshot: false, after: position).plain()
    } catch is SnapshotIsNeeded {
    } catch is SnapshotExpired {
    }
    return try await withSnapshot { try await execute(program, at: $0, isSnapshot: true, after: position).plain() }
  }

  /// Runs a read whose records are all from one snapshot.
  ///
  /// The engine may remove a part of the snapshot before it is read. Then the read restarts once with a pinned
  /// snapshot.
  public final func withSnapshot<Result>(_ body: (Engine.Snapshot) async throws -> Result) async throws -> Result {
    do {
      return try await body(try await handle.snapshot(pinned: false))
    } catch is SnapshotExpired {
      return try await body(try await handle.snapshot(pinned: true))
    }
  }

  /// - Parameters:
  ///   - position: the position of the tracker of the transaction under way, before the moment.
  ///   - keepsValues: whether the values of found records are needed, and not only their identifiers.
  final func execute<M: Model>(
    _ program: QueryProgram<M>, at snapshot: Engine.Snapshot, isSnapshot: Bool, after position: UInt64?,
    page: PageRequest? = nil, keepsValues: Bool = true
  ) async throws -> FoundRecords<M> {
    let name = M.typeName
    let memory = QueryMemory(snapshot, isSnapshot: isSnapshot, after: position, page)
    memory.keepsValues = keepsValues || transaction != nil
    try transaction?.noteQuery(name, at: position)
    if let found = try await testSelected(program, memory) { return found }
    guard let indexes = snapshot.indexes(of: name) else {
      return try await testAll(program, .all(try await snapshot.count(name)), memory)
    }
    let planner = QueryPlanner(program, fields: indexes.fields, scatteredCost: indexes.scatteredCost)
    if let transaction, transaction.touches(name) {
      return try await execute(program, planner, indexes, in: transaction, memory)
    }
    return try await execute(program, planner, indexes, memory) { $0 }
  }

  /// - Parameter chosen: returns the selected records to test.
  private func execute<M: Model>(
    _ program: QueryProgram<M>, _ planner: QueryPlanner, _ indexes: RecordIndexes<Engine.Snapshot.Location>,
    _ memory: QueryMemory<Engine.Snapshot>,
    choosing chosen: ([IndexedRecord<Engine.Snapshot.Location>]) -> [IndexedRecord<Engine.Snapshot.Location>]
  ) async throws -> FoundRecords<M> {
    let query = program.query
    // An index is read in its order until there are enough matches; their number is known only afterwards.
    var orderedLimit = max(128, query.limit ?? .max)
    var planner = planner
    while true {
      try checkCancellation()
      let selected = try indexes.select(planner, orderedLimit, query.offset, memory.page?.start)
      guard let records = selected.records else { return try await testAll(program, selected.plan, memory) }
      switch try await test(chosen(records), program, selected, indexes, memory) {
      case .found(let found): return found
      case .needsMore: orderedLimit = orderedLimit.multipliedReportingOverflow(by: 8).overflow ? .max : orderedLimit * 8
      case .takesTooLong: planner = planner.withoutOrder
      }
    }
  }

  /// Tests the records that a query may match inside a transaction that wrote records of the type. These are matches of
  /// the indexes that the transaction did not write, and matches of its own keys: indexes don't contain its writes.
  private func execute<M: Model>(
    _ program: QueryProgram<M>, _ planner: QueryPlanner, _ indexes: RecordIndexes<Engine.Snapshot.Location>,
    in transaction: StoreTransaction,
    _ memory: QueryMemory<Engine.Snapshot>
  ) async throws -> FoundRecords<M> {
    let (name, query) = (M.typeName, program.query)
    guard planner.canUseIndexes || planner.canFollowOrder else {
      return try await testAll(program, .all(try await memory.records.count(name)), memory)
    }
    // The positions of the records that the transaction changed are from the same snapshot.
    guard memory.isSnapshot else { throw SnapshotIsNeeded() }
    var (planner, candidates) = (planner, [QueryCandidate<Engine.Snapshot.Location>]())
    var selected = try indexes.select(planner, 0, 0, memory.page?.start)
    if selected.plan.isSortedByIndex {
      // The first unwritten matches and all written ones contain the first matches overall.
      var first = query
      (first.limit, first.offset) = (query.end == .max ? nil : query.end, 0)
      let found = try await execute(
        QueryProgram(first, in: scope.transformers, canJoin: true), planner, indexes, memory
      ) { $0.filter { transaction.entry(name, $0.identifier) == nil } }
      candidates = found.sorted().map { QueryCandidate($0.record, order: UInt64($0.order)) }
      planner = planner.withoutOrder
      selected = IndexedRecords(plan: found.plan, records: [], hasMore: false)
    }
    guard let found = selected.records else { return try await testAll(program, selected.plan, memory) }
    candidates += found.map { QueryCandidate($0) }
    // Both at one point in time: a record that the transaction writes during the read must be in one of them.
    candidates.removeAll { transaction.entry(name, $0.identifier) != nil }
    let written = transaction.records(name, for: planner.withoutOrder, indexes.fields)
    for record in written where !record.isNew {
      let order = try await memory.records.order(of: record.identifier, name)
      candidates.append(QueryCandidate(record, order: order ?? StoreTransaction.firstNewOrder))
    }
    candidates.sort { $0.order < $1.order }
    candidates += written.filter(\.isNew).map {
      QueryCandidate($0, order: StoreTransaction.firstNewOrder + UInt64($0.order))
    }
    return try await test(candidates, program, selected.plan.testing(candidates.count), indexes, memory)
  }

  /// Tests matches of indexes and of keys of the open transaction.
  private func test<M: Model>(
    _ candidates: [QueryCandidate<Engine.Snapshot.Location>], _ program: QueryProgram<M>, _ plan: QueryPlan,
    _ indexes: RecordIndexes<Engine.Snapshot.Location>, _ memory: QueryMemory<Engine.Snapshot>
  ) async throws -> FoundRecords<M> {
    var found = FoundRecords(try makeRun(program, nil, memory), plan)
    var start = 0
    while start < candidates.count, !found.run.isFinished {
      let slice = candidates[start..<min(start + sliceSize, candidates.count)]
      let stored = slice.compactMap(\.stored)
      var values = stored.isEmpty ? [] : try await values(of: stored[...], M.typeName, indexes)[...]
      for candidate in slice where !found.run.isFinished {
        guard let value = candidate.written ?? (values.popFirst() ?? nil) else { continue }
        try await take((candidate.identifier, value), candidate.order, &found, memory)
      }
      start += slice.count
    }
    return found
  }

  final func makeRun<M: Model>(
    _ program: QueryProgram<M>, _ plan: QueryPlan?, _ memory: QueryMemory<Engine.Snapshot>,
    skipping skippedCount: Int = 0
  ) throws -> QueryRun<M> {
    try QueryRun(
      program, plan, after: memory.page?.start, skippedCount: skippedCount,
      related: { try memory.record(of: $0, $1) }, joined: { try memory.records(of: $0, where: $1) })
  }

  /// Tests matches of indexes.
  private func test<M: Model>(
    _ records: [IndexedRecord<Engine.Snapshot.Location>], _ program: QueryProgram<M>,
    _ selected: IndexedRecords<Engine.Snapshot.Location>, _ indexes: RecordIndexes<Engine.Snapshot.Location>,
    _ memory: QueryMemory<Engine.Snapshot>
  ) async throws -> OrderedResult<M> {
    let plan = selected.plan
    let run = try makeRun(program, plan, memory, skipping: selected.skippedCount)
    var found = FoundRecords(run, plan)
    var isEnough = run.isFinished
    var start = 0
    // Enough matches are mostly found early.
    var size = plan.isSortedByIndex ? 64 : sliceSize
    while start < records.count, !isEnough {
      if run.isOrderTooLong(after: start) { return .takesTooLong }
      let slice = records[start..<min(start + size, records.count)]
      let values = try await values(of: slice, M.typeName, indexes)
      for (record, value) in zip(slice, values) {
        guard let value else { continue }
        if plan.isSortedByIndex, record.isNewKey, run.canStopAtNextKey { isEnough = true }
        if isEnough { break }
        try await take((record.identifier, value), record.order, &found, memory)
        isEnough = run.isFinished
      }
      start += slice.count
      size = plan.isSortedByIndex ? min(size * 2, sliceSize) : sliceSize
    }
    return !isEnough && selected.hasMore ? .needsMore : .found(found)
  }

  /// Returns the values of records that were selected; nil for those that are skipped.
  private func values(
    of records: ArraySlice<IndexedRecord<Engine.Snapshot.Location>>, _ type: String,
    _ indexes: RecordIndexes<Engine.Snapshot.Location>
  ) async throws -> [[UInt8]?] {
    do {
      return try await indexes.read(records)
    } catch let error as ModelStoreError where skipsUnreadableRecords && error.code == .corrupt {}
    var values: [[UInt8]?] = []
    for number in records.indices {
      do {
        values.append(try await indexes.read(records[number...number]).first)
      } catch let error as ModelStoreError where error.code == .corrupt {
        try await skip(error, type, records[number].identifier)
        values.append(nil)
      }
    }
    return values
  }

  /// Tests the records that the engine selects, including those of the open transaction; nil if it can't select.
  private func testSelected<M: Model>(
    _ program: QueryProgram<M>, _ memory: QueryMemory<Engine.Snapshot>
  ) async throws -> FoundRecords<M>? {
    let name = M.typeName
    var query = program.query
    let written = transaction?.touches(name) == true ? transaction : nil
    // The first matches are known only after all records were tested.
    if written != nil { (query.limit, query.offset) = (nil, 0) }
    let start = memory.page?.start.map { SelectionStart(values: $0.values, order: UInt64($0.order)) }
    let transformers = scope.transformers
    guard let selected = try await memory.records.select(query, after: start, in: transformers) else { return nil }
    if written != nil, !memory.isSnapshot { throw SnapshotIsNeeded() }
    let plan = QueryPlan.selected(selected.records.count, isExact: selected.isExact && written == nil)
    var found = FoundRecords(try makeRun(program, plan, memory, skipping: selected.skippedCount), plan)
    var records = selected.records.filter { written?.entry(name, $0.identifier) == nil }
    for record in written?.records(name, for: nil, []) ?? [] {
      let order = record.isNew ? nil : try await memory.records.order(of: record.identifier, name)
      records.append(
        StoredRecord(
          record.identifier, record.bytes, order: order ?? StoreTransaction.firstNewOrder + UInt64(record.order))
      )
    }
    // Equal records stay in the order of creation.
    if !program.isSorted || written != nil { records.sort { $0.order < $1.order } }
    for record in records where !found.run.isFinished {
      try await take((record.identifier, record.bytes), record.order, &found, memory)
    }
    return found
  }

  /// Tests all records of a type, including those of the open transaction.
  private func testAll<M: Model>(
    _ program: QueryProgram<M>, _ plan: QueryPlan, _ memory: QueryMemory<Engine.Snapshot>
  ) async throws -> FoundRecords<M> {
    guard memory.isSnapshot else { throw SnapshotIsNeeded() }
    let (name, query) = (M.typeName, program.query)
    var (start, skippedCount) = (UInt64(0), 0)
    if !program.isSorted, let position = memory.page?.start {
      start = position.order >= Int(StoreTransaction.firstNewOrder) ? .max : UInt64(position.order)
    } else if program.selectsAllRecords, transaction?.touches(name) != true,
      let order = memory.records.order(ofLast: query.offset, of: name)
    {
      (start, skippedCount) = (order, query.offset)
    }
    let limit = program.selectsAllRecords ? min(max(query.limit ?? .max, 1), 1_000) : 1_000
    var found = FoundRecords(try makeRun(program, nil, memory, skipping: skippedCount), plan)
    var next: UInt64? = start
    while let position = next, !found.run.isFinished {
      try checkCancellation()
      let part = try await memory.records.records(name, after: position, atMost: limit)
      for (identifier, error) in part.unreadable { try await skip(error, name, identifier) }
      for record in part.records where !found.run.isFinished {
        if let entry = transaction?.entry(name, record.identifier) {
          // The value before the transaction is ignored; a record that it created is last.
          if entry.revision != nil, let content = entry.content {
            try await take((record.identifier, content), record.order, &found, memory)
          }
        } else {
          try await take((record.identifier, record.bytes), record.order, &found, memory)
        }
      }
      next = part.next
    }
    for record in transaction?.records(name, for: nil, []) ?? [] where record.isNew && !found.run.isFinished {
      let order = StoreTransaction.firstNewOrder + UInt64(record.order)
      try await take((record.identifier, record.bytes), order, &found, memory)
    }
    return found
  }

  /// Tests one record, and reads those of others that it takes.
  final func take<M: Model>(
    _ record: FoundRecord, _ order: UInt64, _ found: inout FoundRecords<M>, _ memory: QueryMemory<Engine.Snapshot>
  ) async throws {
    while true {
      do {
        return try found.take(record, at: Int(order), keepsValue: memory.keepsValues)
      } catch let missing as MissingRelatedRecord {
        guard memory.isSnapshot else { throw SnapshotIsNeeded() }
        if let join = memory.missingJoin {
          memory.missingJoin = nil
          let key = QueryMemory<Engine.Snapshot>.Join(
            relatedClass: ObjectIdentifier(join.relatedClass), condition: join.condition)
          memory.joined[key] = try await records(of: join.relatedClass, where: join.condition, memory)
        } else {
          try await read(missing, memory)
        }
      } catch let error as ModelStoreError where error.code == .corrupt {
        return try await skip(error, M.typeName, record.identifier)
      }
    }
  }

  /// Reads the record of a related model.
  final func read(_ missing: MissingRelatedRecord, _ memory: QueryMemory<Engine.Snapshot>) async throws {
    try transaction?.noteRead(missing.typeName, missing.identifier, at: memory.position)
    memory.related[missing.typeName, default: [:]][ExactText(missing.identifier)] = .some(
      try await readableRecord(missing.typeName, missing.identifier, at: memory.records))
  }

  /// Returns a record that a query reads; nil if it does not exist, or can't be read and is skipped.
  private func readableRecord(
    _ type: String, _ identifier: String, at snapshot: Engine.Snapshot
  ) async throws -> [UInt8]? {
    do {
      return try await record(type, identifier, at: snapshot)?.bytes
    } catch let error as ModelStoreError where error.code == .corrupt {
      try await skip(error, type, identifier)
      return nil
    }
  }

  private func records(
    of modelClass: ModelObject.Type, where condition: QueryExpression, _ memory: QueryMemory<Engine.Snapshot>
  ) async throws -> [[UInt8]] {
    guard let modelClass = modelClass as? any (ModelObject & ModelIsolation).Type else { return [] }
    return try await records(modelClass, where: condition, memory)
  }

  private func records<M: Model>(
    _ type: M.Type, where condition: QueryExpression, _ memory: QueryMemory<Engine.Snapshot>
  ) async throws -> [[UInt8]] {
    var query = ModelQuery(type, evaluation: .inMemory)
    query.filter = condition
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true)
    return try await execute(program, at: memory.records, isSnapshot: true, after: memory.position).plain().records
      .map(\.value)
  }
}

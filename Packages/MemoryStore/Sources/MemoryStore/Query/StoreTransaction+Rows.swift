@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

// Indexes don't contain the writes of an open transaction. So the few records that it wrote are merged with the
// matches of indexes.
extension MemoryModelStore {
  /// Returns the records that a query has to test inside a transaction that wrote records of the type. These are
  /// matches of indexes that the transaction did not write, and matches of its own keys.
  ///
  /// - Parameters:
  ///   - start: the position after which records are found; nil for the beginning.
  ///   - makeRun: begins a query of the records that the transaction did not write.
  func select<M: Model>(
    for query: ModelQuery<M>, _ planner: QueryPlanner, _ name: String, in transaction: StoreTransaction,
    _ engine: MemoryEngine, _ start: QueryPosition?,
    _ makeRun: (_ program: QueryProgram<M>, _ plan: QueryPlan?, _ skippedCount: Int) throws -> QueryRun<M>
  ) throws -> MemorySelection {
    let usesIndexes = planner.canUseIndexes || planner.canFollowOrder
    let written =
      usesIndexes
      ? transaction.records(name, for: planner.withoutOrder, engine.indexedFields(name)) : []
    let plan: QueryPlan
    let rows: [OrderedRow]
    switch engine.find(name, planner, placing: written.map { ExactText($0.identifier) }) {
    case .all(let all):
      rows = transaction.rows(name, over: all)
      plan = .all(rows.count)
    case .some(let found, let stored, let places):
      rows = transaction.rows(name, over: stored, written, places)
      plan = found
    case .inOrder(let found, let stored, let indexes, let places):
      // The first unwritten matches and all written ones contain the first matches overall.
      var first = query
      (first.limit, first.offset) = (query.end == .max ? nil : query.end, 0)
      let run = try makeRun(QueryProgram(first, in: scope.transformers, canJoin: true), found, 0)
      guard let untouched = try transaction.untouched(name, stored, found, indexes, start, run) else {
        return try select(for: query, planner.withoutOrder, name, in: transaction, engine, start, makeRun)
      }
      rows = transaction.rows(name, over: untouched, written, places)
      plan = found
    }
    return MemorySelection(
      plan: plan.testing(rows.count), records: .some(rows.map(\.row), orders: rows.map(\.place)), isMerged: true)
  }

  /// Returns the number of matches of a query inside a transaction that wrote records of the type. It is the count of
  /// the indexes, corrected by these records.
  ///
  /// - Returns: nil if records have to be read for it.
  /// - Complexity: O(*n*) in the number of records that the transaction wrote.
  func count<M: Model>(
    _ query: ModelQuery<M>, _ known: TypeContext, in transaction: StoreTransaction
  ) throws -> Int? {
    guard known.isTopOfHierarchy, !known.choosesClasses else { return nil }
    let written = transaction.written(known.name)
    let planner = query.filter.map { _ in QueryPlanner(query, fields: handle.indexedFields(known.name)) }
    guard let (count, stored) = handle.count(known.name, planner, beside: written.map { ExactText($0.identifier) })
    else { return nil }
    var unlimited = ModelQuery(M.self)
    unlimited.filter = query.filter
    let program = try QueryProgram(unlimited, in: scope.transformers, canJoin: true)
    let (before, now) = (try QueryRun(program), try QueryRun(program))
    for row in stored { _ = try before.take(row.bytes) }
    for case let content? in written.map(\.entry.content) { _ = try now.take(content) }
    return count - before.finish().count + now.finish().count
  }
}

extension StoreTransaction {
  /// Returns the records of a type as the transaction sees them: `rows` with its changes, followed by its new records.
  fileprivate func rows(_ type: String, over rows: MemoryRows) -> [OrderedRow] {
    var all: [OrderedRow] = []
    rows.forEach { row, place in
      guard let entry = entry(type, row.identifier) else { return all.append(OrderedRow(place: place, row: row)) }
      guard entry.revision != nil, let content = entry.content else { return }
      let row = MemoryRow(identifier: row.identifier, bytes: content, revision: row.revision)
      all.append(OrderedRow(place: place, row: row))
    }
    return all + records(type, for: nil, []).filter(\.isNew).map(\.newRow)
  }

  /// Returns records of a type that the transaction did not write, merged with some that it wrote, in the order of
  /// creation.
  ///
  /// - Parameters:
  ///   - found: stored records, in the order of their creation.
  ///   - written: records that the transaction wrote.
  ///   - places: the stored positions of the written records.
  fileprivate func rows(
    _ type: String, over found: [OrderedRow], _ written: [WrittenRecord], _ places: [ExactText: Int]
  ) -> [OrderedRow] {
    var stored = found.filter { entry(type, $0.row.identifier) == nil }
    var new: [OrderedRow] = []
    for record in written {
      if !record.isNew, let place = places[ExactText(record.identifier)] {
        stored.append(OrderedRow(place: place, row: record.newRow.row))
      } else {
        new.append(record.newRow)
      }
    }
    stored.sort { $0.place < $1.place }
    new.sort { $0.place < $1.place }
    return stored + new
  }

  /// Returns the first matches of a query that the transaction did not write, in the order of their creation. Returns
  /// nil if the index yields too few.
  fileprivate func untouched<M: Model>(
    _ type: String, _ rows: MemoryRows, _ plan: QueryPlan, _ indexes: [OrderedIndex], _ start: QueryPosition?,
    _ run: QueryRun<M>
  ) throws -> [OrderedRow]? {
    var found: [OrderedRow] = []
    var testedCount = 0
    var isTooLong = false
    if run.isFinished { return [] }
    let (first, _) = plan.start(after: start, offset: 0, in: indexes)
    try plan.forEachInOrder(indexes, from: first) { place, isNewKey in
      if isNewKey, run.canStopAtNextKey { return false }
      guard let row = rows[place], entry(type, row.identifier) == nil else { return true }
      isTooLong = run.isOrderTooLong(after: testedCount)
      if isTooLong { return false }
      testedCount += 1
      let (progress, number) = try run.take(row.bytes, at: place)
      if let number { found.put(OrderedRow(place: place, row: row), at: number) }
      return progress == .continues
    }
    return isTooLong ? nil : run.finish().map { found[$0] }.sorted { $0.place < $1.place }
  }
}

extension StoreTransaction.WrittenRecord {
  /// The new record as a row after all stored ones.
  fileprivate var newRow: OrderedRow {
    OrderedRow(
      place: Int(StoreTransaction.firstNewOrder) + order,
      row: MemoryRow(identifier: identifier, bytes: bytes, revision: 0))
  }
}

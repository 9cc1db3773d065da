@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

extension MemoryEngine {
  func index(_ type: String, _ field: StoredKeyPath, isUnique: Bool) throws {
    try tables.withLock { try $0[type, default: MemoryTable()].add(field, isUnique: isUnique, type) }
  }

  /// Creates an index of a field unless it exists.
  public func ensureIndex(_ type: String, _ field: StoredKeyPath) throws {
    try tables.withLock { tables in
      if tables[type]?.fields.contains(field) == true { return }
      try tables[type, default: MemoryTable()].add(field, isUnique: false, type)
    }
  }

  /// Returns the indexed fields of a type. The number of an index does not change.
  func indexedFields(_ type: String) -> [StoredKeyPath] { tables.withLock { $0[type]?.fields ?? [] } }

  /// Returns the records that a query has to test, all from one snapshot.
  ///
  /// - Parameters:
  ///   - planner: the query.
  ///   - end: the number of records that suffices if they are in the order of the query and are known to match.
  ///   - offset: the number of records that the query skips.
  ///   - page: the requested page.
  func find(
    _ type: String, _ planner: QueryPlanner, atMost end: Int, offset: Int = 0, page: PageRequest? = nil
  ) -> MemorySelection {
    tables.withLock { tables in
      guard let table = tables[type] else { return MemorySelection(plan: .all(0), records: .all(MemoryRows())) }
      if table.indexes.isEmpty { return MemorySelection(plan: .all(table.count), records: .all(table.rows)) }
      let indexes = table.indexes.map(\.keys)
      let plan = planner.plan(with: indexes, totalCount: table.count)
      if let (found, skippedCount) = plan.places(in: indexes, after: page?.start, offset: offset) {
        let places = plan.isAnswer ? found.prefix(end - skippedCount) : found
        return MemorySelection(
          plan: plan,
          records: .some(places.compactMap { table.rows[$0] }, orders: page == nil ? nil : Array(places)),
          skippedCount: skippedCount)
      }
      if plan.isSortedByIndex {
        let (start, skippedCount) = plan.start(after: page?.start, offset: offset, in: indexes)
        return MemorySelection(
          plan: plan, records: .inOrder(table.rows, indexes, start: start), skippedCount: skippedCount)
      }
      return MemorySelection(plan: plan, records: .all(table.rows))
    }
  }

  /// Returns the records that a query has to test, with the positions of a snapshot.
  func select(
    of type: String, _ planner: QueryPlanner, orderedLimit: Int, offset: Int, after position: QueryPosition?
  ) -> IndexedRecords<[UInt8]> {
    var start = position
    start?.order -= 1
    return tables.withLock { tables in
      guard let table = tables[type] else { return IndexedRecords(plan: .all(0), records: nil, hasMore: false) }
      return IndexedRecords(
        planner, table.indexes.map(\.keys), totalCount: table.count, orderedLimit: orderedLimit, offset: offset,
        after: start
      ) { place, isNewKey in
        table.rows[place].map { row in
          IndexedRecord(
            location: row.bytes, order: UInt64(place) + 1, identifier: row.identifier,
            isNewKey: isNewKey)
        }
      }
    }
  }

  /// Returns the positions of the records that indexes select for a query without order, and the rows of that moment.
  ///
  /// - Returns: nil if all records have to be tested.
  func places(_ type: String, _ planner: QueryPlanner) -> (plan: QueryPlan, places: [Int], rows: MemoryRows)? {
    tables.withLock { tables in
      guard let table = tables[type] else { return nil }
      let indexes = table.indexes.map(\.keys)
      let plan = planner.plan(with: indexes, totalCount: table.count)
      return plan.places(in: indexes).map { (plan, $0, table.rows) }
    }
  }

  /// The records that a query has to test inside a transaction that wrote some of their type.
  enum Stored: Sendable {
    /// All records of the type.
    case all(MemoryRows)
    /// The matches of indexes, and the positions of the records that the transaction wrote.
    case some(QueryPlan, [OrderedRow], places: [ExactText: Int])
    /// The records in the order of an index, and the positions of the records that the transaction wrote.
    case inOrder(QueryPlan, MemoryRows, [OrderedIndex], places: [ExactText: Int])
  }

  /// Returns the stored records that a query has to test, and the positions of other records, all from one snapshot.
  ///
  /// - Parameters:
  ///   - planner: the query.
  ///   - identifiers: the identifiers of the other records.
  func find(_ type: String, _ planner: QueryPlanner, placing identifiers: [ExactText]) -> Stored {
    tables.withLock { tables in
      guard let table = tables[type] else { return .all(MemoryRows()) }
      let indexes = table.indexes.map(\.keys)
      let plan = planner.plan(with: indexes, totalCount: table.count)
      var places: [ExactText: Int] = [:]
      for identifier in identifiers { places[identifier] = table.place(of: identifier.text) }
      if plan.isSortedByIndex { return .inOrder(plan, table.rows, indexes, places: places) }
      guard let found = plan.places(in: indexes) else { return .all(table.rows) }
      return .some(
        plan, found.compactMap { place in table.rows[place].map { OrderedRow(place: place, row: $0) } }, places: places)
    }
  }

  /// Returns the plan of a query.
  func plan(_ type: String, _ planner: QueryPlanner) -> QueryPlan {
    tables.withLock { tables in
      guard let table = tables[type] else { return .all(0) }
      return planner.plan(with: table.indexes.map(\.keys), totalCount: table.count)
    }
  }

  /// Returns the number of matches of a query without limit and offset; nil if records have to be tested for it.
  func count(_ type: String, _ planner: QueryPlanner) -> Int? {
    tables.withLock { tables in
      guard let table = tables[type] else { return nil }
      let indexes = table.indexes.map(\.keys)
      return planner.plan(with: indexes, totalCount: table.count).exactCount(in: indexes)
    }
  }

  /// Returns the number of matches of a query, and the stored records with some identifiers, all from one snapshot.
  /// Returns nil as ``count(_:_:)`` does.
  ///
  /// - Parameter planner: the query; nil for all records.
  func count(
    _ type: String, _ planner: QueryPlanner?, beside identifiers: [ExactText]
  ) -> (count: Int, stored: [MemoryRow])? {
    tables.withLock { tables in
      guard let table = tables[type] else { return (0, []) }
      let indexes = table.indexes.map(\.keys)
      let count = planner.map { $0.plan(with: indexes, totalCount: table.count).exactCount(in: indexes) } ?? table.count
      return count.map { ($0, identifiers.compactMap { table.row($0.text) }) }
    }
  }

  /// Returns the plan of a query, and the first record of an index that answers it; nil if none does.
  func first(_ type: String, _ planner: QueryPlanner) -> (plan: QueryPlan, record: [UInt8]?)? {
    tables.withLock { tables in
      guard let table = tables[type] else { return nil }
      let indexes = table.indexes.map(\.keys)
      let plan = planner.plan(with: indexes, totalCount: table.count)
      guard plan.isSortedByIndex, plan.isExact else { return nil }
      var record: [UInt8]?
      plan.forEachInOrder(indexes) { place, _ in
        record = table.rows[place]?.bytes
        return record == nil
      }
      return (plan, record)
    }
  }

  /// Returns the number of different values of an indexed field, and that of all records; nil if it is unknown.
  func distinctCount(_ type: String, _ field: StoredKeyPath) -> (count: Int, totalCount: Int)? {
    tables.withLock { tables in
      guard let table = tables[type], let index = table.indexes.first(where: { $0.field == field }) else { return nil }
      return index.keys.distinctCount.map { ($0, table.count) }
    }
  }

  /// Returns the epoch of positions, and the position of a record.
  func place(_ type: String, of identifier: String?) -> (epoch: Int, place: Int?) {
    tables.withLock { tables in (epoch, identifier.flatMap { tables[type]?.place(of: $0) }) }
  }
}

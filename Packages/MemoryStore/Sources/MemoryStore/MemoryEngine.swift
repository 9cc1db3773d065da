@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreProtocol

/// What the fronts of a memory store share: the records, and the lock that guards them.
///
/// ```swift
/// let handle = store.handle
/// Task {
///   let front = MemoryModelStore(handle)
///   print(try await front.list(Person.self).count)
/// }
/// ```
public final class MemoryEngine: Sendable {
  private let tables: Lock<[String: MemoryTable]>
  /// Where writes are told, to all fronts.
  public let changeFeed = StoreChangeFeed()

  init() { tables = Lock([:]) }

  private init(_ tables: [String: MemoryTable]) { self.tables = Lock(tables) }

  /// Everything as of now, for reads that belong together: later writes do not show in it.
  ///
  /// - Complexity: O(1). The next write copies the names of the records of its type.
  func moment() -> MemoryEngine { MemoryEngine(tables.withLock { $0 }) }

  /// A change of one record. Nothing else is done to it between the check and the change.
  struct Change: Sendable {
    enum Operation: Sendable {
      /// There must be no such record.
      case insert([UInt8])
      /// There must be such a record, with this revision.
      case replace([UInt8], revision: UInt64)
      /// There must be such a record, with this revision if one is given; or there may be none, if that is said.
      case remove(revision: UInt64?, mustBeThere: Bool)
    }

    let type: String
    let identifier: String
    let operation: Operation

    /// Whether there has to be a record for it, unless it is a new one.
    var isExpected: Bool {
      if case .remove(_, mustBeThere: false) = operation { false } else { true }
    }
  }

  /// Makes changes, all or none.
  ///
  /// - Parameter reads: what must not have changed since it was read.
  /// - Throws: `ModelStoreError` with the code `conflict` or `notFound`, ``StaleRevision``.
  func commit(_ changes: [Change], after reads: TransactionReads = TransactionReads()) throws {
    try tables.withLock { tables in
      if !reads.isEmpty, let stale = reads.firstStale(where: { Self.isStale($0, $1, tables) }) { throw stale.conflict }
      var done: [(type: String, undoing: MemoryTable.Undoing)] = []
      done.reserveCapacity(changes.count)
      if changes.count > 1, let first = changes.first, case .insert = first.operation {
        tables[first.type, default: MemoryTable()].makeRoom(for: changes.count)
      }
      do {
        for change in changes {
          done.append((change.type, try Self.apply(change, &tables[change.type, default: MemoryTable()])))
        }
        // Not before all are made: a value can go from one record to another.
        if tables.values.contains(where: \.hasUniqueIndexes) {
          for change in changes { try Self.refuseRival(after: change, tables[change.type]) }
        }
      } catch {
        for (type, undoing) in done.reversed() { tables[type, default: MemoryTable()].undo(undoing) }
        throw error
      }
      if changeFeed.isObserved { changeFeed.append(Self.told(changes, done.map(\.undoing))) }
    }
    changeFeed.deliver()
  }

  private static func isStale(
    _ part: TransactionReads.Part, _ state: UInt64, _ tables: [String: MemoryTable]
  ) -> Bool {
    let table = tables[part.type]
    guard let identifier = part.identifier else { return table?.lastWrite ?? 0 != state }
    return table?.row(identifier)?.revision ?? 0 != state
  }

  private static func apply(_ change: Change, _ table: inout MemoryTable) throws -> MemoryTable.Undoing {
    let (type, identifier) = (change.type, change.identifier)
    switch change.operation {
    case .insert(let bytes):
      guard let undoing = table.insert(bytes, identifier: identifier) else {
        throw ModelStoreError.conflict(type, identifier: identifier)
      }
      return undoing
    case .replace(let bytes, let revision):
      guard let row = table.row(identifier) else { throw ModelStoreError.notFound(type, identifier: identifier) }
      guard row.revision == revision else { throw StaleRevision(type: type, identifier: identifier) }
      return table.put(bytes, identifier: identifier)
    case .remove(let revision, let mustBeThere):
      guard let row = table.row(identifier) else {
        if mustBeThere { throw ModelStoreError.notFound(type, identifier: identifier) }
        return MemoryTable.Undoing(place: nil, identifier: identifier, row: nil)
      }
      if let revision, row.revision != revision { throw StaleRevision(type: type, identifier: identifier) }
      return table.remove(identifier)
    }
  }

  private static func refuseRival(after change: Change, _ table: MemoryTable?) throws {
    guard let table, table.hasUniqueIndexes, let row = table.row(change.identifier),
      let (index, rival) = table.rival(of: row.bytes, change.identifier)
    else { return }
    let path = index.field.path.description
    throw ModelStoreError(
      .conflict,
      """
      The \(change.type.nameForMessage) \(change.identifier.quotedForMessage) was not written: its \(path) has to be \
      unique, and \(rival.quotedForMessage) has the same.
      """, identifier: change.identifier, fields: [path: ["is taken"]])
  }

  /// An integer that no record of the type has or had, nor gets from another call; nil if there is none left.
  func nextInteger(for type: String) -> Int? {
    tables.withLock { $0[type, default: MemoryTable()].nextInteger() }
  }

  func row(_ type: String, _ identifier: String) -> MemoryRow? {
    tables.withLock { $0[type]?.row(identifier) }
  }

  /// A record, and the last write to its type by then.
  func read(_ type: String, _ identifier: String) -> (row: MemoryRow, lastWrite: UInt64)? {
    tables.withLock { tables in
      guard let table = tables[type], let row = table.row(identifier) else { return nil }
      return (row, table.state.lastWrite)
    }
  }

  /// When records of a type were last written.
  func state(of type: String) -> MemoryTypeState {
    tables.withLock { tables in
      // Reading through a default would insert nothing, and give each caller a state of its own.
      if tables[type] == nil { tables[type] = MemoryTable() }
      return tables[type, default: MemoryTable()].state
    }
  }

  /// The revision of the last write to records of a type; 0 if there was none.
  func lastWrite(to type: String) -> UInt64 { tables.withLock { $0[type]?.lastWrite ?? 0 } }

  /// How many models of each type there are, in the order of the names of the types.
  var counts: [(type: String, count: Int)] {
    tables.withLock { tables in
      tables.map { (type: $0.key, count: $0.value.count) }.filter { $0.count > 0 }.sorted { $0.type < $1.type }
    }
  }

  /// All records of a type as they are now. Later writes don't show in it.
  func rows(_ type: String) -> MemoryRows { tables.withLock { $0[type]?.rows ?? MemoryRows() } }

  /// A record, and where it is in the order of creation.
  func record(_ type: String, _ identifier: String) -> StoredRecord? {
    tables.withLock { $0[type]?.record(identifier) }
  }

  /// All records of a type, and up to which batch of the feed they have everything.
  func rowsAndPosition(_ type: String) -> (rows: MemoryRows, position: UInt64) {
    tables.withLock { ($0[type]?.rows ?? MemoryRows(), changeFeed.position) }
  }

  func count(_ type: String) -> Int { tables.withLock { $0[type]?.count ?? 0 } }

  // MARK: Indexes

  func index(_ type: String, _ field: StoredKeyPath, isUnique: Bool) throws {
    try tables.withLock { try $0[type, default: MemoryTable()].add(field, isUnique: isUnique, type) }
  }

  /// Makes an index unless there is one.
  func keepIndex(_ type: String, _ field: StoredKeyPath) throws {
    try tables.withLock { tables in
      if tables[type]?.fields.contains(field) == true { return }
      try tables[type, default: MemoryTable()].add(field, isUnique: false, type)
    }
  }

  /// The fields of which there are indexes. The number of one does not change.
  func indexedFields(_ type: String) -> [StoredKeyPath] { tables.withLock { $0[type]?.fields ?? [] } }

  /// The records that a query has to look at, all as of one moment.
  ///
  /// - Parameters:
  ///   - planner: the query.
  ///   - end: how many are enough, if they come in the order asked for and are known to be found.
  ///   - offset: how many of them the query passes over.
  ///   - page: the page that is asked for.
  func find(
    _ type: String, _ planner: QueryPlanner, atMost end: Int, offset: Int = 0, page: MemoryPage? = nil
  ) -> MemoryFinding {
    tables.withLock { tables in
      guard let table = tables[type] else { return MemoryFinding(plan: .all(0), records: .all(MemoryRows())) }
      if table.indexes.isEmpty { return MemoryFinding(plan: .all(table.count), records: .all(table.rows)) }
      let indexes = table.indexes.map(\.keys)
      let plan = planner.plan(with: indexes, totalCount: table.count)
      if let (found, skippedCount) = plan.places(in: indexes, after: page?.start, offset: offset) {
        let places = plan.isAnswer ? found.prefix(end - skippedCount) : found
        return MemoryFinding(
          plan: plan,
          records: .some(places.compactMap { table.rows[$0] }, orders: page == nil ? nil : Array(places)),
          skippedCount: skippedCount)
      }
      if plan.isSortedByIndex {
        let (start, skippedCount) = plan.start(after: page?.start, offset: offset, in: indexes)
        return MemoryFinding(
          plan: plan, records: .inOrder(table.rows, indexes, start: start), skippedCount: skippedCount)
      }
      return MemoryFinding(plan: plan, records: .all(table.rows))
    }
  }

  /// What a transaction of a front is told when it asks which records a query has to look at.
  enum Stored: Sendable {
    /// All of the type.
    case all(MemoryRows)
    /// Those that indexes lead to, and where the records are that it asked for.
    case some(QueryPlan, [PlacedRow], places: [ExactText: Int])
    /// Those that come out of an index in its order, and where the records are that it asked for.
    case inOrder(QueryPlan, MemoryRows, [OrderedIndex], places: [ExactText: Int])
  }

  /// The stored records that a query has to look at, and where other ones are, all as of one moment.
  ///
  /// - Parameters:
  ///   - planner: the query.
  ///   - identifiers: the other ones.
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
        plan, found.compactMap { place in table.rows[place].map { PlacedRow(place: place, row: $0) } }, places: places)
    }
  }

  /// How many records a query finds, limit and offset left aside; nil if the query or records have to be looked at to know.
  func count(_ type: String, _ planner: QueryPlanner) -> Int? {
    tables.withLock { tables in
      guard let table = tables[type] else { return nil }
      let indexes = table.indexes.map(\.keys)
      return planner.plan(with: indexes, totalCount: table.count).exactCount(in: indexes)
    }
  }

  /// How many records a query finds, and the stored ones with some identifiers, all as of one moment; nil as for
  /// ``count(_:_:)``.
  ///
  /// - Parameter planner: the query; nil if it is about all records.
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

  /// The list of the records of a type in which places are numbers, and the place of a record in it.
  func place(_ type: String, of identifier: String?) -> (epoch: Int, place: Int?) {
    tables.withLock { tables in
      let table = tables[type, default: MemoryTable()]
      tables[type] = table
      return (table.epoch, identifier.flatMap(table.place(of:)))
    }
  }

  // MARK: The whole

  /// Everything that is stored, as of one moment.
  func everything() -> [(type: String, rows: MemoryRows)] {
    tables.withLock { tables in tables.keys.sorted().map { ($0, tables[$0]?.rows ?? MemoryRows()) } }
  }

  /// Replaces everything that is stored; indexes stay.
  func replaceEverything(
    with records: [(type: String, identifier: String, bytes: [UInt8])]
  ) throws {
    try tables.withLock { tables in
      var fresh: [String: MemoryTable] = [:]
      for (type, table) in tables {
        fresh[type] = MemoryTable(state: table.state)
        for index in table.indexes { try fresh[type]?.add(index.field, isUnique: index.isUnique, type) }
      }
      for (type, identifier, bytes) in records {
        let change = Change(type: type, identifier: identifier, operation: .insert(bytes))
        _ = try Self.apply(change, &fresh[type, default: MemoryTable()])
        try Self.refuseRival(after: change, fresh[type])
      }
      // Also types of which nothing is left.
      for type in fresh.keys { fresh[type]?.noteWrite() }
      tables = fresh
      changeFeed.appendReplacement()
    }
    changeFeed.deliver()
  }
}

/// Somebody else wrote a record since it was read.
struct StaleRevision: Error {
  let type: String
  let identifier: String
}

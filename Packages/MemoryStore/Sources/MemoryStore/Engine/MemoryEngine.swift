@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// The shared engine of a memory store's instances: the records, and the lock that guards them.
///
/// ```swift
/// let handle = store.handle
/// Task {
///   let other = MemoryModelStore(handle)
///   print(try await other.list(Person.self).count)
/// }
/// ```
public final class MemoryEngine: CommitOrderedEngine {
  let tables: Lock<[String: MemoryTable]>
  /// The epoch of positions: those of another epoch, or of another process, number other records. A leaf lock, read and
  /// changed inside the one of the tables.
  private let positionEpoch: Lock<Int>
  /// The feed of the commits, for live results of all store instances.
  public let changeFeed = StoreChangeFeed()
  /// The open transactions.
  public let conflictTrackers = ConflictTrackers()

  init() { (tables, positionEpoch) = (Lock([:]), Lock(Self.newEpoch)) }

  private init(_ tables: [String: MemoryTable], _ epoch: Int) {
    (self.tables, positionEpoch) = (Lock(tables), Lock(epoch))
  }

  private static var newEpoch: Int { .random(in: 0..<Int.max) }

  /// Returns a snapshot of all records, which later writes don't change.
  ///
  /// - Complexity: O(1). The next write copies the identifiers of the records of its type.
  func moment() -> MemoryEngine {
    tables.withLock { MemoryEngine($0, epoch) }
  }

  var epoch: Int { positionEpoch.withLock { $0 } }

  /// Commits a batch atomically.
  ///
  /// - Throws: `RecordMismatch`. `ModelStoreError` with the code `conflict` if a unique index has the value, or if
  ///   another writer changed a record that the transaction read.
  public func commit(_ batch: RecordBatch) throws {
    let operations = batch.operations
    try tables.withLock { tables in
      try batch.validateReads()
      var done: [(type: String, undoing: MemoryTable.Undoing)] = []
      done.reserveCapacity(operations.count)
      if operations.count > 1, let first = operations.first, first.operation == .create {
        tables[first.type, default: MemoryTable()].makeRoom(for: operations.count)
      }
      do {
        for operation in operations {
          let type = operation.type
          done.append((type, try Self.apply(operation, &tables[type, default: MemoryTable()])))
        }
        // After all changes, because a value can move from one record to another.
        if tables.values.contains(where: \.hasUniqueIndexes) {
          for operation in operations { try Self.refuseRival(after: operation, tables[operation.type]) }
        }
      } catch {
        for (type, undoing) in done.reversed() { tables[type, default: MemoryTable()].undo(undoing) }
        throw error
      }
      conflictTrackers.note(operations)
      if changeFeed.isObserved {
        changeFeed.append(zip(operations, done).map { $0.change(replacing: $1.undoing.row?.bytes) })
      }
    }
    changeFeed.deliver()
  }

  private static func apply(
    _ operation: RecordOperation, _ table: inout MemoryTable
  ) throws -> MemoryTable.Undoing {
    let identifier = operation.identifier
    if operation.operation == .create {
      guard let undoing = table.insert(Array(operation.value), identifier: identifier) else {
        throw RecordMismatch(.exists, operation.type, identifier)
      }
      return undoing
    }
    try operation.validate(table.row(identifier)?.revision)
    return operation.operation == .update
      ? table.put(Array(operation.value), identifier: identifier) : table.remove(identifier)
  }

  private static func refuseRival(after change: RecordOperation, _ table: MemoryTable?) throws {
    guard let table, table.hasUniqueIndexes, let row = table.row(change.identifier),
      let (index, rival) = table.rival(of: row.bytes, change.identifier)
    else { return }
    let path = index.field.path.description
    throw ModelStoreError(
      .conflict,
      """
      The \(change.type.nameForMessage) \(change.identifier.quotedForMessage) was not written: its \(path) must be \
      unique, and \(rival.quotedForMessage) has the same value.
      """, identifier: change.identifier, fields: [path: ["is taken"]])
  }

  /// Returns an unused integer identifier of the type, which no other call returns; nil if there is none left.
  public func nextInteger(for type: String) -> Int? {
    tables.withLock { $0[type, default: MemoryTable()].nextInteger() }
  }

  func row(_ type: String, _ identifier: String) -> MemoryRow? {
    tables.withLock { $0[type]?.row(identifier) }
  }

  /// Returns a record, and the last write to its type at that time.
  func read(_ type: String, _ identifier: String) -> (row: MemoryRow, lastWrite: UInt64)? {
    tables.withLock { tables in
      guard let table = tables[type], let row = table.row(identifier) else { return nil }
      return (row, table.state.lastWrite)
    }
  }

  /// Returns the write state of a type.
  public func writeState(of type: String) -> WriteState? {
    tables.withLock { tables in
      // Reading through a default would insert nothing, and return another state to each caller.
      if tables[type] == nil { tables[type] = MemoryTable() }
      return tables[type, default: MemoryTable()].state
    }
  }

  /// The number of models of each type, sorted by type name.
  var counts: [(type: String, count: Int)] {
    tables.withLock { tables in
      tables.map { (type: $0.key, count: $0.value.count) }.filter { $0.count > 0 }.sorted { $0.type < $1.type }
    }
  }

  func table(_ type: String) -> MemoryTable? { tables.withLock { $0[type] } }

  /// Returns a snapshot of all records of a type.
  func rows(_ type: String) -> MemoryRows { tables.withLock { $0[type]?.rows ?? MemoryRows() } }

  /// Returns a record with its position in the order of creation.
  func record(_ type: String, _ identifier: String) -> StoredRecord? {
    tables.withLock { $0[type]?.record(identifier) }
  }

  /// Returns all records of a type, and the last batch of the feed that they contain.
  func rowsAndPosition(_ type: String) -> (rows: MemoryRows, position: UInt64) {
    tables.withLock { ($0[type]?.rows ?? MemoryRows(), changeFeed.position) }
  }

  func count(_ type: String) -> Int { tables.withLock { $0[type]?.count ?? 0 } }

  /// Returns the names of all types.
  public func typeNames() async throws -> [String]? { tables.withLock { $0.keys.sorted() } }

  /// Returns all records of all types, from one snapshot.
  func everything() -> [(type: String, rows: MemoryRows)] {
    tables.withLock { tables in tables.keys.sorted().map { ($0, tables[$0]?.rows ?? MemoryRows()) } }
  }

  /// Replaces all records. Indexes are kept.
  func replaceEverything(
    with records: [(type: String, identifier: String, bytes: [UInt8])]
  ) throws {
    try tables.withLock { tables in
      var fresh: [String: MemoryTable] = [:]
      for (type, table) in tables {
        fresh[type] = MemoryTable(replacing: table)
        for index in table.indexes { try fresh[type]?.add(index.field, isUnique: index.isUnique, type) }
      }
      for (type, identifier, bytes) in records {
        let change = RecordOperation.create(type, identifier, bytes)
        _ = try Self.apply(change, &fresh[type, default: MemoryTable()])
        try Self.refuseRival(after: change, fresh[type])
      }
      // Also types without records now.
      for type in fresh.keys { fresh[type]?.noteWrite() }
      tables = fresh
      positionEpoch.withLock { $0 = Self.newEpoch }
      conflictTrackers.noteReplacement()
      changeFeed.appendReplacement()
    }
    changeFeed.deliver()
  }
}

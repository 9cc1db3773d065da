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
  private let tables = Lock<[String: MemoryTable]>([:])

  init() {}

  /// A change of one record. Nothing else is done to it between the check and the change.
  struct Change: Sendable {
    enum Operation: Sendable {
      /// There must be no such record.
      case insert(AttributeDictionary, [UInt8])
      /// There must be such a record, with this revision.
      case replace(AttributeDictionary, [UInt8], revision: UInt64)
      /// There must be such a record, with this revision if one is given.
      case remove(revision: UInt64?)
    }

    let type: String
    let identifier: String
    let operation: Operation
  }

  /// Makes changes, all or none.
  ///
  /// - Throws: `ModelStoreError` with the code `conflict` or `notFound`, ``StaleRevision``.
  func commit(_ changes: [Change]) throws {
    try tables.withLock { tables in
      var done: [(type: String, undoing: MemoryTable.Undoing)] = []
      do {
        for change in changes {
          done.append((change.type, try Self.apply(change, &tables[change.type, default: MemoryTable()])))
        }
      } catch {
        for (type, undoing) in done.reversed() { tables[type, default: MemoryTable()].undo(undoing) }
        throw error
      }
    }
  }

  private static func apply(_ change: Change, _ table: inout MemoryTable) throws -> MemoryTable.Undoing {
    let (type, identifier) = (change.type, change.identifier)
    let row = table.row(identifier)
    switch change.operation {
    case .insert(let record, let bytes):
      guard row == nil else { throw ModelStoreError.conflict(type, identifier: identifier) }
      try refuseRival(of: record, change, table)
      return table.put(record, bytes, identifier: identifier)
    case .replace(let record, let bytes, let revision):
      guard let row else { throw ModelStoreError.notFound(type, identifier: identifier) }
      guard row.revision == revision else { throw StaleRevision(type: type, identifier: identifier) }
      try refuseRival(of: record, change, table)
      return table.put(record, bytes, identifier: identifier)
    case .remove(let revision):
      guard let row else { throw ModelStoreError.notFound(type, identifier: identifier) }
      if let revision, row.revision != revision { throw StaleRevision(type: type, identifier: identifier) }
      return table.remove(identifier)
    }
  }

  private static func refuseRival(of record: AttributeDictionary, _ change: Change, _ table: MemoryTable) throws {
    guard let (index, rival) = table.rival(of: record, change.identifier) else { return }
    let path = index.field.path.description
    throw ModelStoreError(
      .conflict,
      """
      The \(change.type) "\(change.identifier)" was not written: its \(path) has to be unique, and "\(rival)" has the \
      same.
      """, identifier: change.identifier, fields: [path: ["is taken"]])
  }

  /// An integer that no record of the type has or had, nor gets from another call; nil if there is none left.
  func nextInteger(for type: String) -> Int? {
    tables.withLock { $0[type, default: MemoryTable()].nextInteger() }
  }

  func row(_ type: String, _ identifier: String) -> MemoryRow? {
    tables.withLock { $0[type]?.row(identifier) }
  }

  /// All records of a type as they are now. Later writes don't show in it.
  func rows(_ type: String) -> MemoryRows { tables.withLock { $0[type]?.rows ?? MemoryRows() } }

  func count(_ type: String) -> Int { tables.withLock { $0[type]?.count ?? 0 } }

  // MARK: Indexes

  func index(_ type: String, _ field: StoredKeyPath, isUnique: Bool) throws {
    try tables.withLock { try $0[type, default: MemoryTable()].add(field, isUnique: isUnique, type) }
  }

  /// The fields of which there are indexes.
  func indexedFields(_ type: String) -> [StoredKeyPath] {
    tables.withLock { $0[type]?.indexes.map(\.field) ?? [] }
  }

  /// The records that have one of these values in an indexed field, in the order of their creation; nil if the index is
  /// gone.
  func rows(_ type: String, _ field: StoredKeyPath, values: [JSONValue]) -> [MemoryRow]? {
    tables.withLock { tables in
      guard let table = tables[type], let index = table.indexes.first(where: { $0.field == field }) else { return nil }
      return table.rows(at: values.flatMap(index.places))
    }
  }

  // MARK: The whole

  /// Everything that is stored, as of one moment.
  func everything() -> [(type: String, rows: MemoryRows)] {
    tables.withLock { tables in tables.keys.sorted().map { ($0, tables[$0]?.rows ?? MemoryRows()) } }
  }

  /// Replaces everything that is stored; indexes stay.
  func replaceEverything(
    with records: [(type: String, identifier: String, record: AttributeDictionary, bytes: [UInt8])]
  )
    throws
  {
    try tables.withLock { tables in
      var fresh: [String: MemoryTable] = [:]
      for (type, table) in tables {
        for index in table.indexes {
          try fresh[type, default: MemoryTable()].add(index.field, isUnique: index.isUnique, type)
        }
      }
      for (type, identifier, record, bytes) in records {
        let change = Change(type: type, identifier: identifier, operation: .insert(record, bytes))
        _ = try Self.apply(change, &fresh[type, default: MemoryTable()])
      }
      tables = fresh
    }
  }
}

/// Somebody else wrote a record since it was read.
struct StaleRevision: Error {
  let type: String
  let identifier: String
}

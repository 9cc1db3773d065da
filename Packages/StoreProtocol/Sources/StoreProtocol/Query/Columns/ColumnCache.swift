/// The columns that were requested repeatedly, as of the last write to each type.
///
/// They are built as soon as queries have read as many records without them as a build reads. They follow the writes to
/// their type, and are dropped if these are unknown, and when all columns together become too large. Then those of the
/// type that was not used for the longest time are dropped.
@_spi(ModelKitInternals)
public struct ColumnCache {
  private struct Table {
    var revision: UInt64
    /// By the key as records spell it; nil for one that can't be built.
    var columns: [String: ValueColumn?] = [:]
    /// The number of scans of all records that earlier queries took without a column, by its key.
    var scans: [String: Double] = [:]
    var lastUse = 0

    mutating func follow(_ records: [NumberedRecord], to revision: UInt64) {
      self.revision = revision
      columns = columns.mapValues { column in column.flatMap { try? $0.following(records) } }
    }
  }

  /// The size in bytes that all columns of a store instance may have.
  private let maximumSize: Int
  private var tables: [String: Table] = [:]
  private var uses = 0

  /// Creates an empty cache.
  public init() { self.init(maximumSize: 128 << 20) }

  /// Creates an empty cache with another size in bytes.
  init(maximumSize: Int) { self.maximumSize = maximumSize }

  /// Returns the columns with some keys, or the reason why there are none.
  ///
  /// - Parameters:
  ///   - keys: the keys.
  ///   - type: the name of the type.
  ///   - revision: the last write to the type.
  ///   - share: the part of all records that the query reads without columns; 1 without an index.
  ///   - cost: the number of scans that it takes to build columns, beyond those of the query.
  ///   - changes: returns the records that were written after a revision; nil if they are unknown.
  package mutating func columns(
    _ keys: [String], of type: String, at revision: UInt64, reading share: Double, buildCost cost: Double,
    changes: (UInt64) -> [NumberedRecord]?
  ) -> ColumnSearch {
    uses += 1
    if tables[type]?.revision != revision {
      if let known = tables[type]?.revision, let records = changes(known) {
        tables[type]?.follow(records, to: revision)
      } else {
        tables[type] = Table(revision: revision)
      }
    }
    tables[type]?.lastUse = uses
    guard let table = tables[type] else { return .unwanted }
    // A value that can't be stored in a column has none.
    if keys.contains(where: { table.columns[$0].map { $0 == nil } ?? false }) { return .unwanted }
    let found = table.columns.compactMapValues(\.self)
    if keys.allSatisfy({ found[$0] != nil }) { return .found(found) }
    let isWanted = keys.allSatisfy { table.scans[$0, default: 0] >= cost }
    for key in keys { tables[type]?.scans[key, default: 0] += share }
    return isWanted ? .wanted(found) : .unwanted
  }

  /// Returns a table of columns for a query that reads all records, built if it is worth its cost; nil if there is
  /// none.
  ///
  /// - Parameters:
  ///   - keys: the keys.
  ///   - type: the name of the type.
  ///   - revision: the last write to the type.
  ///   - changes: returns the records that were written after a revision; nil if they are unknown.
  ///   - build: adds all records to a builder for some keys.
  public mutating func table(
    _ keys: [String], of type: String, at revision: UInt64, changes: (UInt64) -> [NumberedRecord]?,
    building build: ([String]) throws -> ColumnTableBuilder
  ) throws -> ColumnTable? {
    switch columns(keys, of: type, at: revision, reading: 1, buildCost: 1, changes: changes) {
    case .found(let columns): return ColumnTable(columns)
    case .wanted(let known):
      guard let built = try? build(keys.filter { known[$0] == nil }).finish() else { return nil }
      add(built, of: type, at: revision)
      let all = known.merging(built.compactMapValues(\.self)) { $1 }
      return keys.allSatisfy { all[$0] != nil } ? ColumnTable(all) : nil
    case .unwanted: return nil
    }
  }

  /// Keeps columns.
  package mutating func add(_ columns: [String: ValueColumn?], of type: String, at revision: UInt64) {
    guard tables[type]?.revision == revision else { return }
    tables[type]?.columns.merge(columns) { $1 }
    func size(_ table: Table) -> Int { table.columns.values.reduce(0) { $0 + ($1?.byteCount ?? 0) } }
    while tables.values.reduce(0, { $0 + size($1) }) > maximumSize {
      guard let oldest = tables.filter({ size($0.value) > 0 }).min(by: { $0.value.lastUse < $1.value.lastUse }) else {
        break
      }
      if oldest.key == type {
        // The columns of this type alone are too large.
        tables[type]?.columns = oldest.value.columns.mapValues { _ in ValueColumn?.none }
      } else {
        tables[oldest.key]?.columns = oldest.value.columns.filter { $0.value == nil }
        tables[oldest.key]?.scans = [:]
      }
    }
  }
}

/// A record with its number in the order of creation.
@_spi(ModelKitInternals)
public struct NumberedRecord {
  let number: Int
  let bytes: [UInt8]

  /// Creates a numbered record.
  public init(number: Int, bytes: [UInt8]) { (self.number, self.bytes) = (number, bytes) }
}

/// The result of a search in a ``ColumnCache``.
package enum ColumnSearch {
  /// All columns exist.
  case found([String: ValueColumn])
  /// Some columns are missing, and worth building.
  case wanted([String: ValueColumn])
  /// The columns are not worth building yet, or can't be built.
  case unwanted
}

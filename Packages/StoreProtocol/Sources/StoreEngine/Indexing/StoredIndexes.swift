@_spi(ModelKitInternals) public import StoreProtocol

/// The indexes of one type that an engine maintains in memory, for engines without indexes of their own.
///
/// An engine adds the fields that ``RecordEngine/ensureIndex(_:_:)`` names, applies each commit, and returns the
/// indexes from ``RecordSnapshot/indexes(of:)``. A copy is a snapshot, which costs nothing.
///
/// ```swift
/// var indexes = StoredIndexes()
/// try indexes.add(field, isUnique: true, records: records)
/// indexes.replace(old, with: new)
/// ```
public struct StoredIndexes: Sendable {
  private struct Index {
    let field: StoredKeyPath
    var isUnique: Bool
    var keys: OrderedIndex

    /// Returns the position of another record with the same value, if the index is unique.
    func rival(of record: StoredRecord) -> UInt64? {
      guard isUnique, let key = field.key(in: record.bytes), !key.isNull else { return nil }
      var rival: UInt64?
      keys.forEach(in: IndexRanges([IndexRange(key)])) { place, _ in
        if UInt64(place) != record.order { rival = UInt64(place) }
        return rival == nil
      }
      return rival
    }
  }

  private var indexes: [Index] = []
  private var count = 0

  /// Creates the indexes of a type without records.
  public init() {}

  /// Adds an index of a field. If there is one already, it becomes unique if that is requested.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - isUnique: whether no two records may have the same value; nil is no value.
  ///   - records: all records of the type.
  /// - Throws: `ModelStoreError` with the code `conflict` if a unique index would have a value twice.
  /// - Complexity: O(*n* log *n*) in the number of records.
  public mutating func add(_ field: StoredKeyPath, isUnique: Bool = false, records: [StoredRecord]) throws {
    let keys = OrderedIndex(records.map { (field.key(in: $0.bytes), Int($0.order)) })
    let known = indexes.firstIndex { $0.field == field }
    // A unique index stays unique: adding it again for faster queries must not remove the promise.
    let index = Index(field: field, isUnique: isUnique || known.map { indexes[$0].isUnique } == true, keys: keys)
    if let record = records.first(where: { index.rival(of: $0) != nil }) {
      throw Self.duplicate(record, field, "No unique index of \(field.path.description.quotedForMessage) was created")
    }
    count = records.count
    // Plans reference indexes by number, so the numbers never change.
    if let known { indexes[known] = index } else { indexes.append(index) }
  }

  /// Applies the write of a record.
  ///
  /// - Parameters:
  ///   - old: the record before the write; nil if it is created.
  ///   - new: the record after the write; nil if it is deleted.
  /// - Complexity: O(log *n*) for each index.
  public mutating func replace(_ old: StoredRecord?, with new: StoredRecord?) {
    count += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
    for number in indexes.indices {
      let field = indexes[number].field
      if let old { indexes[number].keys.remove(field.key(in: old.bytes), Int(old.order)) }
      if let new { indexes[number].keys.insert(field.key(in: new.bytes), Int(new.order)) }
    }
  }

  /// Checks the unique indexes after the writes of a batch, which may exchange values between records.
  ///
  /// - Parameter record: a record that the batch wrote.
  /// - Throws: `ModelStoreError` with the code `conflict` if another record has the same value.
  /// - Complexity: O(log *n*) for each unique index.
  public func validate(_ record: StoredRecord) throws {
    for index in indexes where index.rival(of: record) != nil {
      throw Self.duplicate(record, index.field, "The record \(record.identifier.quotedForMessage) was not written")
    }
  }

  private static func duplicate(_ record: StoredRecord, _ field: StoredKeyPath, _ failure: String) -> ModelStoreError {
    let path = field.path.description
    return ModelStoreError(
      .conflict, "\(failure): another record has the same \(path) as \(record.identifier.quotedForMessage).",
      identifier: record.identifier, fields: [path: ["is taken"]])
  }

  /// Returns the indexes for ``RecordSnapshot/indexes(of:)``; nil if there are none.
  ///
  /// - Parameter record: returns the record at a position in the order of creation.
  public func records(_ record: @escaping (_ order: UInt64) -> StoredRecord?) -> RecordIndexes<[UInt8]>? {
    if indexes.isEmpty { return nil }
    let (keys, count) = (indexes.map(\.keys), count)
    return RecordIndexes(fields: indexes.map(\.field), scatteredCost: 1) { planner, orderedLimit, offset, position in
      IndexedRecords(
        planner, keys, totalCount: count, orderedLimit: orderedLimit, offset: offset, after: position
      ) { place, isNewKey in
        record(UInt64(place)).map {
          IndexedRecord(location: $0.bytes, order: $0.order, identifier: $0.identifier, isNewKey: isNewKey)
        }
      }
    } count: { planner in
      planner.plan(with: keys, totalCount: count).exactCount(in: keys)
    } plan: { planner in
      planner.plan(with: keys, totalCount: count)
    } read: { records in
      records.map(\.location)
    }
  }
}

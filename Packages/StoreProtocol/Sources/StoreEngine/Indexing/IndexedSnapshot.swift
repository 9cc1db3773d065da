@_spi(ModelKitInternals) public import StoreProtocol

/// A snapshot whose indexes answer an aggregate, so that the records need not be read.
@_spi(ModelKitInternals)
public protocol IndexedSnapshot: RecordSnapshot {
  /// Returns the fields of the indexes of a type; none if the indexes lack records.
  func fieldsOfIndexes(_ type: String) -> [StoredKeyPath]

  /// Returns the plan of a query for one record, and the bytes of the record, or nil if there is none.
  ///
  /// - Returns: nil if the first record of an index is not that of the query.
  func first(_ type: String, _ planner: QueryPlanner) async throws -> (plan: QueryPlan, record: [UInt8]?)?

  /// Returns the number of different values of an indexed field, and that of all records.
  ///
  /// - Returns: nil if the index can't count them.
  func distinctCount(_ type: String, _ field: StoredKeyPath) throws -> (count: Int, totalCount: Int)?
}

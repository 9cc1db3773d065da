@_spi(ModelKitInternals) import StoreProtocol

/// A snapshot that passes the bytes of records of a type, without creating records.
@_spi(ModelKitInternals)
public protocol ScanningSnapshot: RecordSnapshot {
  /// Returns scans of all records of a type: of parts that follow each other in the order of creation.
  ///
  /// - Parameters:
  ///   - type: the name of the type.
  ///   - count: the number of parts, at least 1. There may be fewer.
  func scans(of type: String, inParts count: Int) async throws -> [any RecordScan]

  /// Calls a closure with the bytes of each record that indexes select for a query without order and limit.
  ///
  /// It is called in the order of creation, until it returns `false`.
  ///
  /// - Parameters:
  ///   - type: the name of the type.
  ///   - planner: the query.
  ///   - body: the closure. It is not called before the plan is known.
  /// - Returns: the plan; nil if indexes select no records. The closure was not called then.
  /// - Throws: `ModelStoreError` with the code `corrupt` if a record can't be read.
  func scan(
    _ type: String, selectedBy planner: QueryPlanner, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) async throws -> QueryPlan?
}

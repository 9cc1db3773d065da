/// A snapshot that passes the bytes of all records of a type, without creating records.
@_spi(ModelKitInternals)
public protocol ScanningSnapshot: RecordSnapshot {
  /// Calls a closure with the bytes of each record of a type in the order of creation, until it returns `false`.
  ///
  /// - Returns: `false` if a record can't be read. The closure was not called with it then.
  func scan(_ type: String, _ body: (UnsafeRawBufferPointer) throws -> Bool) async throws -> Bool
}

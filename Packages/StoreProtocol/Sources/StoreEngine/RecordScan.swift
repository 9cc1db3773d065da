/// A scan of consecutive records of a type in a snapshot. Scans of one snapshot can run at the same time.
@_spi(ModelKitInternals)
public protocol RecordScan: Sendable {
  /// Calls a closure with the bytes of each record in the order of creation, until it returns `false`. Other tasks run
  /// from time to time.
  ///
  /// - Returns: `false` if a record can't be read. The closure was not called with it then.
  func forEach(_ body: (UnsafeRawBufferPointer) throws -> Bool) async throws -> Bool
}

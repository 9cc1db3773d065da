@_spi(ModelKitInternals) public import StoreProtocol

/// An engine that knows which records were written last, so that the columns of its store instances follow the writes.
@_spi(ModelKitInternals)
public protocol WriteLoggingEngine: RecordEngine {
  /// Returns the records that were written between two revisions of the write state of a type, each with its number in
  /// the order of creation.
  ///
  /// - Returns: nil if they are unknown, or if records were removed.
  func records(of type: String, writtenAfter revision: UInt64, upTo last: UInt64) -> [NumberedRecord]?
}

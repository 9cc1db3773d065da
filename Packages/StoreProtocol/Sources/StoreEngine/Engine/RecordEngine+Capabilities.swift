@_spi(ModelKitInternals) public import StoreProtocol

// Optional capabilities of engines. Requirements of `RecordEngine` itself would have to be public.

/// An engine that assigns positions in the order of commits. Once a record is visible, no record of its type with a
/// smaller position becomes visible.
///
/// A database whose transactions overlap often takes a position before the commit, and is no such engine.
public protocol CommitOrderedEngine: RecordEngine {}

/// An engine that finds a record by other spellings of its identifier, such as 1.50 and 1.5 for a number of a database.
/// The identifier in the value of a record can be spelled differently.
@_spi(ModelKitInternals)
public protocol IdentifierNormalizingEngine: RecordEngine {}

/// An engine that knows which records were written last, so that the columns of its store instances follow the writes.
@_spi(ModelKitInternals)
public protocol WriteLoggingEngine: RecordEngine {
  /// Returns the records that were written between two revisions of the write state of a type, each with its number in
  /// the order of creation.
  ///
  /// - Returns: nil if they are unknown, or if records were removed.
  func records(of type: String, writtenAfter revision: UInt64, upTo last: UInt64) -> [NumberedRecord]?
}

/// A write to one record: a part of a ``RecordBatch``.
///
/// ```swift
/// let change = RecordOperation.update(
///   "Person", "10", bytes, ifRevision: record.revision)
/// ```
public struct RecordOperation: Sendable {
  /// The kind of a write.
  public enum Kind: String, Sendable {
    /// Adds a record that must not exist.
    case create
    /// Replaces a record that must exist.
    case update
    /// Removes a record that must exist.
    case delete
  }

  /// The kind of the write.
  public var operation: Kind
  /// The type name of the model.
  public var type: String
  /// The identifier of the record, compared byte by byte.
  public var identifier: String
  /// The bytes of one JSON object without line breaks; empty for a deletion.
  public var value: ArraySlice<UInt8>
  /// The expected revision of the replaced or removed record; nil for any.
  public var expectedRevision: UInt64?
  /// The replaced or removed bytes, for observers of changes; nil if they are unknown.
  public var previousValue: [UInt8]?

  /// Returns the creation of a record.
  public static func create(_ type: String, _ identifier: String, _ value: [UInt8]) -> RecordOperation {
    create(type, identifier, value[...])
  }

  /// Returns the creation of a record from a part of other bytes.
  public static func create(_ type: String, _ identifier: String, _ value: ArraySlice<UInt8>) -> RecordOperation {
    RecordOperation(operation: .create, type: type, identifier: identifier, value: value)
  }

  /// Returns the replacement of a record.
  ///
  /// - Parameters:
  ///   - type: the type name of the model.
  ///   - identifier: the identifier of the record.
  ///   - value: the new bytes.
  ///   - revision: the expected revision; nil for any.
  public static func update(
    _ type: String, _ identifier: String, _ value: [UInt8], ifRevision revision: UInt64? = nil
  ) -> RecordOperation {
    RecordOperation(
      operation: .update, type: type, identifier: identifier, value: value[...], expectedRevision: revision)
  }

  /// Returns the removal of a record.
  ///
  /// - Parameters:
  ///   - type: the type name of the model.
  ///   - identifier: the identifier of the record.
  ///   - revision: the expected revision; nil for any.
  public static func delete(
    _ type: String, _ identifier: String, ifRevision revision: UInt64? = nil
  ) -> RecordOperation {
    RecordOperation(operation: .delete, type: type, identifier: identifier, value: [], expectedRevision: revision)
  }
}

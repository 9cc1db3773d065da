/// A completed write to one record, as a store reports it.
///
/// ```swift
/// let record = Array(#"{"id": 10, "name": "Ada"}"#.utf8)
/// feed.publish([RecordChange(.created, "Person", "10", after: record)])
/// ```
public struct RecordChange: Sendable {
  /// The kind of change of a record.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The record was created.
    case created
    /// The record was replaced.
    case updated
    /// The record was deleted.
    case deleted
  }

  /// The kind of change.
  public let kind: Kind
  /// The type name of the model.
  public let typeName: String
  /// The identifier of the record.
  public let identifier: String
  /// The bytes of the JSON object before the write; nil if there was none, or it is unknown.
  public let before: [UInt8]?
  /// The bytes of the JSON object after the write; nil if it was deleted, or it is unknown.
  public let after: [UInt8]?
  /// The written keys, as records spell them; nil to determine them by comparing `before` and `after`.
  public let keys: [String]?
  /// Whether `after` lacks values of the record. Live results are listed again then. Default: no.
  public var isPartial = false

  /// Describes a write.
  ///
  /// - Parameters:
  ///   - kind: the kind of change.
  ///   - typeName: the type name of the model.
  ///   - identifier: the identifier of the record.
  ///   - before: the record before the write, if it is known.
  ///   - after: the record after the write, if it is known.
  ///   - keys: the written topmost keys; nil to determine them by comparing both records.
  public init(
    _ kind: Kind, _ typeName: String, _ identifier: String, before: [UInt8]? = nil, after: [UInt8]? = nil,
    keys: [String]? = nil
  ) {
    self.kind = kind
    self.typeName = typeName
    self.identifier = identifier
    self.before = before
    self.after = after
    self.keys = keys
  }
}

/// A write to be delivered to a consumer.
struct RoutedChange: Sendable {
  let change: RecordChange
  /// The topmost keys whose values differ; nil if they are unknown.
  let keys: [String]?
  /// The number of the commit.
  let position: UInt64

  /// The size of the records before and after the write.
  var byteCount: Int { (change.before?.count ?? 0) + (change.after?.count ?? 0) }
}

/// One write to one record, as a store tells it once it is done.
///
/// ```swift
/// feed.publish([RecordChange(.created, "Person", "10", after: Array(#"{"id": 10, "name": "Ada"}"#.utf8))])
/// ```
public struct RecordChange: Sendable {
  /// The kind of change of a record.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// It was not there before.
    case created
    /// It was there, and is another one now.
    case updated
    /// It is not there any more.
    case deleted
  }

  /// The kind of change.
  public let kind: Kind
  /// The name of the type of the model in stores.
  public let typeName: String
  /// The identifier of the record.
  public let identifier: String
  /// The bytes of the JSON object before; nil if there was none, or the store does not know it.
  public let before: [UInt8]?
  /// The bytes of the JSON object now; nil if it was deleted, or the store does not know it.
  public let after: [UInt8]?
  /// The keys that were written, as records spell them; nil to have them found out by comparing `before` and `after`.
  public let keys: [String]?
  /// Whether `after` lacks values of the record. Live results are listed again then. Default: no.
  public var isPartial = false

  /// Describes a write.
  ///
  /// - Parameters:
  ///   - kind: what was done.
  ///   - typeName: what stores call the type of the model.
  ///   - identifier: the identifier of the record.
  ///   - before: the record before, if it is known.
  ///   - after: the record now, if it is known.
  ///   - keys: the topmost keys that were written; nil to have them found out.
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

/// A write on its way to a consumer.
struct RoutedChange: Sendable {
  let change: RecordChange
  /// The topmost keys whose values differ; nil if that is not known.
  let keys: [String]?
  /// The commit that it belongs to.
  let position: UInt64
}

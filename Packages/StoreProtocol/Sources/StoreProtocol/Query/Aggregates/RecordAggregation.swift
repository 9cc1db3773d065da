public import FieldKit

/// Values of groups of records that an engine can calculate, so that the store reads no record.
public struct RecordAggregation: Sendable {
  /// A value of each group.
  public enum Value: Sendable {
    /// The number of records.
    case count
    /// The number of different values of a field, nil excepted.
    case distinctCount(QueryPath)
    /// The exact sum of the values of a field that are not nil. Floating-point numbers are added in the order of
    /// creation.
    case sum(QueryPath)
    /// The least value of a field.
    case minimum(QueryPath)
    /// The greatest value of a field.
    case maximum(QueryPath)

    /// The path of the field; nil for a number of records.
    public var path: QueryPath? {
      switch self {
      case .count: nil
      case .distinctCount(let path), .sum(let path), .minimum(let path), .maximum(let path): path
      }
    }
  }

  /// The values of a group.
  public struct Group: Sendable {
    /// The values of the keys, as records have them.
    public var key: [JSONValue]
    /// The sum, the least or the greatest value as records have it, and the number of the values that it is made of. A
    /// count is that number, beside null.
    public var values: [(json: JSONValue, count: Int)]

    /// Creates the values of a group.
    ///
    /// - Parameters:
    ///   - key: the values of the keys.
    ///   - values: the values, each with its count.
    public init(key: [JSONValue], values: [(json: JSONValue, count: Int)]) {
      self.key = key
      self.values = values
    }
  }

  /// The paths of the fields whose values make a group. Without any, all records are one group.
  public let keys: [QueryPath]
  /// The values of each group.
  public let values: [Value]

  /// Creates a description of groups; nil if one of the keys or values is no value of a field.
  init?(keys: [QueryPath?], values: [Value?]) {
    (self.keys, self.values) = (keys.compactMap(\.self), values.compactMap(\.self))
    guard self.keys.count == keys.count, self.values.count == values.count else { return nil }
  }

  /// The paths of all fields.
  public var paths: [QueryPath] { keys + values.compactMap(\.path) }
}

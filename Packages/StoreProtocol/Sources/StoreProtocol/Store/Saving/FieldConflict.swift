@_spi(ModelKitInternals) public import ModelCore

/// A field that was changed both locally and by another writer, with both values.
///
/// ```swift
/// do {
///   try await store.save(person)
/// } catch let error as ModelStoreError where error.code == .conflict {
///   for conflict in error.conflicts {
///     print(conflict.key, conflict.stored, conflict.local)
///   }
/// }
/// ```
public struct FieldConflict: Hashable, Sendable, CustomStringConvertible {
  /// The key of the field in records.
  public let key: String
  /// The value that the model read or saved last.
  public let baseline: JSONValue
  /// The local value, which was not written.
  public let local: JSONValue
  /// The value that is stored now.
  public let stored: JSONValue
  private let isSensitive: Bool

  /// Creates a conflict.
  ///
  /// - Parameters:
  ///   - key: the key of the field in records.
  ///   - baseline: the value that the model read or saved last.
  ///   - local: the local value, which was not written.
  ///   - stored: the value that is stored now.
  ///   - sensitive: whether descriptions leave the values out.
  public init(key: String, baseline: JSONValue, local: JSONValue, stored: JSONValue, sensitive: Bool = false) {
    self.key = key
    self.baseline = baseline
    self.local = local
    self.stored = stored
    isSensitive = sensitive
  }

  /// The key and the values.
  public var description: String {
    if isSensitive { return "\(key) (redacted)" }
    return "\(key): read \(baseline), here \(local), stored \(stored)"
  }
}

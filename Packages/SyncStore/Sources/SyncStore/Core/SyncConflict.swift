public import FieldKit

/// A record with conflicting changes. It was changed locally and on the server since their common version.
///
/// It has all values of the record, also sensitive ones. Don't write it to a log.
///
/// ```swift
/// store.resolve(Book.self) { conflict in
///   conflict.keys == ["rating"] ? .local : .merge
/// }
/// ```
public struct SyncConflict: Sendable, Hashable {
  /// The type name of the model.
  public var type: String
  /// The identifier of the record.
  public var identifier: String
  /// The common ancestor of both versions; nil if the record was created locally.
  public var base: AttributeDictionary?
  /// The local version; nil if the record was deleted here.
  public var local: AttributeDictionary?
  /// The server's version; nil if it has none.
  public var remote: AttributeDictionary?
  /// The keys of members that both sides changed differently, in order; empty if one side deleted the record.
  public var keys: [String]

  /// Creates a conflict.
  ///
  /// - Parameters:
  ///   - type: the type name of the model.
  ///   - identifier: the identifier of the record.
  ///   - base: the common ancestor of both versions.
  ///   - local: the local version.
  ///   - remote: the server's version.
  ///   - keys: the keys of members that both changed differently.
  public init(
    _ type: String, _ identifier: String, base: AttributeDictionary?, local: AttributeDictionary?,
    remote: AttributeDictionary?, keys: [String]
  ) {
    (self.type, self.identifier, self.base) = (type, identifier, base)
    (self.local, self.remote, self.keys) = (local, remote, keys)
  }

  /// Returns the merged record with the local value of some members that both changed, and the server's of the others.
  ///
  /// ```swift
  /// try await store.resolve(
  ///   conflict, with: .record(conflict.merged(keepingLocal: ["title"])))
  /// ```
  ///
  /// - Parameter keys: the keys of members whose local value is kept.
  /// - Returns: the record; the only version if one of both deleted it.
  public func merged(keepingLocal keys: some Collection<String>) -> AttributeDictionary {
    guard let local, var merged = remote else { return local ?? remote ?? [:] }
    for key in RecordMerge.changes(from: base ?? [:], to: local) where !self.keys.contains(key) || keys.contains(key) {
      merged[key] = local[key]
    }
    return merged
  }
}

/// The decision about a ``SyncConflict``.
///
/// Members that only one side changed are merged, except with ``remote`` and ``record(_:)``.
public enum SyncResolution: Sendable, Hashable {
  /// The server's value of a member that both changed is kept, and so is its deletion of a record. A local deletion is
  /// undone. The local values are noted as discarded.
  case merge
  /// The local value of a member that both changed is kept, and so is a local deletion. A record that the server
  /// deleted is created again.
  case local
  /// The server's version is kept. All local changes are recorded as discarded.
  case remote
  /// This record is kept.
  case record(AttributeDictionary)
  /// Both versions are kept until the conflict is resolved. Until then the outbox entry is parked.
  case wait
}

import FieldKit

/// A merge of the local and the server's version of a record with their common base, member by member.
///
/// A record that is nil is deleted, or was never there. The validator is a member too, and always the server's.
struct RecordMerge: Equatable {
  /// The member of a record that holds the server's validator.
  static let validatorKey = "@validator"

  /// A local value that lost against the server's.
  struct Discarded: Hashable {
    /// The key of the member; nil for the whole record.
    var key: String?
    /// The local value; null for a deletion.
    var value: JSONValue
  }

  /// The merged record; nil if it is deleted.
  var record: AttributeDictionary?
  /// The local values that lost.
  var discarded: [Discarded] = []

  /// Merges two versions of a record. Where both changed the same member differently, the server's value is kept.
  ///
  /// - Parameters:
  ///   - base: the version that both come from.
  ///   - local: the local version.
  ///   - remote: the server's version.
  ///   - ownKeys: the keys whose local value is kept in any case, since the server already had the value before it.
  ///   - keepsDeletion: whether a local deletion is kept in any case.
  init(
    base: AttributeDictionary?, local: AttributeDictionary?, remote: AttributeDictionary?,
    ownKeys: Set<String> = [], keepsDeletion: Bool = false
  ) {
    guard let remote else {
      if let local, let base, Self.changes(from: base, to: local).isEmpty == false {
        discarded = [Discarded(key: nil, value: .object(local))]
      } else if let local, base == nil {
        // The server never had it.
        record = local
      }
      return
    }
    guard let local else {
      if keepsDeletion { return }
      if let base, Self.changes(from: base, to: remote).isEmpty { return }
      record = remote
      // Without a base nothing was deleted here.
      if base != nil { discarded = [Discarded(key: nil, value: .null)] }
      return
    }
    let base = base ?? [:]
    var merged = remote
    for key in Self.changes(from: base, to: local) where local[key] != remote[key] {
      if base[key] == remote[key] || ownKeys.contains(key) {
        merged[key] = local[key]
      } else {
        discarded.append(Discarded(key: key, value: local[key] ?? .null))
      }
    }
    record = merged
  }

  /// Returns the keys of members that differ, in order. The validator is left aside.
  static func changes(from old: AttributeDictionary, to new: AttributeDictionary) -> [String] {
    Set(old.keys).union(new.keys).filter { $0 != validatorKey && old[$0] != new[$0] }.sorted()
  }

  /// Returns whether two versions are equal but for the validator.
  static func areEqual(_ left: AttributeDictionary?, _ right: AttributeDictionary?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return changes(from: left, to: right).isEmpty
  }
}

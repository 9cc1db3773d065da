import FieldKit

/// A merge of the local and the server's version of a record with their common base, member by member.
///
/// A record that is nil is deleted, or was never there.
struct RecordMerge: Equatable {
  /// A local value that a merge discarded in favour of the server's.
  struct Discarded: Hashable {
    /// The key of the member; nil for the whole record.
    var key: String?
    /// The local value; null for a deletion.
    var value: JSONValue
  }

  /// The merged record; nil if it is deleted.
  var record: AttributeDictionary?
  /// The discarded local values.
  var discarded: [Discarded] = []
  /// Whether both versions are kept until someone decides.
  var isDeferred = false

  /// Merges two versions of a record.
  ///
  /// - Parameters:
  ///   - base: the common ancestor of both versions.
  ///   - local: the local version.
  ///   - remote: the server's version.
  ///   - ownKeys: the keys whose local value is kept in any case, since the server already had the value before it.
  ///   - keepsDeletion: whether a local deletion is kept in any case.
  ///   - resolve: decides about members that both changed differently, or about a deletion if there are none. It is
  ///     called at most once.
  init(
    base: AttributeDictionary?, local: AttributeDictionary?, remote: AttributeDictionary?,
    ownKeys: Set<String> = [], keepsDeletion: Bool = false,
    resolve: (_ keys: [String]) -> SyncResolution = { _ in .merge }
  ) {
    switch (local, remote) {
    case (nil, nil): break
    case (let local?, nil):
      guard let base else {
        // The server never had it.
        record = local
        return
      }
      if Self.changes(from: base, to: local).isEmpty { return }
      take(resolve([]), local: local) { [Discarded(key: nil, value: .object(local))] }
    case (nil, let remote?):
      if keepsDeletion { return }
      if let base, Self.changes(from: base, to: remote).isEmpty { return }
      record = remote
      // Without a base nothing was deleted here.
      if base != nil { take(resolve([]), local: nil) { [Discarded(key: nil, value: .null)] } }
    case (let local?, let remote?):
      let base = base ?? [:]
      var (merged, conflicts): (AttributeDictionary, [String]) = (remote, [])
      let changes = Self.changes(from: base, to: local)
      for key in changes where !Self.areSame(local[key], remote[key]) {
        if Self.areSame(base[key], remote[key]) || ownKeys.contains(key) {
          merged[key] = local[key]
        } else {
          conflicts.append(key)
        }
      }
      record = merged
      if conflicts.isEmpty { return }
      func discarded(_ keys: [String]) -> [Discarded] {
        keys.map { Discarded(key: $0, value: local[$0] ?? .null) }
      }
      let resolution = resolve(conflicts)
      if resolution == .remote {
        record = remote
        self.discarded = discarded(changes.filter { !Self.areSame(local[$0], remote[$0]) })
        return
      }
      var kept = merged
      for key in conflicts { kept[key] = local[key] }
      take(resolution, local: kept) { discarded(conflicts) }
    }
  }

  /// Applies a decision. The record is the server's so far.
  private mutating func take(
    _ resolution: SyncResolution, local: AttributeDictionary?, _ discarded: () -> [Discarded]
  ) {
    switch resolution {
    case .merge, .remote: self.discarded = discarded()
    case .local: record = local
    case .record(let chosen): record = chosen
    case .wait: isDeferred = true
    }
  }

  /// Returns the keys of members that differ, in order.
  static func changes(from old: AttributeDictionary, to new: AttributeDictionary) -> [String] {
    Set(old.keys).union(new.keys).filter { !areSame(old[$0], new[$0]) }.sorted()
  }

  /// Returns whether two values of a member are equal. A local record leaves out what has no value, where a server
  /// answers null.
  private static func areSame(_ left: JSONValue?, _ right: JSONValue?) -> Bool { (left ?? .null) == (right ?? .null) }

  /// Returns whether two versions are equal.
  static func areEqual(_ left: AttributeDictionary?, _ right: AttributeDictionary?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return changes(from: left, to: right).isEmpty
  }
}

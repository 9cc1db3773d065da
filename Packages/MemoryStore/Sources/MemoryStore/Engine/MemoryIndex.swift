@_spi(ModelKitInternals) import StoreProtocol

/// An index of a field: the records of each value, and whether it is unique.
struct MemoryIndex: Sendable {
  let field: StoredKeyPath
  var isUnique: Bool
  var keys: OrderedIndex

  /// Returns the identifier of another record with the same value in a unique index.
  func rival(of key: IndexKey?, in rows: MemoryRows, _ identifier: String) -> String? {
    guard isUnique, let key, !key.isNull else { return nil }
    var rival: String?
    keys.forEach(in: IndexRanges([IndexRange(key)])) { place, _ in
      if let other = rows[place]?.identifier, ExactText(other) != ExactText(identifier) { rival = other }
      return rival == nil
    }
    return rival
  }
}

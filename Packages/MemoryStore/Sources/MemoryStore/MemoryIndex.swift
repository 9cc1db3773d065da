@_spi(ModelKitInternals) import StoreProtocol

/// The records of each value of a field, and whether a value may occur twice.
struct MemoryIndex: Sendable {
  let field: StoredKeyPath
  var isUnique: Bool
  var keys: OrderedIndex

  /// The identifier of another record that has a value which must be there only once.
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

@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The records of each value of the fields of a type. A record is identified by its ordinal, which never changes.
struct FieldIndex: Sendable {
  let field: StoredKeyPath
  var isUnique: Bool
  var keys: OrderedIndex
}

/// The indexes of fields of a group, by the number of the type. Plans know them by their place in the list, so they keep it.
struct FieldIndexes: Sendable {
  private var lists: [Int: [FieldIndex]] = [:]

  /// The fields of which there are indexes, and whether their values must not be there twice.
  private(set) var fields: [Int: [(field: StoredKeyPath, isUnique: Bool)]] = [:]

  subscript(type: Int) -> [FieldIndex] { lists[type] ?? [] }

  /// The numbers of the types that have indexes.
  var types: [Int] { Array(lists.keys) }

  /// Adds an index, or replaces the one of the same field.
  mutating func put(_ index: FieldIndex, type: Int) {
    if let number = self[type].firstIndex(where: { $0.field == index.field }) {
      lists[type]?[number] = index
    } else {
      lists[type, default: []].append(index)
    }
    fields[type] = self[type].map { ($0.field, $0.isUnique) }
  }

  /// Takes over that a record has other values.
  mutating func change(_ keys: KeyChange, type: Int, ordinal: UInt64) {
    let place = Int(ordinal)
    for number in self[type].indices {
      switch keys.old {
      case .none: break
      case .known(let old):
        if let new = keys.new, new[number] == old[number] { continue }
        lists[type]?[number].keys.remove(old[number], place)
      case .lost:
        // Its position in the index is unknown, so the index must not be trusted until it is rebuilt.
        lists[type]?[number].keys.insert(nil, place)
      }
      if let new = keys.new { lists[type]?[number].keys.insert(new[number], place) }
    }
  }
}

/// The effect of a change on the indexes of its type: the keys before and after it, index by index.
struct KeyChange: Sendable {
  enum Old: Sendable {
    /// There was no record.
    case none
    case known([IndexKey?])
    /// There was a record that can't be read any more.
    case lost
  }

  var old: Old

  /// Nil for a deletion.
  var new: [IndexKey?]?
}

extension JournalIndex {
  /// The same without indexes of fields: a copy of these would have to be kept up with every change.
  var withoutFieldIndexes: JournalIndex {
    var copy = self
    copy.fields = FieldIndexes()
    return copy
  }

  /// The live entry with an ordinal.
  func entry(type: Int, ordinal: UInt64) -> TypeIndex.Entry? {
    let number = types[type].index(after: ordinal - 1)
    guard number < types[type].entries.count else { return nil }
    let entry = types[type].entries[number]
    return entry.ordinal == ordinal && entry.isLive ? entry : nil
  }
}

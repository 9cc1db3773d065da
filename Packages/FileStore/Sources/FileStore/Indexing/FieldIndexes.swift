@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// An index of a field: the records of each value. A record is identified by its ordinal, which never changes.
struct FieldIndex: Sendable {
  let field: StoredKeyPath
  var isUnique: Bool
  var keys: OrderedIndex

  /// The records that could not be read, so that their keys are unknown, until they are written again.
  var unread: Set<UInt64> = []
}

/// The field indexes of a group, by the number of the type. Query plans reference them by position, so positions never
/// change.
struct FieldIndexes: Sendable {
  private var lists: [Int: [FieldIndex]] = [:]

  /// The indexed fields, and whether their indexes are unique.
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

  /// Updates the indexes with the changed values of a record.
  mutating func change(_ keys: KeyChange, type: Int, ordinal: UInt64) {
    let place = Int(ordinal)
    for number in self[type].indices {
      let wasUnread = lists[type]?[number].unread.remove(ordinal) != nil
      switch keys.old {
      case .none: break
      case _ where wasUnread: lists[type]?[number].keys.remove(nil, place)
      case .known(let old):
        if let new = keys.new, new[number] == old[number] { continue }
        lists[type]?[number].keys.remove(old[number], place)
      case .lost: lists[type]?[number].keys.remove(place)
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
    /// The record existed and can't be read any more.
    case lost
  }

  var old: Old

  /// Nil for a deletion.
  var new: [IndexKey?]?
}

extension JournalIndex {
  /// The same without field indexes, which a copy would have to update with every change.
  var withoutFieldIndexes: JournalIndex {
    var copy = self
    copy.fields = FieldIndexes()
    return copy
  }

  /// Returns the live entry with an ordinal.
  func entry(type: Int, ordinal: UInt64) -> TypeIndex.Entry? {
    let number = types[type].index(after: ordinal - 1)
    guard number < types[type].entries.count else { return nil }
    let entry = types[type].entries[number]
    return entry.ordinal == ordinal && entry.isLive ? entry : nil
  }
}

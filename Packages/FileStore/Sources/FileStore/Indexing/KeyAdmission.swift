@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The check of unique indexes: it determines the effects of changes on indexes, and rejects duplicate values.
struct KeyAdmission {
  private struct UniqueKey: Hashable {
    let type: Int
    let index: Int
    let key: IndexKey
  }

  private let contents: JournalContents
  private let fields: [Int: [(field: StoredKeyPath, isUnique: Bool)]]

  /// The unique indexes, of types that have any.
  private let unique: [Int: [(number: Int, field: StoredKeyPath)]]

  /// The keys after the changes admitted so far; none for a deleted model.
  private var staged: [ModelKey: [IndexKey?]?] = [:]

  /// The owner of a unique value after them; nil if it was freed.
  private var owners: [UniqueKey: ModelKey?] = [:]

  /// The models that the batch changes, in their order: their previous keys, and the last change of each.
  private var changed: [ModelKey] = []
  private var before: [ModelKey: (old: KeyChange.Old, change: Int)] = [:]

  /// The reversals of the changes of the batch that is being admitted.
  private var oldStaged: [(ModelKey, [IndexKey?]??)] = []
  private var oldOwners: [(UniqueKey, ModelKey??)] = []

  init(_ contents: JournalContents) {
    self.contents = contents
    fields = contents.withIndex { $0.fields.fields }
    unique = fields.mapValues { fields in
      fields.enumerated().filter(\.element.isUnique).map { ($0.offset, $0.element.field) }
    }
    .filter { !$0.value.isEmpty }
  }

  /// Begins another batch.
  mutating func begin() {
    oldStaged.removeAll(keepingCapacity: true)
    oldOwners.removeAll(keepingCapacity: true)
    changed.removeAll(keepingCapacity: true)
    before.removeAll(keepingCapacity: true)
  }

  /// Discards the batch.
  mutating func rollBack() {
    for (key, old) in oldStaged.reversed() { staged[key] = old }
    for (key, old) in oldOwners.reversed() { owners[key] = old }
    begin()
  }

  /// Returns the effect of a change on the indexes.
  ///
  /// - Parameters:
  ///   - number: the number of the change in the batch.
  ///   - stored: the index entry of the stored record; nil if there is none.
  /// - Returns: nil if the type has no indexes.
  mutating func admit(
    _ change: Change, number: Int, _ type: Int, stored: TypeIndex.Entry?
  ) throws(FileEngineError) -> KeyChange? {
    guard !fields.isEmpty, let fields = fields[type] else { return nil }
    let key = ModelKey(type: type, identifier: Array(change.identifier.utf8))
    let old: KeyChange.Old
    if let keys = staged[key] {
      old = keys.map { .known($0) } ?? .none
    } else if let stored {
      let bytes = try? contents.read(stored, change.type, change.identifier)
      old = bytes.map { bytes in .known(fields.map { $0.field.key(in: bytes) }) } ?? .lost
    } else {
      old = .none
    }
    let new =
      change.operation == .delete
      ? nil : change.value.withUnsafeBytes { value in fields.map { $0.field.key(in: value) } }
    oldStaged.append((key, staged.updateValue(new, forKey: key)))
    if unique[type] != nil {
      if before[key] == nil { changed.append(key) }
      before[key] = (before[key]?.old ?? old, number)
    }
    return KeyChange(old: old, new: new)
  }

  /// Rejects the batch if a unique value would occur twice at its end. Within the batch a value can move between
  /// models.
  mutating func finish(_ changes: [Change]) throws(FileEngineError) {
    for key in changed {
      guard case .known(let keys) = before[key]?.old else { continue }
      for (number, _) in unique[key.type] ?? [] {
        if let value = keys[number] { setOwner(nil, key.type, number, value) }
      }
    }
    for key in changed {
      guard let new = staged[key] ?? nil, let change = before[key].map({ changes[$0.change] }) else { continue }
      for (number, field) in unique[key.type] ?? [] {
        guard let value = new[number], !value.isNull else { continue }
        if let holder = holder(of: UniqueKey(type: key.type, index: number, key: value)), holder != key.identifier {
          throw .taken(
            type: change.type, identifier: change.identifier, field: field.description,
            holder: String(decoding: holder, as: UTF8.self))
        }
        setOwner(key, key.type, number, value)
      }
    }
  }

  private mutating func setOwner(_ owner: ModelKey?, _ type: Int, _ index: Int, _ value: IndexKey) {
    if value.isNull { return }
    let key = UniqueKey(type: type, index: index, key: value)
    oldOwners.append((key, owners.updateValue(owner, forKey: key)))
  }

  /// Returns the identifier of the model that has a value.
  private func holder(of unique: UniqueKey) -> [UInt8]? {
    if let owner = owners[unique] { return owner?.identifier }
    return contents.withIndex { index in
      guard let ordinal = index.fields[unique.type][unique.index].keys.first(unique.key),
        let entry = index.entry(type: unique.type, ordinal: UInt64(ordinal))
      else { return nil }
      let holder = Array(index.types[unique.type].identifier(of: entry).utf8)
      // The owners have the new values of changed models. The previous one is still in the index if it is lost.
      return staged.keys.contains(ModelKey(type: unique.type, identifier: holder)) ? nil : holder
    }
  }
}

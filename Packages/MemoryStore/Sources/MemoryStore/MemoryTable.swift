@_spi(ModelKitInternals) import StoreProtocol

/// The records of one type, in the order of their creation, and the indexes of them.
struct MemoryTable: Sendable {
  private(set) var rows = MemoryRows()
  private var places: [String: Int] = [:]
  private(set) var indexes: [MemoryIndex] = []
  private var lastInteger = 0
  let state: MemoryTypeState

  init(state: MemoryTypeState = MemoryTypeState()) { self.state = state }

  /// How many records there are.
  var count: Int { places.count }

  func row(_ identifier: String) -> MemoryRow? { places[identifier].flatMap { rows[$0] } }

  /// A record, and where it is in the order of creation.
  func record(_ identifier: String) -> StoredRecord? {
    guard let place = places[identifier], let row = rows[place] else { return nil }
    return StoredRecord(identifier, row.bytes, order: UInt64(place))
  }

  mutating func nextInteger() -> Int? {
    guard lastInteger < .max else { return nil }
    lastInteger += 1
    return lastInteger
  }

  // MARK: Writing

  /// The identifier of another record that has a value which must be there only once.
  func rival(of bytes: [UInt8], _ identifier: String) -> (index: MemoryIndex, identifier: String)? {
    for index in indexes where index.isUnique {
      for place in index.places(of: index.field.value(in: bytes)) {
        if let row = rows[place], row.identifier != identifier { return (index, row.identifier) }
      }
    }
    return nil
  }

  /// What takes one change back.
  struct Undoing: Sendable {
    let place: Int?
    let identifier: String
    /// The row that was there before; nil if there was none.
    let row: MemoryRow?
  }

  mutating func put(_ bytes: [UInt8], identifier: String) -> Undoing {
    let row = MemoryRow(identifier: identifier, bytes: bytes, revision: noteWrite())
    if let place = places[identifier] {
      let undoing = Undoing(place: place, identifier: identifier, row: rows[place])
      unindex(place)
      rows[place] = row
      index(place, bytes)
      return undoing
    }
    let place = rows.append(row)
    places[identifier] = place
    index(place, bytes)
    if let integer = Int(identifier) { lastInteger = max(lastInteger, integer) }
    return Undoing(place: place, identifier: identifier, row: nil)
  }

  @discardableResult
  private func noteWrite() -> UInt64 {
    let revision = MemoryTypeState.nextRevision()
    state.noteWrite(revision)
    return revision
  }

  mutating func remove(_ identifier: String) -> Undoing {
    guard let place = places.removeValue(forKey: identifier) else {
      return Undoing(place: nil, identifier: identifier, row: nil)
    }
    let undoing = Undoing(place: place, identifier: identifier, row: rows[place])
    noteWrite()
    unindex(place)
    rows[place] = nil
    return undoing
  }

  /// Takes a change back; the last one first.
  mutating func undo(_ undoing: Undoing) {
    guard let place = undoing.place else { return }
    unindex(place)
    rows[place] = undoing.row
    places[undoing.identifier] = undoing.row.map { _ in place }
    if let row = undoing.row { index(place, row.bytes) }
  }

  // MARK: Indexes

  /// Makes an index, and keeps it from now on.
  ///
  /// - Throws: `ModelStoreError` with the code `conflict` if a value that has to be unique is there twice.
  mutating func add(_ field: StoredKeyPath, isUnique: Bool, _ type: String) throws {
    if let known = indexes.firstIndex(where: { $0.field == field }) {
      if indexes[known].isUnique == isUnique { return }
      indexes.remove(at: known)
    }
    var index = MemoryIndex(field: field, isUnique: isUnique)
    try rows.forEach { row, place in
      let value = field.value(in: row.bytes)
      if isUnique, !value.isNull, let other = index.places(of: value).first, let rival = rows[other] {
        throw ModelStoreError(
          .conflict,
          """
          There is no unique index of "\(field.path)" of \(type): "\(rival.identifier)" and "\(row.identifier)" have \
          the same value.
          """, identifier: row.identifier, fields: [field.path.description: ["is taken"]])
      }
      index.insert(value, place)
    }
    indexes.append(index)
  }

  private mutating func index(_ place: Int, _ bytes: [UInt8]) {
    for number in indexes.indices { indexes[number].insert(indexes[number].field.value(in: bytes), place) }
  }

  private mutating func unindex(_ place: Int) {
    guard !indexes.isEmpty, let row = rows[place] else { return }
    for number in indexes.indices { indexes[number].remove(indexes[number].field.value(in: row.bytes), place) }
  }

  /// The records that can fulfil a query as far as indexes know, in the order of their creation.
  func rows(at places: some Sequence<Int>) -> [MemoryRow] {
    Set(places).sorted().compactMap { rows[$0] }
  }
}

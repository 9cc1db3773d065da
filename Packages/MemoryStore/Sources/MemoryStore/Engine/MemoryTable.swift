@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The records of one type, in the order of their creation, and their indexes.
struct MemoryTable: Sendable {
  private(set) var rows = MemoryRows()
  private var places: [ExactText: Int] = [:]
  private(set) var indexes: [MemoryIndex] = []
  /// The fields of the indexes, in the same order.
  private(set) var fields: [StoredKeyPath] = []
  private var lastInteger = 0
  let state: WriteState
  /// The revision of the last write to this table; 0 if there was none. A snapshot has its own value, unlike ``state``.
  private(set) var lastWrite: UInt64 = 0
  /// The last writes, so that columns follow them.
  private var writes: [(revision: UInt64, place: Int)] = []
  /// The revision after which ``writes`` has all writes.
  private var writesBegin = WriteState.nextRevision()
  private static let maximumWriteCount = 1_024

  init() { state = WriteState() }

  /// Creates an empty table in place of another one, whose identifiers are not assigned again.
  init(replacing other: MemoryTable) {
    state = other.state
    lastInteger = other.lastInteger
  }

  /// The number of records.
  var count: Int { places.count }

  func row(_ identifier: String) -> MemoryRow? { places[ExactText(identifier)].flatMap { rows[$0] } }

  /// Returns the position of a record in the order of creation.
  func place(of identifier: String) -> Int? { places[ExactText(identifier)] }

  /// Returns a record with its position in the order of creation.
  func record(_ identifier: String) -> StoredRecord? {
    guard let place = places[ExactText(identifier)], let row = rows[place] else { return nil }
    return row.record(at: place)
  }

  mutating func nextInteger() -> Int? {
    guard lastInteger < .max else { return nil }
    lastInteger += 1
    return lastInteger
  }

  // MARK: Writing

  /// Returns the identifier of another record with the same value in a unique index.
  func rival(of bytes: [UInt8], _ identifier: String) -> (index: MemoryIndex, identifier: String)? {
    for index in indexes where index.isUnique {
      if let rival = index.rival(of: index.field.key(in: bytes), in: rows, identifier) { return (index, rival) }
    }
    return nil
  }

  /// The reversal of one change.
  struct Undoing: Sendable {
    let place: Int?
    let identifier: String
    /// The previous row; nil if there was none.
    let row: MemoryRow?
  }

  var hasUniqueIndexes: Bool { indexes.contains(where: \.isUnique) }

  /// Reserves capacity for more records.
  mutating func makeRoom(for additional: Int) { places.reserveCapacity(places.count + additional) }

  /// Adds a record; returns nil, and changes nothing, if there is one with the identifier.
  mutating func insert(_ bytes: [UInt8], identifier: String) -> Undoing? {
    // Most are new: then one access to the identifiers is enough.
    let place = rows.nextPlace
    if let taken = places.updateValue(place, forKey: ExactText(identifier)) {
      places[ExactText(identifier)] = taken
      return nil
    }
    let revision = noteWrite()
    _ = rows.append(MemoryRow(identifier: identifier, bytes: bytes, revision: revision))
    log(place)
    index(place, bytes)
    if let integer = Int(identifier) { lastInteger = max(lastInteger, integer) }
    return Undoing(place: place, identifier: identifier, row: nil)
  }

  mutating func put(_ bytes: [UInt8], identifier: String) -> Undoing {
    let row = MemoryRow(identifier: identifier, bytes: bytes, revision: noteWrite())
    if let place = places[ExactText(identifier)] {
      let undoing = Undoing(place: place, identifier: identifier, row: rows[place])
      unindex(place)
      rows[place] = row
      log(place)
      index(place, bytes)
      return undoing
    }
    let place = rows.append(row)
    log(place)
    places[ExactText(identifier)] = place
    index(place, bytes)
    if let integer = Int(identifier) { lastInteger = max(lastInteger, integer) }
    return Undoing(place: place, identifier: identifier, row: nil)
  }

  @discardableResult
  mutating func noteWrite() -> UInt64 {
    let revision = WriteState.nextRevision()
    lastWrite = revision
    state.noteWrite(revision)
    return revision
  }

  mutating func remove(_ identifier: String) -> Undoing {
    guard let place = places.removeValue(forKey: ExactText(identifier)) else {
      return Undoing(place: nil, identifier: identifier, row: nil)
    }
    let undoing = Undoing(place: place, identifier: identifier, row: rows[place])
    noteWrite()
    unindex(place)
    rows[place] = nil
    discardWrites()
    return undoing
  }

  /// Reverses a change. Call it for the last change first.
  mutating func undo(_ undoing: Undoing) {
    guard let place = undoing.place else { return }
    discardWrites()
    unindex(place)
    rows[place] = undoing.row
    places[ExactText(undoing.identifier)] = undoing.row.map { _ in place }
    if let row = undoing.row { index(place, row.bytes) }
  }

  // MARK: Columns

  private mutating func log(_ place: Int) {
    if writes.count == Self.maximumWriteCount { discardWrites() }
    writes.append((lastWrite, place))
  }

  /// The records of columns have other numbers after a removal, so these are built again.
  private mutating func discardWrites() {
    writes.removeAll(keepingCapacity: true)
    writesBegin = lastWrite
  }

  /// Returns the records that were written after a revision, with their numbers in the order of creation. Returns nil
  /// if these are unknown, or if records were removed.
  func records(writtenAfter revision: UInt64) -> [NumberedRecord]? {
    guard revision >= writesBegin else { return nil }
    let places = Set(writes.reversed().prefix { $0.revision > revision }.map(\.place))
    return places.sorted().compactMap { place in
      rows[place].map { NumberedRecord(number: rows.number(of: place), bytes: $0.bytes) }
    }
  }

  // MARK: Indexes

  /// Creates an index, and maintains it from now on.
  ///
  /// - Throws: `ModelStoreError` with the code `conflict` if two records have the same value of a unique index.
  mutating func add(_ field: StoredKeyPath, isUnique: Bool, _ type: String) throws {
    var keys: [(key: IndexKey?, place: Int)] = []
    keys.reserveCapacity(count)
    rows.forEach { row, place in keys.append((field.key(in: row.bytes), place)) }
    let index = OrderedIndex(keys)
    if isUnique, let (place, other) = index.firstDuplicate, let row = rows[place], let rival = rows[other] {
      throw ModelStoreError(
        .conflict,
        """
        "\(field.path)" of \(type.nameForMessage) was not indexed as unique: \(rival.identifier.quotedForMessage) and \
        \(row.identifier.quotedForMessage) have the same value. Change one of them first.
        """, identifier: row.identifier, fields: [field.path.description: ["is taken"]])
    }
    // Plans reference indexes by number, so the numbers never change.
    if let known = indexes.firstIndex(where: { $0.field == field }) {
      // A unique index stays unique: declaring it again for faster queries must not remove the promise.
      indexes[known] = MemoryIndex(field: field, isUnique: isUnique || indexes[known].isUnique, keys: index)
    } else {
      indexes.append(MemoryIndex(field: field, isUnique: isUnique, keys: index))
      fields.append(field)
    }
  }

  private mutating func index(_ place: Int, _ bytes: [UInt8]) {
    for number in indexes.indices { indexes[number].keys.insert(indexes[number].field.key(in: bytes), place) }
  }

  private mutating func unindex(_ place: Int) {
    guard !indexes.isEmpty, let row = rows[place] else { return }
    for number in indexes.indices { indexes[number].keys.remove(indexes[number].field.key(in: row.bytes), place) }
  }
}

@_spi(ModelKitInternals) import StoreEngine
import Synchronization

/// The positions of all models of a group, by type.
struct JournalIndex: Sendable {
  private(set) var types: [TypeIndex] = []
  private(set) var names: [[UInt8]] = []
  private var numbers: [[UInt8]: Int] = [:]
  private var lastType: (name: String, number: Int)?
  private(set) var states: [WriteState] = []

  /// The generation of the list of models. It changes, together with the ordinals, when the journal was read again.
  private(set) var generation: UInt64 = 0

  /// The generation for page marks, which may be older than this process: no other list has this number.
  let epoch = Int.random(in: 0...Int.max)

  /// The lost parts of the journal, until a repair.
  var losses: [JournalLoss] = [] {
    didSet { if !losses.isEmpty { Self.hadLosses.store(true, ordering: .releasing) } }
  }

  private static let hadLosses = Atomic(false)

  /// Whether any journal of this process had losses since the start. If not, a read need not lock its index to check.
  static var mayHaveLosses: Bool { hadLosses.load(ordering: .acquiring) }

  /// The indexes of fields. Long-lived copies of the whole index don't have them.
  var fields = FieldIndexes()

  /// The hash of identifiers in the indexes of all types.
  let hash: IdentifierHash

  init(hash: IdentifierHash = IdentifierHash()) { self.hash = hash }

  /// The same types without models, for an index that replaces this one.
  var withoutModels: JournalIndex {
    var index = JournalIndex(hash: hash)
    for (name, type) in zip(names, types) {
      index.add(name, TypeIndex(hash: hash))
      index.noteInteger(type.largestInteger, type: index.types.count - 1)
    }
    return index
  }

  /// The number of bytes of the lines of live records, with their line breaks.
  var liveBytes: UInt64 { types.reduce(0) { $0 + $1.liveBytes } }

  /// The number of records: models, and versions of migrated models.
  var liveCount: Int { types.reduce(0) { $0 + $1.liveCount } }

  /// The records with the versions of migrated models; nil if there are none.
  var versions: TypeIndex? { number(of: ModelVersions.typeName).map { types[$0] } }

  /// Returns the number of a type that has had models.
  func number(of type: String) -> Int? {
    if let lastType, lastType.name.hasSameBytes(as: type) { return lastType.number }
    return numbers[Array(type.utf8)]
  }

  /// Returns the number of a type, assigned if it has none.
  mutating func intern(_ type: [UInt8]) -> Int {
    if let number = numbers[type] { return number }
    add(type, TypeIndex(hash: hash))
    return types.count - 1
  }

  /// Adds a type of a checkpoint.
  mutating func add(_ name: [UInt8], _ type: TypeIndex) {
    types.append(type)
    names.append(name)
    states.append(WriteState())
    numbers[name] = types.count - 1
  }

  /// The names of the types that have models, in the order in which they first appeared.
  var typeNames: [String] {
    zip(names, types).filter { $1.liveCount > 0 }.map { String(decoding: $0.0, as: UTF8.self) }
  }

  /// Returns the name of a type, even of one without models.
  func name(ofType number: Int) -> String { String(decoding: names[number], as: UTF8.self) }

  /// Returns the same for a string. The last type is tried first, because consecutive writes often have the same type.
  mutating func intern(_ type: String) -> Int {
    if let lastType, lastType.name.hasSameBytes(as: type) { return lastType.number }
    let number = intern(Array(type.utf8))
    lastType = (type, number)
    return number
  }

  /// Returns whether the type numbered `number` has this name.
  func isNamed(_ number: Int, _ name: UnsafeRawBufferPointer) -> Bool { names[number].elementsEqual(name) }

  /// Applies a committed change.
  ///
  /// An update of an unknown model restores it: its creation was damaged, but its data was not.
  mutating func apply(
    _ operation: Operation, type: Int, identifier: UnsafeRawBufferPointer, revision: UInt64, place: RecordLocation
  ) {
    switch operation {
    case .create, .update: types[type].put(identifier, at: place, revision: revision)
    case .delete: types[type].remove(identifier)
    }
  }

  /// Applies an admitted and committed change. The models that it creates are known to be missing.
  mutating func apply(
    _ operation: Operation, _ identifier: UnsafeRawBufferPointer, _ record: AdmittedRecord, _ keys: KeyChange?
  ) {
    let type = record.type
    let before = keys == nil ? nil : entry(type: type, identifier, hash: record.hash)?.ordinal
    if operation == .create {
      types[type].add(identifier, hash: record.hash, at: record.place, revision: record.revision)
    } else {
      apply(operation, type: type, identifier: identifier, revision: record.revision, place: record.place)
    }
    guard let keys, let ordinal = before ?? entry(type: type, identifier, hash: record.hash)?.ordinal else { return }
    fields.change(keys, type: type, ordinal: ordinal)
  }

  /// Reserves capacity for more models.
  mutating func reserve(_ count: Int, identifierBytes: Int, type: Int) {
    types[type].reserve(count, identifierBytes: identifierBytes)
  }

  /// Invalidates cached reads of these types.
  func noteWrite(to types: Set<Int>) { for type in types { states[type].noteWrite() } }

  /// Invalidates all cached reads.
  func noteWriteToAll() { for state in states { state.noteWrite() } }

  /// Returns the live model with this identifier.
  func entry(type: Int, _ identifier: [UInt8]) -> TypeIndex.Entry? {
    identifier.withUnsafeBytes { entry(type: type, $0) }
  }

  /// Returns the same for bytes.
  func entry(type: Int, _ identifier: UnsafeRawBufferPointer) -> TypeIndex.Entry? {
    types[type].find(identifier).map { types[type].entries[$0] }
  }

  /// Returns the same for bytes whose hash is known.
  func entry(type: Int, _ identifier: UnsafeRawBufferPointer, hash: Int) -> TypeIndex.Entry? {
    types[type].find(identifier, hash: hash).map { types[type].entries[$0] }
  }

  /// Replaces the state of the whole index. Types that were first used since the other index was begun stay known, and
  /// so do the integers that were reserved meanwhile.
  mutating func replace(by other: JournalIndex) {
    let former = self
    self = other
    generation = former.generation + 1
    for (number, name) in former.names.enumerated() {
      let type = intern(name)
      states[type] = former.states[number]
      noteInteger(former.types[number].largestInteger, type: type)
    }
  }

  /// Rejects a cursor of another list.
  func check(_ cursor: CreationCursor) throws(RecordsWereReplaced) {
    if let other = cursor.generation, other != generation { throw RecordsWereReplaced() }
  }

  /// Returns the first models of a type that were created after a cursor, and the next cursor; nil after the last
  /// model.
  func liveEntries(
    ofType type: Int, after cursor: CreationCursor, limit: Int, byteLimit: Int
  ) throws(RecordsWereReplaced) -> (entries: [TypeIndex.Entry], next: CreationCursor?) {
    try check(cursor)
    var (entries, next) = types[type].liveEntries(after: cursor, limit: limit, byteLimit: byteLimit)
    next?.generation = generation
    return (entries, next)
  }

  /// Entries of a type, with the expected contents of their lines.
  func selection(_ entries: [TypeIndex.Entry], ofType type: Int) -> RecordSelection {
    RecordSelection(entries, of: names[type], identifiers: types[type].identifiers)
  }

  mutating func reserveInteger(type: Int) -> Int? { types[type].reserveInteger() }

  /// Records that an integer was once used as an identifier.
  mutating func noteInteger(_ integer: Int, type: Int) { types[type].noteInteger(integer) }

  /// Records the new positions of moved records. The records are those of an earlier state of this index, type by type.
  ///
  /// - Parameter areNamed: Whether they are found by their identifiers, since the other index has other ordinals.
  mutating func move(_ older: JournalIndex, to places: [[RecordLocation]], areNamed: Bool) {
    for (type, places) in places.enumerated() {
      if areNamed {
        types[type].moveNamed(older.types[type], to: places)
      } else {
        types[type].move(older.types[type], to: places)
      }
    }
  }

  /// Removes the models that are not in another index with the same types.
  mutating func removeModels(missingIn other: JournalIndex) {
    for type in types.indices { types[type].removeModels(missingIn: other.types[type]) }
  }
}

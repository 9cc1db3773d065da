/// Where every model of a group stands, by type.
struct JournalIndex: Sendable {
  private(set) var types: [TypeIndex] = []
  private var names: [[UInt8]] = []
  private var numbers: [[UInt8]: Int] = [:]
  private var lastType: (name: String, number: Int)?

  /// The number of a type that has had models.
  func number(of type: String) -> Int? { numbers[Array(type.utf8)] }

  /// The number of a type, which is given one if it has none.
  mutating func intern(_ type: [UInt8]) -> Int {
    if let number = numbers[type] { return number }
    types.append(TypeIndex())
    names.append(type)
    numbers[type] = types.count - 1
    return types.count - 1
  }

  /// The names of the types that have models, in the order in which they first appeared.
  var typeNames: [String] {
    zip(names, types).filter { $1.liveCount > 0 }.map { String(decoding: $0.0, as: UTF8.self) }
  }

  /// The same for a string. Writers mostly stay with one type, so the last one is tried first.
  mutating func intern(_ type: String) -> Int {
    if let lastType, lastType.name == type, lastType.name.utf8.elementsEqual(type.utf8) { return lastType.number }
    let number = intern(Array(type.utf8))
    lastType = (type, number)
    return number
  }

  /// Whether the type numbered `number` has this name.
  func isNamed(_ number: Int, _ name: UnsafeRawBufferPointer) -> Bool { names[number].elementsEqual(name) }

  /// Takes over a change that is committed.
  ///
  /// An update of an unknown model puts it back: its creation was damaged, its data was not.
  mutating func apply(
    _ operation: Operation, type: Int, identifier: UnsafeRawBufferPointer, revision: UInt64, place: RecordPlace
  ) {
    switch operation {
    case .create, .update: types[type].put(identifier, at: place, revision: revision)
    case .delete: types[type].remove(identifier)
    }
  }

  /// The live model with this identifier.
  func entry(type: Int, _ identifier: [UInt8]) -> TypeIndex.Entry? {
    identifier.withUnsafeBytes { bytes in types[type].find(bytes).map { types[type].entries[$0] } }
  }

  /// Adds the identifiers of the first models that were created after `cursor`.
  ///
  /// - Returns: Where to go on; nil after the last.
  func appendIdentifiers(
    ofType type: Int, after cursor: CreationCursor, limit: Int, to identifiers: inout [String]
  ) -> CreationCursor? {
    let type = types[type]
    let rest = type.entries[type.index(after: cursor.ordinal)...]
    for entry in rest.prefix(limit) where entry.isLive { identifiers.append(type.identifier(of: entry)) }
    guard rest.count > limit else { return nil }
    return CreationCursor(ordinal: rest[rest.startIndex + limit - 1].ordinal)
  }

  mutating func reserveInteger(type: Int) -> Int? { types[type].reserveInteger() }
}

@_spi(ModelKitInternals) import ModelCore

/// A record as the bytes of its JSON. Only the requested fields are read, and texts are compared without creating
/// strings.
struct BytesRow: QueryRow {
  let bytes: UnsafeRawBufferPointer
  /// The offsets of the values of the level's slots; -1 for keys that the record lacks, -2 for members that an object
  /// inside it lacks. Valid as long as this row is used.
  let offsets: UnsafeMutablePointer<Int>
  // Not retained, because there is a row for every record. The caller retains the surroundings, see `QueryProgram`.
  unowned(unsafe) let surroundings: QueryRelatedRecords

  /// The fields of a level, prepared for the search in a record. An object, because copies of a value would retain and
  /// release all its parts for every record.
  final class Keys {
    private let plain: [(quoted: UnsafeBufferPointer<UInt8>, index: Int)]
    private let nested: [QuerySlot]
    /// The owners of the bytes of the keys.
    private let slots: [QuerySlot]

    init(_ slots: [QuerySlot]) {
      self.slots = slots
      plain = slots.filter { !$0.isNested }.map { ($0.quoted, $0.index) }
      nested = slots.filter(\.isNested)
    }

    /// Writes the offsets of the values in the bytes of a record.
    func locate(in bytes: UnsafeRawBufferPointer, _ offsets: UnsafeMutablePointer<Int>) throws {
      try plain.withUnsafeBufferPointer { plain in
        var missing = plain.count
        for key in plain { offsets[key.index] = -1 }
        var scanner = JSONScanner(bytes)
        try scanner.beginObject()
        while missing > 0, let found = try scanner.nextKey() {
          for key in plain where found.decodedCount == key.quoted.count && found.equals(key.quoted) {
            if offsets[key.index] < 0 { missing -= 1 }
            scanner.skipWhitespace()
            offsets[key.index] = scanner.offset
            if missing == 0 { return }
          }
          try scanner.skipValue()
        }
      }
      for slot in nested {
        offsets[slot.index] = try BytesRow.offset(of: slot.spelledKey, slot.parts, inside: slot.inner, in: bytes)
      }
    }
  }

  /// Returns the offset of the value of a field whose key has dots: under the whole key, or inside nested objects.
  static func offset(of key: String, _ parts: [String], in bytes: UnsafeRawBufferPointer) throws -> Int? {
    var scanner = JSONScanner(bytes)
    if try go(to: key, &scanner) { return scanner.offset }
    scanner = JSONScanner(bytes)
    for part in parts {
      if try scanner.peek() == .null { return nil }
      guard try go(to: part, &scanner) else { return nil }
    }
    return scanner.offset
  }

  /// Returns the offset of a value inside that of a field; -1 if there is no such field, -2 if it has no such member.
  static func offset(
    of key: String, _ parts: [String], inside inner: [String], in bytes: UnsafeRawBufferPointer
  ) throws -> Int {
    guard let whole = try offset(of: key, parts, in: bytes) else { return -1 }
    var scanner = JSONScanner(bytes, offset: whole, depth: 1, maximumDepth: 512)
    for key in inner {
      guard try scanner.peek() == .object, try go(to: key, &scanner) else { return -2 }
    }
    return scanner.offset
  }

  static func go(to key: String, _ scanner: inout JSONScanner) throws -> Bool {
    try scanner.beginObject()
    while let found = try scanner.nextKey() {
      if found == key {
        scanner.skipWhitespace()
        return true
      }
      try scanner.skipValue()
    }
    return false
  }

  @inline(__always)
  private func scanner(at slot: QuerySlot) -> JSONScanner? {
    let offset = offsets[slot.index]
    if offset < 0 { return nil }
    return JSONScanner(bytes, offset: offset, depth: 1, maximumDepth: 512)
  }

  private func missing(_ slot: QuerySlot) -> JSONValue { offsets[slot.index] == -2 ? .null : slot.missing }

  @inline(__always)
  func test(_ test: QueryTest, at slot: QuerySlot) throws -> Bool {
    guard var scanner = scanner(at: slot) else { return try test.matches(missing(slot)) }
    return try test.matches(&scanner)
  }

  func json(at slot: QuerySlot) throws -> JSONValue {
    guard var scanner = scanner(at: slot) else { return missing(slot) }
    return try scanner.readValue()
  }

  func related(at slot: QuerySlot, _ level: QueryLevel) throws -> (any QueryRow)? {
    let json = try json(at: slot)
    return json.isNull ? nil : RelatedRow.row(for: json, level, surroundings)
  }

  func elements(of list: QueryList) throws -> [any QueryRow] {
    try RelatedRow.elements(in: json(at: list.slot), of: list, surroundings)
  }

  func count(of join: QueryJoin) throws -> Int { try surroundings.count(of: join, json(at: join.identifier)) }

  func knows(_ slot: QuerySlot) throws -> Bool {
    guard var scanner = scanner(at: slot) else { return false }
    return try scanner.peek() != .null
  }
}

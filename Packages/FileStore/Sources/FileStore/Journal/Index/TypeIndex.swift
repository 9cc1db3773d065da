@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The position of a record: a line of a segment, without its line break.
package struct RecordLocation: Sendable, Equatable, BitwiseCopyable {
  var segment: SegmentNumber
  var length: UInt32
  var offset: UInt64

  /// The salt of its checksum: see ``SegmentNumber/salt(at:)``.
  var salt: UInt32

  /// - Parameter salt: Nil for that of the position. Lines of older versions have none, and those behind bytes that
  ///   were added or removed have that of their previous position.
  init(segment: SegmentNumber, length: UInt32, offset: UInt64, salt: UInt32? = nil) {
    self.segment = segment
    self.length = length
    self.offset = offset
    self.salt = salt ?? segment.salt(at: offset)
  }
}

/// The positions of the models of a type, in the order of their creation.
///
/// Identifiers are compared byte by byte: two strings that Swift calls equal can be two identifiers. An entry has 48
/// bytes, plus the bytes of the identifier and about 8 bytes of hash slots. There are no allocations per model. All of
/// it is plain memory, so that a checkpoint can store it unchanged.
struct TypeIndex: Sendable {
  /// A model, or the gap of a deleted one.
  struct Entry: Sendable, BitwiseCopyable {
    // In this order an entry has no undefined bytes.
    var place: RecordLocation
    var identifierLength: UInt32
    var identifierStart: UInt64
    var revision: UInt64

    /// Rises with each creation and never changes. Cursors use it, because entries move.
    var ordinal: UInt64

    init(
      place: RecordLocation, identifierStart: UInt64, identifierLength: UInt32, revision: UInt64, ordinal: UInt64
    ) {
      self.place = place
      self.identifierStart = identifierStart
      self.identifierLength = identifierLength
      self.revision = revision
      self.ordinal = ordinal
    }

    var isLive: Bool { place.segment != .none }

    /// Returns the revision for readers, which writes expect. A model that is created again after its deletion has
    /// another one, although its revision in the journal begins with 1 again.
    func version(ofRevision revision: UInt64) -> UInt64 { Self.version(revision, ordinal: ordinal) }

    static func version(_ revision: UInt64, ordinal: UInt64) -> UInt64 { ordinal << 32 | revision & 0xffff_ffff }
  }

  private(set) var entries: [Entry] = []
  private(set) var identifiers: [UInt8] = []

  /// Open addressing with linear probing: the entry's index plus one, or 0. A slot is never emptied: the slot of a
  /// deleted model points to an entry that is not live, until the gaps are closed.
  private(set) var slots: [UInt32] = []
  private(set) var liveCount = 0

  /// The number of bytes of the lines of live models, with their line breaks.
  private(set) var liveBytes: UInt64 = 0
  private(set) var nextOrdinal: UInt64 = 1

  /// The largest identifier so far that is a canonical decimal integer, deleted ones included.
  private(set) var largestInteger = 0
  private let hash: IdentifierHash

  init(hash: IdentifierHash) { self.hash = hash }

  /// The index of a checkpoint.
  init(
    hash: IdentifierHash, entries: [Entry], identifiers: [UInt8], slots: [UInt32], liveCount: Int, liveBytes: UInt64,
    nextOrdinal: UInt64, largestInteger: Int
  ) {
    self.hash = hash
    self.entries = entries
    self.identifiers = identifiers
    self.slots = slots
    self.liveCount = liveCount
    self.liveBytes = liveBytes
    self.nextOrdinal = nextOrdinal
    self.largestInteger = largestInteger
  }

  /// Returns the index in ``entries`` of the live model with this identifier.
  func find(_ identifier: UnsafeRawBufferPointer) -> Int? {
    slots.isEmpty ? nil : find(identifier, hash: hash(identifier))
  }

  /// Returns the same for an identifier whose hash is known.
  func find(_ identifier: UnsafeRawBufferPointer, hash: Int) -> Int? {
    guard !slots.isEmpty else { return nil }
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      let entry = entries[index]
      if entry.isLive, Int(entry.identifierLength) == identifier.count, hasIdentifier(entry, identifier) {
        return index
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Reserves capacity for more models.
  mutating func reserve(_ count: Int, identifierBytes: Int) {
    guard count > 64 else { return }
    let wanted = entries.count + count
    if wanted * 4 > slots.count * 3 { rebuild(dropsGaps: liveCount < entries.count / 2, room: count) }
    if wanted > entries.capacity { entries.reserveCapacity(max(wanted, entries.count * 3 / 2)) }
    let bytes = identifiers.count + identifierBytes
    if bytes > identifiers.capacity { identifiers.reserveCapacity(max(bytes, identifiers.count * 3 / 2)) }
  }

  /// Records the position of a model's record. The model keeps its place in the order, or is appended if it is new.
  mutating func put(_ identifier: UnsafeRawBufferPointer, at place: RecordLocation, revision: UInt64) {
    let hash = hash(identifier)
    guard let index = find(identifier, hash: hash) else {
      return add(identifier, hash: hash, at: place, revision: revision)
    }
    liveBytes = liveBytes + UInt64(place.length) - UInt64(entries[index].place.length)
    entries[index].place = place
    entries[index].revision = revision
  }

  /// Records the position of a new model, without a check that it is new.
  mutating func add(_ identifier: UnsafeRawBufferPointer, hash: Int, at place: RecordLocation, revision: UInt64) {
    if (entries.count + 1) * 4 > slots.count * 3 { rebuild(dropsGaps: liveCount < entries.count / 2) }
    entries.append(
      Entry(
        place: place, identifierStart: UInt64(identifiers.count), identifierLength: UInt32(identifier.count),
        revision: revision, ordinal: nextOrdinal))
    identifiers.append(contentsOf: identifier)
    link(entries.count - 1, hash)
    nextOrdinal += 1
    liveCount += 1
    liveBytes += UInt64(place.length) + 1
    if let integer = Self.integer(identifier) { largestInteger = max(largestInteger, integer) }
  }

  /// Removes a model and leaves a gap; gaps are closed when they outnumber the models.
  mutating func remove(_ identifier: UnsafeRawBufferPointer) {
    guard let index = find(identifier) else { return }
    liveBytes -= UInt64(entries[index].place.length) + 1
    entries[index].place = RecordLocation(segment: .none, length: 0, offset: 0)
    liveCount -= 1
    if entries.count > 1_024, liveCount < entries.count / 2 { rebuild(dropsGaps: true) }
  }

  /// Reserves the next free integer identifier permanently; nil if there is none left.
  mutating func reserveInteger() -> Int? {
    guard largestInteger < Int.max else { return nil }
    largestInteger += 1
    return largestInteger
  }

  /// Records that an integer was once used as an identifier.
  mutating func noteInteger(_ integer: Int) { largestInteger = max(largestInteger, integer) }

  /// Records the new positions of records that were moved: those of `older`, an earlier state of this index, in order.
  /// Models written since then keep their positions.
  mutating func move(_ older: TypeIndex, to places: [RecordLocation]) {
    var index = 0
    var number = 0
    for entry in older.entries where entry.isLive {
      defer { number += 1 }
      while index < entries.count, entries[index].ordinal < entry.ordinal { index += 1 }
      guard index < entries.count else { return }
      if entries[index].ordinal == entry.ordinal, entries[index].place == entry.place {
        entries[index].place = places[number]
      }
    }
  }

  /// The same, if `older` was read from some of the files alone, so that its ordinals differ.
  mutating func moveNamed(_ older: TypeIndex, to places: [RecordLocation]) {
    for (number, entry) in older.entries.lazy.filter(\.isLive).enumerated() {
      guard let index = older.withIdentifier(of: entry, { find($0) }), entries[index].place == entry.place else {
        continue
      }
      entries[index].place = places[number]
    }
  }

  /// Removes the models that are not in another index.
  mutating func removeModels(missingIn other: TypeIndex) {
    let names = self
    for entry in names.entries where entry.isLive {
      names.withIdentifier(of: entry) { identifier in if other.find(identifier) == nil { remove(identifier) } }
    }
  }

  /// Returns the index of the first entry created after the one with `ordinal`.
  func index(after ordinal: UInt64) -> Int {
    guard let first = entries.first?.ordinal, first <= ordinal else { return 0 }
    // Ordinals rise by at least one, and usually by exactly one.
    var high = Int(min(ordinal - first, UInt64(entries.count - 1))) + 1
    if entries[high - 1].ordinal <= ordinal { return high }
    var low = 0
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].ordinal <= ordinal { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the ordinal of the last of the first live entries; 0 for none.
  ///
  /// - Complexity: O(1) without gaps, otherwise O(*n*) in the number of entries that are passed.
  func ordinal(ofLast count: Int) -> UInt64 {
    guard count > 0, liveCount > 0 else { return 0 }
    if count >= liveCount { return nextOrdinal }
    if liveCount == entries.count { return entries[count - 1].ordinal }
    var rest = count
    for entry in entries where entry.isLive {
      rest -= 1
      if rest == 0 { return entry.ordinal }
    }
    return nextOrdinal
  }

  /// Returns the first models that were created after a cursor, and the next cursor; nil after the last model.
  func liveEntries(
    after cursor: CreationCursor, limit: Int, byteLimit: Int
  ) -> (entries: [Entry], next: CreationCursor?) {
    var found: [Entry] = []
    var position = index(after: cursor.ordinal)
    var size = 0
    found.reserveCapacity(min(limit, max(0, entries.count - position), 1 << 14))
    while position < entries.count, found.count < limit, size < byteLimit {
      let entry = entries[position]
      position += 1
      guard entry.isLive else { continue }
      found.append(entry)
      size += Int(entry.place.length)
    }
    guard position < entries.count, let last = found.last else { return (found, nil) }
    return (found, CreationCursor(ordinal: last.ordinal))
  }

  /// Calls `body` with the bytes of an entry's identifier.
  func withIdentifier<Result>(of entry: Entry, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    identifiers.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[bytes(of: entry)])) }
  }

  func identifier(of entry: Entry) -> String {
    String(decoding: identifiers[bytes(of: entry)], as: UTF8.self)
  }

  /// Adds the identifiers of the live models among some entries.
  func appendIdentifiers(_ range: Range<Int>, to list: inout [String]) {
    identifiers.withUnsafeBufferPointer { bytes in
      for entry in entries[range] where entry.isLive {
        list.append(String(decoding: UnsafeBufferPointer(rebasing: bytes[self.bytes(of: entry)]), as: UTF8.self))
      }
    }
  }

  private func bytes(of entry: Entry) -> Range<Int> {
    Int(entry.identifierStart)..<Int(entry.identifierStart) + Int(entry.identifierLength)
  }

  private func hasIdentifier(_ entry: Entry, _ identifier: UnsafeRawBufferPointer) -> Bool {
    guard let other = identifier.baseAddress else { return true }
    return identifiers.withUnsafeBytes { bytes in
      guard let own = bytes.baseAddress else { return false }
      return memcmp(own + Int(entry.identifierStart), other, identifier.count) == 0
    }
  }

  private mutating func link(_ index: Int, _ hash: Int) {
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt32(index + 1)
  }

  /// Rebuilds the slots with space to grow; without the gaps if there are many.
  private mutating func rebuild(dropsGaps: Bool, room: Int = 0) {
    if dropsGaps {
      var kept: [UInt8] = []
      entries.removeAll { !$0.isLive }
      for index in entries.indices {
        let range = bytes(of: entries[index])
        entries[index].identifierStart = UInt64(kept.count)
        kept.append(contentsOf: identifiers[range])
      }
      identifiers = kept
    }
    var size = 16
    while size < (entries.count + room) * 2 { size *= 2 }
    slots = [UInt32](repeating: 0, count: size)
    let all = identifiers
    all.withUnsafeBytes { bytes in
      for index in entries.indices {
        link(index, hash(UnsafeRawBufferPointer(rebasing: bytes[self.bytes(of: entries[index])])))
      }
    }
  }

  /// Returns the positive integer whose canonical decimal form is `identifier` ("7", but not "07" or "+7").
  private static func integer(_ identifier: UnsafeRawBufferPointer) -> Int? {
    guard (1...19).contains(identifier.count), identifier[0] != UInt8(ascii: "0") else { return nil }
    var value = 0
    for byte in identifier {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Where a record stands: a line (without its line break) of a segment.
package struct RecordPlace: Sendable, Equatable {
  var segment: UInt32
  var offset: UInt32
  var length: UInt32
}

/// Where the models of one type stand, in the order in which they were created.
///
/// Identifiers are compared byte by byte: two strings that Swift calls equal can be two identifiers. Entries are 40
/// bytes, plus the identifier's own bytes and about 8 bytes of hash slots; nothing is allocated for a single model.
struct TypeIndex: Sendable {
  /// One model, or the gap that a deleted one left.
  struct Entry: Sendable {
    var place: RecordPlace
    var identifierLength: UInt32
    var identifierStart: Int
    var revision: UInt64

    /// Rises with each creation and never changes: what a cursor remembers while entries move.
    var ordinal: UInt64

    var isLive: Bool { place.segment != 0 }
  }

  private(set) var entries: [Entry] = []
  private var identifiers: [UInt8] = []

  /// Open addressing with linear probing: the entry's index plus one, or 0. A slot is never emptied: the slot of a
  /// deleted model leads to an entry that is not live, until ``compact()``.
  private var slots: [UInt32] = []
  private(set) var liveCount = 0
  private var nextOrdinal: UInt64 = 1

  /// The largest identifier so far that is a canonical decimal integer, deleted ones included.
  private(set) var largestInteger = 0

  /// The index in ``entries`` of the live model with this identifier.
  func find(_ identifier: UnsafeRawBufferPointer) -> Int? {
    guard !slots.isEmpty else { return nil }
    var slot = Self.hash(identifier) & (slots.count - 1)
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

  /// Records that a model now stands at `place`: it keeps its position, or goes to the end if it is new.
  mutating func put(_ identifier: UnsafeRawBufferPointer, at place: RecordPlace, revision: UInt64) {
    if let index = find(identifier) {
      entries[index].place = place
      entries[index].revision = revision
      return
    }
    if (entries.count + 1) * 4 > slots.count * 3 { rebuild(dropsGaps: liveCount < entries.count / 2) }
    entries.append(
      Entry(
        place: place, identifierLength: UInt32(identifier.count), identifierStart: identifiers.count,
        revision: revision, ordinal: nextOrdinal))
    identifiers.append(contentsOf: identifier)
    link(entries.count - 1, identifier)
    nextOrdinal += 1
    liveCount += 1
    if let integer = Self.integer(identifier) { largestInteger = max(largestInteger, integer) }
  }

  /// Forgets a model and leaves a gap; gaps are closed when they outnumber the models.
  mutating func remove(_ identifier: UnsafeRawBufferPointer) {
    guard let index = find(identifier) else { return }
    entries[index].place = RecordPlace(segment: 0, offset: 0, length: 0)
    liveCount -= 1
    if entries.count > 1_024, liveCount < entries.count / 2 { rebuild(dropsGaps: true) }
  }

  /// Takes the next free integer identifier for good; nil if there is none left.
  mutating func reserveInteger() -> Int? {
    guard largestInteger < Int.max else { return nil }
    largestInteger += 1
    return largestInteger
  }

  /// The index of the first entry created after the one with `ordinal`.
  func index(after ordinal: UInt64) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].ordinal <= ordinal { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func identifier(of entry: Entry) -> String {
    String(decoding: identifiers[bytes(of: entry)], as: UTF8.self)
  }

  private func bytes(of entry: Entry) -> Range<Int> {
    entry.identifierStart..<entry.identifierStart + Int(entry.identifierLength)
  }

  private func hasIdentifier(_ entry: Entry, _ identifier: UnsafeRawBufferPointer) -> Bool {
    guard let other = identifier.baseAddress else { return true }
    return identifiers.withUnsafeBytes { bytes in
      guard let own = bytes.baseAddress else { return false }
      return memcmp(own + entry.identifierStart, other, identifier.count) == 0
    }
  }

  private mutating func link(_ index: Int, _ identifier: UnsafeRawBufferPointer) {
    var slot = Self.hash(identifier) & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt32(index + 1)
  }

  /// Makes the slots anew, with room to grow; without the gaps if there are many.
  private mutating func rebuild(dropsGaps: Bool) {
    if dropsGaps {
      var kept: [UInt8] = []
      entries.removeAll { !$0.isLive }
      for index in entries.indices {
        let range = bytes(of: entries[index])
        entries[index].identifierStart = kept.count
        kept.append(contentsOf: identifiers[range])
      }
      identifiers = kept
    }
    var size = 16
    while size < entries.count * 2 { size *= 2 }
    slots = [UInt32](repeating: 0, count: size)
    let all = identifiers
    all.withUnsafeBytes { bytes in
      for index in entries.indices {
        link(index, UnsafeRawBufferPointer(rebasing: bytes[self.bytes(of: entries[index])]))
      }
    }
  }

  /// Seeded per process, so nobody can choose identifiers that all fall into one slot.
  private static func hash(_ identifier: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: identifier)
    return hasher.finalize() & Int.max
  }

  /// The positive integer that `identifier` is the one decimal form of ("7", but not "07" or "+7").
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

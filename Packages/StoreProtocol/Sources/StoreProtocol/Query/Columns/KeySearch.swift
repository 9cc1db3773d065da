@_spi(ModelKitInternals) import ModelCore

/// A search for the values of some keys in a record of compact JSON, which does not read the values before them.
///
/// The quotation marks inside texts are escaped, so a key with its quotation marks and its colon is no part of a text.
/// It is a key of the record itself if it is not inside an object or array that begins before it. Where that is not
/// certain, the record is read in order.
struct KeySearch {
  private struct Key {
    /// The key in quotation marks, and a colon.
    let pattern: [UInt8]
    /// The length of the pattern.
    let count: Int
    /// The first bytes of the pattern, and the bits that they occupy.
    let word: UInt64
    let mask: UInt64
    /// The last eight bytes of a pattern that is longer.
    let lastWord: UInt64
    /// The place of the offset of the value.
    let index: Int
    /// The position in the last record. It is often similar in the next one.
    var position = 1
  }

  private var keys: [Key] = []

  /// The bytes that follow the quotation mark at the end of a text: it would look like one before a key.
  private static let separators: [UInt8] = [",", ":", "]", "}"].map { UInt8(ascii: $0) }

  /// - Parameter slots: the keys.
  /// - Returns: nil if a key is inside another value, or is not spelled with the same bytes in every record. Also if it
  ///   begins with a separator, like the rest of a record after a text.
  init?(_ slots: [QuerySlot]) {
    // Records have sorted keys.
    for slot in slots.sorted(by: { $0.quoted.lexicographicallyPrecedes($1.quoted) }) {
      guard !slot.isNested, let first = slot.quoted.first, !Self.separators.contains(first),
        slot.quoted.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
      else { return nil }
      let pattern = [UInt8(ascii: "\"")] + slot.quoted + [UInt8(ascii: "\""), UInt8(ascii: ":")]
      var (word, mask) = (UInt64(0), UInt64(0))
      for (index, byte) in pattern.prefix(8).enumerated() {
        word |= UInt64(byte) << UInt64(8 * index)
        mask |= 0xFF << UInt64(8 * index)
      }
      let lastWord = pattern.suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      keys.append(
        Key(pattern: pattern, count: pattern.count, word: word, mask: mask, lastWord: lastWord, index: slot.index))
    }
  }

  /// Writes the offsets of the values in the bytes of a record.
  ///
  /// - Returns: `false` if the record has to be read in order.
  @inline(__always)
  mutating func locate(in bytes: UnsafeRawBufferPointer, _ offsets: UnsafeMutablePointer<Int>) -> Bool {
    guard let base = bytes.baseAddress, bytes.count > 8, bytes[0] == UInt8(ascii: "{") else { return false }
    let count = bytes.count
    // No object and no array is open at this position.
    var flatEnd = 1
    // The difference of the positions of the last key in this record and in the one before.
    var shift = 0
    return keys.withUnsafeMutableBufferPointer { keys in
      guard var key = keys.baseAddress else { return true }
      let end = key + keys.count
      while key < end {
        var position = Self.near(key.pointee.position &+ shift, key, base, count)
        if position < 0 { position = Self.find(key, from: flatEnd, base, count) }
        if position < 0, flatEnd > 1 { position = Self.find(key, from: 1, base, count) }
        while position >= 0 {
          if position < flatEnd { flatEnd = 1 }
          guard Self.pass(bytes, base, from: &flatEnd, to: position) else { return false }
          if flatEnd == position { break }
          // The key is one of a value inside.
          position = Self.find(key, from: flatEnd, base, count)
        }
        if position < 0 { return false }
        shift = position &- key.pointee.position
        key.pointee.position = position
        offsets[key.pointee.index] = position &+ key.pointee.count
        key += 1
      }
      return true
    }
  }

  @inline(__always)
  private static func word(_ base: UnsafeRawPointer, _ position: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// Returns a number with the highest bit of each byte of a word that has a value; only the lowest one is certain.
  @inline(__always)
  private static func marks(of byte: UInt64, in word: UInt64) -> UInt64 {
    let difference = word ^ (byte &* 0x0101_0101_0101_0101)
    return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
  }

  /// Returns a number with the highest bit of each byte of a word that has a value.
  @inline(__always)
  private static func exactMarks(of byte: UInt64, in word: UInt64) -> UInt64 {
    let difference = word ^ (byte &* 0x0101_0101_0101_0101)
    let low = 0x7F7F_7F7F_7F7F_7F7F as UInt64
    return ~((difference & low) &+ low | difference | low)
  }

  /// Returns the number of exact marks.
  @inline(__always)
  private static func count(of marks: UInt64) -> UInt64 { ((marks >> 7) &* 0x0101_0101_0101_0101) >> 56 }

  /// Returns a number with the highest bit of each byte of a word that is a bracket, a brace, a backslash or a bar.
  @inline(__always)
  private static func marksOfBrackets(in word: UInt64) -> UInt64 {
    // The bits of `[\\]` and `{|}` differ in one bit.
    let low = (word | 0x2020_2020_2020_2020) & 0x7F7F_7F7F_7F7F_7F7F
    return (low &+ 0x0505_0505_0505_0505) & ~(low &+ 0x0202_0202_0202_0202) & ~word & 0x8080_8080_8080_8080
  }

  /// Whether a key begins at a position.
  @inline(__always)
  private static func isKey(
    _ key: UnsafePointer<Key>, at position: Int, _ base: UnsafeRawPointer, _ count: Int
  ) -> Bool {
    guard position >= 1, position &+ 8 <= count, position &+ key.pointee.count < count,
      word(base, position) & key.pointee.mask == key.pointee.word
    else { return false }
    let before = base.load(fromByteOffset: position &- 1, as: UInt8.self)
    guard before == UInt8(ascii: ",") || position == 1 else { return false }
    let length = key.pointee.count
    if length <= 8 { return true }
    guard word(base, position &+ length &- 8) == key.pointee.lastWord else { return false }
    var index = 8
    while index < length &- 8 {
      if base.load(fromByteOffset: position &+ index, as: UInt8.self) != key.pointee.pattern[index] { return false }
      index &+= 1
    }
    return true
  }

  /// Returns the position of a key at most four bytes from another one: values before it often have a similar length.
  /// Negative if there is none.
  @inline(__always)
  private static func near(
    _ position: Int, _ key: UnsafePointer<Key>, _ base: UnsafeRawPointer, _ count: Int
  ) -> Int {
    let first = position &- 4
    guard first >= 1, first &+ 9 <= count else { return isKey(key, at: position, base, count) ? position : -1 }
    // The quotation mark and the first letter are searched at all positions together. A branch for each would often be
    // mispredicted.
    let quotes = exactMarks(of: UInt64(UInt8(ascii: "\"")), in: word(base, first))
    let letters = exactMarks(of: key.pointee.word >> 8 & 0xFF, in: word(base, first &+ 1))
    let place = first &+ (quotes & letters).trailingZeroBitCount >> 3
    return isKey(key, at: place, base, count) ? place : -1
  }

  /// Returns the position of a key after another position; negative if there is none.
  @inline(never)
  private static func find(
    _ key: UnsafePointer<Key>, from start: Int, _ base: UnsafeRawPointer, _ count: Int
  ) -> Int {
    var start = start
    while start &+ 8 <= count {
      var quotes = marks(of: UInt64(UInt8(ascii: "\"")), in: word(base, start))
      while quotes != 0 {
        let position = start &+ quotes.trailingZeroBitCount >> 3
        if isKey(key, at: position, base, count) { return position }
        quotes &= quotes &- 1
      }
      start &+= 8
    }
    return -1
  }

  /// Moves a position where no object and no array is open to another one, or to the end of the one that contains it.
  ///
  /// - Returns: `false` if the record has to be read in order.
  @inline(__always)
  private static func pass(
    _ bytes: UnsafeRawBufferPointer, _ base: UnsafeRawPointer, from position: inout Int, to end: Int
  ) -> Bool {
    // A key has at least eight bytes from its position on, so no word is beyond the end of the record.
    while position < end {
      // `[` and `{` differ in one bit.
      let begins = marks(of: UInt64(UInt8(ascii: "{")), in: word(base, position) | 0x2020_2020_2020_2020)
      if begins == 0 {
        position &+= 8
        continue
      }
      let begin = position &+ begins.trailingZeroBitCount >> 3
      if begin >= end { break }
      position = Self.end(ofFlatValueAt: begin, base, bytes.count)
      if position < 0 {
        guard let next = Self.end(ofValueAt: begin, bytes) else { return false }
        position = next
      }
      if position > end { return true }
    }
    position = end
    return true
  }

  /// Returns whether the bracket at a position is the begin of a value, and not inside a text.
  @inline(__always)
  private static func isBegin(_ position: Int, _ base: UnsafeRawPointer) -> Bool {
    guard position >= 4 else { return false }
    // The last three bytes before it, and one more below them.
    let before = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: position &- 4, as: UInt32.self))
    guard before >> 16 == 0x3A22 else { return false }
    switch UInt8(truncatingIfNeeded: before >> 8) {
    // The quotation mark is escaped, or begins a text.
    case UInt8(ascii: "\\"), UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"), ...0x20:
      return false
    default: return true
    }
  }

  /// Returns the position after the object or the array that begins at a position.
  ///
  /// - Returns: a negative number if it has values inside, or texts with escapes or brackets. Also if the position may be
  ///   inside a text.
  @inline(__always)
  private static func end(ofFlatValueAt begin: Int, _ base: UnsafeRawPointer, _ count: Int) -> Int {
    guard isBegin(begin, base) else { return -1 }
    // `[` and `]` differ as `{` and `}` do.
    let close = base.load(fromByteOffset: begin, as: UInt8.self) &+ 2
    var position = begin &+ 1
    var quoteCount = 0 as UInt64
    while position &+ 8 <= count {
      let next = word(base, position)
      let brackets = marksOfBrackets(in: next)
      let quotes = exactMarks(of: UInt64(UInt8(ascii: "\"")), in: next)
      if brackets != 0 {
        // The bits below the first bracket.
        let before = (brackets & (0 &- brackets)) &- 1
        quoteCount &+= Self.count(of: quotes & before)
        let end = position &+ brackets.trailingZeroBitCount >> 3
        return quoteCount & 1 == 0 && base.load(fromByteOffset: end, as: UInt8.self) == close ? end &+ 1 : -1
      }
      quoteCount &+= Self.count(of: quotes)
      position &+= 8
    }
    return -1
  }

  /// Returns the position after the object or the array that begins at a position; nil if that may be inside a text.
  @inline(never)
  private static func end(ofValueAt begin: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress, isBegin(begin, base) else { return nil }
    var scanner = JSONScanner(bytes, offset: begin, depth: 1, maximumDepth: 512)
    guard (try? scanner.skipValue()) != nil else { return nil }
    return scanner.offset
  }
}

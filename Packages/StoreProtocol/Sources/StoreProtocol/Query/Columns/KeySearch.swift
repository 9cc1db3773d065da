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
    /// The place of the offset of the value.
    let index: Int
    /// The position in the last record. It is often the same in the next one.
    var position = 1
  }

  private var keys: [Key] = []

  /// - Parameter slots: the keys.
  /// - Returns: nil if a key is inside another value, or is not spelled with the same bytes in every record.
  init?(_ slots: [QuerySlot]) {
    // Records have sorted keys.
    for slot in slots.sorted(by: { $0.quoted.lexicographicallyPrecedes($1.quoted) }) {
      guard !slot.isNested, !slot.quoted.isEmpty,
        slot.quoted.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
      else { return nil }
      let pattern = [UInt8(ascii: "\"")] + slot.quoted + [UInt8(ascii: "\""), UInt8(ascii: ":")]
      var (word, mask) = (UInt64(0), UInt64(0))
      for (index, byte) in pattern.prefix(8).enumerated() {
        word |= UInt64(byte) << UInt64(8 * index)
        mask |= 0xFF << UInt64(8 * index)
      }
      keys.append(Key(pattern: pattern, count: pattern.count, word: word, mask: mask, index: slot.index))
    }
  }

  /// Writes the offsets of the values in the bytes of a record.
  ///
  /// - Returns: `false` if the record has to be read in order.
  mutating func locate(in bytes: UnsafeRawBufferPointer, _ offsets: UnsafeMutablePointer<Int>) -> Bool {
    guard let base = bytes.baseAddress, bytes.count > 8, bytes[0] == UInt8(ascii: "{") else { return false }
    // No object and no array is open at this position.
    var flatEnd = 1
    // The difference of the positions of the last key in this record and in the one before.
    var shift = 0
    return keys.withUnsafeMutableBufferPointer { keys in
      for number in keys.indices {
        var found = Self.near(keys[number].position &+ shift, keys[number], base, bytes.count)
        if found == nil { found = Self.find(keys[number], from: 1, base, bytes.count) }
        while let position = found {
          if position < flatEnd { flatEnd = 1 }
          guard Self.pass(bytes, base, from: &flatEnd, to: position) else { return false }
          if flatEnd == position { break }
          // The key is one of a value inside.
          found = Self.find(keys[number], from: flatEnd, base, bytes.count)
        }
        guard let found else { return false }
        shift = found &- keys[number].position
        keys[number].position = found
        offsets[keys[number].index] = found &+ keys[number].count
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

  /// Whether a key begins at a position.
  @inline(__always)
  private static func isKey(_ key: Key, at position: Int, _ base: UnsafeRawPointer, _ count: Int) -> Bool {
    guard position >= 1, position &+ 8 <= count, position &+ key.count < count,
      word(base, position) & key.mask == key.word
    else { return false }
    let before = base.load(fromByteOffset: position &- 1, as: UInt8.self)
    guard before == UInt8(ascii: ",") || position == 1 else { return false }
    var index = 8
    while index < key.count {
      if base.load(fromByteOffset: position &+ index, as: UInt8.self) != key.pattern[index] { return false }
      index &+= 1
    }
    return true
  }

  /// Returns the position of a key at most four bytes from another one: values before it often have a similar length.
  @inline(__always)
  private static func near(_ position: Int, _ key: Key, _ base: UnsafeRawPointer, _ count: Int) -> Int? {
    if isKey(key, at: position, base, count) { return position }
    for distance in 1...4 {
      if isKey(key, at: position &- distance, base, count) { return position &- distance }
      if isKey(key, at: position &+ distance, base, count) { return position &+ distance }
    }
    return nil
  }

  /// Returns the position of a key after another position.
  private static func find(_ key: Key, from start: Int, _ base: UnsafeRawPointer, _ count: Int) -> Int? {
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
    return nil
  }

  /// Moves a position where no object and no array is open to another one, or to the end of the one that contains it.
  ///
  /// - Returns: `false` if the record has to be read in order.
  @inline(__always)
  private static func pass(
    _ bytes: UnsafeRawBufferPointer, _ base: UnsafeRawPointer, from position: inout Int, to end: Int
  ) -> Bool {
    // A key has at least eight bytes from its position on, so no word is beyond the end.
    while position < end {
      var next = word(base, position)
      let rest = end &- position
      if rest < 8 { next &= (1 << UInt64(8 &* rest)) &- 1 }
      // `[` and `{` differ in one bit.
      let begins = marks(of: UInt64(UInt8(ascii: "{")), in: next | 0x2020_2020_2020_2020)
      if begins == 0 {
        position &+= min(8, rest)
      } else {
        guard let next = Self.end(ofValueAt: position &+ begins.trailingZeroBitCount >> 3, bytes) else { return false }
        position = next
      }
    }
    return true
  }

  /// Returns the position after the object or the array that begins at a position; nil if that may be inside a text.
  private static func end(ofValueAt begin: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
    guard begin >= 4, bytes[begin &- 1] == UInt8(ascii: ":"), bytes[begin &- 2] == UInt8(ascii: "\"") else {
      return nil
    }
    switch bytes[begin &- 3] {
    // The quotation mark is escaped, or begins a text.
    case UInt8(ascii: "\\"), UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"), ...0x20:
      return nil
    default: break
    }
    // Most are short, and have neither escapes nor values inside.
    let close = bytes[begin] == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
    var isInText = false
    search: for index in begin &+ 1..<max(begin &+ 1, min(bytes.count, begin &+ 48)) {
      switch bytes[index] {
      case UInt8(ascii: "\""): isInText.toggle()
      case UInt8(ascii: "\\"): break search
      case UInt8(ascii: "{"), UInt8(ascii: "["): if !isInText { break search }
      case close: if !isInText { return index &+ 1 }
      default: break
      }
    }
    var scanner = JSONScanner(bytes, offset: begin, depth: 1, maximumDepth: 512)
    guard (try? scanner.skipValue()) != nil else { return nil }
    return scanner.offset
  }
}

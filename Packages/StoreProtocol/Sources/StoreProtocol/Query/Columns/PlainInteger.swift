/// An integer in the bytes of a record.
enum PlainInteger {
  /// Returns an integer of at most 18 digits at an offset; nil if another value is there, or it is spelled otherwise.
  @inline(__always)
  static func value(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress, offset &+ 8 <= bytes.count else { return longer(at: offset, in: bytes) }
    // Up to seven digits are read as one word: a branch for each would often be mispredicted.
    let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    // A digit has the value 0 to 9 after this, and another byte has a larger one.
    let digits = word ^ 0x3030_3030_3030_3030
    let others = ((digits & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080
    let bitCount = UInt64(others.trailingZeroBitCount & ~7)
    let end = UInt8(truncatingIfNeeded: word >> bitCount)
    guard others != 0, bitCount > 0, end == UInt8(ascii: ",") || end == UInt8(ascii: "}"),
      UInt8(truncatingIfNeeded: digits) != 0 || bitCount == 8
    else { return longer(at: offset, in: bytes) }
    // With zeros before them, these are eight digits. Neighbours are combined to pairs, these to fours, and to eight.
    var value = digits << (64 &- bitCount)
    value = (value &* 10 &+ value >> 8) & 0x00FF_00FF_00FF_00FF
    value = (value &* 100 &+ value >> 16) & 0x0000_FFFF_0000_FFFF
    value = (value &* 10_000 &+ value >> 32) & 0xFFFF_FFFF
    return Int(truncatingIfNeeded: value)
  }

  /// Returns the same, digit by digit.
  @inline(never)
  private static func longer(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    let count = bytes.count
    var index = offset
    guard index < count else { return nil }
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index &+= 1 }
    let first = index
    var value = 0
    while index < count, bytes[index] &- UInt8(ascii: "0") < 10 {
      // Longer numbers are rejected below.
      value = value &* 10 &+ Int(bytes[index] &- UInt8(ascii: "0"))
      index &+= 1
    }
    guard index > first, index &- first <= 18, index < count,
      bytes[index] == UInt8(ascii: ",") || bytes[index] == UInt8(ascii: "}"),
      bytes[first] != UInt8(ascii: "0") || (index &- first == 1 && !isNegative)
    else { return nil }
    return isNegative ? 0 &- value : value
  }
}

/// An integer in the bytes of a record.
enum PlainInteger {
  /// Returns an integer of at most 18 digits at an offset; nil if another value is there, or it is spelled otherwise.
  @inline(__always)
  static func value(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
    let count = bytes.count
    var index = offset
    guard index < count else { return nil }
    let isNegative = base[index] == UInt8(ascii: "-")
    if isNegative { index &+= 1 }
    let first = index
    var value = 0
    while index < count, base[index] &- UInt8(ascii: "0") < 10 {
      value = value &* 10 &+ Int(base[index] &- UInt8(ascii: "0"))
      index &+= 1
    }
    guard index > first, index &- first <= 18, index < count,
      base[index] == UInt8(ascii: ",") || base[index] == UInt8(ascii: "}"),
      base[first] != UInt8(ascii: "0") || (index &- first == 1 && !isNegative)
    else { return nil }
    return isNegative ? 0 &- value : value
  }
}

public import Foundation

extension IndexKey {
  /// Creates the key of a decimal number; nil for NaN. Equal numbers have the same key, however they are written.
  public init?(_ value: Decimal) {
    if value.isNaN { return nil }
    if value.isZero {
      self = [1].withUnsafeBufferPointer { IndexKey($0) }
      return
    }
    // Sign, power of ten and digits: of numbers with the same first digits, the longer one is farther from zero.
    var digits: [UInt8] = []
    var exponent = 0
    var isFraction = false
    for character in value.magnitude.description.utf8 {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) else {
        isFraction = true
        continue
      }
      let digit = character - UInt8(ascii: "0")
      if digits.isEmpty, digit == 0 {
        if isFraction { exponent -= 1 }
        continue
      }
      if !isFraction { exponent += 1 }
      digits.append(digit)
    }
    while digits.last == 0 { digits.removeLast() }
    let power = UInt16(truncatingIfNeeded: exponent + 1 << 15)
    var bytes = [2, UInt8(power >> 8), UInt8(power & 0xFF)] + digits.map { $0 + 1 }
    if value.isSignMinus { bytes = [0] + bytes.dropFirst().map { ~$0 } + [0xFF] }
    self = bytes.withUnsafeBufferPointer { IndexKey($0) }
  }

  /// Creates a key by hashing a value. Equal values share it in this process. Collisions with other values are
  /// possible, but rare.
  init(hashing value: some Hashable) {
    var hasher = Hasher()
    value.hash(into: &hasher)
    let first = hasher.finalize()
    hasher = Hasher()
    hasher.combine(first)
    value.hash(into: &hasher)
    self = withUnsafeBytes(of: (first, hasher.finalize())) { IndexKey($0.bindMemory(to: UInt8.self)) }
  }
}

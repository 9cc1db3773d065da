/// An identifier in a registry. One text is one identifier, whatever the type of the field.
///
/// Text in the canonical spelling of an integer is stored as the integer, because most identifiers are integers. The
/// texts "01" and "+1" differ from "1", and stay text.
enum RegisteredIdentifier: Hashable {
  case number(Int)
  case text(ExactText)

  init(_ text: String) {
    if let number = Self.number(spelled: text) { self = .number(number) } else { self = .text(ExactText(text)) }
  }

  /// The identifier as text.
  var text: String {
    switch self {
    case .number(let number): String(number)
    case .text(let text): text.text
    }
  }

  private static func number(spelled text: String) -> Int? {
    // A sign and the digits are the most that an integer has.
    guard text.utf8.count <= 1 + maximumDigits else { return nil }
    if let known = text.utf8.withContiguousStorageIfAvailable(number) { return known }
    var native = text
    native.makeContiguousUTF8()
    return native.utf8.withContiguousStorageIfAvailable(number) ?? nil
  }

  /// The number of decimal digits that always fit into 64 bits.
  private static let maximumDigits = 19

  private static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let isNegative = bytes.first == UInt8(ascii: "-")
    var index = isNegative ? 1 : 0
    let count = bytes.count
    guard index < count, count &- index <= maximumDigits, bytes[index] != UInt8(ascii: "0") || count == 1 else {
      return nil
    }
    var magnitude: UInt64 = 0
    while index < count {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      magnitude = magnitude &* 10 &+ UInt64(digit)
      index &+= 1
    }
    // There is one more negative number than positive ones.
    guard magnitude <= UInt64(Int64.max) &+ (isNegative ? 1 : 0) else { return nil }
    let number = Int64(truncatingIfNeeded: magnitude)
    return Int(exactly: isNegative ? 0 &- number : number)
  }
}

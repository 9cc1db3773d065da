/// An identifier as a registry knows it. One text is one identifier, whatever type the field has that holds it.
///
/// Text that spells an integer just as that is written is kept as the integer: most identifiers are integers, and need no
/// text then. "01" and "+1" are other identifiers than "1", and stay text.
enum RegisteredIdentifier: Hashable {
  case number(Int)
  case text(String)

  init(_ text: String) {
    if let number = Self.number(spelled: text) { self = .number(number) } else { self = .text(text) }
  }

  /// The identifier as text.
  var text: String {
    switch self {
    case .number(let number): String(number)
    case .text(let text): text
    }
  }

  private static let maximumLength = String(Int.min).utf8.count

  private static func number(spelled text: String) -> Int? {
    guard text.utf8.count <= maximumLength else { return nil }
    if let known = text.utf8.withContiguousStorageIfAvailable(number) { return known }
    var native = text
    native.makeContiguousUTF8()
    return native.utf8.withContiguousStorageIfAvailable(number) ?? nil
  }

  private static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let isNegative = bytes.first == UInt8(ascii: "-")
    let digits = bytes.dropFirst(isNegative ? 1 : 0)
    guard let first = digits.first, first != UInt8(ascii: "0") || bytes.count == 1 else { return nil }
    var number = 0
    for byte in digits {
      guard byte &- UInt8(ascii: "0") < 10 else { return nil }
      let digit = Int(byte &- UInt8(ascii: "0"))
      let (tenfold, overflows) = number.multipliedReportingOverflow(by: 10)
      // Below zero from the start, for there is one more number there than above.
      let (sum, overflowsToo) =
        isNegative ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
      if overflows || overflowsToo { return nil }
      number = sum
    }
    return number
  }
}

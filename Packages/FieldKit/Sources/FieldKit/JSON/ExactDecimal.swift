/// The value of a decimal numeral in its canonical form, so that equal values have equal members.
struct ExactDecimal: Hashable {
  /// False for zero, which has one form.
  private(set) var isNegative = false
  /// ASCII digits with no zero at either end; empty for zero.
  private(set) var digits: [UInt8] = []
  /// The power of ten of the last digit.
  private(set) var exponent = Exponent.near(0)

  /// Exponents of any length occur in valid documents; those beyond 64 bits are kept as digits.
  enum Exponent: Hashable {
    case near(Int64)
    case far(isNegative: Bool, digits: [UInt8])
  }

  /// Reads a numeral that is known to follow the grammar of JSON numbers, as `Double.description` does too.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the numeral.
  init(validNumber utf8: UnsafeBufferPointer<UInt8>) {
    var index = utf8.startIndex
    let hasSign = utf8.first == UInt8(ascii: "-")
    if hasSign { index += 1 }
    digits.reserveCapacity(utf8.count)
    var fractionDigits: Int64 = 0
    var isInFraction = false
    mantissa: while index < utf8.endIndex {
      switch utf8[index] {
      case UInt8(ascii: "."): isInFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"): break mantissa
      case let digit:
        if isInFraction { fractionDigits += 1 }
        if digit != UInt8(ascii: "0") || !digits.isEmpty { digits.append(digit) }
      }
      index += 1
    }
    var trailingZeros: Int64 = 0
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      trailingZeros += 1
    }
    guard !digits.isEmpty else { return }
    isNegative = hasSign
    exponent = Self.exponent(written: utf8[index...].dropFirst(), shift: trailingZeros - fractionDigits)
  }

  /// Creates the decimal value of the shortest spelling of a finite `Double`.
  init(shortest value: Double) {
    var text = value.description
    self = text.withUTF8 { ExactDecimal(validNumber: $0) }
  }

  private static func exponent(written: Slice<UnsafeBufferPointer<UInt8>>, shift: Int64) -> Exponent {
    let isNegative = written.first == UInt8(ascii: "-")
    let unsigned = isNegative || written.first == UInt8(ascii: "+") ? written.dropFirst() : written
    let digits = unsigned.drop { $0 == UInt8(ascii: "0") }
    guard digits.count > nearDigits else {
      let magnitude = value(of: digits)
      return .near((isNegative ? -magnitude : magnitude) + shift)
    }
    // The magnitude is at least 10^18 and the shift, a count of digits in memory, is less: the sign stays. Only the
    // last 18 digits and a carry change.
    var high = Array(digits.dropLast(nearDigits))
    var low = value(of: digits.suffix(nearDigits)) + (isNegative ? -shift : shift)
    if low < 0 {
      low += nearLimit
      decrement(&high)
    } else if low >= nearLimit {
      low -= nearLimit
      increment(&high)
    }
    let lowDigits = Array(String(low).utf8)
    let padding = Array(repeating: UInt8(ascii: "0"), count: nearDigits - lowDigits.count)
    let sum = Array((high + padding + lowDigits).drop { $0 == UInt8(ascii: "0") })
    if sum.count <= nearDigits + 1, let near = Int64((isNegative ? "-" : "") + String(decoding: sum, as: UTF8.self)) {
      return .near(near)
    }
    return .far(isNegative: isNegative, digits: sum)
  }

  private static let nearDigits = 18
  private static let nearLimit: Int64 = 1_000_000_000_000_000_000

  private static func value(of digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int64 {
    digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private static func increment(_ digits: inout [UInt8]) {
    for index in digits.indices.reversed() {
      guard digits[index] == UInt8(ascii: "9") else {
        digits[index] += 1
        return
      }
      digits[index] = UInt8(ascii: "0")
    }
    digits.insert(UInt8(ascii: "1"), at: 0)
  }

  private static func decrement(_ digits: inout [UInt8]) {
    for index in digits.indices.reversed() {
      guard digits[index] == UInt8(ascii: "0") else {
        digits[index] -= 1
        return
      }
      digits[index] = UInt8(ascii: "9")
    }
  }
}

extension ExactDecimal {
  /// Whether the value has no fraction. The last digit is not zero, so its power decides.
  var isWhole: Bool {
    switch exponent {
    case .near(let exponent): exponent >= 0
    case .far(let isNegative, _): !isNegative
    }
  }

  /// The value as an `Int`, or nil if it has a fraction or doesn't fit.
  var intValue: Int? { integer() }

  /// Returns the value as an integer of a type, or nil if it has a fraction or doesn't fit.
  func integer<Integer: FixedWidthInteger>() -> Integer? {
    guard !digits.isEmpty else { return 0 }
    // The checks are separate: an exponent may be so large that nothing can be added to it.
    guard case .near(let exponent) = exponent, (0...Int64(Integer.bitWidth)).contains(exponent) else { return nil }
    var value: Integer = 0
    for index in 0..<digits.count + Int(exponent) {
      let digit = index < digits.count ? Integer(digits[index] - UInt8(ascii: "0")) : 0
      let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isOutside) =
        isNegative ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
      if isTooLarge || isOutside { return nil }
      value = sum
    }
    return value
  }

  /// The nearest `Double`, or nil beyond its range. A value too small for a `Double` is zero.
  var nearestDouble: Double? {
    guard !digits.isEmpty else { return 0 }
    guard case .near(let exponent) = exponent else {
      if case .far(isNegative: true, _) = exponent { return 0 }
      return nil
    }
    // There is at least one digit, and an exponent may be so large that nothing can be added to it.
    if exponent > 310 { return nil }
    let magnitude = Int64(digits.count) + exponent
    if magnitude > 310 { return nil }
    if magnitude < -330 { return 0 }
    // No more than 768 digits are needed to distinguish a double from the middle between two neighbours. One more digit
    // stands for the rest, which keeps a number of a million digits linear.
    let kept = digits.prefix(Self.decisiveDigits)
    var text = isNegative ? "-" : ""
    text += String(decoding: kept, as: UTF8.self)
    var power = exponent + Int64(digits.count - kept.count)
    if kept.count < digits.count {
      text += "1"
      power -= 1
    }
    text += "e\(power)"
    guard let double = Double(text), double.isFinite else { return nil }
    return double
  }

  private static var decisiveDigits: Int { 800 }

  /// The `Double` whose shortest spelling denotes exactly this value, or nil if there is none.
  var exactDouble: Double? {
    // The shortest spelling of a double has at most 17 digits.
    guard digits.count <= 17, let double = nearestDouble, ExactDecimal(shortest: double) == self else { return nil }
    return double
  }
}

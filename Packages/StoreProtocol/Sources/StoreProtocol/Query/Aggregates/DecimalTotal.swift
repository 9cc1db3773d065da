public import Foundation

/// The exact total of decimal numbers, whatever their exponents and their order are.
///
/// ```swift
/// var total = DecimalTotal()
/// for text in ["1e37", "0.01", "-1e37"] {
///   total.add(Decimal(string: text) ?? 0)
/// }
/// print(total.sum ?? 0)  // 0.01
/// ```
public struct DecimalTotal: SumTotal {
  /// Numbers whose exact sum is the total, usually one.
  private var parts: [Decimal] = []
  private var invalidCount = 0

  /// Creates the sum of no numbers.
  public init() {}

  /// Adds a number.
  public mutating func add(_ value: Decimal) {
    guard value.isFinite else { return invalidCount += 1 }
    include(value)
  }

  /// Removes a number that was added.
  public mutating func remove(_ value: Decimal) -> Bool {
    guard value.isFinite else {
      invalidCount -= 1
      return true
    }
    include(-value)
    return true
  }

  private mutating func include(_ value: Decimal) {
    for index in parts.indices {
      let sum = parts[index] + value
      // Otherwise digits were lost.
      if sum - value == parts[index], sum - parts[index] == value { return parts[index] = sum }
    }
    parts.append(value)
  }

  /// The sum; nil if it has more digits than a `Decimal` can hold.
  public var sum: Decimal? {
    if invalidCount > 0 { return nil }
    return parts.count < 2 ? parts.first ?? 0 : WideDecimal(parts).exact
  }

  /// Returns the average, rounded to the digits of a `Decimal`.
  public func average(of count: Int) -> Decimal? {
    guard invalidCount == 0, let sum = sum ?? WideDecimal(parts).rounded else { return nil }
    let average = sum / Decimal(count)
    return average.isFinite ? average : nil
  }
}

/// A decimal number whose significand is large enough for the sum of any decimal numbers.
private struct WideDecimal {
  // The largest number of a `Decimal` has 10^255 times the least one, which is 848 bit. A significand has 128 bit, and
  // a count 64.
  private static let limbCount = 36

  /// The significand as a two's complement, the least significant limb first.
  private var limbs = Array(repeating: UInt32(0), count: limbCount)
  private var exponent = 0

  private var isNegative: Bool { limbs[Self.limbCount - 1] >> 31 != 0 }

  /// Creates the exact sum of numbers.
  init(_ numbers: [Decimal]) {
    let numbers = numbers.filter { !$0.isZero }.sorted { $0.exponent > $1.exponent }
    exponent = numbers.first?.exponent ?? 0
    for number in numbers {
      while exponent > number.exponent {
        multiplyByTen()
        exponent -= 1
      }
      // Foundation has no access to the significand, except as text.
      let significand = UInt128(number.significand.magnitude.description) ?? 0
      if number.isSignMinus { negate() }
      add(significand)
      if number.isSignMinus { negate() }
    }
  }

  private mutating func add(_ value: UInt128) {
    var rest = value
    var carry: UInt64 = 0
    for index in limbs.indices {
      let sum = UInt64(limbs[index]) + UInt64(UInt32(truncatingIfNeeded: rest)) + carry
      limbs[index] = UInt32(truncatingIfNeeded: sum)
      carry = sum >> 32
      rest >>= 32
    }
  }

  private mutating func multiplyByTen() {
    var carry: UInt64 = 0
    for index in limbs.indices {
      let product = UInt64(limbs[index]) * 10 + carry
      limbs[index] = UInt32(truncatingIfNeeded: product)
      carry = product >> 32
    }
  }

  private mutating func negate() {
    for index in limbs.indices { limbs[index] = ~limbs[index] }
    add(1)
  }

  /// Divides a significand that is not negative, and returns the remainder.
  private mutating func divideByTen() -> UInt32 {
    var remainder: UInt64 = 0
    for index in limbs.indices.reversed() {
      let dividend = remainder << 32 | UInt64(limbs[index])
      limbs[index] = UInt32(truncatingIfNeeded: dividend / 10)
      remainder = dividend % 10
    }
    return UInt32(remainder)
  }

  private var isZero: Bool { limbs.allSatisfy { $0 == 0 } }
  /// Whether the significand, which is not negative, has more bits than that of a `Decimal`.
  private var isTooLong: Bool { limbs[4...].contains { $0 != 0 } }

  /// The number; nil if a `Decimal` would lose digits.
  var exact: Decimal? { decimal(isRounded: false) }

  /// The closest `Decimal`; nil if the number is too large.
  var rounded: Decimal? { decimal(isRounded: true) }

  private func decimal(isRounded: Bool) -> Decimal? {
    if isZero { return 0 }
    var exponent = exponent
    var number = self
    if isNegative { number.negate() }
    while number.isTooLong || exponent < -128 {
      let digit = number.divideByTen()
      exponent += 1
      if digit == 0 { continue }
      if !isRounded { return nil }
      if digit >= 5, !number.isTooLong { number.add(1) }
      if number.isZero { return 0 }
    }
    while exponent > 127 {
      number.multiplyByTen()
      if number.isTooLong { return nil }
      exponent -= 1
    }
    let significand = number.limbs[..<4].reversed().reduce(UInt128(0)) { $0 << 32 | UInt128($1) }
    guard let digits = Decimal(string: "\(significand)") else { return nil }
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: digits)
  }
}

/// A number inside the bytes of a document.
struct ScannedNumber {
  let start: Int
  let end: Int
  let isNegative: Bool
  /// Whether the number is written without fraction and exponent.
  let isInteger: Bool
  /// The digits as one integer, wrong if there are more than 19.
  let mantissa: UInt64
  /// The number of digits of the mantissa.
  let significantDigits: Int
  /// The power of ten of the mantissa's last digit.
  let exponent: Int64
  /// Whether the mantissa or the exponent has too many digits for this record.
  let isLong: Bool

  var int: Int? {
    guard isInteger, !isLong else { return nil }
    if !isNegative { return Int(exactly: mantissa) }
    if mantissa < 1 << 63 { return Int(exactly: 0 &- Int64(bitPattern: mantissa)) }
    return mantissa == 1 << 63 ? Int(exactly: Int64.min) : nil
  }

  /// The nearest `Double`, or nil if the number is too long, too large or too small for this exact and fast path.
  var nearestDouble: Double? {
    guard !isLong, exponent >= -27, exponent <= 27 else { return nil }
    let magnitude: Double
    if mantissa == 0 {
      magnitude = 0
    } else if mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
      // Both operands are exact, so that the one operation rounds correctly.
      let power = Self.powersOfTen[Int(exponent.magnitude)]
      magnitude = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
    } else {
      let power = Self.powersOfFive[Int(exponent.magnitude)]
      magnitude = exponent < 0 ? Self.quotient(mantissa, power, exponent) : Self.product(mantissa, power, exponent)
    }
    return isNegative ? -magnitude : magnitude
  }

  /// Returns the double nearest to `mantissa` / `power` · 2^`exponent`, where neither is zero.
  private static func quotient(_ mantissa: UInt64, _ power: UInt64, _ exponent: Int64) -> Double {
    let dividendShift = mantissa.leadingZeroBitCount
    let divisorShift = power.leadingZeroBitCount
    let dividend = mantissa << dividendShift
    let divisor = power << divisorShift
    // Half the dividend where needed, so that the quotient fills exactly 64 bits.
    let isHalved = dividend >= divisor
    let (quotient, remainder) = divisor.dividingFullWidth(
      isHalved ? (high: dividend >> 1, low: dividend << 63) : (high: dividend, low: 0))
    let scale = Int64(divisorShift - dividendShift - 64 + (isHalved ? 1 : 0)) + exponent
    return rounded(quotient, hasRest: remainder != 0, exponent: scale)
  }

  /// Returns the double nearest to `mantissa` · `power` · 2^`exponent`, where neither is zero.
  private static func product(_ mantissa: UInt64, _ power: UInt64, _ exponent: Int64) -> Double {
    let (high, low) = mantissa.multipliedFullWidth(by: power)
    guard high != 0 else {
      let shift = low.leadingZeroBitCount
      return rounded(low << shift, hasRest: false, exponent: exponent - Int64(shift))
    }
    let shift = high.leadingZeroBitCount
    let top = shift == 0 ? high : high << shift | low >> (64 - shift)
    return rounded(top, hasRest: low << shift != 0, exponent: exponent + 64 - Int64(shift))
  }

  /// Returns the double nearest to `bits` · 2^`exponent`, or to a little more if there is a rest. The highest bit is
  /// set.
  private static func rounded(_ bits: UInt64, hasRest: Bool, exponent: Int64) -> Double {
    let kept = bits >> 11
    let dropped = bits & 0x7FF
    let isUp = dropped > 0x400 || dropped == 0x400 && (hasRest || kept & 1 == 1)
    // The exponents here stay far inside the normal range. Rounding up to the next power of two carries into them.
    let biased = UInt64(truncatingIfNeeded: exponent + 11 + 52 + 1023)
    return Double(bitPattern: (biased << 52) + (kept - (1 << 52)) + (isUp ? 1 : 0))
  }

  private static let powersOfTen: [Double] = (0...22).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  private static let powersOfFive: [UInt64] = (0...27).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 5 }
  }
}

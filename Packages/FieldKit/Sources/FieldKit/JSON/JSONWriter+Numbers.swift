extension JSONWriter {
  /// Writes an integer.
  mutating func int(_ value: Int) {
    beginValue()
    appendDigits(value.magnitude, isNegative: value < 0)
  }

  /// Writes the shortest spelling that reads back to the same `Double`, with a fraction or an exponent: `1.0`.
  ///
  /// - Throws: ``JSONWritingError`` if the number is infinite or not a number; nothing is written then.
  mutating func double(_ value: Double) throws(JSONWritingError) {
    guard value.isFinite || allowsNotFinite else {
      throw JSONWritingError(code: .notFinite, message: "JSON can't represent the number \(value)")
    }
    beginValue()
    if appendSimple(value) { return }
    var text = value.description
    text.withUTF8 { append($0) }
  }

  /// Writes a number that has at most four decimal places, and returns whether it is one.
  ///
  /// With at most 15 digits the decimal is the only one of its length that reads back to `value`, so it is the shortest
  /// spelling. The division that verifies it rounds correctly, because both operands are exact.
  private mutating func appendSimple(_ value: Double) -> Bool {
    let magnitude = value.magnitude
    guard magnitude < 1e11, magnitude >= 1e-3 || magnitude == 0 && value.sign == .plus else { return false }
    var power: UInt = 1
    var places = 0
    while places <= 4 {
      let scaled = (magnitude * Double(power)).rounded(.toNearestOrEven)
      if scaled / Double(power) == magnitude {
        let digits = UInt64(scaled)
        let divisor = UInt64(power)
        appendDigits(UInt(truncatingIfNeeded: digits / divisor), isNegative: value < 0)
        append(UInt8(ascii: "."))
        let fraction = UInt(truncatingIfNeeded: digits % divisor)
        if places == 0 { append(UInt8(ascii: "0")) } else { appendDigits(fraction, width: places) }
        return true
      }
      power *= 10
      places += 1
    }
    return false
  }

  private mutating func appendDigits(_ value: UInt, isNegative: Bool) {
    reserve(21)
    if isNegative {
      bytes[length] = UInt8(ascii: "-")
      length &+= 1
    }
    var width = 1
    var rest = value
    while rest >= 10 {
      rest /= 10
      width &+= 1
    }
    appendDigits(value, width: width)
  }

  private mutating func appendDigits(_ value: UInt, width: Int) {
    reserve(width)
    var rest = value
    var index = length &+ width
    length = index
    while index > length &- width {
      index &-= 1
      let quotient = rest / 10
      bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest &- quotient &* 10)
      rest = quotient
    }
  }
}

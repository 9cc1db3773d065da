#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Times as ISO 8601 text, exact to the precision of `Date`: a written date reads back as the same date.
enum ISO8601Text {
  /// Returns the shortest text with 0, 3, 6 or 9 digits of a second that reads back as the same date.
  ///
  /// Within 100 days of 2001, where a date is finer than a nanosecond, there may be up to 18 digits.
  static func text(from date: Date) throws -> String {
    // Counting from 2001, as Date does, keeps all bits of the fraction.
    let interval = date.timeIntervalSinceReferenceDate
    try checkRange(of: date)
    let floor = interval.rounded(.down)
    let fraction = interval - floor
    let seconds = Int(floor)
    // The fraction may be rounded up to a whole second.
    if fraction == 1 { return try text(seconds + 1, 0, places: 0) }
    var (places, power) = (0, 1)
    while places <= 15 {
      let number = Int((fraction * Double(power)).rounded())
      if number < power, self.interval(seconds, number, power) == interval {
        return try text(seconds, number, places: places)
      }
      places += 3
      power *= 1_000
    }
    return try text(seconds, eighteenDigits(of: fraction), places: 18)
  }

  private static func text(_ secondsSince2001: Int, _ fraction: Int, places: Int) throws -> String {
    let moment = CivilTime(secondsSince1970: secondsSince2001 + secondsFrom1970To2001)
    try checkYear(moment.year)
    return String(unsafeUninitializedCapacity: 40) { buffer in
      var length = 0
      func append(_ number: Int, _ width: Int, then separator: Unicode.Scalar) {
        var rest = number
        for index in stride(from: length + width - 1, through: length, by: -1) {
          buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        buffer[length + width] = UInt8(ascii: separator)
        length += width + 1
      }
      append(moment.year, 4, then: "-")
      append(moment.month, 2, then: "-")
      append(moment.day, 2, then: "T")
      append(moment.hour, 2, then: ":")
      append(moment.minute, 2, then: ":")
      append(moment.second, 2, then: places == 0 ? "Z" : ".")
      if places > 0 { append(fraction, places, then: "Z") }
      return length
    }
  }

  /// Returns the interval for a second and a fraction of it. Reading and writing both use it.
  @inline(__always)
  private static func interval(_ seconds: Int, _ fraction: Int, _ power: Int) -> Double {
    // In the last second before 2001 the sum would lose digits of the number.
    seconds == -1 && fraction > 0
      ? -(Double(power - fraction) / Double(power)) : Double(seconds) + Double(fraction) / Double(power)
  }

  /// Returns eighteen decimal places of a fraction: more than a date holds, except within one second of 2001.
  private static func eighteenDigits(of fraction: Double) -> Int {
    let one: UInt64 = 1 << 60
    var rest = UInt64(fraction * Double(one))
    var digits = 0
    for _ in 0..<18 {
      rest *= 10
      digits = digits * 10 + Int(rest / one)
      rest %= one
    }
    return digits
  }

  static func date(from text: String) -> Date? {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(digits: 4), scanner.skip("-"), let month = scanner.number(digits: 2),
      scanner.skip("-"), let day = scanner.number(digits: 2)
    else { return nil }
    var (hour, minute, second, offset) = (0, 0, 0, 0)
    var fraction = DigitScanner.Fraction()
    if !scanner.isAtEnd {
      guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" "), let readHour = scanner.number(digits: 2),
        scanner.skip(":"), let readMinute = scanner.number(digits: 2)
      else { return nil }
      (hour, minute) = (readHour, readMinute)
      if scanner.skip(":") {
        guard let readSecond = scanner.number(digits: 2) else { return nil }
        second = readSecond
        if scanner.skip(".") || scanner.skip(",") {
          guard let read = scanner.fraction() else { return nil }
          fraction = read
        }
      }
      if !scanner.isAtEnd, !scanner.skip("Z"), !scanner.skip("z") {
        let sign = scanner.skip("+") ? 1 : scanner.skip("-") ? -1 : 0
        guard sign != 0, let hours = scanner.number(digits: 2) else { return nil }
        _ = scanner.skip(":")
        let minutes = scanner.isAtEnd ? 0 : scanner.number(digits: 2)
        guard let minutes, hours <= 23, minutes <= 59 else { return nil }
        offset = sign * (hours * 3600 + minutes * 60)
      }
    }
    guard scanner.isAtEnd,
      let moment = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    else { return nil }
    return self.date(moment.secondsSince1970 - offset, fraction)
  }

  /// Returns the date of a second since 1970 and a fraction of it.
  static func date(_ secondsSince1970: Int, _ fraction: DigitScanner.Fraction) -> Date {
    let seconds = secondsSince1970 - secondsFrom1970To2001
    if let long = fraction.long { return Date(timeIntervalSinceReferenceDate: Double(seconds) + long) }
    return Date(timeIntervalSinceReferenceDate: interval(seconds, fraction.number, fraction.power))
  }

  /// Throws an error for a date that is too far away for a calculation of its year.
  static func checkRange(of date: Date) throws {
    let interval = date.timeIntervalSinceReferenceDate
    if abs(interval) < 1e12 { return }
    throw ValueTransformError(expected: yearRange, found: "\(interval) seconds since 2001")
  }

  /// Throws an error for a year that can't be read back.
  static func checkYear(_ year: Int) throws {
    if (0...9999).contains(year) { return }
    throw ValueTransformError(expected: yearRange, found: "year \(year)")
  }

  private static let yearRange = "a date between the years 0 and 9999"

  private static let secondsFrom1970To2001 = 978_307_200

  static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// A scanner of fixed-width numbers and separators in ASCII text.
struct DigitScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { position == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func number(digits: Int) -> Int? {
    guard position + digits <= bytes.count else { return nil }
    var number = 0
    for byte in bytes[position..<position + digits] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    position += digits
    return number
  }

  /// The digits after the point.
  struct Fraction {
    var number = 0
    /// The power of ten that `number` is divided by.
    var power = 1
    /// The number below 1 nearest to the digits, if there are too many of them for `number`.
    var long: Double?
  }

  /// Reads at least one digit after the point.
  mutating func fraction() -> Fraction? {
    let start = position
    var fraction = Fraction()
    while let digit = self.number(digits: 1) {
      // Fifteen digits and their power of ten are exact in a `Double`, so that the quotient is the nearest one.
      if position - start <= 15 {
        fraction.number = fraction.number * 10 + digit
        fraction.power *= 10
      }
    }
    if position == start { return nil }
    if position - start > 15 { fraction.long = Double("0." + String(decoding: bytes[start..<position], as: UTF8.self)) }
    return fraction
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Times as ISO 8601 text, exact to what `Date` can hold: what was written reads back as the same date.
enum ISO8601Text {
  static func text(from date: Date) throws -> String {
    // Counting from 2001, as Date does, keeps all bits of the fraction.
    let interval = date.timeIntervalSinceReferenceDate
    guard abs(interval) < 1e12 else {
      throw ValueTransformError(expected: yearRange, found: "\(interval) seconds since 2001")
    }
    var seconds = interval.rounded(.down)
    let fraction = interval - seconds
    var nanoseconds = Int((fraction * 1e9).rounded())
    if seconds + Double(nanoseconds) / 1e9 == interval {
      if nanoseconds == 1_000_000_000 {
        seconds += 1
        nanoseconds = 0
      }
      var digits = nanoseconds == 0 ? "" : padded(nanoseconds, 9)
      while digits.hasSuffix("000") { digits.removeLast(3) }
      return try text(Int(seconds), digits)
    }
    // Within 100 days of 2001 a date can tell less than a nanosecond.
    return try text(Int(seconds), digits(of: fraction))
  }

  private static func text(_ secondsSince2001: Int, _ fraction: String) throws -> String {
    let moment = CivilTime(secondsSince1970: secondsSince2001 + secondsFrom1970To2001)
    guard (0...9999).contains(moment.year) else {
      throw ValueTransformError(expected: yearRange, found: "year \(moment.year)")
    }
    return padded(moment.year, 4) + "-" + padded(moment.month, 2) + "-" + padded(moment.day, 2) + "T"
      + padded(moment.hour, 2) + ":" + padded(moment.minute, 2) + ":" + padded(moment.second, 2)
      + (fraction.isEmpty ? "" : "." + fraction) + "Z"
  }

  /// Eighteen decimal places of a fraction: more than a date can tell from one second before or after 2001 on.
  private static func digits(of fraction: Double) -> String {
    let one: UInt64 = 1 << 60
    var rest = UInt64(fraction * Double(one))
    var digits = ""
    for _ in 0..<18 {
      rest *= 10
      digits += String(rest / one)
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
    var fraction = 0.0
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
    let whole = Double(moment.secondsSince1970 - offset - secondsFrom1970To2001)
    return Date(timeIntervalSinceReferenceDate: whole + fraction)
  }

  private static let yearRange = "a date between the years 0 and 9999"

  private static let secondsFrom1970To2001 = 978_307_200

  static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// Reads fixed-width numbers and separators from ASCII text.
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

  /// The digits after the point as a number below 1, nearest to what they say.
  mutating func fraction() -> Double? {
    let start = position
    var (number, power) = (0, 1)
    while let digit = self.number(digits: 1) {
      // Fifteen digits and their power of ten are exact in a `Double`, so that the quotient is the nearest one.
      if position - start <= 15 {
        number = number * 10 + digit
        power *= 10
      }
    }
    if position == start { return nil }
    if position - start <= 15 { return Double(number) / Double(power) }
    return Double("0." + String(decoding: bytes[start..<position], as: UTF8.self))
  }
}

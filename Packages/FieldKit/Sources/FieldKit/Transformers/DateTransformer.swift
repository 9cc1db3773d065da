public import Foundation

/// A transformer of dates in a format of your own.
///
/// Formats made of `yyyy MM dd HH mm ss SSS` and literal characters are read strictly: a day that does not exist is an
/// error. Other patterns of Unicode TR 35 work through Foundation's formatter.
///
/// ```swift
/// let birthday = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
/// ```
public struct DateTransformer: ValueTransforming {
  private let format: String
  private let timeZone: TimeZone
  private let locale: Locale
  let parts: [Part]?

  /// Creates a transformer.
  ///
  /// - Parameters:
  ///   - format: a date pattern as in Unicode TR 35.
  ///   - timeZone: the time zone of the text. UTC by default, so that a file means the same everywhere.
  ///   - locale: the language of month and day names.
  public init(
    format: String, timeZone: TimeZone = .gmt, locale: Locale = Locale(identifier: "en_US_POSIX")
  ) {
    self.format = format
    self.timeZone = timeZone
    self.locale = locale
    parts = timeZone == .gmt ? Part.known(format) : nil
  }

  /// Reads a date.
  ///
  /// - Throws: ``ValueTransformError`` if the text is not a date in this format.
  public func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Date? {
    guard let text = json.stringValue, let date = parts.map({ date(from: text, $0) }) ?? formatter.date(from: text)
    else { throw ValueTransformError(expected: "a date as \(format)", found: json) }
    return date
  }

  /// Writes a date.
  ///
  /// - Throws: ``ValueTransformError`` for a date that would not be read back, such as one outside the years 0 to 9999.
  public func exportValue(_ value: Date, in context: ValueTransformerContext) throws -> JSONValue {
    guard let parts else {
      let formatter = formatter
      let text = formatter.string(from: value)
      if formatter.date(from: text) != nil { return .string(text) }
      throw ValueTransformError(expected: "a date that can be read as \(format)", found: text)
    }
    try ISO8601Text.checkRange(of: value)
    let milliseconds = Self.millisecondsSince1970(value)
    let seconds = milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
    let moment = CivilTime(secondsSince1970: seconds)
    try ISO8601Text.checkYear(moment.year)
    return .string(
      parts.map { part in
        switch part {
        case .literal(let character): String(character)
        case .year: ISO8601Text.padded(moment.year, 4)
        case .month: ISO8601Text.padded(moment.month, 2)
        case .day: ISO8601Text.padded(moment.day, 2)
        case .hour: ISO8601Text.padded(moment.hour, 2)
        case .minute: ISO8601Text.padded(moment.minute, 2)
        case .second: ISO8601Text.padded(moment.second, 2)
        case .millisecond: ISO8601Text.padded(milliseconds - seconds * 1_000, 3)
        }
      }.joined())
  }

  // A formatter is created for each use: it is not Sendable, and only unusual patterns need one.
  private var formatter: DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = locale
    formatter.timeZone = timeZone
    formatter.isLenient = false
    formatter.dateFormat = format
    return formatter
  }

  private func date(from text: String, _ parts: [Part]) -> Date? {
    var scanner = DigitScanner(text)
    var (year, month, day, hour, minute, second, milliseconds) = (1970, 1, 1, 0, 0, 0, 0)
    for part in parts {
      switch part {
      case .literal(let character): if !scanner.skip(character) { return nil }
      default:
        guard let number = scanner.number(digits: part.width) else { return nil }
        switch part {
        case .year: year = number
        case .month: month = number
        case .day: day = number
        case .hour: hour = number
        case .minute: minute = number
        case .second: second = number
        default: milliseconds = number
        }
      }
    }
    guard scanner.isAtEnd,
      let moment = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    else { return nil }
    // As ISO 8601 text is read, so that the same time is the same date in every format.
    return ISO8601Text.date(moment.secondsSince1970, DigitScanner.Fraction(number: milliseconds, power: 1_000))
  }

  /// A part of a format that needs no formatter.
  enum Part: Sendable {
    case literal(Unicode.Scalar)
    case year, month, day, hour, minute, second, millisecond

    var width: Int {
      switch self {
      case .year: 4
      case .millisecond: 3
      case .literal: 1
      default: 2
      }
    }

    private static let formats = Lock<[String: [Part]?]>([:])

    /// Returns the parts of a format, parsed once per format: every instance of a model declares its fields again.
    static func known(_ format: String) -> [Part]? {
      if let known = formats.withLock({ $0[format] }) { return known }
      let parts = parts(of: format)
      formats.withLock { $0[format] = .some(parts) }
      return parts
    }

    private static func parts(of format: String) -> [Part]? {
      var parts: [Part] = []
      var rest = Substring(format)
      var isQuoted = false
      let patterns: [(String, Part)] = [
        ("yyyy", .year), ("MM", .month), ("dd", .day), ("HH", .hour), ("mm", .minute), ("ss", .second),
        ("SSS", .millisecond),
      ]
      while let character = rest.unicodeScalars.first {
        if character == "'" {
          isQuoted.toggle()
          rest.removeFirst()
        } else if !isQuoted, let (pattern, part) = patterns.first(where: { rest.hasPrefix($0.0) }) {
          parts.append(part)
          rest.removeFirst(pattern.count)
        } else if character.isASCII, isQuoted || !character.properties.isAlphabetic {
          parts.append(.literal(character))
          rest.removeFirst()
        } else {
          return nil
        }
        // "MMMM" begins with "MM" but means something else.
        if case .literal = parts.last { continue }
        if let last = format[..<rest.startIndex].last, !isQuoted, last.isLetter, rest.first == last { return nil }
      }
      return parts
    }
  }
}

extension ValueTransforming where Self == DateTransformer {
  /// Returns a transformer of dates in a format such as `yyyy-MM-dd`.
  ///
  /// - Parameters:
  ///   - format: a date pattern as in Unicode TR 35.
  ///   - timeZone: the time zone of the text.
  ///   - locale: the language of month and day names.
  public static func date(
    format: String, timeZone: TimeZone = .gmt, locale: Locale = Locale(identifier: "en_US_POSIX")
  ) -> DateTransformer {
    DateTransformer(format: format, timeZone: timeZone, locale: locale)
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A day of the calendar, without a time and a time zone: a birthday, a due date, the day of an invoice.
///
/// A day is the same everywhere. A `Date` is a moment, which is on different days in different time zones.
///
/// ```swift
/// let due = Field<Day>(key: "due").require(.range(Day(2026, 1, 1)...))
/// due.value = Day(2026, 11, 22).adding(days: 1)
/// print(due.value ?? .today())  // 2026-11-23
/// ```
///
/// JSON has it as ISO 8601 text, such as `"2026-11-22"`. Days are compared, indexed and sorted by their order in the
/// calendar, and a range of days is a collection: `for day in Day(2026, 2, 27)...Day(2026, 3, 1) { … }`.
public struct Day: Hashable, Sendable {
  /// The number of days since 1 January 1970, negative before. It is at most 10¹² days away.
  public let daysSince1970: Int

  private static let largest = 1_000_000_000_000

  /// Creates the day with a number.
  ///
  /// - Parameter daysSince1970: the number of days since 1 January 1970. Beyond the limit, the day is the last one.
  public init(daysSince1970: Int) {
    self.daysSince1970 = max(-Self.largest, min(daysSince1970, Self.largest))
  }

  /// Creates a day that is written in code.
  ///
  /// - Parameters:
  ///   - year: the year.
  ///   - month: the month, from 1 to 12.
  ///   - day: the day of the month, from 1.
  /// - Precondition: There is such a day. For numbers from elsewhere use ``init(year:month:day:)``.
  public init(_ year: Int, _ month: Int, _ day: Int) {
    guard let known = Day(year: year, month: month, day: day) else {
      preconditionFailure("there is no day \(day) in month \(month) of \(year)")
    }
    self = known
  }

  /// Creates a day; nil if there is no such day, or its year is not one of 0 to 9999.
  ///
  /// - Parameters:
  ///   - year: the year.
  ///   - month: the month, from 1 to 12.
  ///   - day: the day of the month, from 1.
  public init?(year: Int, month: Int, day: Int) {
    guard (0...9999).contains(year), let time = CivilTime(year: year, month: month, day: day) else { return nil }
    daysSince1970 = time.daysSince1970
  }

  private var civil: CivilTime { CivilTime(daysSince1970: daysSince1970) }

  /// The year in the Gregorian calendar.
  public var year: Int { civil.year }

  /// The month, from 1 to 12.
  public var month: Int { civil.month }

  /// The day of the month, from 1 to 31.
  public var day: Int { civil.day }

  /// The day of the week as in ISO 8601, from 1 for Monday to 7 for Sunday.
  public var weekday: Int {
    let remainder = (daysSince1970 % 7 + 7 + 3) % 7
    return remainder + 1
  }
}

extension Day: Strideable {
  /// Returns the number of days from this day to another one.
  public func distance(to other: Day) -> Int { other.daysSince1970 - daysSince1970 }

  /// Returns the day a number of days later.
  public func advanced(by days: Int) -> Day {
    Day(daysSince1970: daysSince1970 + max(-2 * Self.largest, min(days, 2 * Self.largest)))
  }

  /// Returns whether one day is before another.
  public static func < (left: Day, right: Day) -> Bool { left.daysSince1970 < right.daysSince1970 }

  /// Returns the day a number of days later.
  ///
  /// - Parameter days: the number of days, negative for an earlier day.
  public func adding(days: Int) -> Day { advanced(by: days) }

  /// Returns the same day of another month, or the last day of that month if it is shorter.
  ///
  /// ```swift
  /// print(Day(2026, 1, 31).adding(months: 1))  // 2026-02-28
  /// ```
  ///
  /// - Parameter months: the number of months, negative for an earlier day.
  public func adding(months: Int) -> Day {
    let time = civil
    let count = time.year * 12 + time.month - 1 + max(-Self.largest, min(months, Self.largest))
    let month = (count % 12 + 12) % 12 + 1
    let year = (count - (month - 1)) / 12
    var moved = time
    (moved.year, moved.month) = (year, month)
    moved.day = min(time.day, CivilTime.days(in: month, of: year))
    return Day(daysSince1970: moved.daysSince1970)
  }

  /// Returns the same day of another year; of 29 February, the 28th if the year has no leap day.
  ///
  /// - Parameter years: the number of years, negative for an earlier day.
  public func adding(years: Int) -> Day { adding(months: max(-Self.largest, min(years, Self.largest)) * 12) }
}

extension Day {
  /// Creates the day of a moment in a time zone.
  ///
  /// - Parameters:
  ///   - date: the moment.
  ///   - timeZone: the time zone of the calendar.
  public init(_ date: Date, in timeZone: TimeZone) {
    let limit = Double(Self.largest)
    let days = date.timeIntervalSince1970 / 86_400
    // The calendar of a time zone does not know each date.
    guard abs(days) < limit else {
      self.init(daysSince1970: days > 0 ? Self.largest : -Self.largest)
      return
    }
    let seconds = date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))
    self.init(daysSince1970: Int((seconds / 86_400).rounded(.down)))
  }

  /// Returns the current day in a time zone.
  ///
  /// - Parameter timeZone: the time zone; by default that of the device.
  public static func today(in timeZone: TimeZone = .current) -> Day { Day(Date(), in: timeZone) }

  /// Returns the first moment of the day in a time zone.
  ///
  /// - Parameter timeZone: the time zone of the calendar.
  public func start(in timeZone: TimeZone) -> Date {
    // Noon is on the right day whatever the offset at midnight is.
    let noon = Date(timeIntervalSince1970: (Double(daysSince1970) + 0.5) * 86_400)
    let local = noon.addingTimeInterval(-Double(timeZone.secondsFromGMT(for: noon)))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    return calendar.startOfDay(for: local)
  }
}

extension Day: LosslessStringConvertible, JSONConvertible, Codable {
  /// Creates the day of a text such as `2026-11-22`; nil for any other text.
  public init?(_ description: String) {
    var scanner = DigitScanner(description)
    guard let year = scanner.number(digits: 4), scanner.skip("-"), let month = scanner.number(digits: 2),
      scanner.skip("-"), let day = scanner.number(digits: 2), scanner.isAtEnd
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// The day as ISO 8601 text, such as `2026-11-22`.
  public var description: String {
    let time = civil
    let year = (time.year < 0 ? "-" : "") + ISO8601Text.padded(abs(time.year), 4)
    return "\(year)-\(ISO8601Text.padded(time.month, 2))-\(ISO8601Text.padded(time.day, 2))"
  }

  /// Reads ISO 8601 text such as `2026-11-22`.
  public init(json: JSONValue) throws {
    guard let day = json.stringValue.flatMap(Day.init) else {
      throw ValueTransformError(expected: "a day such as 2026-11-22", found: json)
    }
    self = day
  }

  /// The day as ISO 8601 text. Years before 0 and after 9999 have none.
  public var json: JSONValue {
    get throws {
      guard (0...9999).contains(year) else {
        throw ValueTransformError(expected: "a day between the years 0 and 9999", found: "year \(year)")
      }
      return .string(description)
    }
  }

  /// Reads ISO 8601 text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let day = Day(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a day such as 2026-11-22")
    }
    self = day
  }

  /// Writes ISO 8601 text. Years before 0 and after 9999 have none.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(json.stringValue)
  }
}

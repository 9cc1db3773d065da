import FieldKit
import Foundation
import Testing

@Suite struct `A day` {
  @Test func `A day has the year, month, day and weekday of the calendar`() throws {
    let day = Day(2024, 2, 29)
    #expect((day.year, day.month, day.day) == (2024, 2, 29))
    #expect(Day(2026, 11, 23).weekday == 1)
    #expect(Day(1969, 12, 28).weekday == 7)
    #expect(Day(1970, 1, 1).daysSince1970 == 0)
    #expect(Day(0, 1, 1).year == 0)
  }

  @Test(arguments: [
    (2023, 2, 29), (2024, 13, 1), (2024, 0, 1), (2024, 4, 31), (2024, 4, 0), (10_000, 1, 1), (-1, 1, 1),
  ])
  func `A day that does not exist is nil`(year: Int, month: Int, day: Int) {
    #expect(Day(year: year, month: month, day: day) == nil)
  }

  @Test func `Every day of 10,000 years equals that of the calendar of Foundation`() throws {
    var calendar = Calendar(identifier: .iso8601)
    let utc = try #require(TimeZone(secondsFromGMT: 0))
    calendar.timeZone = utc
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      // Foundation changes to the Julian calendar before 1582.
      let day = Day(daysSince1970: Int.random(in: -140_000...2_900_000, using: &random))
      let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: day.start(in: utc))
      #expect(parts.year == day.year && parts.month == day.month && parts.day == day.day, "\(day)")
      #expect(parts.weekday == day.weekday % 7 + 1, "\(day)")
      #expect(Day("\(day)") == day)
    }
  }

  @Test func `Days are added across months and years, and months end at their last day`() {
    #expect(Day(2026, 12, 31).adding(days: 1) == Day(2027, 1, 1))
    #expect(Day(2026, 1, 31).adding(months: 1) == Day(2026, 2, 28))
    #expect(Day(2026, 1, 15).adding(months: -1) == Day(2025, 12, 15))
    #expect(Day(2026, 3, 31).adding(months: -13) == Day(2025, 2, 28))
    #expect(Day(2024, 2, 29).adding(years: 1) == Day(2025, 2, 28))
    #expect(Day(2024, 2, 29).adding(years: 4) == Day(2028, 2, 29))
    #expect(Day(0, 1, 1).adding(months: -1).description == "-0001-12-01")
  }

  @Test func `A range of days is a collection`() {
    let days = Array(Day(2024, 2, 28)...Day(2024, 3, 1))
    #expect(days.map(\.description) == ["2024-02-28", "2024-02-29", "2024-03-01"])
    #expect(Day(2024, 1, 1).distance(to: Day(2025, 1, 1)) == 366)
  }

  @Test func `A moment is on the day of its time zone`() throws {
    let moment = Date(timeIntervalSince1970: 1_700_000_000)  // 2023-11-14 22:13:20 UTC
    #expect(Day(moment, in: try #require(TimeZone(secondsFromGMT: 0))) == Day(2023, 11, 14))
    #expect(Day(moment, in: try #require(TimeZone(secondsFromGMT: 7_200))) == Day(2023, 11, 15))
    #expect(Day(Date(timeIntervalSince1970: -1), in: try #require(TimeZone(secondsFromGMT: 0))) == Day(1969, 12, 31))
  }

  @Test(arguments: ["Europe/Berlin", "America/Sao_Paulo", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Africa/Cairo"])
  func `A day begins at its first moment, even where clocks change at midnight`(name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    for day in Day(2017, 1, 1)...Day(2018, 12, 31) {
      let start = day.start(in: zone)
      #expect(Day(start, in: zone) == day, "\(day)")
      #expect(Day(start.addingTimeInterval(-1), in: zone) == day.adding(days: -1), "\(day)")
    }
  }

  @Test func `A day that is too far away is the last one, and can't be written`() throws {
    let last = Day(daysSince1970: .max), first = Day(daysSince1970: .min)
    #expect(!last.description.isEmpty && first < last && last.year > 9999 && first.year < 0)
    for count in [Int.max, Int.min, 5] {
      for day in [first, last, Day(2026, 1, 1)] {
        #expect(day.adding(days: count) <= last && day.adding(months: count) >= first)
        #expect(day.adding(years: count) <= last)
      }
    }
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    #expect(Day(Date(timeIntervalSince1970: .infinity), in: zone) == last)
    #expect(Day(Date(timeIntervalSince1970: .nan), in: zone) == first)
    #expect(throws: (any Error).self) { try JSONEncoder().encode(Day(daysSince1970: 5_000_000)) }
  }

  @Test func `A day is written as ISO 8601 text, and read back from it`() throws {
    let field = Field<Day>(key: "due")
    try field.read(from: ["due": "2024-02-29"])
    #expect(field.value == Day(2024, 2, 29))
    #expect(try Day(2024, 2, 29).json == "2024-02-29")
    let coded = try JSONDecoder().decode([Day].self, from: JSONEncoder().encode([Day(987, 6, 5)]))
    #expect(coded == [Day(987, 6, 5)])
  }

  @Test(arguments: ["2024-02-30", "2024-2-3", "2024-02-03T10:00:00Z", "", "today", "20240203"])
  func `A text that is no day is refused, and the field keeps its value`(text: String) throws {
    let field = Field(Day(2024, 1, 1), key: "due")
    #expect {
      try field.read(from: ["due": .string(text)])
    } throws: {
      "\($0)".contains("expected a day such as 2026-11-22")
    }
    #expect(field.value == Day(2024, 1, 1))
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Day].self, from: Data("[\"\(text)\"]".utf8)) }
  }

  @Test func `A day outside of the years 0 to 9999 can be computed, but not written`() {
    let day = Day(9999, 12, 31).adding(days: 1)
    #expect(day.year == 10_000)
    #expect(throws: ValueTransformError.self) { try day.json }
    #expect(throws: ValueTransformError.self) { try JSONEncoder().encode([day]) }
  }

  @Test func `A rule about a range names the days`() {
    let due = Field<Day>().require(.range(Day(2026, 1, 1)..<Day(2027, 1, 1)))
    due.value = Day(2027, 1, 1)
    #expect(due.validate() == .invalid(["must be less than 2027-01-01"]))
    due.value = Day(2026, 12, 31)
    #expect(due.validate() == .valid)
  }
}

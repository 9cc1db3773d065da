import Foundation
import Testing

@_spi(ModelKitInternals) @testable import FieldKit

@Suite struct `Dates as ISO 8601` {
  @Test func `Dates as ISO 8601 come back exactly, whatever the date`() throws {
    var generator = SeededGenerator(seed: 20_260_101)
    for count in 0..<20_000 {
      // Of the years 0 to 9999, of our times, and close to where Date counts from and is finest.
      let reach = [2.5e11, 1e9, 1e7, 1e4, 100][count % 5]
      let interval = Double.random(in: count % 5 == 0 ? -6e10...reach : -reach...reach, using: &generator)
      let date = Date(timeIntervalSinceReferenceDate: interval)
      let text = try date.json
      #expect(try Date(json: text) == date, "\(text) \(interval)")
    }
  }

  @Test func `Dates as ISO 8601 are read back exactly as the clock returned them`() throws {
    for _ in 0..<1_000 {
      let now = Date()
      #expect(try Date(json: now.json) == now)
    }
  }

  @Test func `Dates as ISO 8601 are written with the fewest groups of three digits that restore them`() throws {
    var generator = SeededGenerator(seed: 27)
    for count in 0..<40_000 {
      let places = [0, 3, 6, 9][count % 4]
      // Of the years 1900 to 2200.
      let civil = CivilTime(secondsSince1970: Int.random(in: -2_208_988_800...7_258_118_399, using: &generator))
      func padded(_ number: Int, _ width: Int) -> String {
        String(String(10_000_000_000 + number).suffix(width))
      }
      let digits = places == 0 ? "" : "." + padded(Int.random(in: 0...999_999_999, using: &generator), places)
      let text =
        padded(civil.year, 4) + "-" + padded(civil.month, 2) + "-" + padded(civil.day, 2) + "T"
        + padded(civil.hour, 2) + ":" + padded(civil.minute, 2) + ":" + padded(civil.second, 2) + digits + "Z"
      let date = try Date(json: .string(text))
      let written = try #require(try date.json.stringValue)
      #expect(try Date(json: .string(written)) == date, "\(text) \(written)")
      // Dates of these years have a precision of one microsecond, but not of one nanosecond.
      var shortest = text
      while shortest.hasSuffix("000Z"), let point = shortest.firstIndex(of: ".") {
        shortest =
          shortest.utf8.distance(from: point, to: shortest.endIndex) == 5
          ? shortest.prefix(upTo: point) + "Z" : shortest.dropLast(4) + "Z"
      }
      if places < 9 { #expect(written == shortest) } else { #expect(written.utf8.count <= text.utf8.count) }
    }
  }

  @Test(arguments: [
    "2026-11-22T18:04:29.065916Z", "2026-11-22T18:04:29.065Z", "1900-01-01T00:00:00.000001Z",
    "2199-12-31T23:59:59.999999Z", "2000-12-31T23:59:59.900Z", "2000-12-31T23:59:59.000000001Z",
    "2001-01-01T00:00:00.000000001Z", "2001-01-01T00:00:00.000000000000001Z",
  ])
  func `Dates as ISO 8601 are written as they were read`(text: String) throws {
    #expect(try Date(json: .string(text)).json == .string(text))
  }

  @Test func `Dates as ISO 8601 next to the beginning of 2001 are written and come back`() throws {
    for interval in [-1e-20, -0.1, -0.3, -1e-9, -0.9999999999999999, 1e-20, 0.1, 0.7] {
      let date = Date(timeIntervalSinceReferenceDate: interval)
      #expect(try abs(Date(json: date.json).timeIntervalSince(date)) < 1e-18, "\(interval)")
    }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1_709_632_800, "2024-03-05T10:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
    (0.5, "1970-01-01T00:00:00.500Z"), (-0.25, "1969-12-31T23:59:59.750Z"),
    (951_782_400, "2000-02-29T00:00:00Z"), (-2_203_891_200, "1900-03-01T00:00:00Z"),
    (253_402_300_799, "9999-12-31T23:59:59Z"), (-62_167_219_200, "0000-01-01T00:00:00Z"),
  ])
  func `Dates as ISO 8601 are written in UTC`(secondsSince1970: Double, text: String) throws {
    let date = Date(timeIntervalSince1970: secondsSince1970)
    #expect(try date.json == .string(text))
    #expect(try Date(json: .string(text)) == date)
  }

  @Test(arguments: [
    "2024-03-05T10:00:00Z", "2024-03-05T10:00:00.000Z", "2024-03-05t10:00:00z", "2024-03-05 10:00:00Z",
    "2024-03-05T12:30:00+02:30", "2024-03-05T12:30:00+0230", "2024-03-05T05:00:00-05", "2024-03-05T10:00",
    "2024-03-05T10:00:00,0", "2024-03-05T10:00:00.0000000000000000000000",
  ])
  func `Dates as ISO 8601 are read in every usual spelling`(text: String) throws {
    #expect(try Date(json: .string(text)) == Date(timeIntervalSince1970: 1_709_632_800))
  }

  @Test func `Dates as ISO 8601 may be days`() throws {
    #expect(try Date(json: "2024-03-05") == Date(timeIntervalSince1970: 1_709_596_800))
  }

  @Test(arguments: [
    "", "yesterday", "2024", "2024-02-30", "2023-02-29", "2024-00-10", "2024-13-01", "2024-04-31",
    "2024-03-05T24:00:00Z",
    "2024-03-05T10:60:00Z", "2024-03-05T10:00:61Z", "2024-03-05T10:00:00.Z", "2024-03-05T10:00:00ZZ",
    "2024-03-05T10:00:00+24:00", "2024-03-05T", "24-03-05", "2024-3-5", "２０２４-03-05", "+2024-03-05",
  ])
  func `Dates as ISO 8601 that do not exist or are spelled otherwise are refused`(text: String) {
    let error = #expect(throws: ValueTransformError.self) { try Date(json: .string(text)) }
    #expect(error?.expected == "an ISO 8601 time such as 2024-03-05T10:00:00Z")
  }

  @Test func `Dates as ISO 8601 are not taken from numbers`() {
    #expect(throws: ValueTransformError.self) { try Date(json: 1_709_632_800) }
  }

  @Test(arguments: [-1e11, 1e12, .infinity, .nan])
  func `Dates as ISO 8601 are not written outside the years that have four digits`(interval: Double) {
    let error = #expect(throws: ValueTransformError.self) {
      try Date(timeIntervalSinceReferenceDate: interval).json
    }
    #expect(error?.expected == "a date between the years 0 and 9999")
  }

  @Test func `Dates as ISO 8601 have the calendar that Foundation has`() {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let seconds = Int.random(in: -11_000_000_000...250_000_000_000, using: &generator)
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
      let civil = CivilTime(secondsSince1970: seconds)
      #expect([parts.year, parts.month, parts.day] == [civil.year, civil.month, civil.day])
      #expect([parts.hour, parts.minute, parts.second] == [civil.hour, civil.minute, civil.second])
      #expect(civil.secondsSince1970 == seconds)
    }
  }
}

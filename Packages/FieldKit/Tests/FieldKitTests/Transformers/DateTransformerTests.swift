@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `A date format` {
  @Test func `A date format of days reads and writes days in UTC`() throws {
    let day = Field(Date(timeIntervalSince1970: 0)).transform(with: .date(format: "yyyy-MM-dd"))
    #expect(try day.written() == "1970-01-01")
    try day.read("2015-03-03")
    #expect(day.value == Date(timeIntervalSince1970: 1_425_340_800))
    try day.read(nil)
    #expect(day.value == nil)
  }

  @Test(arguments: ["2024-02-30", "2023-02-29", "2024-13-01", "2024-2-3", "2024-02-03 ", "03.02.2024", ""])
  func `A date format refuses days that do not exist or have another form`(text: String) {
    let day = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
    let error = #expect(throws: ValueTransformError.self) { try day.read(.string(text)) }
    #expect(error?.description == "expected a date as yyyy-MM-dd, found the string \"\(text)\"")
    #expect(throws: ValueTransformError.self) { try day.read(20_240_203) }
  }

  @Test(arguments: [
    ("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", "2024-03-05T10:20:30.456Z"), ("dd.MM.yyyy", "05.03.2024"),
    ("yyyyMMddHHmmss", "20240305102030"), ("HH:mm", "10:20"), ("yyyy-MM-dd HH:mm:ss", "1969-07-20 20:17:40"),
    ("d MMM yyyy", "5 Mar 2024"), ("EEEE, d MMMM yyyy", "Tuesday, 5 March 2024"),
    ("yyyy-MM-dd h:mm a", "2024-03-05 1:05 PM"),
    ("yyyy 'year' MM", "2024 year 03"),
  ])
  func `A date format reads and writes the same text`(format: String, text: String) throws {
    let date = Field<Date>().transform(with: .date(format: format))
    try date.read(.string(text))
    #expect(try date.written() == .string(text))
  }

  @Test func `A date format reads and writes in the time zone it is given`() throws {
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    let time = Field<Date>().transform(with: .date(format: "yyyy-MM-dd HH:mm", timeZone: berlin))
    try time.read("2024-07-01 12:00")
    #expect(time.value == Date(timeIntervalSince1970: 1_719_828_000))
    #expect(try time.written() == "2024-07-01 12:00")
    try time.read("2024-01-01 12:00")
    #expect(time.value == Date(timeIntervalSince1970: 1_704_106_800))
    #expect(throws: ValueTransformError.self) { try time.read("2024-02-30 12:00") }
  }

  @Test func `A date format uses the locale it is given`() throws {
    let french = DateTransformer(format: "d MMMM yyyy", locale: Locale(identifier: "fr_FR"))
    let day = Field<Date>().transform(with: french)
    try day.read("5 mars 2024")
    #expect(day.value == Date(timeIntervalSince1970: 1_709_596_800))
    #expect(try day.written() == "5 mars 2024")
  }

  @Test func `A date format keeps all milliseconds of all times`() throws {
    let context = ValueTransformerContext.standard
    let transformer = DateTransformer(format: "yyyy-MM-dd HH:mm:ss.SSS")
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      let milliseconds = Int.random(in: -5_000_000_000_000...5_000_000_000_000, using: &generator)
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
      let json = try transformer.exportValue(date, in: context)
      #expect(json.stringValue?.hasSuffix(String(1_000 + ((milliseconds % 1_000) + 1_000) % 1_000).dropFirst()) == true)
      let again = try transformer.importValue(json, in: context)
      #expect(try again.map { try transformer.exportValue($0, in: context) } == json)
    }
  }

  @Test func `A date format reads the same date as from ISO 8601 text`() throws {
    let transformer = DateTransformer(format: "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
    var generator = SeededGenerator(seed: 27)
    for _ in 0..<20_000 {
      let milliseconds = Int.random(in: -2_208_988_800_000...7_258_118_399_999, using: &generator)
      let json = try transformer.exportValue(Date(timeIntervalSince1970: Double(milliseconds) / 1_000), in: .standard)
      let date = try #require(try transformer.importValue(json, in: .standard))
      #expect(try Date(json: json) == date)
      #expect(try transformer.exportValue(date, in: .standard) == json)
    }
  }

  @Test func `A date format writes no year that it could not read again`() {
    let day = Field(Date(timeIntervalSince1970: -62_300_000_000)).transform(with: .date(format: "yyyy-MM-dd"))
    let error = #expect(throws: ValueTransformError.self) { try day.written() }
    #expect(error?.expected == "a date between the years 0 and 9999")
  }

  @Test(arguments: ["yyyy-MM-dd", "d MMM yyyy"], [1_700_000_000_000, -1e15, .infinity, .nan])
  func `A date format writes no text for a date that it could not read again`(format: String, seconds: Double) throws {
    let transformer = DateTransformer(format: format)
    guard let json = try? transformer.exportValue(Date(timeIntervalSince1970: seconds), in: .standard) else { return }
    #expect(throws: Never.self) { try transformer.importValue(json, in: .standard) }
  }
}

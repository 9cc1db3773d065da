@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

/// Writes whole hundreds.
private struct Hundreds: ValueTransforming {
  var losesPrecision: Bool { true }

  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Int? {
    json.intValue.map { $0 * 100 }
  }

  func exportValue(_ value: Int, in context: ValueTransformerContext) throws -> JSONValue { .int(value / 100) }
}

@Suite struct `A field whose transformer loses precision` {
  private let noon = Date(timeIntervalSince1970: 43_200.25)

  @Test func `A field written as a day holds days, whichever way a value comes`() throws {
    let midnight = Date(timeIntervalSince1970: 0)
    let day = Field(noon).transform(with: .date(format: "yyyy-MM-dd"))
    #expect(day.value == midnight)
    day.value = noon + 86_400
    #expect(day.value == midnight + 86_400)
    try day.set(anyValue: noon)
    #expect(day.value == midnight)
    let source = Field(noon + 2 * 86_400)
    source --> day
    #expect(day.value == midnight + 2 * 86_400)
    #expect(day.copy().value == day.value)
    let copy = day.copy()
    copy.value = noon
    #expect(copy.value == midnight)
    day.merge(from: copy)
    #expect(day.value == midnight)
    day.value = nil
    #expect(day.value == nil)
  }

  @Test func `Two times of one day are not a change of a day`() {
    let day = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
    day.value = noon
    var changes = 0
    day.addObserver(updateImmediately: false) { _ in changes += 1 }
    day.value = noon + 3_600
    #expect(changes == 0)
    #expect(day.value == Date(timeIntervalSince1970: 0))
  }

  @Test func `A list of days holds days`() {
    let days = ArrayField(Field<Date>().transform(with: .date(format: "yyyy-MM-dd")))
    days.value = [noon]
    days.append(noon + 86_400)
    #expect(days.value == [Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 86_400)])
  }

  @Test func `A domain and a transformer act together, in whatever order they are declared`() {
    let first = Field<Int>().transform(with: Hundreds()).constrain(to: 0...950)
    let second = Field<Int>().constrain(to: 0...950).transform(with: Hundreds())
    for field in [first, second] {
      field.value = 1_234
      #expect(field.value == 900)
      field.value = 330
      #expect(field.value == 300)
      field.unconstrain()
      field.value = 1_234
      #expect(field.value == 1_200)
    }
  }

  @Test func `A transformer of a named context leaves the value alone`() {
    let moment = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"), in: "csv")
    moment.value = noon
    #expect(moment.value == noon)
  }

  @Test(arguments: [
    "yyyy-MM-dd", "dd.MM.yyyy HH", "yyyy-MM-dd HH:mm", "yyyyMMddHHmmss", "yyyy-MM-dd HH:mm:ss.SSS", "yyyy-MM", "HH:mm",
    "d MMM yyyy",
  ])
  func `A field with a lossy transformer stores the value that is read back after a write`(format: String) throws {
    let transformer = DateTransformer(format: format)
    let date = Field<Date>().transform(with: transformer)
    var generator = SeededGenerator(seed: 11)
    for step in 0..<(format.contains("MMM") ? 50 : 2_000) {
      // Within 1900 and 2100, and sometimes whole seconds.
      var seconds = Double.random(in: -2_208_988_800...4_102_444_800, using: &generator)
      if step.isMultiple(of: 3) { seconds.round() }
      date.value = Date(timeIntervalSince1970: seconds)
      let value = try #require(date.value)
      let json = try transformer.exportValue(value, in: .standard)
      #expect(try transformer.importValue(json, in: .standard) == value, "\(seconds)")
      #expect(try json == transformer.exportValue(Date(timeIntervalSince1970: seconds), in: .standard), "\(seconds)")
    }
  }
}

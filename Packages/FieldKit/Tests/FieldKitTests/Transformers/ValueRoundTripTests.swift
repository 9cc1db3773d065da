import FieldKit
import Foundation
import Testing

private enum Tide: Int, CaseIterable, Sendable { case low = -1, middle, high }
private enum Weather: String, CaseIterable, Sendable { case good, bad = "b\u{e4}d\n" }
private enum Ratio: Double, CaseIterable, Sendable { case half = 0.5, third = 0.333 }

private struct Everything: Codable, Equatable, Sendable {
  var date: Date
  var decimal: Decimal
  var data: Data
  var big: UInt64
  var small: Float
  var names: [String: [Int?]]
  var range: Range<Int>
  var duration: Duration
  var id: UUID
  var url: URL?
}

@Suite struct `A value of every type that needs no transformer` {
  private var generator = SeededGenerator(seed: 2_026)

  /// Writes a value as a document, reads that, and writes it again.
  private func check<Value: Equatable>(_ value: Value, _ place: SourceLocation = #_sourceLocation) throws {
    let written = try #require(try Field(value).written(), sourceLocation: place)
    let document = try written.jsonData()
    let field = Field<Value>()
    try field.read(JSONValue(json: document))
    #expect(field.value == value, sourceLocation: place)
    let again = try #require(try field.written(), sourceLocation: place)
    #expect(again == written, sourceLocation: place)
    let lenient = Field<Value>()
    try lenient.read(JSONValue(json: document), in: ValueTransformerContext(decoding: .lenient))
    #expect(lenient.value == value, sourceLocation: place)
  }

  private mutating func text() -> String {
    String(
      String.UnicodeScalarView(
        (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
          let limit = [0x20, 0x80, 0x800, 0x11_0000].randomElement(using: &generator) ?? 0x80
          return Unicode.Scalar(UInt32.random(in: 0..<UInt32(limit), using: &generator))
        }))
  }

  private mutating func date() -> Date {
    Date(timeIntervalSinceReferenceDate: Double.random(in: -3.2e9...6.3e9, using: &generator))
  }

  private mutating func decimal() -> Decimal {
    let digits = (0..<Int.random(in: 1...38, using: &generator)).map { _ in Int.random(in: 0...9, using: &generator) }
    let text = "\(Bool.random(using: &generator) ? "-" : "")\(digits.map(String.init).joined())"
    return Decimal(string: "\(text)e\(Int.random(in: -120...80, using: &generator))") ?? 0
  }

  private mutating func bytes() -> Data {
    Data((0..<Int.random(in: 0...20, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  @Test mutating func `A value of every type without transformer is read back from a document unchanged`()
    throws
  {
    for _ in 0..<2_000 {
      try check(Bool.random(using: &generator))
      try check(Int.random(in: .min ... .max, using: &generator))
      try check(Int8.random(in: .min ... .max, using: &generator))
      try check(UInt16.random(in: .min ... .max, using: &generator))
      try check(UInt64.random(in: .min ... .max, using: &generator))
      try check(Int128.random(in: .min ... .max, using: &generator))
      try check(UInt128.random(in: .min ... .max, using: &generator))
      let double = Double(bitPattern: generator.next())
      if double.isFinite { try check(double) }
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
      if float.isFinite { try check(float) }
      try check(decimal())
      try check(text())
      try check(date())
      try check(bytes())
      try check(UUID())
      try check([text(), text()])
      try check(["a" + text(): [date()], "b" + text(): []])
      try check([Int?.none, 4, nil])
      try check(Set([text()]))
      try check(try #require(URL(string: "https://example.com/\(Int.random(in: 0...99, using: &generator))?q=%20#f")))
    }
    for tide in Tide.allCases { try check(tide) }
    for weather in Weather.allCases { try check(weather) }
    for ratio in Ratio.allCases { try check(ratio) }
  }

  @Test mutating func `A value of every type without transformer is read back as a member of a Codable type`()
    throws
  {
    for _ in 0..<500 {
      try check(
        Everything(
          date: date(), decimal: decimal(), data: bytes(), big: .random(in: .min ... .max, using: &generator),
          small: .random(in: -1...1, using: &generator),
          names: [text(): [1, nil]], range: 1..<Int.random(in: 2...9, using: &generator),
          duration: .nanoseconds(Int64.random(in: -9_999...9_999, using: &generator)), id: UUID(),
          url: URL(string: "https://example.com")))
    }
  }

  @Test mutating func `A value of every type without transformer is read from its own JSON in other spellings`()
    throws
  {
    for (json, expected) in [("7.0", 7), ("7e0", 7), ("70e-1", 7), ("-0", 0)] as [(String, Int128)] {
      let field = Field<Int128>()
      try field.read(JSONValue(json: json))
      #expect(field.value == expected)
    }
    #expect(throws: ValueTransformError.self) { try Field<UInt128>().read(-1) }
  }
}

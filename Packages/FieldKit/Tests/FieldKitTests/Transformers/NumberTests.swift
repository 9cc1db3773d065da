@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `Numbers` {
  @Test(arguments: ["4", "4.0", "4e0", "40e-1", "0.4e1"])
  func `Numbers that are whole are integers in every spelling`(json: String) throws {
    let field = Field<Int>()
    try field.read(JSONValue(json: json))
    #expect(field.value == 4)
  }

  @Test(arguments: ["1.5", "\"4\"", "true", "1e300", "9223372036854775808", "[4]"])
  func `Numbers that are no integers of the type are refused`(json: String) throws {
    let field = Field(7)
    let value = try JSONValue(json: json)
    #expect(throws: ValueTransformError.self) { try field.read(value) }
    #expect(field.value == 7)
  }

  @Test func `Numbers are never cut to a smaller type`() {
    let error = #expect(throws: ValueTransformError.self) { try Field<Int8>().read(128) }
    #expect(error?.description == "expected an integer between -128 and 127, found 128")
    #expect(throws: ValueTransformError.self) { try Field<UInt>().read(-1) }
    #expect(throws: ValueTransformError.self) { try Field<UInt8>().read(256.0) }
    #expect(throws: ValueTransformError.self) { try Field<UInt64>().read(.number("18446744073709551616")) }
  }

  @Test func `Numbers that are whole are fractions too`() throws {
    let (double, float) = (Field<Double>(), Field<Float>())
    try double.read(2)
    try float.read(2)
    #expect(double.value == 2)
    #expect(float.value == 2)
    try float.read(3.0)
    #expect(float.value == 3)
    #expect(throws: ValueTransformError.self) { try double.read("2") }
    #expect(throws: ValueTransformError.self) { try float.read(1e300) }
  }

  @Test func `Numbers that JSON can't spell are not written`() {
    for value in [Double.nan, .infinity, -.infinity] {
      #expect(throws: ValueTransformError.self) { try Field(value).written() }
      #expect(throws: ValueTransformError.self) { try Field(Float(value)).written() }
    }
    let error = #expect(throws: ValueTransformError.self) { try Field(Decimal.nan).written() }
    #expect(error?.description == "expected a finite number, found NaN")
  }

  @Test func `Numbers with more digits than a decimal holds are refused, not cut`() throws {
    let field = Field<Decimal>()
    let exact = String(repeating: "9", count: 38)
    try field.read(.number(JSONNumber(exact) ?? "0"))
    #expect(field.value?.description == exact)
    for digits in ["1234567890123456789012345678901234567890.5", "0.1234567890123456789012345678901234567890123"] {
      let json = try JSONValue(json: digits)
      #expect(throws: ValueTransformError.self, "\(digits)") { try field.read(json) }
    }
    #expect(throws: ValueTransformError.self) { try field.read(.number("1e400")) }
    try field.read(.number("1.00000000000000000000000000000000000000000000"))
    #expect(field.value == 1)
  }

  @Test func `Numbers of any size are equal after writing and reading JSON`() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<2_000 {
      try check(Int64.random(in: .min ... .max, using: &generator))
      try check(UInt64.random(in: .min ... .max, using: &generator))
      try check(Double(bitPattern: generator.next()))
      try check(Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())))
      try check(Decimal(Int64.random(in: .min ... .max, using: &generator)) / 1_000_000)
    }
  }

  private func check<Value: Equatable>(_ value: Value) throws {
    // Not-a-number has no spelling, and is not equal to itself.
    guard value == value, let json = try? Field(value).written() else { return }
    let field = Field<Value>()
    try field.read(JSONValue(json: json.jsonData()))
    #expect(field.value == value)
  }
}

@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `Reading leniently` {
  private let lenient = ValueTransformerContext(decoding: .lenient)

  private func value<Value>(_ type: Value.Type, _ json: JSONValue) -> Value? {
    let field = Field<Value>()
    try? field.read(json, in: lenient)
    return field.value
  }

  @Test(arguments: [
    "1.5", "4a", "", " 4", "4 ", "+4", "0x4", "four", "[4]", "null", "NaN", "true",
  ])
  func `Reading leniently refuses text that is no integer, and keeps the value`(text: String) {
    let field = Field(7)
    let error = #expect(throws: ValueTransformError.self) { try field.read(.string(text), in: lenient) }
    #expect(error?.description == "expected an integer, found the string \"\(text)\"")
    #expect(field.value == 7)
    #expect(!field.isDirty)
  }

  @Test(arguments: ["9223372036854775808", "-9223372036854775809", "1e400", "1e9223372036854775807"])
  func `Reading leniently reports the bounds of an integer type`(text: String) throws {
    let field = Field(7)
    let range = "\(Int.min) and \(Int.max)"
    let fromText = #expect(throws: ValueTransformError.self) { try field.read(.string(text), in: lenient) }
    #expect(fromText?.description == "expected an integer between \(range), found the string \"\(text)\"")
    let number = try JSONValue(json: text)
    let fromNumber = #expect(throws: ValueTransformError.self) { try field.read(number, in: .standard) }
    #expect(fromNumber?.description == "expected an integer between \(range), found \(text)")
    #expect(field.value == 7)
  }

  @Test func `Lenient reading reports a number that is too large for its type, and a fraction that is no integer`()
    throws
  {
    func error<Value>(_ type: Value.Type, _ json: String) throws -> String? {
      let json = try JSONValue(json: json)
      return #expect(throws: ValueTransformError.self) { try Field<Value>().read(json, in: .standard) }?.description
    }
    #expect(try error(Double.self, "1e400") == "expected a number that fits Double, found 1e400")
    #expect(try error(Int.self, "1e30") == "expected an integer between \(Int.min) and \(Int.max), found 1e+30")
    #expect(try error(Int.self, "1e-400") == "expected an integer, found 1e-400")
    #expect(try error(Int.self, "12345678901234567890.5") == "expected an integer, found 12345678901234567890.5")
    #expect(try error(UInt8.self, "2.5") == "expected an integer, found 2.5")
    #expect(try error(UInt8.self, "256.0") == "expected an integer between 0 and 255, found 256.0")
  }

  @Test func `Reading leniently cuts nothing`() {
    #expect(value(Int.self, 1.5) == nil)
    #expect(value(Int8.self, "128") == nil)
    #expect(value(UInt.self, "-1") == nil)
    #expect(value(Float.self, "1e300") == nil)
    #expect(value(Decimal.self, "1e400") == nil)
    #expect(value(Decimal.self, .string(String(repeating: "7", count: 60))) == nil)
  }

  @Test func `Reading leniently takes text for the number it spells`() {
    #expect(value(Int.self, "4") == 4)
    #expect(value(Int.self, "4.0") == 4)
    #expect(value(Int.self, "-4e2") == -400)
    #expect(value(Int.self, 4.0) == 4)
    #expect(value(UInt64.self, "18446744073709551615") == .max)
    #expect(value(Double.self, "1.5") == 1.5)
    #expect(value(Double.self, "4") == 4)
    #expect(value(Float.self, "0.1") == 0.1)
    #expect(value(Decimal.self, "12.345678901234567890123")?.description == "12.345678901234567890123")
  }

  @Test func `Reading leniently takes words and 0 and 1 for booleans, and nothing else`() {
    let yes: [JSONValue] = [true, "true", "True", 1, 1.0]
    let no: [JSONValue] = [false, "false", "FALSE", 0]
    let neither: [JSONValue] = [2, -1, 0.5, "yes", "", "1", [], [true]]
    #expect(yes.map { value(Bool.self, $0) } == yes.map { _ in true })
    #expect(no.map { value(Bool.self, $0) } == no.map { _ in false })
    #expect(neither.map { value(Bool.self, $0) } == neither.map { _ in Bool?.none })
  }

  @Test func `Reading leniently takes numbers and booleans for text`() {
    #expect(value(String.self, 4) == "4")
    #expect(value(String.self, 1.5) == "1.5")
    #expect(value(String.self, .number("1e400")) == "1e400")
    #expect(value(String.self, true) == "true")
    #expect(value(String.self, [1]) == nil)
    #expect(value(String.self, ["a": 1]) == nil)
  }

  @Test func `Reading leniently converts to the raw value of an enumeration`() {
    #expect(value(Level.self, "2") == .high)
    #expect(value(Level.self, "3") == nil)
    #expect(value(Color.self, 1) == nil)
    let error = #expect(throws: ValueTransformError.self) { try Field<Level>().read("2") }
    #expect(error?.description == "expected one of 1, 2, found the string \"2\"")
  }

  @Test func `Reading leniently never discards an element, but reports the index of a bad one`() throws {
    let numbers = Field<Int>()*
    try numbers.read(["1", 2, 3.0], in: lenient)
    #expect(numbers.value == [1, 2, 3])
    for (json, message) in [
      ([1, "x"], #"[1]: expected an integer, found the string "x""#),
      ([1, nil, 3], "[1]: expected an integer, found null"),
      ("1,2", #"expected a list, found the string "1,2""#),
    ] as [(JSONValue, String)] {
      let error = #expect(throws: ValueTransformError.self) { try numbers.read(json, in: lenient) }
      #expect(error?.description == message)
    }
    #expect(numbers.value == [1, 2, 3])
    #expect(value([String: [Int]].self, ["a": ["1"]]) == ["a": [1]])
  }

  @Test func `Reading leniently reports the expected kind of value for a type`() {
    let field = Field<Int8>()
    let error = #expect(throws: ValueTransformError.self) { try field.read("300", in: lenient) }
    #expect(error?.description == "expected an integer between -128 and 127, found the string \"300\"")
  }

  @Test func `Reading leniently leaves transformers the JSON as it is`() throws {
    let seen = Field<String>().transform(importValue: { "\($0)" }, exportValue: { .string($0) })
    try seen.read(4, in: lenient)
    #expect(seen.value == "4")
    #expect(value(Date.self, 0) == nil)
  }

  @Test func `Reading leniently is not the default`() {
    #expect(ValueTransformerContext().decoding == .strict)
    #expect(ValueTransformerContext(keyCase: .snake, explicitNull: true, decoding: .strict).decoding == .strict)
    #expect(throws: ValueTransformError.self) { try Field<Int>().read("4") }
    #expect(throws: ValueTransformError.self) { try Field<Bool>().read(1) }
    #expect(throws: ValueTransformError.self) { try Field<String>().read(4) }
  }
}

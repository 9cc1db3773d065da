@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `Numbers in JSON` {
  @Test func `Numbers in JSON become an Int, a Double or exact digits by their value`() throws {
    for (json, isExpected) in [
      ("1", { if case .int(1) = $0 { true } else { false } }),
      ("1.0", { if case .double(1) = $0 { true } else { false } }),
      ("1e3", { if case .double(1000) = $0 { true } else { false } }),
      ("8.99", { if case .double(8.99) = $0 { true } else { false } }),
      ("123456789.12345678", { if case .double = $0 { true } else { false } }),
      ("123456789.123456789", { if case .number = $0 { true } else { false } }),
      ("0.30000000000000004", { if case .double(0.1 + 0.2) = $0 { true } else { false } }),
      ("0.300000000000000040000", { if case .double = $0 { true } else { false } }),
      ("0.30000000000000005", { if case .number = $0 { true } else { false } }),
      ("9007199254740993.0", { if case .number = $0 { true } else { false } }),
      ("9007199254740992.0", { if case .double = $0 { true } else { false } }),
      ("12345678901234567890", { if case .number("12345678901234567890") = $0 { true } else { false } }),
      ("4.9e-324", { if case .number = $0 { true } else { false } }),
      ("4.9406564584124654e-324", { if case .number = $0 { true } else { false } }),
      ("-0.0", { if case .double(let zero) = $0 { zero.sign == .minus } else { false } }),
    ] as [(String, (JSONValue) -> Bool)] {
      #expect(try isExpected(JSONValue(json: json)), "\(json)")
    }
  }

  @Test func `Numbers in JSON keep every digit from reading to writing`() throws {
    for digits in [
      "12345678901234567890", "-0.1000000000000000055511151231257827", "1e400", "1E-400",
      "1.00000000000000000000000000001",
      "99999999999999999999999999999999999999e-9", "123e999999999999999999999999",
    ] {
      #expect(try JSONValue(json: digits).jsonString() == digits)
      #expect(try JSONValue(json: "[\(digits)]").jsonString() == "[\(digits)]")
    }
  }

  @Test(arguments: [
    "9223372036854775807", "9223372036854775806", "9223372036854775788", "9223372036854775497", "9223372036854775808",
    "99999999999999999999", "311", "330",
  ])
  func `Numbers in JSON may have exponents at the limits of the integer type`(exponent: String) throws {
    for mantissa in ["1", "-9223372", "12345678901234567890", "0.00000000000001", "100000000000000"] {
      let large = try JSONValue(json: "\(mantissa)E\(exponent)")
      #expect(large.intValue == nil)
      #expect(large.doubleValue == Double("\(mantissa)E\(exponent)").flatMap { $0.isFinite ? $0 : nil })
      #expect(try JSONValue(json: large.jsonString()) == large)
      let small = try JSONValue(json: "\(mantissa)E-\(exponent)")
      #expect(small.intValue == nil)
      #expect(small.doubleValue == Double("\(mantissa)E-\(exponent)"))
      #expect(try JSONValue(json: small.jsonString()) == small)
    }
  }

  @Test func `Numbers in JSON round as the standard library rounds`() throws {
    var generator = JSONGenerator(seed: 6)
    for _ in 0..<10_000 {
      let numeral = generator.numeral()
      let value = try JSONValue(json: numeral)
      let expected = try #require(Double(numeral))
      if expected.isFinite {
        #expect(value.doubleValue == expected, "\(numeral)")
      } else {
        #expect(value.doubleValue == nil, "\(numeral)")
      }
      // The exact digits never get lost: either a Double spells them, or they are there.
      switch value {
      case .double(let double): #expect(JSONNumber(double.description) == JSONNumber(numeral), "\(numeral)")
      case .int(let int): #expect(String(int) == numeral || numeral == "-0")
      case .number(let number): #expect(number.text == numeral)
      default: Issue.record("no number: \(numeral)")
      }
      #expect(JSONNumber(numeral).map(JSONValue.number) == value, "\(numeral)")
      #expect(JSONNumber(numeral).map(JSONValue.number)?.hashValue == value.hashValue, "\(numeral)")
    }
  }

  @Test func `Numbers in JSON round halves between two doubles to even, however many digits they have`() throws {
    for (json, expected) in [
      ("9007199254740993", 9007199254740992), ("9007199254740993.00000000000000000001", 9007199254740994),
      ("9007199254740992.99999999999999999999", 9007199254740992), ("9007199254740995.0", 9007199254740996),
      ("18014398509481986e0", 18014398509481984), ("1801439850948198600001e-5", 18014398509481988),
      ("0.500000000000000055511151231257827021181583404541015625", 0.5),
      ("0.500000000000000055511151231257827021181583404541015626", 0.5000000000000001),
      (
        "0.500000000000000055511151231257827021181583404541015625" + String(repeating: "0", count: 900) + "1",
        0.5000000000000001
      ),
    ] as [(String, Double)] {
      #expect(try JSONValue(json: "[\(json)]")[0]?.doubleValue == expected, "\(json)")
    }
  }

  @Test func `Numbers in JSON of a Double are written with the shortest digits that read back`() throws {
    var generator = JSONGenerator(seed: 7)
    for _ in 0..<5_000 {
      let double = generator.double()
      #expect(try JSONValue.double(double).jsonString() == double.description)
    }
    for (double, text) in [
      (1, "1.0"), (-1, "-1.0"), (0, "0.0"), (-0.0, "-0.0"), (0.1, "0.1"), (8.99, "8.99"), (100.5, "100.5"),
      (1e15, "1000000000000000.0"),
      (1e16, "1e+16"), (1e-5, "1e-05"), (0.001, "0.001"), (0.0625, "0.0625"), (123456.7891, "123456.7891"),
      (99999999999.9999, "99999999999.9999"),
      (0.30000000000000004, "0.30000000000000004"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
      (.leastNonzeroMagnitude, "5e-324"),
    ] as [(Double, String)] {
      #expect(try JSONValue.double(double).jsonString() == text)
    }
  }

  @Test(arguments: [
    ("1", "1.0", true), ("1", "10e-1", true), ("1e400", "10e399", true), ("1e400", "1e401", false),
    ("1e400", "-1e400", false),
    ("0.1", "0.10", true), ("0.1", "0.1000000000000000055511151231257827", false), ("0", "-0.0", true),
    ("0", "0e999999999999999999999", true),
    ("9223372036854775807", "9223372036854775807.0", true), ("9223372036854775807", "9223372036854775808", false),
    ("9223372036854775807", "9223372036854775807.5", false), ("9223372036854775800", "9.2233720368547758e18", true),
    ("1e1000000000000000000", "10e999999999999999999", true),
    ("1e99999999999999999999", "10e99999999999999999998", true),
    ("1e-100000000000000000000", "0.1e-99999999999999999999", true),
    ("1e99999999999999999999", "1e99999999999999999998", false),
    ("1e1000000000000000000000", "100e999999999999999999998", true), ("1e100", "1e1000000000000000000", false),
  ])
  func `Numbers in JSON are equal by their decimal value`(left: String, right: String, areEqual: Bool) throws {
    let values = try (JSONValue(json: left), JSONValue(json: right))
    #expect((values.0 == values.1) == areEqual)
    #expect((values.1 == values.0) == areEqual)
    if areEqual { #expect(values.0.hashValue == values.1.hashValue) }
    let numbers = try (#require(JSONNumber(left)), #require(JSONNumber(right)))
    #expect((numbers.0 == numbers.1) == areEqual)
    #expect((JSONValue.number(numbers.0) == values.1) == areEqual)
    if areEqual { #expect(numbers.0.hashValue == numbers.1.hashValue) }
  }

  @Test func `Numbers in JSON equal nothing but numbers`() {
    for value: JSONValue in [nil, true, "1", [1], ["a": 1]] {
      for number: JSONValue in [1, 1.0, .number("1")] {
        #expect(value != number)
        #expect(number != value)
      }
    }
    #expect(JSONValue.double(.nan) == .double(.nan))
    #expect(JSONValue.double(.nan).hashValue == JSONValue.double(-.nan).hashValue)
    #expect(JSONValue.double(.infinity) == .double(.infinity))
    #expect(JSONValue.double(.infinity) != .number("1e400"))
    #expect(JSONValue.double(.nan) != .int(0))
  }

  @Test func `Numbers in JSON are an Int if their value is one`() throws {
    for (json, int) in [
      ("4", 4), ("4.0", 4), ("4e0", 4), ("1e3", 1000), ("4.5", nil), ("0.1", nil), ("1e18", 1_000_000_000_000_000_000),
      ("1e19", nil),
      ("9223372036854775807.0", .max), ("-9223372036854775808.0", .min), ("9223372036854775808", nil),
      ("-9223372036854775809", nil),
      ("12345678901234567.0", 12_345_678_901_234_567), ("1e400", nil), ("1e-400", nil), ("0e400", 0),
      ("1152921504606846976", 1 << 60),
      ("1152921504606847000.0", 1_152_921_504_606_847_000),
    ] as [(String, Int?)] {
      #expect(try JSONValue(json: json).intValue == int, "\(json)")
      let scanned = try Array(json.utf8).withUnsafeBytes { bytes in
        var scanner = JSONScanner(bytes)
        return try scanner.readInt()
      }
      #expect(scanned == int, "\(json)")
    }
  }

  @Test(arguments: ["", "+1", "01", ".5", "1.", "1e", "NaN", "Infinity", "0x1", " 1", "1 ", "1,5", "--1", "é"])
  func `A text that is no JSON number does not make a number in JSON`(text: String) {
    #expect(JSONNumber(text) == nil)
  }

  @Test func `Numbers in JSON are made from integers of any size`() {
    #expect(JSONValue(UInt64.max) == .number("18446744073709551615"))
    #expect(JSONValue(Int8(-3)) == .int(-3))
    #expect(JSONValue(Int128.min) == .number("-170141183460469231731687303715884105728"))
  }
}

@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `Numbers at their limits` {
  /// Numerals around the limits of all types, in several spellings, and random ones.
  private static func numerals() -> [String] {
    var numerals = [
      "0", "-0", "0.0", "-0.0", "0e5", "-0e-5", "-0.000", "1e400", "-1e400", "1e-400", "-1e-400", "5e-324", "-5e-324",
      "4.9e-324", "2e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "1.7976931348623159e308",
      "9007199254740993", "9007199254740993.0", "-9007199254740993.0", "9007199254740993e0", "90071992547409930e-1",
      "9223372036854775807.0", "9.223372036854775807e18", "-9223372036854775808.0", "9223372036854775808.0",
      "1234567890123456789.0", "18446744073709551615.0", "1.8446744073709551615E+19", "18446744073709551616.0",
      "1.2345678901234568e18", "1e18", "1e19", "12e18", "1.0000000596046448", "1.00000005960464477539062500001",
      "1.000000059604644775390625", "3.4028235677973366e38", "3.4028235e38", "1e-45", "7.006492321624085e-46",
      "7.0064923216240853e-46", "7.1e-46", "16777217", "16777217.000000000000001",
      "99999999999999999999999999999999999999",
      "123456789012345678901234567890123456789", "340282366920938463463374607431768211455",
      "340282366920938463463374607431768211456", "1e-127", "1e-128", "1.5e-128", "1e-129", "1e127", "1e128", "1e165",
      "1e166", "12345678901234567890e-130", "0.10", "1.10e2", "100000000000000000000000000000000000000000",
    ]
    var limits: [String] = []
    func add<I: FixedWidthInteger>(_ type: I.Type) {
      for offset in -2...2 as ClosedRange<Int128> {
        limits.append(String(Int128(I.min) + offset))
        limits.append(String(Int128(I.max) + offset))
      }
    }
    add(Int8.self); add(UInt8.self); add(Int16.self); add(UInt16.self)
    add(Int32.self); add(UInt32.self); add(Int64.self); add(UInt64.self)
    for limit in limits {
      numerals += [limit, limit + ".0", limit + "e0", limit == "0" ? "0e-1" : limit + "0e-1", limit + ".5"]
    }
    var generator = JSONGenerator(seed: 31)
    for _ in 0..<3_000 { numerals.append(generator.numeral()) }
    return numerals
  }

  /// The value of a field after reading a numeral by each path, or nil where it was refused.
  private func read<Value>(_ type: Value.Type, _ numeral: String) throws -> [Value?] {
    let tree = try JSONValue(json: numeral)
    let context = ValueTransformerContext.standard
    let (fromTree, fromDictionary, fromBytes) = (Field<Value>(), Field<Value>(), Field<Value>())
    try? fromTree.read(tree)
    let kind = DirectKind(propertyOf: Field<Value>.self)
    try? fromDictionary.readDirectly(as: kind, from: tree, stamp: .next(), in: context)
    try? Array(numeral.utf8).withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      try fromBytes.readDirectly(as: kind, from: &scanner, stamp: .next(), in: context)
    }
    return [fromTree.value, fromDictionary.value, fromBytes.value]
  }

  private func check<I: FixedWidthInteger>(_ type: I.Type, _ numeral: String) throws {
    let exact = try #require(JSONNumber(numeral))
    for value in try read(type, numeral) {
      if let value {
        #expect(JSONNumber(String(value)) == exact, "\(type) \(numeral)")
      } else {
        let isInside = (exact.intValue.map { I(exactly: $0) != nil } ?? false) || I(numeral) != nil
        #expect(!isInside, "\(type) \(numeral)")
      }
    }
    do { try Field<I>().read(JSONValue(json: numeral)) } catch {
      let words = "\(error)"
      if words.contains("between") {
        #expect(exact.intValue.map { I(exactly: $0) == nil } ?? true, "\(type) \(numeral): \(words)")
      }
    }
  }

  @Test func `Numbers at their limits are read exactly or refused, on every path and by every integer type`() throws {
    for numeral in Self.numerals() {
      try check(Int.self, numeral); try check(UInt.self, numeral)
      try check(Int8.self, numeral); try check(UInt8.self, numeral)
      try check(Int16.self, numeral); try check(UInt16.self, numeral)
      try check(Int32.self, numeral); try check(UInt32.self, numeral)
      try check(Int64.self, numeral); try check(UInt64.self, numeral)
    }
  }

  @Test func `Numbers at their limits are read as the standard library reads them, on every path and with their sign`()
    throws
  {
    for numeral in Self.numerals() {
      let double = Double(numeral).flatMap { $0.isFinite ? $0 : nil }
      for value in try read(Double.self, numeral) { #expect(value?.bitPattern == double?.bitPattern, "\(numeral)") }
      let float = Float(numeral).flatMap { $0.isFinite ? $0 : nil }
      for value in try read(Float.self, numeral) { #expect(value?.bitPattern == float?.bitPattern, "\(numeral)") }
    }
  }

  @Test func `Numbers at their limits are decimals with all their digits or refused, on every path`() throws {
    for numeral in Self.numerals() {
      for value in try read(Decimal.self, numeral) {
        if let value { #expect(JSONNumber(value.description) == JSONNumber(numeral), "\(numeral) \(value)") }
      }
    }
    #expect(try read(Decimal.self, "1.5e-128") == [nil, nil, nil])
    #expect(try read(Decimal.self, "12345678901234567890.123456789012345678").allSatisfy { $0 != nil })
  }

  @Test func `Numbers at their limits come back with the sign of zero from every value and every document`() throws {
    for numeral in ["-0", "-0.0", "-0e3"] {
      let value = try JSONValue(json: numeral)
      #expect(value.doubleValue?.sign == .minus)
      #expect(try JSONValue(json: value.jsonString()).doubleValue?.sign == .minus)
      #expect(try JSONDecoder().decode(JSONValue.self, from: Data(numeral.utf8)).doubleValue?.sign == .minus)
      #expect(try JSONValue.number(#require(JSONNumber(numeral))).doubleValue?.sign == .minus)
      let field = Field<Double>()
      try field.read(value)
      #expect(try field.written()?.jsonString() == "-0.0")
      #expect(value.intValue == 0)
    }
  }

  @Test func `Numbers at their limits are read again where only the sign of zero differs`() throws {
    for numeral in ["0.0", "-0.0", "-0"] {
      let field = Field(numeral.hasPrefix("-") ? 0.0 : -0.0)
      let isSame = try Array(numeral.utf8).withUnsafeBytes { bytes in
        var scanner = JSONScanner(bytes)
        return try field.hasNextValue(of: &scanner, as: .double, in: .standard)
      }
      #expect(!isSame)
    }
  }

  @Test func `Numbers at their limits that are whole but written with a fraction are read from their digits`() throws {
    let field = Field<Int>()
    try field.read(JSONValue(json: "9007199254740993.0"))
    #expect(field.value == 9_007_199_254_740_993)
    let unsigned = Field<UInt64>()
    try unsigned.read(JSONValue(json: "18446744073709551615.0"))
    #expect(unsigned.value == .max)
    let error = #expect(throws: ValueTransformError.self) { try field.read(JSONValue(json: "9223372036854775808.0")) }
    #expect(error?.expected == "an integer between -9223372036854775808 and 9223372036854775807")
  }
}

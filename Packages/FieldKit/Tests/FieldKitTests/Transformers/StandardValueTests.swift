@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `Values of standard types` {
  @Test func `Values of standard types are read and written`() throws {
    try check("text", as: "text")
    try check(true, as: true)
    try check(-3, as: -3)
    try check(1.5, as: 1.5)
    try check(Float(0.1), as: 0.1)
    try check(Int8(-128), as: -128)
    try check(UInt8(255), as: 255)
    try check(Int16(-5), as: -5)
    try check(UInt16(5), as: 5)
    try check(Int32(-5), as: -5)
    try check(UInt32(5), as: 5)
    try check(Int64.min, as: .int(.min))
    try check(UInt64.max, as: .number("18446744073709551615"))
    try check(UInt(7), as: 7)
    try check(Decimal(string: "12.345678901234567890123") ?? 0, as: .number("12.345678901234567890123"))
    try check(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), as: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    try check(URL(string: "https://example.com/a?b=c#d"), as: "https://example.com/a?b=c#d")
    try check(Data([0, 1, 255]), as: "AAH/")
    try check(Date(timeIntervalSince1970: 0), as: "1970-01-01T00:00:00Z")
    try check([1, 2], as: [1, 2])
    try check(["a": [1.5]], as: ["a": [1.5]])
    try check(["a": true], as: ["a": true])
    try check([1, nil], as: [1, nil])
    try check(["any": [1, "thing", nil]] as JSONValue, as: ["any": [1, "thing", nil]])
  }

  private func check<Value: Equatable>(
    _ value: Value?, as json: JSONValue, location: SourceLocation = #_sourceLocation
  ) throws {
    let field = Field<Value>()
    try field.read(json)
    #expect(field.value == value, sourceLocation: location)
    #expect(field.value != nil, sourceLocation: location)
    #expect(try field.written() == json, sourceLocation: location)
  }

  @Test func `Values of standard types read null as nil, and write nothing for nil`() throws {
    let name = Field("Ann")
    try name.read(nil)
    #expect(name.value == nil)
    #expect(name.loadState == .loaded)
    #expect(try name.written() == nil)
    let tags = Field<String>()*
    try tags.read(nil)
    #expect(tags.value == nil)
  }

  @Test func `Values of standard types are unchanged until all others were checked`() throws {
    let age = Field(1)
    let apply = try age.staged(2, by: FieldReader(context: .standard))
    #expect(age.value == 1)
    apply()
    #expect(age.value == 2)
  }

  @Test func `The error of a value of a standard type has the expected kind and the path`() {
    let cases: [(AnyField, JSONValue, String)] = [
      (Field<String>(), 4, "expected a string, found 4"), (Field<Bool>(), 1, "expected true or false, found 1"),
      (Field<Bool>(), "true", "expected true or false, found the string \"true\""),
      (Field<UUID>(), "E621E1F8", "expected a UUID, found the string \"E621E1F8\""),
      (Field<URL>(), "", "expected a URL, found the string \"\""),
      (Field<Data>(), "no base 64!", "expected Base64 text, found the string \"no base 64!\""),
      (Field<[Int]>(), [1, "2"], "[1]: expected an integer, found the string \"2\""),
      (Field<[[Int]]>(), [[], [1, nil]], "[1][1]: expected an integer, found null"),
      (Field<[String: Int]>(), ["a": true], "a: expected an integer, found true"),
      (
        Field<[String: [String: [Int]]]>(), ["a": ["b": [1, ""]]], "a.b[1]: expected an integer, found the string \"\""
      ),
      (Field<[String: Int]>(), [1], "expected an object, found a list of 1 element"),
      (Field<[Int]>(), ["a": 1], "expected a list, found an object"),
      (Field<String>()*, "a", "expected a list, found the string \"a\""),
      (Field<String>()*, ["a", nil], "[1]: expected a string, found null"),
      (Field<Color>()*, ["red", "black"], "[1]: expected one of red, green, blue, found the string \"black\""),
    ]
    for (field, json, message) in cases {
      let error = #expect(throws: ValueTransformError.self) {
        _ = try field.staged(json, by: FieldReader(context: .standard))
      }
      #expect(error?.description == message)
    }
  }

  @Test func `The error of a long value of a standard type shows the value shortened`() {
    let text = String(repeating: "x", count: 1_000)
    let error = #expect(throws: ValueTransformError.self) { try Field<Int>().read(.string(text)) }
    #expect(error?.found == "the string \"\(text.prefix(40))\"…")
  }

  @Test func `Values of standard types in lists are read from and written to lists`() throws {
    let numbers = Field<Int>()*
    try numbers.read([1, 2, 2])
    #expect(numbers.value == [1, 2, 2])
    #expect(try numbers.written() == [1, 2, 2])
    let unique = ArrayField(Field<Int>(), allowsDuplicates: false)
    try unique.read([1, 2, 2])
    #expect(unique.value == [1, 2])
    let colors = EnumField<Color>()*
    try colors.read(["red", "blue"])
    #expect(colors.value == [.red, .blue])
    #expect(try colors.written() == ["red", "blue"])
  }
}

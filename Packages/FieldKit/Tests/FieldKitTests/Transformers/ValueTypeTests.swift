@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `Values of custom types` {
  struct Celsius: JSONConvertible, Equatable {
    var degrees: Double
    init(degrees: Double) { self.degrees = degrees }
    init(json: JSONValue) throws { degrees = try Double(json: json) }
    var json: JSONValue { get throws { .double(degrees) } }
  }

  struct Address: Codable, Equatable {
    var street: String
    var numbers: [Int]
  }

  enum Size: String, Codable { case small, large }

  struct Options: OptionSet, Equatable { let rawValue: Int }

  @Test func `Values of custom types may convert themselves from and to JSON`() throws {
    let field = Field<Celsius>()
    try field.read(0.2)
    #expect(field.value == Celsius(degrees: 0.2))
    field.value = Celsius(degrees: 10)
    #expect(try field.written() == 10)
    let list = Field<Celsius>()*
    try list.read([1, 2])
    #expect(list.value?.map(\.degrees) == [1, 2])
  }

  @Test func `Values of other custom types are read and written by Codable`() throws {
    let field = Field<Address>()
    try field.read(["street": "Main", "numbers": [1, 2]])
    #expect(field.value == Address(street: "Main", numbers: [1, 2]))
    #expect(try field.written() == ["street": "Main", "numbers": [1, 2]])
  }

  @Test func `Errors of custom types have the path at which Codable failed`() {
    let field = Field<Address>()
    let error = #expect(throws: ValueTransformError.self) { try field.read(["street": "Main", "numbers": [1, "x"]]) }
    #expect(error?.description == "numbers[1]: expected an integer, found the string \"x\"")
    let missing = #expect(throws: ValueTransformError.self) { try field.read(["street": "Main"]) }
    #expect(missing?.description == "numbers: expected a value, found nothing")
    let other = #expect(throws: ValueTransformError.self) { try field.read("Main") }
    #expect(other?.description == "expected an object, found the string \"Main\"")
    #expect(field.isUnset)
  }

  @Test func `Values of custom types with raw values are written as these, Codable or not`() throws {
    let (size, options) = (Field<Size>(), Field<Options>())
    try size.read("large")
    try options.read(5)
    #expect(size.value == .large)
    #expect(try size.written() == "large")
    #expect(try options.written() == 5)
    let error = #expect(throws: ValueTransformError.self) { try size.read("huge") }
    #expect(error?.description == "expected a raw value of Size, found the string \"huge\"")
    let level = #expect(throws: ValueTransformError.self) { try Field<Level>().read(3) }
    #expect(level?.description == "expected one of 1, 2, found 3")
    #expect(throws: ValueTransformError.self) { try Field<Level>().read("1") }
  }

  @Test func `Values of custom types without conversion report that they need a transformer`() {
    let field = Field(Opaque(number: 1))
    let reading = #expect(throws: ValueTransformError.self) { try field.read(1) }
    #expect(
      reading?.description
        == "expected a transformer for Opaque, which is neither JSONConvertible nor Codable, found 1")
    #expect(throws: ValueTransformError.self) { try field.written() }
  }
}

import FieldKit
import Foundation
import Testing

@Suite struct `A JSON value in Codable types` {
  private struct Envelope: Codable, Equatable {
    var name: String
    var payload: JSONValue
    var more: [String: JSONValue]?
  }

  @Test func `A JSON value in Codable types passes through JSONEncoder and JSONDecoder`() throws {
    let envelope = Envelope(
      name: "Bob",
      payload: [
        "null": nil, "true": true, "zero": 0, "one": 1, "big": .int(.max), "half": 0.5, "tenth": 0.1, "text": "1",
        "list": [1, [2], [:], []],
        "object": ["camelCaseKey": ["snake_case_key": 1]],
      ], more: ["x": nil])
    let data = try JSONEncoder().encode(envelope)
    #expect(try JSONDecoder().decode(Envelope.self, from: data) == envelope)
    #expect(try JSONValue(json: data)["payload"] == envelope.payload)
  }

  @Test(arguments: [
    "18446744073709551615", "12345678901234567890123456789012345678", "0.1000000000000000055511151231257827",
    "-0.30000000000000005", "99999999999999999.99", "-9007199254740991.4", "1.00000000000000000001",
    "9223372036854775806.5",
  ])
  func `A JSON value in Codable types keeps as many digits as the coder does`(digits: String) throws {
    let value = try JSONValue(json: digits)
    #expect(try JSONDecoder().decode(JSONValue.self, from: Data(digits.utf8)) == value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
  }

  @Test func `A JSON value in Codable types keeps doubles of any size`() throws {
    for double in [
      1e300, 1e-300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e23, -1.5e-200, 1.2345678901234567e150,
    ] {
      let data = try JSONEncoder().encode(JSONValue.double(double))
      let value = try JSONDecoder().decode(JSONValue.self, from: data)
      #expect(value.doubleValue == double)
      #expect(value == .double(double))
    }
  }

  @Test func `A JSON value in Codable types throws rather than to round digits that no coder takes`() throws {
    for digits in ["1e400", "123456789012345678901234567890123456789012345.5"] {
      let value = try JSONValue(json: digits)
      #expect(throws: EncodingError.self) { _ = try JSONEncoder().encode(value) }
    }
    #expect(throws: EncodingError.self) { _ = try JSONEncoder().encode(JSONValue.double(.nan)) }
  }

  @Test func `A JSON value in Codable types passes through a property list`() throws {
    let value: JSONValue = ["a": [1, 2.5, "x", true], "b": ["c": 7]]
    let data = try PropertyListEncoder().encode(value)
    #expect(try PropertyListDecoder().decode(JSONValue.self, from: data) == value)
  }

  @Test func `A JSON value in Codable types passes errors from inside on`() {
    #expect(throws: DecodingError.self) { _ = try JSONDecoder().decode(JSONValue.self, from: Data("[1e999]".utf8)) }
  }
}

@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `Reading JSON` {
  @Test func `Reading JSON accepts every valid document and gives its value`() throws {
    for (json, value) in validDocuments {
      #expect(try JSONValue(json: json) == value, "\(json)")
      #expect(try JSONValue(json: Data(json.utf8)) == value, "\(json)")
      try JSONValue.validate(json: json)
      try JSONValue.validate(json: [UInt8](json.utf8))
    }
  }

  @Test func `Reading JSON rejects every invalid document with the same error and position, parsed or only checked`() {
    for (json, code, offset) in invalidDocuments {
      let built = #expect(throws: JSONSyntaxError.self, "\(json)") { _ = try JSONValue(json: json) }
      #expect(built?.code == code, "\(json)")
      #expect(built?.offset == offset, "\(json)")
      let checked = #expect(throws: JSONSyntaxError.self, "\(json)") { try JSONValue.validate(json: Data(json.utf8)) }
      #expect(checked == built, "\(json)")
    }
  }

  @Test func `Reading JSON refuses every beginning of a document`() {
    let json = #"{"a": [1, -2.5e10, "x\u00e9\n"], "b": {"c": null, "d": true, "é": false}}"#
    let bytes = [UInt8](json.utf8)
    for length in 0..<bytes.count {
      #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: Array(bytes[..<length])) }
      #expect(throws: JSONSyntaxError.self) { try JSONValue.validate(json: Array(bytes[..<length])) }
    }
  }

  @Test func `Reading JSON with any byte changed gives the same result, built or only checked`() {
    let json = [UInt8](#"{"a":[1,-2.5e1,"x\u00e9\n😀"],"bcdefghij":{"c":null,"d":true}}"#.utf8)
    for index in json.indices {
      for byte: UInt8 in [
        0, 0x0A, 0x20, 0x22, 0x2C, 0x2D, 0x30, 0x39, 0x3A, 0x5B, 0x5C, 0x5D, 0x65, 0x7B, 0x7D, 0x80, 0xC3, 0xED, 0xFF,
      ] {
        var changed = json
        changed[index] = byte
        let built = Result { () throws(JSONSyntaxError) in try JSONValue(json: changed) }
        let checked = Result { () throws(JSONSyntaxError) in try JSONValue.validate(json: changed) }
        switch (built, checked) {
        case (.success(let value), .success):
          #expect((try? JSONValue(json: value.jsonData())) == value)
        case (.failure(let left), .failure(let right)): #expect(left == right)
        default: Issue.record("building and checking disagree on \(String(decoding: changed, as: UTF8.self))")
        }
      }
    }
  }

  @Test func `Reading JSON refuses strings and keys that are no UTF-8`() {
    for (bytes, offset) in invalidUTF8 {
      for (before, after) in [
        ("\"", "\""), ("[\"", "\"]"), ("{\"", "\":1}"), ("\"12345678", "12345678\""), ("\"é\\n", "\""),
      ] {
        let document = Array(before.utf8) + bytes + Array(after.utf8)
        let error = #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: document) }
        #expect(error?.code == .invalidUTF8, "\(bytes)")
        #expect(error?.offset == before.utf8.count + offset, "\(bytes)")
        #expect(#expect(throws: JSONSyntaxError.self) { try JSONValue.validate(json: document) } == error)
      }
    }
  }

  @Test func `Reading JSON refuses a character that is cut off by the end of the document`() {
    for bytes: [UInt8] in [[0x22, 0xC3], [0x22, 0xE2, 0x82], [0x22, 0xF0, 0x9F, 0x98]] {
      let error = #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: bytes) }
      #expect(error?.code == .invalidUTF8)
    }
  }

  @Test func `Reading JSON refuses UTF-16 and bytes outside of strings that are no UTF-8`() {
    for bytes: [UInt8] in [
      [0xFF, 0xFE, 0x5B, 0, 0x5D, 0], [0, 0x5B, 0, 0x5D], [0x5B, 0xFF, 0x5D], [0xEF, 0xBB, 0x31],
    ] {
      #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: bytes) }
    }
  }

  @Test func `Reading JSON takes the last value of a key that occurs more than once`() throws {
    let document = "{" + (0..<1000).map { "\"key\($0 % 7)\":\($0)" }.joined(separator: ",") + "}"
    let value = try JSONValue(json: document)
    #expect(value.objectValue?.count == 7)
    #expect(value["key0"] == 994)
    #expect(value["key6"] == 993)
  }

  @Test func `Reading JSON keeps keys apart that look alike to its cache`() throws {
    // Sixteen bytes and more, equal at both ends, and short ones of every length.
    let keys =
      (0..<40).map { "abcdefgh\($0)ABCDEFGH" } + (0...20).map { String(repeating: "k", count: $0) } + [
        "a\0", "a", "\0", "ab\0",
      ]
    let object = JSONValue.object(Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, .int($0)) }))
    let document = JSONValue.array(Array(repeating: object, count: 5))
    #expect(try JSONValue(json: document.jsonData()) == document)
  }

  @Test func `Reading JSON reads thousands of different keys`() throws {
    let rows = (0..<2000).map { row in
      JSONValue.object(["a\(row)": .int(row), "b\(row % 300)": .int(-row), "id": .int(row)])
    }
    #expect(try JSONValue(json: JSONValue.array(rows).jsonData()) == .array(rows))
  }
}

import Foundation
import Testing

@_spi(ModelKitInternals) @testable import FieldKit

@Suite struct `The JSON scanner` {
  private func scan<Result>(_ json: String, _ body: (inout JSONScanner) throws -> Result) rethrows -> Result {
    try Array(json.utf8).withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      return try body(&scanner)
    }
  }

  @Test func `The JSON scanner walks through a document piece by piece`() throws {
    try scan(
      #" { "name" : "B\u006fb", "age":42 , "tags":[ "a", "b" ], "x":null,"f":1.5, "t":true, "skip":{"a":[1,{}]}, "e":{} } "#
    ) { scanner in
      #expect(try scanner.peek() == .object)
      try scanner.beginObject()
      var keys: [String] = []
      while let key = try scanner.nextKey() {
        keys.append(key.string)
        if key == "name" {
          let raw = try scanner.readRawString()
          #expect(raw.hasEscapes)
          #expect(raw.string == "Bob")
          #expect(raw == "Bob")
          #expect(raw.decodedCount == 3)
        } else if key == "age" {
          #expect(try scanner.readInt() == 42)
        } else if key == "tags" {
          try scanner.beginArray()
          var tags: [String] = []
          while try scanner.nextElement() { tags.append(try scanner.readString()) }
          #expect(tags == ["a", "b"])
        } else if key == "x" {
          try scanner.readNull()
        } else if key == "f" {
          #expect(try scanner.readDouble() == 1.5)
        } else if key == "t" {
          #expect(try scanner.readBool())
        } else {
          try scanner.skipValue()
        }
        #expect(scanner.openContainers == 1)
      }
      #expect(keys == ["name", "age", "tags", "x", "f", "t", "skip", "e"])
      try scanner.finish()
    }
  }

  @Test func `The JSON scanner is reverted to a bookmark`() throws {
    try scan("[1,[2,3],4]") { scanner in
      try scanner.beginArray()
      _ = try scanner.nextElement()
      #expect(try scanner.readInt() == 1)
      _ = try scanner.nextElement()
      let bookmark = scanner
      try scanner.skipValue()
      #expect(scanner.offset == 8)
      scanner = bookmark
      #expect(try scanner.readValue() == [2, 3])
      #expect(scanner.offset == 8)
    }
  }

  @Test func `The JSON scanner reports the value found instead of the requested kind`() {
    for (json, message, read) in [
      ("1", "expected a string, found \"1\"", { _ = try $0.readString() }),
      ("\"a\"", "expected a number, found a quotation mark", { _ = try $0.readInt() }),
      ("[", "expected an object, found \"[\"", { try $0.beginObject() }),
      ("{", "expected an array, found \"{\"", { try $0.beginArray() }),
      ("1", "expected \"true\" or \"false\", found \"1\"", { _ = try $0.readBool() }),
      ("", "expected a value, found the end of the document", { _ = try $0.peek() }),
      ("1", "expected \"null\", found \"1\"", { try $0.readNull() }),
    ] as [(String, String, (inout JSONScanner) throws -> Void)] {
      let error = #expect(throws: JSONSyntaxError.self) { try scan(json, read) }
      #expect(error?.message == message)
    }
  }

  @Test func `The JSON scanner compares keys by their scalars, whatever their escapes`() throws {
    try scan(#"{"abcdefghijk":0,"\u0061bc":0,"é":0}"#) { scanner in
      try scanner.beginObject()
      let first = try #require(try scanner.nextKey())
      #expect(first == "abcdefghijk")
      #expect(!(first == "abcdefghijx"))
      #expect(!(first == "abc"))
      #expect(!first.hasEscapes)
      try scanner.skipValue()
      let second = try #require(try scanner.nextKey())
      #expect(second == "abc")
      #expect(!(second == "abd"))
      try scanner.skipValue()
      let third = try #require(try scanner.nextKey())
      #expect(third == "é")
      #expect(!(third == "e\u{301}"))
    }
  }

  @Test func `The JSON scanner reads each kind of number as the requested type`() throws {
    for (json, int, double, value) in [
      ("4", 4, 4, 4), ("4.0", 4, 4, 4), ("4.5", nil, 4.5, 4.5),
      ("12345678901234567890", nil, 12345678901234567168, .number("12345678901234567890")),
      ("1e400", nil, nil, .number("1e400")), ("-0", 0, 0, 0), ("1e2", 100, 100, 100),
    ] as [(String, Int?, Double?, JSONValue)] {
      #expect(try scan(json) { try $0.readInt() } == int, "\(json)")
      #expect(try scan(json) { try $0.readDouble() } == double, "\(json)")
      #expect(try scan(json) { try $0.readNumber() } == value, "\(json)")
    }
  }
}

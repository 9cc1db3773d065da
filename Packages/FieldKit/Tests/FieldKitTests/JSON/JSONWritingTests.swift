import Foundation
import Testing

@_spi(ModelKitInternals) @testable import FieldKit

@Suite struct `Writing JSON` {
  @Test func `Writing JSON is compact by default`() throws {
    #expect(try JSONValue.array([1, "a", nil, true, [], [:]]).jsonString() == #"[1,"a",null,true,[],{}]"#)
    #expect(try JSONValue.int(.min).jsonString() == "-9223372036854775808")
    #expect(try JSONValue.int(0).jsonData() == Data("0".utf8))
  }

  @Test func `Writing JSON is pretty and sorted on request`() throws {
    let value: JSONValue = ["b": [1, [], [:], [[2]]], "a": ["y": nil, "x": "z"], "A": 0]
    #expect(
      try value.jsonString(JSONWritingOptions(pretty: true, sortedKeys: true)) == """
        {
          "A": 0,
          "a": {
            "x": "z",
            "y": null
          },
          "b": [
            1,
            [],
            {},
            [
              [
                2
              ]
            ]
          ]
        }
        """)
    #expect(
      try JSONValue.object(["b": 1, "a": 2]).jsonString(JSONWritingOptions(sortedKeys: true)) == #"{"a":2,"b":1}"#)
  }

  @Test func `Writing JSON escapes only the characters that must be escaped`() throws {
    #expect(
      try JSONValue.string("\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é😀\u{2028}").jsonString()
        == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001F\u{7F}é😀\u{2028}\"")
    #expect(try JSONValue.string("</a/b>").jsonString(JSONWritingOptions(escapesSlashes: true)) == #""<\/a\/b>""#)
    #expect(try JSONValue.object(["a/\n": 1]).jsonString(JSONWritingOptions(escapesSlashes: true)) == #"{"a\/\n":1}"#)
  }

  @Test func `Writing JSON finds every escape at every position of a string`() throws {
    for length in 0..<40 {
      for place in 0..<max(length, 1) {
        for special in ["\"", "\\", "\n", "\u{1F}", "é", "/", "\u{80}"] {
          var characters = Array(repeating: "x", count: length)
          if length > 0 { characters[place] = special }
          let value = JSONValue.string(characters.joined())
          #expect(try JSONValue(json: value.jsonData()) == value)
        }
      }
    }
  }

  @Test func `Writing JSON handles long strings of nothing but escapes`() throws {
    let value = JSONValue.string(String(repeating: "\u{1}\"", count: 20_000))
    let data = try value.jsonData()
    #expect(data.count == 20_000 * 8 + 2)
    #expect(try JSONValue(json: data) == value)
  }

  @Test func `Writing JSON refuses numbers that JSON can't spell, and reports their path`() {
    for (value, path) in [
      (.double(.nan), ""), ([1, .double(.infinity)], "[1]"),
      (["a": ["b": [0, ["c": .double(-.infinity)]]]], "a.b[1].c"), ([[.double(.nan)]], "[0][0]"),
    ] as [(JSONValue, String)] {
      let error = #expect(throws: JSONWritingError.self) { _ = try value.jsonData() }
      #expect(error?.code == .notFinite)
      #expect(error?.path == path)
    }
    let error = #expect(throws: JSONWritingError.self) {
      _ = try JSONValue.object(["price": .double(.nan)]).jsonString()
    }
    #expect(error?.description == "Nothing was written: at \"price\", JSON can't represent the number nan.")
  }

  @Test func `Writing JSON refuses a value that is nested too deeply to be read again`() {
    var value: JSONValue = 1
    for _ in 0...JSONReadingOptions.maximumTreeDepth { value = .array([value]) }
    let error = #expect(throws: JSONWritingError.self) { _ = try value.jsonData() }
    #expect(error?.code == .tooDeep)
    let limit = JSONReadingOptions.maximumTreeDepth
    #expect(value.description == "(more than \(limit) arrays and objects are nested)")
  }

  @Test func `Writing JSON needs no tree`() throws {
    var writer = JSONWriter()
    try writer.beginObject()
    writer.key("id")
    writer.int(-5)
    JSONWriter.quoted("full/\"name\"").withUnsafeBufferPointer { writer.key(quoted: $0) }
    writer.string("Bob")
    writer.key("list")
    try writer.beginArray()
    writer.bool(true)
    try writer.double(0.5)
    writer.null()
    writer.number("1e400")
    try writer.value(["x": [1]])
    #expect(throws: JSONWritingError.self) { try writer.double(.nan) }
    writer.endArray()
    writer.endObject()
    #expect(writer.takeString() == #"{"id":-5,"full/\"name\"":"Bob","list":[true,0.5,null,1e400,{"x":[1]}]}"#)
  }

  @Test func `Writing JSON reuses its buffer for the next document`() throws {
    var writer = JSONWriter(JSONWritingOptions(pretty: true))
    try writer.beginArray()
    writer.removeAll()
    try writer.beginArray()
    writer.int(1)
    writer.endArray()
    let text = writer.withBytes { String(decoding: $0, as: UTF8.self) }
    #expect(text == "[\n  1\n]")
    #expect(writer.count == 7)
  }

  @Test func `Writing JSON returns long documents without a copy`() throws {
    let value = JSONValue.array((0..<20_000).map { .int($0) })
    let data = try value.jsonData()
    #expect(data.count > 100_000)
    #expect(try JSONValue(json: data) == value)
  }
}

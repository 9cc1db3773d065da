import Foundation
import Testing

@testable @_spi(ModelKitInternals) import FieldKit

@Suite struct `Harmful documents` {
  private let limit = JSONReadingOptions.maximumCombiningMarks

  private func text(_ marks: Int, escaped: Bool) -> String {
    "a" + (0..<marks).map { escaped ? ["\\u0301", "\\u0323"][$0 % 2] : ["\u{301}", "\u{323}"][$0 % 2] }.joined()
  }

  @Test func `Harmful documents with too many consecutive combining marks are refused`() throws {
    for escaped in [false, true] {
      for (before, after) in [("[\"", "\"]"), ("{\"", "\":1}"), ("{\"12345678", "12345678\":\"x\"}")] {
        let allowed = before + text(limit, escaped: escaped) + "b" + text(limit, escaped: escaped) + after
        _ = try JSONValue(json: allowed)
        try JSONValue.validate(json: allowed)
        let refused = before + text(limit + 1, escaped: escaped) + after
        let error = #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: refused) }
        #expect(error?.code == .tooLarge)
        #expect(error?.offset == before.utf8.count + 1 + limit * (escaped ? 6 : 2))
        #expect(error?.message == "expected at most 256 combining marks in a row, found one more")
        #expect(#expect(throws: JSONSyntaxError.self) { try JSONValue.validate(json: refused) } == error)
      }
    }
  }

  @Test func `Harmful documents are refused in chunks, too`() {
    let splitter = JSONElementSplitter(at: "a")
    let error = #expect(throws: JSONSyntaxError.self) {
      for byte in ("{\"" + text(limit + 1, escaped: false) + "\":1}").utf8 {
        [byte].withUnsafeBytes { splitter.append($0) }
        _ = try splitter.next()
      }
    }
    #expect(error?.offset == 3 + 2 * limit)
  }

  @Test func `Long texts of any other kind are read`() throws {
    for scalar in ["é", "я", "漢", "한", "あ", "😀", "\u{915}", "\u{627}", "\u{FFFD}"] as [Unicode.Scalar] {
      let value = JSONValue.string(String(repeating: Character(scalar), count: 3 * limit))
      #expect(try JSONValue(json: value.jsonData()) == value)
    }
  }

  @Test func `Combining marks are counted as Unicode defines them`() {
    for value in 0..<0x11_0000 as Range<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      var marks = JSONCombiningMarks()
      marks.add(value)
      if (marks.count == 1) != (scalar.properties.canonicalCombiningClass != .notReordered) {
        Issue.record("U+\(String(value, radix: 16))")
      }
    }
  }

  @Test func `Documents with a hundred thousand different or equal keys are read`() throws {
    let keys = JSONValue.object(
      Dictionary(uniqueKeysWithValues: (0..<100_000).map { ("key\($0)", JSONValue.int($0)) }))
    #expect(try JSONValue(json: keys.jsonData()) == keys)
    let same = "{" + Array(repeating: "\"key\":1", count: 100_000).joined(separator: ",") + "}"
    #expect(try JSONValue(json: same) == ["key": 1])
  }

  @Test func `Documents whose keys collide in the cache are read`() throws {
    // The cache compares the first and the last eight bytes.
    let keys = (0..<20_000).map { number in
      let half = String(number, radix: 16)
      return String(repeating: "0", count: 8 - half.count) + half
    }
    let object = JSONValue.object(Dictionary(uniqueKeysWithValues: keys.map { ($0 + $0, JSONValue.string($0)) }))
    let document = try JSONValue.array([object, object]).jsonData()
    #expect(try JSONValue(json: document) == [object, object])
    var cache = JSONKeyCache()
    try document.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      try scanner.beginArray()
      while try scanner.nextElement() {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
          #expect(cache.key(for: key).string == key.string)
          try scanner.skipValue()
        }
      }
    }
  }

  @Test func `Documents with long strings, long escapes and long numbers are read`() throws {
    let long = JSONValue.string(String(repeating: "x", count: 1_000_000))
    #expect(try JSONValue(json: long.jsonData()) == long)
    let escapes = "\"" + String(repeating: "\\u0041", count: 100_000) + "\""
    #expect(try JSONValue(json: escapes) == .string(String(repeating: "A", count: 100_000)))
    let digits = String(repeating: "7", count: 100_000)
    for numeral in [digits, "-0." + digits, digits + "e-99999", "1e" + digits, "1e-" + digits] {
      let value = try JSONValue(json: numeral)
      #expect(try value.jsonString() == numeral)
      #expect(value == .number(try #require(JSONNumber(numeral))))
      _ = value.hashValue
    }
  }
}

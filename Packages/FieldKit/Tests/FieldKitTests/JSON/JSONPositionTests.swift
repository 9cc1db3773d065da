@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `The place of a mistake in JSON` {
  private func error(in json: String) -> JSONSyntaxError? {
    #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: json) }
  }

  @Test(arguments: [
    ("]", 1, 1, 0), ("[1,\n 2,\n  x]", 3, 3, 10), ("[1,\r\n 2,\r\n  x]", 3, 3, 12), ("[1,\r 2,\r  x]", 3, 3, 10),
    ("\n\n", 3, 1, 2), ("[\"é😀\", x]", 1, 8, 11), ("{\"a\": 1,\n}", 2, 1, 9), ("[1,\n2\n", 3, 1, 6),
  ])
  func `The position of an error in JSON is reported in lines, characters and bytes`(
    json: String, line: Int, column: Int, offset: Int
  ) {
    let error = error(in: json)
    #expect(error?.line == line)
    #expect(error?.column == column)
    #expect(error?.offset == offset)
  }

  @Test func `The position of an error in JSON counts a byte order mark in bytes but not in characters`() {
    let error = error(in: "\u{FEFF}x")
    #expect(error?.offset == 3)
    #expect(error?.column == 1)
  }

  @Test(arguments: [
    ("", "Invalid JSON at line 1, column 1 (byte 0): expected a value, found the end of the document."),
    ("[1,]", "Invalid JSON at line 1, column 4 (byte 3): expected a value, found \"]\"."),
    ("{\"a\":1,}", "Invalid JSON at line 1, column 8 (byte 7): expected a key in quotation marks, found \"}\"."),
    ("{\"a\" 1}", "Invalid JSON at line 1, column 6 (byte 5): expected a colon after the key, found \"1\"."),
    ("[1 2]", "Invalid JSON at line 1, column 4 (byte 3): expected \",\" or \"]\", found \"2\"."),
    ("{\"a\":1", "Invalid JSON at line 1, column 7 (byte 6): expected \",\" or \"}\", found the end of the document."),
    ("01", "Invalid JSON at line 1, column 2 (byte 1): expected no digit after a leading zero, found \"1\"."),
    ("nule", "Invalid JSON at line 1, column 4 (byte 3): expected \"null\", found \"e\"."),
    ("é", "Invalid JSON at line 1, column 1 (byte 0): expected a value, found \"é\"."),
    (
      "\"\u{1}\"",
      "Invalid JSON at line 1, column 2 (byte 1): expected control characters in strings to be escaped (\\u0001), "
        + "found the control character U+0001."
    ),
    (
      #""\ud800""#,
      "Invalid JSON at line 1, column 2 (byte 1): expected a pair of surrogates, found \\uD800 without its other half."
    ),
    (
      "1 2", "Invalid JSON at line 1, column 3 (byte 2): expected the end of the document after its value, found \"2\"."
    ),
  ])
  func `The description of an error in JSON has its position in a sentence`(json: String, sentence: String) {
    #expect(error(in: json)?.description == sentence)
  }

  @Test func `An error in JSON names a byte that starts no character`() {
    let error = #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: [0x22, 0xFF, 0x22] as [UInt8]) }
    #expect(error?.message == "expected UTF-8, found the byte 0xFF that starts no valid character")
  }
}

import Foundation
import ModelKit

extension ErrorText {
  static let json: [ErrorText] = [
    ErrorText(
      "JSON that is empty",
      """
      Invalid JSON at line 1, column 1 (byte 0): expected a value, found the end of the document.
      """
    ) { _ in _ = try JSONValue(json: "") },
    ErrorText(
      "JSON that ends too early",
      """
      Invalid JSON at line 2, column 13 (byte 14): expected "," or "]", found the end of the document.
      """
    ) { _ in _ = try JSONValue(json: "{\n  \"a\": [1, 2") },
    ErrorText(
      "JSON with a comma too many", #"Invalid JSON at line 2, column 14 (byte 16): expected a value, found "]"."#
    ) { _ in _ = try JSONValue(json: "{\n  \"é\": [1, 2,]\n}") },
    ErrorText(
      "JSON without a colon",
      """
      Invalid JSON at line 1, column 6 (byte 5): expected a colon after the key, found "1".
      """
    ) { _ in _ = try JSONValue(json: #"{"a" 1}"#) },
    ErrorText(
      "JSON with a key that is no string",
      """
      Invalid JSON at line 1, column 2 (byte 1): expected a key in quotation marks, found "a".
      """
    ) { _ in _ = try JSONValue(json: "{a: 1}") },
    ErrorText(
      "JSON with a misspelled literal", #"Invalid JSON at line 1, column 2 (byte 1): expected a value, found "T"."#
    ) { _ in _ = try JSONValue(json: "[True]") },
    ErrorText(
      "JSON with a number with a leading zero",
      """
      Invalid JSON at line 1, column 3 (byte 2): expected no digit after a leading zero, found "1".
      """
    ) { _ in _ = try JSONValue(json: "[012]") },
    ErrorText(
      "JSON with a number without digits",
      """
      Invalid JSON at line 1, column 4 (byte 3): expected a digit after the decimal point, found "]".
      """
    ) { _ in _ = try JSONValue(json: "[1.]") },
    ErrorText(
      "JSON with an escape that is none",
      #"""
      Invalid JSON at line 1, column 4 (byte 3): expected one of " \ / b f n r t u after the backslash, \#
      found "x".
      """#
    ) { _ in _ = try JSONValue(json: #"["\x"]"#) },
    ErrorText(
      "JSON with half a pair of surrogates",
      #"""
      Invalid JSON at line 1, column 3 (byte 2): expected a pair of surrogates, found \uD800 without its \#
      other half.
      """#
    ) { _ in _ = try JSONValue(json: #"["\ud800!"]"#) },
    ErrorText(
      "JSON with a line break in a string",
      #"""
      Invalid JSON at line 1, column 4 (byte 3): expected control characters in strings to be escaped \#
      (\u000A), found the end of the line.
      """#
    ) { _ in _ = try JSONValue(json: "[\"a\nb\"]") },
    ErrorText(
      "JSON that is not UTF-8",
      """
      Invalid JSON at line 1, column 2 (byte 1): expected UTF-8, found the byte 0xFF that starts no valid \
      character.
      """
    ) { _ in
      _ = try JSONValue(json: Data([0x22, 0xFF, 0x22]))
    },
    ErrorText(
      "JSON that is too deep",
      """
      Invalid JSON at line 1, column 3 (byte 2): expected at most 2 nested arrays and objects, \
      found one more.
      """
    ) { _ in
      _ = try JSONValue(json: "[[[1]]]", options: JSONReadingOptions(maximumDepth: 2))
    },
    ErrorText("JSON that is too large", "Invalid JSON at line 1, column 5 (byte 4): expected at most 4 bytes, found 9.")
    { _ in
      _ = try JSONValue(json: "[1, 2, 3]", options: JSONReadingOptions(maximumBytes: 4))
    },
    ErrorText(
      "JSON with something after its end",
      """
      Invalid JSON at line 1, column 4 (byte 3): expected the end of the document after its value, found "{".
      """
    ) { _ in _ = try JSONValue(json: "{} {}") },
    ErrorText(
      "a number that JSON can't spell", #"Nothing was written: at "a[1]", JSON can't represent the number inf."#
    ) { _ in
      _ = try JSONValue.object(["a": [1, .double(.infinity)]]).jsonString()
    },
    ErrorText(
      "a value that is too deep for JSON",
      """
      Nothing was written: at \
      "[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0"…, more than 512 \
      arrays and objects are nested.
      """
    ) { _ in
      _ = try (0...JSONReadingOptions.maximumTreeDepth).reduce(JSONValue.null) { value, _ in [value] }.jsonString()
    },
  ]
}

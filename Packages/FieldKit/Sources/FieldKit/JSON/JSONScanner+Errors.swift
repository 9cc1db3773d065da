extension JSONScanner {
  /// Returns the error for an unexpected character at the current position.
  @usableFromInline
  @inline(never)
  func failure(expected: String) -> JSONSyntaxError {
    failure(at: position, expected: expected)
  }

  /// Returns the error for an unexpected character at `offset`.
  @inline(never)
  func failure(at offset: Int, expected: String) -> JSONSyntaxError {
    let code: JSONSyntaxError.Code = offset < count ? .unexpectedCharacter : .unexpectedEnd
    return failure(code, at: offset, "expected \(expected), found \(found(at: offset))")
  }

  /// Returns an error at a position in the document.
  ///
  /// - Complexity: O(*n*), where *n* is `offset`: the lines before it are counted.
  @inline(never)
  func failure(_ code: JSONSyntaxError.Code, at offset: Int, _ message: String) -> JSONSyntaxError {
    let place = lineAndColumn(at: offset)
    return JSONSyntaxError(code: code, message: message, offset: offset, line: place.line, column: place.column)
  }

  /// Returns the line and the column of a position in the document, both from 1; columns count Unicode scalars.
  ///
  /// - Complexity: O(*n*), where *n* is `offset`.
  func lineAndColumn(at offset: Int) -> (line: Int, column: Int) {
    var line = 1
    var start = 0
    if count >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { start = 3 }
    let offset = min(max(offset, 0), count)
    var index = 0
    while index < offset {
      let byte = base[index]
      index &+= 1
      // The CR of a CR LF ends no line: its LF does.
      let endsLine =
        byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r") && !(index < count && base[index] == UInt8(ascii: "\n"))
      if endsLine {
        line &+= 1
        start = index
      }
    }
    var column = 1
    index = start
    while index < offset {
      if base[index] & 0xC0 != 0x80 { column &+= 1 }
      index &+= 1
    }
    return (line, column)
  }

  /// Returns a description of the character at a position, for an error message.
  func found(at offset: Int) -> String {
    guard offset < count else { return "the end of the document" }
    let byte = base[offset]
    switch byte {
    case UInt8(ascii: "\""): return "a quotation mark"
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return "the end of the line"
    case 0x21..<0x7F: return "\"\(Unicode.Scalar(byte))\""
    case 0x20: return "a blank"
    case 0..<0x20, 0x7F: return "the control character \(hexadecimal(UInt32(byte), prefix: "U+", digits: 4))"
    default:
      let bytes = UnsafeBufferPointer(start: base + offset, count: min(4, count - offset))
      var iterator = bytes.makeIterator()
      var decoder = UTF8()
      if case .scalarValue(let scalar) = decoder.decode(&iterator) { return "\"\(scalar)\"" }
      return "the byte \(hexadecimal(UInt32(byte), prefix: "0x", digits: 2))"
    }
  }

  /// Returns a number for an error message: `U+001F`.
  func hexadecimal(_ value: UInt32, prefix: String, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return prefix + String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

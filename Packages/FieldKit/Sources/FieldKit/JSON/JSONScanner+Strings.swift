extension JSONScanner {
  /// Reads a string.
  @inlinable
  public mutating func readString() throws(JSONSyntaxError) -> String {
    try readRawString().string
  }

  /// Reads a string and returns the range of its bytes, without creating a `String`.
  @inlinable
  public mutating func readRawString() throws(JSONSyntaxError) -> JSONRawString {
    skipWhitespace()
    guard position < count, base[position] == UInt8(ascii: "\"") else { throw failure(expected: "a string") }
    return try scanString()
  }

  /// Skips the string whose opening quotation mark is next.
  @usableFromInline
  mutating func scanString() throws(JSONSyntaxError) -> JSONRawString {
    let start = position &+ 1
    var index = start
    while index &+ 8 <= count {
      let stops = Self.stops(in: word(at: index))
      if stops == 0 {
        index &+= 8
        continue
      }
      index &+= stops.trailingZeroBitCount &>> 3
      guard base[index] == UInt8(ascii: "\"") else { break }
      position = index &+ 1
      let length = index &- start
      return JSONRawString(bytes: UnsafeBufferPointer(start: base + start, count: length), decodedCount: length)
    }
    return try scanString(from: start, at: index)
  }

  /// Marks the bytes that end a run of plain ASCII: quotation marks, backslashes, control characters, non-ASCII.
  ///
  /// The lowest mark is exact; a borrow can set wrong ones above it.
  @inline(__always)
  static func stops(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = (word ^ (ones &* 0x22)) &- ones
    let backslashes = (word ^ (ones &* 0x5C)) &- ones
    let controls = word &- (ones &* 0x20)
    return (quotes | backslashes | controls | word) & (ones &* 0x80)
  }

  /// Reads the rest of a string, with escapes and non-ASCII characters.
  private mutating func scanString(from start: Int, at index: Int) throws(JSONSyntaxError) -> JSONRawString {
    var index = index
    var savedByEscapes = 0
    var marks = JSONCombiningMarks()
    while index < count {
      let byte = base[index]
      switch byte {
      case UInt8(ascii: "\""):
        position = index &+ 1
        let length = index &- start
        return JSONRawString(
          bytes: UnsafeBufferPointer(start: base + start, count: length), decodedCount: length &- savedByEscapes)
      case UInt8(ascii: "\\"):
        let escape = try scanEscape(at: index)
        if escape.decodedLength > 1 { try tally(&marks, escapeAt: index, escape.length) } else { marks.end() }
        index &+= escape.length
        savedByEscapes &+= escape.length &- escape.decodedLength
      case 0..<0x20:
        throw controlCharacter(at: index)
      case 0x80...:
        let length = try scanMultibyteCharacter(at: index)
        try tally(&marks, characterAt: index, length)
        index &+= length
      default:
        index &+= 1
        marks.end()
        while index &+ 8 <= count {
          let stops = Self.stops(in: word(at: index))
          guard stops == 0 else {
            index &+= stops.trailingZeroBitCount &>> 3
            break
          }
          index &+= 8
        }
      }
    }
    throw failure(at: count, expected: "the quotation mark that ends the string")
  }

  @inline(never)
  func controlCharacter(at index: Int) -> JSONSyntaxError {
    let escaped = hexadecimal(UInt32(base[index]), prefix: "\\u", digits: 4)
    return failure(
      .controlCharacter, at: index,
      "expected control characters in strings to be escaped (\(escaped)), found \(found(at: index))")
  }

  /// Checks the character that starts at `index` and returns its length in bytes.
  @inline(__always)
  func scanMultibyteCharacter(at index: Int) throws(JSONSyntaxError) -> Int {
    let first = base[index]
    let available = count &- index
    // The second byte's range rules out overlong forms, surrogates and values above U+10FFFF.
    switch first {
    case 0xC2...0xDF:
      if available > 1, base[index &+ 1] & 0xC0 == 0x80 { return 2 }
    case 0xE0...0xEF:
      if available > 2, base[index &+ 2] & 0xC0 == 0x80 {
        let second = base[index &+ 1]
        let isValid =
          switch first {
          case 0xE0: second >= 0xA0 && second <= 0xBF
          case 0xED: second >= 0x80 && second <= 0x9F
          default: second & 0xC0 == 0x80
          }
        if isValid { return 3 }
      }
    case 0xF0...0xF4:
      if available > 3, base[index &+ 2] & 0xC0 == 0x80, base[index &+ 3] & 0xC0 == 0x80 {
        let second = base[index &+ 1]
        let isValid =
          switch first {
          case 0xF0: second >= 0x90 && second <= 0xBF
          case 0xF4: second >= 0x80 && second <= 0x8F
          default: second & 0xC0 == 0x80
          }
        if isValid { return 4 }
      }
    default: break
    }
    let byte = hexadecimal(UInt32(first), prefix: "0x", digits: 2)
    throw failure(.invalidUTF8, at: index, "expected UTF-8, found the byte \(byte) that starts no valid character")
  }

  /// Checks the escape whose backslash is at `index`. Returns its length and the length of its character in UTF-8.
  func scanEscape(at index: Int) throws(JSONSyntaxError) -> (length: Int, decodedLength: Int) {
    guard index &+ 1 < count else { throw failure(at: count, expected: "an escaped character") }
    switch base[index &+ 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return (2, 1)
    case UInt8(ascii: "u"): break
    default:
      throw failure(
        .invalidEscape, at: index + 1,
        "expected one of \" \\ / b f n r t u after the backslash, found \(found(at: index + 1))")
    }
    let value = try scanHexadecimal(at: index &+ 2)
    switch value {
    case 0..<0x80: return (6, 1)
    case 0x80..<0x800: return (6, 2)
    case 0xD800..<0xDC00:
      guard index &+ 7 < count else { throw loneSurrogate(at: index, value) }
      guard base[index &+ 6] == UInt8(ascii: "\\"), base[index &+ 7] == UInt8(ascii: "u") else {
        throw loneSurrogate(at: index, value)
      }
      let low = try scanHexadecimal(at: index &+ 8)
      guard low & 0xFC00 == 0xDC00 else { throw loneSurrogate(at: index, value) }
      return (12, 4)
    case 0xDC00..<0xE000: throw loneSurrogate(at: index, value)
    default: return (6, 3)
    }
  }

  @inline(never)
  private func loneSurrogate(at index: Int, _ value: UInt32) -> JSONSyntaxError {
    let escape = hexadecimal(value, prefix: "\\u", digits: 4)
    return failure(.loneSurrogate, at: index, "expected a pair of surrogates, found \(escape) without its other half")
  }

  private func scanHexadecimal(at index: Int) throws(JSONSyntaxError) -> UInt32 {
    var value: UInt32 = 0
    var offset = index
    while offset < index &+ 4 {
      guard offset < count else { throw failure(at: count, expected: "four hexadecimal digits after \\u") }
      let digit = Self.hexadecimalDigit(base[offset])
      guard digit < 16 else {
        throw failure(
          .invalidEscape, at: offset, "expected four hexadecimal digits after \\u, found \(found(at: offset))")
      }
      value = value << 4 | UInt32(digit)
      offset &+= 1
    }
    return value
  }

  /// Returns the value of a hexadecimal digit, or 16 for any other byte.
  @inline(__always)
  static func hexadecimalDigit(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
    default: 16
    }
  }
}

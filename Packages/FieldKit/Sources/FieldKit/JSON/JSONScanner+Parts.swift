/// The part of a number whose digits are being read.
enum JSONNumberPart {
  case integer, fraction, exponent
}

// Strings and numbers in parts, for documents that arrive in chunks. All checks are the same as elsewhere. If a
// function throws, the scanner is positioned before the part that could not be read.
extension JSONScanner {
  /// Skips characters of a string, and the quotation mark that ends it. Returns whether the string has ended.
  ///
  /// - Parameter marks: the combining marks at the end of the previous part.
  mutating func passStringPart(_ marks: inout JSONCombiningMarks) throws(JSONSyntaxError) -> Bool {
    while position < count {
      let byte = base[position]
      switch byte {
      case UInt8(ascii: "\""):
        position &+= 1
        return true
      case UInt8(ascii: "\\"):
        let escape = try scanEscape(at: position)
        if escape.decodedLength > 1 { try tally(&marks, escapeAt: position, escape.length) } else { marks.end() }
        position &+= escape.length
      case 0..<0x20: throw controlCharacter(at: position)
      case 0x80...:
        let length = try scanMultibyteCharacter(at: position)
        try tally(&marks, characterAt: position, length)
        position &+= length
      default:
        position &+= 1
        marks.end()
        while position &+ 8 <= count {
          let stops = Self.stops(in: word(at: position))
          guard stops == 0 else {
            position &+= stops.trailingZeroBitCount &>> 3
            break
          }
          position &+= 8
        }
      }
    }
    return false
  }

  /// Skips a number, or the part of it that was received.
  ///
  /// - Returns: the part of the number that may continue after the last byte; nil if the number has ended.
  /// - Throws: also if more bytes are needed to decide whether it is a number.
  mutating func passNumber(isLast: Bool) throws(JSONSyntaxError) -> JSONNumberPart? {
    let start = position
    let number = try scanNumber()
    guard position == count, !isLast else { return nil }
    if number.isInteger {
      guard number.significantDigits == 0 else { return .integer }
      // No digit may follow a lone zero.
      position = start
      throw failure(at: count, expected: "the end of the number")
    }
    let spelling = UnsafeBufferPointer(start: base + start, count: position - start)
    return spelling.contains { $0 | 0x20 == UInt8(ascii: "e") } ? .exponent : .fraction
  }

  /// Skips more digits of a number, after at least one digit of the part was read.
  mutating func passDigits(of part: inout JSONNumberPart) throws(JSONSyntaxError) {
    while true {
      while digit(at: position) != nil { position &+= 1 }
      guard position < count, part != .exponent else { return }
      var index = position &+ 1
      if part == .integer, base[position] == UInt8(ascii: ".") {
        guard digit(at: index) != nil else { throw invalidNumber(at: index, "a digit after the decimal point") }
        part = .fraction
      } else if base[position] | 0x20 == UInt8(ascii: "e") {
        if index < count, base[index] == UInt8(ascii: "-") || base[index] == UInt8(ascii: "+") { index &+= 1 }
        guard digit(at: index) != nil else { throw invalidNumber(at: index, "a digit in the exponent") }
        part = .exponent
      } else {
        return
      }
      position = index
    }
  }
}

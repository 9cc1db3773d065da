/// A position in a document that is read in pieces. It is advanced from piece to piece.
struct JSONPosition {
  /// The number of bytes before the position.
  private(set) var offset = 0
  /// The line, from 1. Lines end with LF, CR LF or CR.
  private(set) var line = 1
  /// The character in the line, from 1, counted in Unicode scalars.
  private(set) var column = 1
  /// Whether the byte before is a CR, whose line an LF would have ended already.
  private var isBehindReturn = false

  /// Skips a byte order mark, which takes no column.
  mutating func passByteOrderMark() { offset += 3 }

  /// Advances the position over bytes.
  ///
  /// - Complexity: O(*n*), where *n* is the number of bytes.
  mutating func advance(over bytes: UnsafeBufferPointer<UInt8>) {
    offset += bytes.count
    var start = 0
    if hasLineBreaks(bytes) {
      for index in bytes.indices {
        switch bytes[index] {
        case UInt8(ascii: "\n"):
          let endsReturn = index == 0 ? isBehindReturn : bytes[index - 1] == UInt8(ascii: "\r")
          if !endsReturn { line += 1 }
        case UInt8(ascii: "\r"): line += 1
        default: continue
        }
        start = index + 1
        column = 1
      }
    }
    for byte in bytes[start...] { column &+= byte & 0xC0 != 0x80 ? 1 : 0 }
    if let last = bytes.last { isBehindReturn = last == UInt8(ascii: "\r") }
  }

  private func hasLineBreaks(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var count = 0
    for byte in bytes { count &+= (byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")) ? 1 : 0 }
    return count > 0
  }
}

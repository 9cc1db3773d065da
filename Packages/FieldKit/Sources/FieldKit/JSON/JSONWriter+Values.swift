extension JSONWriter {
  /// Writes a key and its colon. The value follows.
  mutating func key(_ key: String) {
    separate()
    appendQuoted(key)
    endKey()
  }

  /// Writes a key from its JSON spelling, quotation marks included, and its colon.
  ///
  /// - Parameter quoted: The result of ``quoted(_:)`` for the key, computed once for many objects.
  public mutating func key(quoted: UnsafeBufferPointer<UInt8>) {
    separate()
    if escapesSlashes { append(escapingSlashes: quoted) } else { append(quoted) }
    endKey()
  }

  /// Returns the JSON spelling of a string, quotation marks included.
  public static func quoted(_ string: String, options: JSONWritingOptions = .init()) -> [UInt8] {
    var writer = JSONWriter(options)
    writer.string(string)
    return writer.withBytes { Array($0) }
  }

  @inline(__always)
  private mutating func endKey() {
    append(UInt8(ascii: ":"))
    if isPretty { append(UInt8(ascii: " ")) }
    next = .afterKey
  }

  /// Writes `null`.
  public mutating func null() {
    beginValue()
    append("null")
  }

  /// Writes `true` or `false`.
  mutating func bool(_ value: Bool) {
    beginValue()
    append(value ? "true" : "false")
  }

  /// Writes a string.
  mutating func string(_ value: String) {
    beginValue()
    appendQuoted(value)
  }

  /// Writes a number with its own digits.
  mutating func number(_ value: JSONNumber) {
    beginValue()
    var text = value.text
    text.withUTF8 { append($0) }
  }

  /// Writes a key whose spelling was created without escaped slashes.
  @inline(never)
  private mutating func append(escapingSlashes quoted: UnsafeBufferPointer<UInt8>) {
    for byte in quoted {
      if byte == UInt8(ascii: "/") { append(UInt8(ascii: "\\")) }
      append(byte)
    }
  }

  // MARK: Strings

  private mutating func appendQuoted(_ string: String) {
    // `withUTF8` on a copy handles strings that are not contiguous, which native ones never are.
    if string.utf8.withContiguousStorageIfAvailable({ appendQuoted($0) }) == nil {
      var copy = string
      copy.withUTF8 { appendQuoted($0) }
    }
  }

  private mutating func appendQuoted(_ utf8: UnsafeBufferPointer<UInt8>) {
    let count = utf8.count
    // Two quotation marks and the words that are stored in whole.
    reserve(count &+ 10)
    bytes[length] = UInt8(ascii: "\"")
    length &+= 1
    if let address = utf8.baseAddress {
      var index = 0
      while index &+ 8 <= count {
        let word = UInt64(littleEndian: UnsafeRawPointer(address + index).loadUnaligned(as: UInt64.self))
        if stops(in: word) == 0 {
          UnsafeMutableRawPointer(bytes + length).storeBytes(of: word.littleEndian, as: UInt64.self)
          index &+= 8
          length &+= 8
        } else {
          for byte in index..<index &+ 8 { append(escaping: address[byte], remaining: count &- byte) }
          index &+= 8
        }
      }
      while index < count {
        append(escaping: address[index], remaining: count &- index)
        index &+= 1
      }
    }
    bytes[length] = UInt8(ascii: "\"")
    length &+= 1
  }

  /// Marks bytes that are written as escapes. The lowest mark is exact; bytes above ASCII are not marked.
  @inline(__always)
  private func stops(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    var stops = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- (ones &* 0x20)) & ~word
    if escapesSlashes {
      let slashes = word ^ (ones &* 0x2F)
      stops |= (slashes &- ones) & ~slashes
    }
    return stops & (ones &* 0x80)
  }

  /// Writes one byte of a string. Reserves capacity for the `remaining` bytes, this one included, and the quotation
  /// mark.
  @inline(__always)
  private mutating func append(escaping byte: UInt8, remaining: Int) {
    if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
      || escapesSlashes && byte == UInt8(ascii: "/")
    {
      appendEscape(byte, remaining: remaining)
    } else {
      bytes[length] = byte
      length &+= 1
    }
  }

  private mutating func appendEscape(_ byte: UInt8, remaining: Int) {
    reserve(remaining &+ 16)
    bytes[length] = UInt8(ascii: "\\")
    length &+= 1
    switch byte {
    case 0x08: append(UInt8(ascii: "b"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0..<0x20:
      append("u00")
      append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let digit = byte & 0x0F
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
    default: append(byte)
    }
  }
}

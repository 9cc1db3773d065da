/// A string or key inside the bytes of a document: checked, but not yet converted to a `String`.
///
/// It is valid as long as the bytes of the document are.
@_spi(ModelKitInternals)
public struct JSONRawString {
  /// The bytes between the quotation marks, escapes included.
  public let bytes: UnsafeBufferPointer<UInt8>
  /// The number of UTF-8 bytes of the string once its escapes are resolved.
  public let decodedCount: Int

  @usableFromInline
  @inline(__always)
  init(bytes: UnsafeBufferPointer<UInt8>, decodedCount: Int) {
    self.bytes = bytes
    self.decodedCount = decodedCount
  }

  /// Whether ``bytes`` differ from the string: every escape is longer than its character.
  @inlinable public var hasEscapes: Bool { decodedCount != bytes.count }

  /// The first bytes of the string as it is spelled, up to eight. Strings of equal length have the same ones if the
  /// heads are equal.
  @inlinable public var head: UInt64 { Self.head(of: bytes) }

  /// Returns the first bytes of a string, up to eight, as a number.
  @inlinable
  public static func head(of utf8: UnsafeBufferPointer<UInt8>) -> UInt64 {
    guard let start = utf8.baseAddress else { return 0 }
    let bytes = UnsafeRawPointer(start)
    if utf8.count >= 8 { return bytes.loadUnaligned(as: UInt64.self) }
    if utf8.count >= 4 {
      let low = UInt64(bytes.loadUnaligned(as: UInt32.self))
      let high = UInt64((bytes + (utf8.count - 4)).loadUnaligned(as: UInt32.self))
      return high &<< 32 | low
    }
    var word: UInt64 = 0
    for index in 0..<utf8.count { word = word &<< 8 | UInt64(utf8[index]) }
    return word
  }

  /// The string.
  public var string: String {
    if !hasEscapes { return String(decoding: bytes, as: UTF8.self) }
    return String(unsafeUninitializedCapacity: decodedCount) { decode(into: $0) }
  }

  /// Returns whether the string has exactly these bytes of UTF-8.
  ///
  /// - Complexity: O(*n*), where *n* is the length; constant when the lengths differ.
  public func equals(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    guard decodedCount == utf8.count else { return false }
    if hasEscapes { return string.utf8.elementsEqual(utf8) }
    var index = 0
    while index < utf8.count {
      guard bytes[index] == utf8[index] else { return false }
      index &+= 1
    }
    return true
  }

  /// Returns whether the string is the key, spelled with the same Unicode scalars.
  public static func == (raw: JSONRawString, key: String) -> Bool {
    if let isEqual = key.utf8.withContiguousStorageIfAvailable(raw.equals) { return isEqual }
    return raw.string.utf8.elementsEqual(key.utf8)
  }

  /// Writes the string with its escapes resolved, and returns ``decodedCount``.
  ///
  /// Relies on the scanner's check: every escape and every surrogate pair is complete.
  private func decode(into output: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var written = 0
    var index = 0
    func append(_ byte: UInt8) {
      output[written] = byte
      written &+= 1
    }
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == UInt8(ascii: "\\") else {
        append(byte)
        index &+= 1
        continue
      }
      let escape = bytes[index &+ 1]
      index &+= 2
      switch escape {
      case UInt8(ascii: "b"): append(0x08)
      case UInt8(ascii: "f"): append(0x0C)
      case UInt8(ascii: "n"): append(0x0A)
      case UInt8(ascii: "r"): append(0x0D)
      case UInt8(ascii: "t"): append(0x09)
      case UInt8(ascii: "u"):
        var value = hexadecimal(at: index)
        index &+= 4
        if value & 0xFC00 == 0xD800 {
          value = 0x10000 + ((value & 0x3FF) << 10 | hexadecimal(at: index &+ 2) & 0x3FF)
          index &+= 6
        }
        switch value {
        case 0..<0x80: append(UInt8(value))
        case 0x80..<0x800:
          append(0xC0 | UInt8(value >> 6))
          append(0x80 | UInt8(value & 0x3F))
        case 0x800..<0x10000:
          append(0xE0 | UInt8(value >> 12))
          append(0x80 | UInt8(value >> 6 & 0x3F))
          append(0x80 | UInt8(value & 0x3F))
        default:
          append(0xF0 | UInt8(value >> 18))
          append(0x80 | UInt8(value >> 12 & 0x3F))
          append(0x80 | UInt8(value >> 6 & 0x3F))
          append(0x80 | UInt8(value & 0x3F))
        }
      default: append(escape)
      }
    }
    return written
  }

  private func hexadecimal(at index: Int) -> UInt32 {
    var value: UInt32 = 0
    for digit in bytes[index..<index &+ 4] { value = value << 4 | UInt32(JSONScanner.hexadecimalDigit(digit)) }
    return value
  }
}

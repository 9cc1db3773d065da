#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The numbers of texts that were read before, by their bytes.
///
/// Texts of a column with few distinct ones are found here without creating strings.
struct RecentTexts {
  private struct Entry {
    var start = 0
    var count = -1
    var number: UInt16 = 0
  }

  /// The place of an entry has ten bits.
  private static let size = 1 << 10
  private var entries = Array(repeating: Entry(), count: size)
  private var bytes: [UInt8] = []

  /// Returns the number of a text; nil if it has to be determined.
  @inline(__always)
  func number(of text: UnsafeBufferPointer<UInt8>) -> UInt16? {
    let entry = entries[Self.place(of: text)]
    guard entry.count == text.count else { return nil }
    let isEqual = bytes.withUnsafeBytes { bytes in
      guard let known = bytes.baseAddress, let text = text.baseAddress else { return entry.count == 0 }
      return memcmp(known + entry.start, text, entry.count) == 0
    }
    return isEqual ? entry.number : nil
  }

  /// Keeps the number of a text in place of another one.
  mutating func keep(_ number: UInt16, of text: UnsafeBufferPointer<UInt8>) {
    // Many long texts are not worth their memory.
    guard text.count <= 64, bytes.count < 1 << 18 else { return }
    entries[Self.place(of: text)] = Entry(start: bytes.count, count: text.count, number: number)
    bytes.append(contentsOf: text)
  }

  @inline(__always)
  private static func place(of text: UnsafeBufferPointer<UInt8>) -> Int {
    // The first and the last eight bytes distinguish most texts.
    let bytes = UnsafeRawBufferPointer(text)
    var (first, last) = (UInt64(0), UInt64(0))
    if bytes.count >= 8 {
      first = bytes.loadUnaligned(as: UInt64.self)
      last = bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
    } else {
      for byte in bytes { first = first << 8 | UInt64(byte) }
    }
    let hash = (first ^ UInt64(truncatingIfNeeded: bytes.count)) &* 0x9E37_79B9_7F4A_7C15 ^ last
    return Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> 54)
  }
}

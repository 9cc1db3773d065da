/// The numbers of texts that were read before, by their bytes.
///
/// Texts of a column with few distinct ones are found here without creating strings.
struct RecentTexts {
  private struct Entry {
    var start = 0
    var count = -1
    var number: UInt16 = 0
  }

  private static let size = 1_024
  private var entries = Array(repeating: Entry(), count: size)
  private var bytes: [UInt8] = []

  /// Returns the number of a text; nil if it has to be determined.
  @inline(__always)
  func number(of text: UnsafeBufferPointer<UInt8>) -> UInt16? {
    let entry = entries[Self.place(of: text)]
    guard entry.count == text.count else { return nil }
    let isEqual = bytes.withUnsafeBufferPointer { bytes in
      for index in text.indices where bytes[entry.start &+ index] != text[index] { return false }
      return true
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
    var hash = UInt64(text.count)
    for byte in text.suffix(16) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return Int(truncatingIfNeeded: (hash ^ hash >> 32) & UInt64(size - 1))
  }
}

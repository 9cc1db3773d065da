@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The beginnings of the lines of one type, up to the quotation mark before the identifier. Lines that begin in the same
/// way as a parsed one are not parsed again.
struct RecordLineHeads {
  /// One for creates and one for updates.
  private var heads: [[UInt8]] = []

  /// Returns the range of the value of a line that begins as an earlier one; nil if it has to be parsed.
  @inline(__always)
  func value(in line: UnsafeRawBufferPointer, of expected: ExpectedRecord) -> Range<Int>? {
    guard let base = line.baseAddress, let identifier = expected.identifier.baseAddress else { return nil }
    let length = expected.identifier.count
    for head in heads {
      let start = LineLayout.prefixLength &+ head.count
      // The end of the identifier, a comma, a digit, a comma and the final bracket.
      guard start &+ length &+ 5 < line.count else { continue }
      let isHead = head.withUnsafeBytes { bytes in
        bytes.baseAddress.map { memcmp(base + LineLayout.prefixLength, $0, head.count) == 0 } ?? false
      }
      if !isHead { continue }
      guard memcmp(base + start, identifier, length) == 0, Self.isPlain(expected.identifier) else { return nil }
      var index = start &+ length
      guard line[index] == UInt8(ascii: "\""), line[index &+ 1] == UInt8(ascii: ",") else { return nil }
      index &+= 2
      let first = index
      var revision = 0 as UInt64
      while line[index] &- UInt8(ascii: "0") < 10 {
        revision = revision &* 10 &+ UInt64(line[index] &- UInt8(ascii: "0"))
        index &+= 1
        // Longer numbers are left to the parser.
        guard index &+ 2 < line.count, index &- first <= 18 else { return nil }
      }
      guard index > first, revision == expected.revision, line[index] == UInt8(ascii: ","),
        line[line.count &- 1] == UInt8(ascii: "]")
      else { return nil }
      return index &+ 1..<line.count &- 1
    }
    return nil
  }

  /// Keeps the beginning of a parsed line of the type.
  mutating func note(_ record: RecordLine, in line: UnsafeRawBufferPointer) {
    guard case .verbatim(let identifier) = record.identifier else { return }
    let head = Array(line[LineLayout.prefixLength..<identifier.lowerBound])
    if heads.contains(head) { return }
    if heads.count > 1 { heads.removeFirst() }
    heads.append(head)
  }

  /// Whether a line has the bytes of an identifier without escapes.
  @inline(__always)
  private static func isPlain(_ identifier: UnsafeRawBufferPointer) -> Bool {
    for byte in identifier where byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
    return true
  }
}

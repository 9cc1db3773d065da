/// The number of a file of a journal: an original segment, or the compacted form of one and all before it.
///
/// It has four bytes without padding, because the position of every model contains one.
package struct SegmentNumber: Sendable, Hashable, BitwiseCopyable, CustomStringConvertible {
  private static let compactedBit: UInt32 = 1 << 31

  /// The value in an index.
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The segment with a number.
  init(_ number: UInt32) { rawValue = number }

  /// Returns the number of the compacted form of all segments up to this one.
  static func compacted(_ number: UInt32) -> SegmentNumber {
    SegmentNumber(rawValue: number | compactedBit)
  }

  /// No file.
  static let none = SegmentNumber(rawValue: 0)

  /// The number of the segment, or of the last one that a compacted file replaces.
  var number: UInt32 { rawValue & ~Self.compactedBit }
  var isCompacted: Bool { rawValue & Self.compactedBit != 0 }

  package var description: String { StoreFormat.segment(self) }

  /// Returns the salt of the checksum of a line: its position, so that a line at another position is damaged. The first
  /// line of a file names its file itself.
  func salt(at offset: UInt64) -> UInt32 {
    if offset == 0 { return 0 }
    return UInt32(truncatingIfNeeded: offset) &+ UInt32(truncatingIfNeeded: offset >> 32) &* 0x85eb_ca6b
      &+ rawValue &* 0x9e37_79b1
  }

  /// The longest distance that ``distance(of:at:)`` finds. With a longer one, a damaged line could seem to be moved.
  private static let longestDistance = 1 << 20

  /// Returns the distance by which a line with a salt was moved to an offset; nil if its position is not nearby.
  func distance(of salt: UInt32, at offset: UInt64) -> Int? {
    let distance = Int(Int32(truncatingIfNeeded: self.salt(at: offset) &- salt))
    return abs(distance) <= Self.longestDistance ? distance : nil
  }
}

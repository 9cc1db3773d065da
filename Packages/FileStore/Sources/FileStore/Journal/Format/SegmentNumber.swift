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
}

/// The names and numbers of the format that `JournalFormat.md` describes.
enum StoreFormat {
  static let name = "modelkit-file-store"

  /// The version that is written, and the newest that is read.
  static let version: UInt64 = 2

  /// Far beyond what a journal can reach: larger numbers come from no journal of ours.
  static let largestSegment: UInt32 = 1 << 30
  static let largestBatch: UInt64 = 1 << 62

  static let manifest = "manifest.json"
  static let lock = "lock"
  static let groups = "groups"
  static let reserve = "reserve"
  static let closedMark = "closed.json"
  static let checkpoint = "index.checkpoint"

  /// The reason that is reported for a file whose single line is sound, but has no line break.
  static let missingLineBreak = "the line break at its end is missing, the line is sound"

  /// At the end of the names of files that are being written.
  static let unfinishedSuffix = ".new"
  private static let compactedSuffix = ".compacted.journal"

  /// Whether the store keeps names of types like this one to itself: those that begin with `@`.
  static func isReservedType(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "@") }

  /// Whether something in the directory of a store with this name belongs to the store, or may at another time.
  static func isOwnName(_ name: Substring) -> Bool {
    name == lock || name == groups || name == reserve || name.hasPrefix("manifest.") || name.hasPrefix("manifest-")
  }

  /// The number of the segment with this file name; nil if it is something else.
  static func segmentNumber(_ name: String) -> UInt32? {
    guard name.hasSuffix(".journal"), let number = UInt32(name.dropLast(8)), (1...largestSegment).contains(number),
      segment(SegmentNumber(number)) == name
    else { return nil }
    return number
  }

  /// The file name of a segment, or of what is left of it and all before it: "000001.compacted.journal".
  static func segment(_ segment: SegmentNumber) -> String {
    padded(segment.number) + (segment.isCompacted ? compactedSuffix : ".journal")
  }

  /// The number of the last segment that the file with this name replaces; nil if it is something else.
  static func compactedNumber(_ name: String) -> UInt32? {
    guard name.hasSuffix(compactedSuffix), let number = UInt32(name.dropLast(compactedSuffix.count)),
      (1...largestSegment).contains(number), padded(number) + compactedSuffix == name
    else { return nil }
    return number
  }

  /// Whether a file with this name is one of those that a journal consists of.
  static func isJournal(_ name: String) -> Bool { segmentNumber(name) != nil || compactedNumber(name) != nil }

  /// Whether a file with this name was being written and does not count.
  static func isUnfinished(_ name: String) -> Bool { name.hasSuffix(unfinishedSuffix) }

  /// The file name for the bytes that were cut off a segment at `offset`: "000001-4711.quarantine".
  static func quarantine(_ segment: UInt32, _ offset: UInt64, attempt: Int) -> String {
    "\(padded(segment))-\(offset)\(attempt > 1 ? "-\(attempt)" : "").quarantine"
  }

  /// The file name for what a manifest was before a repair: "manifest-1.quarantine".
  static func manifestQuarantine(_ number: Int) -> String { "manifest-\(number).quarantine" }

  private static func padded(_ number: UInt32) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}

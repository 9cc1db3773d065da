/// The names and numbers of the format that `JournalFormat.md` describes.
enum StoreFormat {
  static let name = "modelkit-file-store"

  /// The written version, and the newest readable one.
  static let version: UInt64 = 3

  /// The largest number of a segment. A larger number is not from a journal of this format.
  static let largestSegment: UInt32 = 1 << 30
  static let largestBatch: UInt64 = 1 << 62

  static let manifest = "manifest.json"
  static let lock = "lock"
  static let groups = "groups"
  static let reserve = "reserve"
  static let closedMark = "closed.json"
  static let checkpoint = "index.checkpoint"

  /// The reported reason for a file with an intact line without line break.
  static let missingLineBreak = "the line break at its end is missing, the line is intact"

  /// The suffix of unfinished files.
  static let unfinishedSuffix = ".new"
  private static let compactedSuffix = ".compacted.journal"

  /// The suffix of the files of a journal.
  static let journalSuffix = ".journal"

  /// Returns whether a type name is reserved: it begins with `@`.
  static func isReservedType(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "@") }

  /// Returns whether this name in the directory of a store is one that the store uses.
  static func isOwnName(_ name: Substring) -> Bool {
    name == lock || name == groups || name == reserve || name.hasPrefix("manifest.") || name.hasPrefix("manifest-")
  }

  /// Returns the number of the segment with this file name; nil if it is something else.
  static func segmentNumber(_ name: String) -> UInt32? {
    guard name.hasSuffix(".journal"), let number = UInt32(name.dropLast(8)), (1...largestSegment).contains(number),
      segment(SegmentNumber(number)) == name
    else { return nil }
    return number
  }

  /// Returns the file name of a segment, or of its compacted form: "000001.compacted.journal".
  static func segment(_ segment: SegmentNumber) -> String {
    padded(segment.number) + (segment.isCompacted ? compactedSuffix : ".journal")
  }

  /// Returns the number of the last segment that the file with this name replaces; nil if it is something else.
  static func compactedNumber(_ name: String) -> UInt32? {
    guard name.hasSuffix(compactedSuffix), let number = UInt32(name.dropLast(compactedSuffix.count)),
      (1...largestSegment).contains(number), padded(number) + compactedSuffix == name
    else { return nil }
    return number
  }

  /// Returns whether a file with this name is part of a journal.
  static func isJournal(_ name: String) -> Bool { segmentNumber(name) != nil || compactedNumber(name) != nil }

  /// Returns whether a file with this name is unfinished, and therefore ignored.
  static func isUnfinished(_ name: String) -> Bool { name.hasSuffix(unfinishedSuffix) }

  /// Returns the file name for the bytes that were cut off a segment at `offset`: "000001-4711.quarantine".
  static func quarantine(_ segment: UInt32, _ offset: UInt64, attempt: Int) -> String {
    "\(padded(segment))-\(offset)\(attempt > 1 ? "-\(attempt)" : "").quarantine"
  }

  /// Returns the file name for the manifest before a repair: "manifest-1.quarantine".
  static func manifestQuarantine(_ number: Int) -> String { "manifest-\(number).quarantine" }

  private static func padded(_ number: UInt32) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}

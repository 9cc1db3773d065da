@_spi(ModelKitInternals) import ModelCore

/// The comparison of two records without building JSON trees.
enum RecordDifference {
  /// Returns the topmost keys whose values have different bytes; nil if one of the records can't be read.
  ///
  /// - Complexity: O(*n*) in the size of the records if their keys come in the same order.
  static func keys(_ before: [UInt8], _ after: [UInt8]) -> [String]? {
    before.withUnsafeBytes { before in
      after.withUnsafeBytes { after in
        do { return try keys(before, after) } catch { return nil }
      }
    }
  }

  private static func keys(
    _ before: UnsafeRawBufferPointer, _ after: UnsafeRawBufferPointer
  ) throws -> [String] {
    var old = JSONScanner(before), new = JSONScanner(after)
    try old.beginObject()
    try new.beginObject()
    var different: [String] = []
    while true {
      guard let oldKey = try old.nextKey(), let newKey = try new.nextKey(), oldKey.bytes.elementsEqual(newKey.bytes)
      else { return try slowKeys(before, after) }
      let (oldValue, newValue) = (try value(&old), try value(&new))
      if !same(before, oldValue, after, newValue) { different.append(newKey.string) }
      var (oldEnd, newEnd) = (old, new)
      let (hasOld, hasNew) = (try oldEnd.nextKey() != nil, try newEnd.nextKey() != nil)
      if !hasOld && !hasNew { return different }
    }
  }

  private static func value(_ scanner: inout JSONScanner) throws -> Range<Int> {
    scanner.skipWhitespace()
    let start = scanner.offset
    try scanner.skipValue()
    return start..<scanner.offset
  }

  private static func same(
    _ before: UnsafeRawBufferPointer, _ old: Range<Int>, _ after: UnsafeRawBufferPointer, _ new: Range<Int>
  ) -> Bool {
    old.count == new.count
      && UnsafeRawBufferPointer(rebasing: before[old]).elementsEqual(UnsafeRawBufferPointer(rebasing: after[new]))
  }

  /// Compares records whose keys differ, or are in different orders.
  private static func slowKeys(_ before: UnsafeRawBufferPointer, _ after: UnsafeRawBufferPointer) throws -> [String] {
    let old = try members(before), new = try members(after)
    var different: [String] = []
    for (key, range) in new {
      if let other = old[key], same(before, other, after, range) { continue }
      different.append(key)
    }
    for key in old.keys where new[key] == nil { different.append(key) }
    return different.sorted()
  }

  private static func members(_ record: UnsafeRawBufferPointer) throws -> [String: Range<Int>] {
    var members: [String: Range<Int>] = [:]
    var scanner = JSONScanner(record)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let name = key.string
      members[name] = try value(&scanner)
    }
    return members
  }
}

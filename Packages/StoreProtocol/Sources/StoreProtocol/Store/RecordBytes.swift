import Foundation
@_spi(ModelKitInternals) import ModelCore

/// Operations on records as bytes of JSON, without building trees.
enum RecordBytes {
  /// Returns a JSON document with a list of records.
  static func list(of records: [[UInt8]]) -> Data {
    let count = records.reduce(2 + max(0, records.count - 1)) { $0 + $1.count }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    bytes[0] = UInt8(ascii: "[")
    var end = 1
    for record in records {
      if end > 1 {
        bytes[end] = UInt8(ascii: ",")
        end += 1
      }
      record.withUnsafeBytes { bytes[end...].copyBytes(from: $0) }
      end += record.count
    }
    bytes[end] = UInt8(ascii: "]")
    guard let start = bytes.baseAddress else { return Data() }
    return Data(bytesNoCopy: start, count: count, deallocator: .custom { start, _ in start.deallocate() })
  }

  /// Returns a record in which the members of another one replace members with the same key. New members are inserted
  /// in the order of the keys, if they are sorted.
  ///
  /// - Returns: nil if comparing the keys needs a tree, or these are not objects.
  static func merging(_ changes: [UInt8], into older: [UInt8]) -> [UInt8]? {
    changes.withUnsafeBytes { changes in
      older.withUnsafeBytes { older in
        guard let new = members(of: changes), let old = members(of: older) else { return nil }
        return merging(changes, new, into: older, old)
      }
    }
  }

  /// Returns the value of a member of a record; nil if there is none.
  static func value(of key: String, in record: [UInt8]) -> JSONValue? {
    record.withUnsafeBytes { bytes in
      var key = key
      do {
        var scanner = JSONScanner(bytes)
        try scanner.beginObject()
        while let next = try scanner.nextKey() {
          // Other keys can be equal without having the same bytes.
          if next.hasEscapes || next.bytes.contains(where: { $0 >= 0x80 }) {
            return (try? JSONValue(json: record))?[key]
          }
          scanner.skipWhitespace()
          let start = scanner.offset
          try scanner.skipValue()
          guard key.withUTF8({ $0.elementsEqual(next.bytes) }) else { continue }
          return try? JSONValue(json: UnsafeRawBufferPointer(rebasing: bytes[start..<scanner.offset]))
        }
      } catch {}
      return nil
    }
  }

  /// A key without quotation marks, and the range of its value.
  private struct Member {
    let key: UnsafeBufferPointer<UInt8>
    let value: Range<Int>

    func isBefore(_ other: Member) -> Bool { key.lexicographicallyPrecedes(other.key) }

    func hasKey(of other: Member) -> Bool { key.count == other.key.count && key.elementsEqual(other.key) }
  }

  private static func members(of record: UnsafeRawBufferPointer) -> [Member]? {
    var members: [Member] = []
    members.reserveCapacity(16)
    do {
      var scanner = JSONScanner(record)
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        // Other keys can be equal without having the same bytes.
        if key.hasEscapes || key.bytes.contains(where: { $0 >= 0x80 }) { return nil }
        scanner.skipWhitespace()
        let start = scanner.offset
        try scanner.skipValue()
        members.append(Member(key: key.bytes, value: start..<scanner.offset))
      }
      return members
    } catch {
      return nil
    }
  }

  private static func merging(
    _ changes: UnsafeRawBufferPointer, _ new: [Member], into older: UnsafeRawBufferPointer, _ old: [Member]
  ) -> [UInt8] {
    var added = new.filter { member in !old.contains { $0.hasKey(of: member) } }[...]
    var record: [UInt8] = []
    record.reserveCapacity(older.count + changes.count)
    func add(_ member: Member, of bytes: UnsafeRawBufferPointer) {
      record.append(record.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
      record.append(UInt8(ascii: "\""))
      record.append(contentsOf: member.key)
      record.append(UInt8(ascii: "\""))
      record.append(UInt8(ascii: ":"))
      record.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[member.value]))
    }
    for member in old {
      while let first = added.first, first.isBefore(member) {
        add(first, of: changes)
        added.removeFirst()
      }
      if let replacing = new.first(where: { $0.hasKey(of: member) }) {
        add(replacing, of: changes)
      } else {
        add(member, of: older)
      }
    }
    for member in added { add(member, of: changes) }
    if record.isEmpty { record.append(UInt8(ascii: "{")) }
    record.append(UInt8(ascii: "}"))
    return record
  }
}

@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The name and revision of a record in the index. The line must have the same.
struct ExpectedRecord {
  let type: UnsafeRawBufferPointer
  let identifier: UnsafeRawBufferPointer
  let revision: UInt64

  /// Returns whether a line is that of the record.
  func matches(_ record: RecordLine, in line: UnsafeRawBufferPointer) -> Bool {
    record.revision == revision && record.operation != .delete
      && record.identifier.withBytes(in: line) { Self.areEqual($0, identifier) }
      && record.type.withBytes(in: line) { Self.areEqual($0, type) }
  }

  private static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard one.count == other.count, let first = one.baseAddress, let second = other.baseAddress else {
      return one.count == other.count
    }
    return memcmp(first, second, one.count) == 0
  }
}

/// Records of one type to read, with their positions and the expected content of their lines.
struct RecordSelection: Sendable {
  let type: [UInt8]
  let entries: [TypeIndex.Entry]

  /// The concatenated identifiers of the entries, and the offset of the first in the index.
  private let identifiers: [UInt8]
  private let base: UInt64

  /// - Parameters:
  ///   - entries: Entries of one index, in their order.
  ///   - identifiers: The identifiers of that index.
  init(_ entries: [TypeIndex.Entry], of type: [UInt8], identifiers: [UInt8]) {
    self.type = type
    self.entries = entries
    base = entries.first?.identifierStart ?? 0
    let end = entries.last.map { $0.identifierStart + UInt64($0.identifierLength) } ?? 0
    // Only the needed bytes: if this kept the whole array, the next write would copy it.
    self.identifiers = Array(identifiers[Int(base)..<Int(end)])
  }

  init(_ records: ArraySlice<IndexedRecord<FileSnapshot.Location>>) {
    type = records.first?.location.type ?? []
    base = 0
    var identifiers: [UInt8] = []
    entries = records.map { record in
      let start = identifiers.count
      identifiers.append(contentsOf: record.identifier.utf8)
      return TypeIndex.Entry(
        place: record.location.position, identifierStart: UInt64(start),
        identifierLength: UInt32(identifiers.count - start),
        revision: record.location.revision, ordinal: record.order)
    }
    self.identifiers = identifiers
  }

  func identifier(_ number: Int) -> String { String(decoding: identifiers[range(number)], as: UTF8.self) }

  /// Calls `body` with the expected content of a record's line.
  func withExpected<Result>(_ number: Int, _ body: (ExpectedRecord) throws -> Result) rethrows -> Result {
    try type.withUnsafeBytes { type in
      try identifiers.withUnsafeBytes { bytes in
        try body(
          ExpectedRecord(
            type: type, identifier: UnsafeRawBufferPointer(rebasing: bytes[range(number)]),
            revision: entries[number].revision))
      }
    }
  }

  private func range(_ number: Int) -> Range<Int> {
    let start = Int(entries[number].identifierStart - base)
    return start..<start + Int(entries[number].identifierLength)
  }
}

/// A position in the list of the models of a type. It stays valid while models are added and removed.
package struct CreationCursor: Sendable, Equatable {
  var ordinal: UInt64

  /// The generation of the list that it belongs to; nil for any. See ``JournalIndex/generation``.
  var generation: UInt64?

  /// Before the first model.
  package static let start = CreationCursor(ordinal: 0)
}

/// The error for a cursor of a list that was replaced, so that the reader has to restart. The causes are a repair, and
/// a compaction of another process.
struct RecordsWereReplaced: Error {}

/// Some models of one type, in the order in which they were created.
package struct Chunk: Sendable {
  /// One model of a chunk.
  package struct Row: Sendable {
    package var identifier: String
    package var revision: UInt64

    /// A number that rises with each creation of a model of the type, and stays the same as long as the model exists.
    package var ordinal: UInt64

    /// The range of its value in ``Chunk/bytes``.
    package var value: Range<Int>
  }

  /// The values, among other bytes.
  package var bytes: [UInt8] = []
  package var rows: [Row] = []

  /// The models whose records turned out to be damaged; they are not in ``rows``.
  package var damages: [IntegrityIssue] = []

  /// The identifiers of these models, in the order of ``damages``.
  package var damagedIdentifiers: [String] = []

  /// The next cursor; nil after the last chunk.
  package var next: CreationCursor?

  /// Returns the JSON of a row.
  package func value(_ row: Row) -> ArraySlice<UInt8> { bytes[row.value] }
}

/// The values of some models of one type, in the order in which they were created, as one JSON list.
package struct RecordList: Sendable {
  /// `[` value `,` value … `]`
  package var bytes: [UInt8] = []

  /// The ranges of the values in ``bytes``.
  var values: [Range<Int>] = []

  /// The number of values.
  package var count: Int { values.count }

  /// The records of the list, and those that turned out to be damaged.
  var selection: RecordSelection?

  /// The models whose records turned out to be damaged; they are not in the list.
  package var damages: [IntegrityIssue] = []

  /// The next cursor; nil after the last part.
  package var next: CreationCursor?
}

/// Some models of one type, in the order in which they were created, as the bytes of the files.
struct RecordPieces: Sendable {
  /// The bytes that were read with one call each, their offsets in the file, and the numbers of the records in them.
  fileprivate var pieces: [(numbers: Range<Int>, bytes: [UInt8], start: UInt64)] = []

  /// The records; nil for none.
  fileprivate var selection: RecordSelection?

  /// The number of records.
  var count: Int { selection?.entries.count ?? 0 }

  /// The next cursor; nil after the last part.
  var next: CreationCursor?
}

/// The reason why a scan of records ended.
enum ScanEnd {
  /// There are no further records.
  case complete
  /// The receiver wants no further record.
  case satisfied
  /// A record turned out to be damaged.
  case damaged
}

extension JournalContents {
  /// The maximum gap between two records that are read with one call.
  private static let gapReadAlong: UInt64 = 4_096

  /// The approximate maximum number of bytes of one read call.
  private static let pieceSize: UInt64 = 1 << 20

  /// Returns the models that were created after `cursor`: at most `limit`, and none after `byteLimit` bytes. May block
  /// on the disk.
  ///
  /// - Throws: ``RecordsWereReplaced``, ``FileSystemError``.
  func chunk(of type: String, after cursor: CreationCursor, limit: Int, byteLimit: Int) throws -> Chunk {
    try readingAgainIfMoved {
      var chunk = Chunk()
      guard let (selection, next) = try select(type, after: cursor, limit: limit, byteLimit: byteLimit) else {
        return chunk
      }
      chunk.next = next
      chunk.rows = selection.entries.indices.map {
        Chunk.Row(
          identifier: selection.identifier($0), revision: selection.entries[$0].revision,
          ordinal: selection.entries[$0].ordinal, value: 0..<0)
      }
      var damaged: Set<Int> = []
      try forEachRecord(selection) { number, line, value in
        if let value {
          let base = chunk.bytes.count
          chunk.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: line[value]))
          chunk.rows[number].value = base..<chunk.bytes.count
        } else {
          chunk.damages.append(damage(at: selection.entries[number].place, in: line))
          chunk.damagedIdentifiers.append(chunk.rows[number].identifier)
          damaged.insert(number)
        }
      }
      if !damaged.isEmpty {
        chunk.rows = chunk.rows.enumerated().filter { !damaged.contains($0.offset) }.map(\.element)
      }
      return chunk
    }
  }

  /// Returns the models that were created after `cursor`, and the cursor after them; nil if the type has none.
  private func select(
    _ type: String, after cursor: CreationCursor, limit: Int, byteLimit: Int
  ) throws -> (RecordSelection, CreationCursor?)? {
    try withIndex { index in
      // Looked up each time: the index may have been replaced by one with other type numbers.
      guard let number = index.number(of: type) else { return nil }
      let (entries, next) = try index.liveEntries(
        ofType: number, after: cursor, limit: limit, byteLimit: byteLimit)
      return (index.selection(entries, ofType: number), next)
    }
  }

  /// Returns the same as one list.
  func list(of type: String, after cursor: CreationCursor, limit: Int, byteLimit: Int) throws -> RecordList {
    try readingAgainIfMoved {
      var list = RecordList()
      guard let (selection, next) = try select(type, after: cursor, limit: limit, byteLimit: byteLimit) else {
        list.bytes = Array("[]".utf8)
        return list
      }
      list.next = next
      list.selection = selection
      list.bytes.reserveCapacity(selection.entries.reduce(2) { $0 + Int($1.place.length) })
      list.bytes.append(UInt8(ascii: "["))
      list.values.reserveCapacity(selection.entries.count)
      try forEachRecord(selection) { number, line, value in
        if let value {
          if list.count > 0 { list.bytes.append(UInt8(ascii: ",")) }
          let start = list.bytes.count
          list.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: line[value]))
          list.values.append(start..<list.bytes.count)
        } else {
          list.damages.append(damage(at: selection.entries[number].place, in: line))
        }
      }
      list.bytes.append(UInt8(ascii: "]"))
      return list
    }
  }

  /// Returns the same as the bytes of the files.
  func pieces(of type: String, after cursor: CreationCursor, limit: Int, byteLimit: Int) throws -> RecordPieces {
    try readingAgainIfMoved {
      var part = RecordPieces()
      guard let (selection, next) = try select(type, after: cursor, limit: limit, byteLimit: byteLimit) else {
        return part
      }
      (part.selection, part.next) = (selection, next)
      try forEachPiece(selection) { numbers, bytes, start in part.pieces.append((numbers, bytes, start)) }
      return part
    }
  }

  /// Calls a closure with the bytes of each value, until it returns `false` or a record is damaged.
  ///
  /// - Parameter heads: the beginnings of the lines of the type so far.
  func forEachValue(
    in part: RecordPieces, _ heads: inout RecordLineHeads, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ScanEnd {
    guard let selection = part.selection else { return .complete }
    for (numbers, bytes, start) in part.pieces {
      let end = try bytes.withUnsafeBytes { bytes in
        for number in numbers {
          let (line, value) = value(number, of: selection, in: bytes, from: start, &heads)
          guard let value else { return ScanEnd.damaged }
          if try !body(UnsafeRawBufferPointer(rebasing: line[value])) { return .satisfied }
        }
        return .complete
      }
      if end != .complete { return end }
    }
    return .complete
  }

  /// Returns parts of the models of a type that follow each other, by the cursor before each and the number of models.
  func parts(of type: String, count: Int) -> [(start: CreationCursor, count: Int)] {
    withIndex { index in
      guard let number = index.number(of: type) else { return [] }
      let total = index.types[number].liveCount
      return (0..<count).map { part in
        let first = total * part / count
        let start = CreationCursor(
          ordinal: index.types[number].ordinal(ofLast: first), generation: index.generation)
        return (start, total * (part + 1) / count - first)
      }
    }
  }

  /// Reads records in their order, and adjacent ones with one call.
  ///
  /// - Parameter body: is called with the number of each, the bytes at its position, and the range of the value. The
  ///   range is nil if the bytes are not the expected record.
  func forEachRecord(
    _ selection: RecordSelection, _ body: (Int, UnsafeRawBufferPointer, Range<Int>?) throws -> Void
  ) throws {
    var heads = RecordLineHeads()
    try forEachPiece(selection) { numbers, bytes, start in
      try bytes.withUnsafeBytes { bytes in
        for number in numbers {
          let (line, value) = value(number, of: selection, in: bytes, from: start, &heads)
          try body(number, line, value)
        }
      }
    }
  }

  /// Reads the bytes of adjacent records with one call.
  ///
  /// - Parameter body: Is called with the numbers of the records, their bytes, and the offset of the bytes in the file.
  private func forEachPiece(
    _ selection: RecordSelection, _ body: (Range<Int>, [UInt8], UInt64) throws -> Void
  ) throws {
    let entries = selection.entries
    var first = 0
    while first < entries.count {
      let start = entries[first].place
      var end = start.offset + UInt64(start.length)
      var next = first + 1
      while next < entries.count {
        let place = entries[next].place
        guard place.segment == start.segment, place.offset >= end, place.offset - end <= Self.gapReadAlong,
          place.offset - start.offset < Self.pieceSize
        else { break }
        end = place.offset + UInt64(place.length)
        next += 1
      }
      try body(first..<next, bytes(of: start.segment, from: start.offset, to: end), start.offset)
      first = next
    }
  }

  /// Finds the value of a record in the bytes of a file.
  ///
  /// - Parameter start: the offset of the bytes in the file.
  /// - Returns: the bytes at the position of the record, and the range of the value in them. The range is nil if the
  ///   bytes are not the expected record.
  @inline(__always)
  private func value(
    _ number: Int, of selection: RecordSelection, in bytes: UnsafeRawBufferPointer, from start: UInt64,
    _ heads: inout RecordLineHeads
  ) -> (line: UnsafeRawBufferPointer, value: Range<Int>?) {
    let place = selection.entries[number].place
    let begin = min(Int(place.offset - start), bytes.count)
    let line = UnsafeRawBufferPointer(rebasing: bytes[begin..<min(begin + Int(place.length), bytes.count)])
    return (line, selection.withExpected(number) { valueRange(in: line, at: place, $0, &heads) })
  }

  private func bytes(of segment: SegmentNumber, from start: UInt64, to end: UInt64) throws -> [UInt8] {
    try openFile(segment).bytes(from: start, count: Int(end - start))
  }
}

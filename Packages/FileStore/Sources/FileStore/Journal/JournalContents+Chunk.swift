/// A place in the list of a type's models, which stays right while models come and go.
package struct CreationCursor: Sendable, Equatable {
  var ordinal: UInt64

  /// Before the first model.
  package static let start = CreationCursor(ordinal: 0)
}

/// Some models of one type, in the order in which they were created.
package struct Chunk: Sendable {
  /// One model of a chunk.
  package struct Row: Sendable {
    package var identifier: String
    package var revision: UInt64

    /// Where its value stands in ``Chunk/bytes``.
    package var value: Range<Int>
  }

  /// The values, among other bytes.
  package var bytes: [UInt8] = []
  package var rows: [Row] = []

  /// The models whose records turned out to be damaged; they are not in ``rows``.
  package var damages: [Finding] = []

  /// Where to go on; nil after the last chunk.
  package var next: CreationCursor?

  /// The JSON of a row.
  package func value(_ row: Row) -> ArraySlice<UInt8> { bytes[row.value] }
}

extension JournalContents {
  /// Bytes between two records that are rather read along than skipped with a call of their own.
  private static let gapReadAlong = 4_096

  /// The models that were created after `cursor`: at most `limit`, and no more after `byteLimit` bytes. May wait for the
  /// disk.
  func chunk(ofType type: Int, after cursor: CreationCursor, limit: Int, byteLimit: Int) throws -> Chunk {
    var chunk = Chunk()
    let entries = withIndex { index in
      let type = index.types[type]
      var entries: [TypeIndex.Entry] = []
      var position = type.index(after: cursor.ordinal)
      var size = 0
      while position < type.entries.count, entries.count < limit, size < byteLimit {
        let entry = type.entries[position]
        position += 1
        guard entry.isLive else { continue }
        entries.append(entry)
        chunk.rows.append(
          Chunk.Row(identifier: type.identifier(of: entry), revision: entry.revision, value: 0..<0))
        size += Int(entry.place.length)
      }
      if position < type.entries.count, let last = entries.last {
        chunk.next = CreationCursor(ordinal: last.ordinal)
      }
      return entries
    }
    try read(entries, into: &chunk)
    return chunk
  }

  /// Reads records, neighbours of a file together, and leaves out those that are damaged.
  private func read(_ entries: [TypeIndex.Entry], into chunk: inout Chunk) throws {
    var damaged: Set<Int> = []
    var first = 0
    while first < entries.count {
      let start = entries[first].place
      var end = UInt64(start.offset) + UInt64(start.length)
      var next = first + 1
      while next < entries.count, entries[next].place.segment == start.segment,
        UInt64(entries[next].place.offset) >= end,
        UInt64(entries[next].place.offset) - end <= Self.gapReadAlong
      {
        end = UInt64(entries[next].place.offset) + UInt64(entries[next].place.length)
        next += 1
      }
      let base = chunk.bytes.count
      chunk.bytes += try bytes(of: start.segment, from: UInt64(start.offset), to: end)
      for index in first..<next {
        let place = entries[index].place
        let begin = base + Int(place.offset - start.offset)
        let stop = min(begin + Int(place.length), chunk.bytes.count)
        let range = chunk.bytes.withUnsafeBytes { bytes in
          valueRange(in: UnsafeRawBufferPointer(rebasing: bytes[min(begin, stop)..<stop]), at: place)
        }
        if let range {
          chunk.rows[index].value = begin + range.lowerBound..<begin + range.upperBound
        } else {
          chunk.damages.append(damage(at: place))
          damaged.insert(index)
        }
      }
      first = next
    }
    if !damaged.isEmpty {
      chunk.rows = chunk.rows.enumerated().filter { !damaged.contains($0.offset) }.map(\.element)
    }
  }

  private func bytes(of segment: UInt32, from start: UInt64, to end: UInt64) throws -> [UInt8] {
    let file = try openFile(segment)
    return try [UInt8](unsafeUninitializedCapacity: Int(end - start)) { buffer, count in
      count = try file.readFully(into: UnsafeMutableRawBufferPointer(buffer), at: start)
    }
  }
}

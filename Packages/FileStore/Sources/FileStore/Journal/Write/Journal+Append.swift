@_spi(ModelKitInternals) import StoreEngine

extension Journal {
  /// Larger batches are written in pieces of this size: the disk writes one while the next is encoded in the same
  /// memory.
  private static let pieceSize = 1 << 20

  /// Writes batches in order. After a crash each batch is complete or missing, and no batch follows a missing one.
  ///
  /// Records the positions of the records. They are not in the index yet.
  ///
  /// - Throws: an error. The journal then has nothing of these batches.
  func append(_ batches: inout [AdmittedBatch]) throws {
    try refuseAfterFailure()
    try refuseWithoutLock()
    // Before anything is recorded as written.
    _ = try openedFile()
    let estimate = batches.reduce(0) { $0 + $1.estimatedSize }
    let isLong = estimate > Self.pieceSize
    // The segment of a short batch is chosen when its length is known.
    if isLong { _ = try makeRoom(for: estimate) }
    var lines = makeEncoder(estimate)
    try encode(&batches, in: &lines, isLong: isLong)
    if !isLong {
      if try makeRoom(for: lines.bytes.count) {
        // The checksums cover the positions.
        lines = makeEncoder(estimate)
        try encode(&batches, in: &lines, isLong: false)
      }
      let written = lines.bytes.count
      lines.fill(takeFilling(behind: UInt64(written)))
      try write(&lines)
      return noteAppended(batches.count, bytes: UInt64(written))
    }
    try write(&lines)
    noteAppended(batches.count, bytes: lines.end - end)
  }

  private func makeEncoder(_ estimate: Int) -> LineEncoder {
    var lines = LineEncoder(SegmentNumber(segment), from: end)
    lines.reserve(min(estimate, Self.pieceSize + Self.pieceSize / 8))
    return lines
  }

  /// Encodes the lines of batches, and records their positions. A long batch is written piece by piece.
  private func encode(_ batches: inout [AdmittedBatch], in lines: inout LineEncoder, isLong: Bool) throws {
    let number = SegmentNumber(segment)
    for batch in batches.indices {
      lines.batch(number: lastBatch + UInt64(batch) + 1, count: batches[batch].records.count, synced: syncedBatch)
      for index in batches[batch].records.indices {
        let line = lines.record(batches[batch].changes[index], revision: batches[batch].records[index].revision)
        batches[batch].records[index].place = RecordLocation(
          segment: number, length: UInt32(truncatingIfNeeded: line.count),
          offset: lines.start + UInt64(line.lowerBound))
        if isLong, lines.bytes.count >= Self.pieceSize { try write(&lines) }
      }
    }
  }

  /// Begins another segment if the bytes do not fit in this one, and preallocates space for them.
  ///
  /// - Returns: Whether another segment has begun.
  private func makeRoom(for count: Int) throws -> Bool {
    guard count <= Self.largestBatch else { throw FileEngineError.batchTooLarge(bytes: count) }
    let isFull = hasBatches && end + UInt64(count) > segmentLimit
    if isFull { try beginSegment() }
    reserve(UInt64(count))
    return isFull
  }

  /// Writes the encoded lines. If that fails, all of them are removed.
  private func write(_ lines: inout LineEncoder) throws {
    let (count, offset) = (lines.bytes.count, lines.start)
    let file: any StoreFile
    do {
      guard lines.end - end <= Self.largestBatch else {
        throw FileEngineError.batchTooLarge(bytes: Int(lines.end - end))
      }
      file = try openedFile()
      try file.writeFully(lines.bytes, at: offset)
    } catch {
      takeBack(error)
      throw error
    }
    if offset > end || count >= Self.pieceSize { file.beginSynchronizing(from: offset, length: UInt64(count)) }
    lines.removeAll()
  }
}

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
    if isLong { try makeRoom(for: estimate) }
    var lines = LineEncoder()
    lines.reserve(min(estimate, Self.pieceSize + Self.pieceSize / 8))
    var written = 0
    for batch in batches.indices {
      lines.batch(number: lastBatch + UInt64(batch) + 1, count: batches[batch].records.count, synced: syncedBatch)
      for index in batches[batch].records.indices {
        let line = lines.record(batches[batch].changes[index], revision: batches[batch].records[index].revision)
        batches[batch].records[index].place = RecordLocation(
          segment: .none, length: UInt32(truncatingIfNeeded: line.count), offset: UInt64(written + line.lowerBound))
        if isLong, lines.bytes.count >= Self.pieceSize { try write(&lines, &written) }
      }
    }
    if isLong {
      try write(&lines, &written)
    } else {
      try makeRoom(for: lines.bytes.count)
      let zeros = takeFilling(behind: UInt64(lines.bytes.count))
      lines.fill(zeros)
      try write(&lines, &written)
      written -= zeros
    }
    let (number, start) = (SegmentNumber(segment), end)
    noteAppended(batches.count, bytes: UInt64(written))
    for batch in batches.indices {
      for index in batches[batch].records.indices {
        batches[batch].records[index].place.segment = number
        batches[batch].records[index].place.offset += start
      }
    }
  }

  /// Begins another segment if the bytes do not fit in this one, and preallocates space for them.
  private func makeRoom(for count: Int) throws {
    guard count <= Self.largestBatch else { throw FileEngineError.batchTooLarge(bytes: count) }
    if hasBatches, end + UInt64(count) > segmentLimit { try beginSegment() }
    reserve(UInt64(count))
  }

  /// Writes the encoded lines. If that fails, all of them are removed.
  private func write(_ lines: inout LineEncoder, _ written: inout Int) throws {
    let (count, offset) = (lines.bytes.count, end + UInt64(written))
    let file: any StoreFile
    do {
      guard written + count <= Self.largestBatch else { throw FileEngineError.batchTooLarge(bytes: written + count) }
      file = try openedFile()
      try file.writeFully(lines.bytes, at: offset)
    } catch {
      takeBack(error)
      throw error
    }
    if written > 0 || count >= Self.pieceSize { file.beginSynchronizing(from: offset, length: UInt64(count)) }
    written += count
    lines.removeAll()
  }
}

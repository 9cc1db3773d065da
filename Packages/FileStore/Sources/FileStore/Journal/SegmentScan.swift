/// Reads one segment from its beginning to its end and hands its lines to a replay.
struct SegmentScan {
  let file: any StoreFile
  let segment: UInt32
  let group: String
  let folder: String

  /// How far a segment reaches.
  struct Extent {
    /// Behind the last byte that is not reserved room.
    var dataEnd: UInt64 = 0

    /// Behind the last line break.
    var lineEnd: UInt64 = 0
  }

  /// - Throws: ``FileEngineError`` if a newer version wrote the segment, or it belongs to another group.
  func run(into replay: inout Replay) throws -> Extent {
    var extent = Extent()
    var scanner = LineScanner(file)
    while let piece = try scanner.next() {
      if piece.isTerminated {
        extent.lineEnd = piece.offset + UInt64(piece.bytes.count) + 1
        extent.dataEnd = extent.lineEnd
      } else if let last = piece.bytes.lastIndex(where: { $0 != 0 }) {
        extent.dataEnd = piece.offset + UInt64(last) + 1
      }
      try take(piece, into: &replay)
    }
    return extent
  }

  private func take(_ piece: LineScanner.Piece, into replay: inout Replay) throws {
    var bytes = piece.bytes
    var offset = piece.offset
    func advance(_ count: Int) {
      bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
      offset += UInt64(count)
    }
    repeat {
      if piece.isTerminated, LineParser.isSound(bytes) { return try accept(bytes, at: offset, into: &replay) }
      if let zero = bytes.firstIndex(of: 0) {
        // No line has a zero byte: it is reserved room, or a block that was never written. What follows it may be sound.
        if zero > 0 { replay.takeDamage(at: offset, length: UInt64(zero), "the line is incomplete") }
        advance(zero)
        let zeros = bytes.firstIndex { $0 != 0 } ?? bytes.count
        if zeros == bytes.count, !piece.isTerminated { return }
        replay.takeDamage(at: offset, length: UInt64(zeros), "there are zeros instead of data")
        advance(zeros)
      } else if let length = LineParser.soundPrefix(bytes) {
        let line = UnsafeRawBufferPointer(rebasing: bytes[..<length])
        try accept(line, at: offset, into: &replay)
        replay.note(at: offset + UInt64(length), length: 1, "the line break is damaged, the lines around it are sound")
        advance(length + 1)
      } else {
        let reason = piece.isTerminated ? "the line does not match its checksum" : "the line is incomplete"
        return replay.takeDamage(at: offset, length: UInt64(bytes.count), reason)
      }
    } while !bytes.isEmpty
  }

  private func accept(_ line: UnsafeRawBufferPointer, at offset: UInt64, into replay: inout Replay) throws {
    guard offset + UInt64(line.count) <= UInt64(UInt32.max) else {
      return replay.takeDamage(at: offset, length: UInt64(line.count), "a segment can't be that long")
    }
    switch LineParser.parse(line) {
    case .record(let record): replay.takeRecord(record, in: line, at: offset)
    case .batch(let number, let count, let synced) where (1...StoreFormat.largestBatch).contains(number):
      replay.takeBatch(number: number, count: count, synced: synced, at: offset)
    case .segment(let version, let number, let firstBatch, let group) where offset == 0:
      guard version <= StoreFormat.version else {
        throw FileEngineError.newerFormat(path: file.path, version: version, supported: StoreFormat.version)
      }
      guard group.utf8.elementsEqual(self.group.utf8) else {
        throw FileEngineError.wrongGroup(folder: folder, expected: self.group, found: group)
      }
      if number != segment {
        replay.note(at: 0, length: UInt64(line.count), "the file was segment \(number) of its journal")
      }
      replay.takeSegment(firstBatch: firstBatch)
    case .unknown(let kind):
      throw FileEngineError.unknownOperation(name: kind, file: file.path, offset: offset)
    default: replay.takeDamage(at: offset, length: UInt64(line.count), "the line does not belong here")
    }
  }
}

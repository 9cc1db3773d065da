@_spi(ModelKitInternals) import StoreEngine

/// Reads one segment to its end, and passes its lines to a replay.
struct SegmentScan {
  /// The maximum length of a line, so that lengths fit in 32 bits.
  private static let longestLine = 1 << 31

  let file: any StoreFile
  let segment: SegmentNumber
  let group: String
  let folder: String

  /// The start: the first line, or the end of the last known one.
  var start: UInt64 = 0

  /// The offset at which reading ends.
  var end = UInt64.max

  /// The extent of a segment.
  struct Extent {
    /// The end of the data, before preallocated space.
    var dataEnd: UInt64 = 0

    /// The end of the last line break.
    var lineEnd: UInt64 = 0

    /// The expected number of records of a compacted file, and the number in its lines.
    var records: (expected: UInt64, found: UInt64) = (0, 0)

    /// The number of bytes by which the lines from some line on were moved, because bytes before them were added or
    /// removed.
    var shift = 0
  }

  /// The number of bytes, about, that are read between two calls of `shouldStop`.
  static let stopInterval: UInt64 = 1 << 20

  /// - Parameter shouldStop: is called at intervals.
  /// - Throws: ``FileEngineError`` if a newer version wrote the segment, or it belongs to another group;
  ///   `CancellationError` if it should stop.
  func run(into replay: inout Replay, shouldStop: () -> Bool = { false }) throws -> Extent {
    var extent = Extent(dataEnd: start, lineEnd: start)
    var scanner = LineScanner(file, from: start, to: end)
    var secondLook: UInt64?
    var nextQuestion = start
    while let piece = try scanner.next() {
      if piece.offset >= nextQuestion {
        if shouldStop() { throw CancellationError() }
        nextQuestion = piece.offset + Self.stopInterval
      }
      let salt = piece.isTerminated ? salt(of: piece.bytes, at: piece.offset, &extent) : nil
      if salt == nil, piece.hasZerosBeforeData, piece.offset != secondLook {
        // Preallocated space may be written between two reads, so the bytes are read again.
        secondLook = piece.offset
        scanner = LineScanner(file, from: piece.offset, to: end)
        continue
      }
      if piece.isTerminated {
        extent.lineEnd = piece.offset + UInt64(piece.bytes.count) + 1
        extent.dataEnd = extent.lineEnd
      } else if let last = piece.bytes.lastIndex(where: { $0 != 0 }) {
        extent.dataEnd = piece.offset + UInt64(last) + 1
      }
      if let salt {
        try accept(piece.bytes, at: piece.offset, salt, into: &replay, &extent)
      } else {
        try takeUnsound(piece, into: &replay, &extent)
      }
    }
    if extent.records.found < extent.records.expected {
      let count = extent.records.expected - extent.records.found
      replay.note(.missing, at: extent.dataEnd, length: 0, "\(count) records are missing")
    }
    replay.endSegment(at: extent.dataEnd)
    return extent
  }

  /// Returns the salt of a line that was moved to an offset by some bytes.
  private func position(_ offset: UInt64, _ shift: Int = 0) -> UInt32 {
    segment.salt(at: offset &- UInt64(bitPattern: Int64(shift)))
  }

  /// Returns the salt of an intact line; nil for other bytes.
  private func salt(of line: UnsafeRawBufferPointer, at offset: UInt64, _ extent: inout Extent) -> UInt32? {
    let moved = position(offset, extent.shift)
    if LineParser.isSound(line, salt: moved) { return moved }
    if extent.shift != 0, LineParser.isSound(line, salt: position(offset)) {
      extent.shift = 0
      return position(offset)
    }
    // The lines of older versions don't cover their positions.
    return LineParser.isSound(line) ? 0 : nil
  }

  /// The number of moved lines that prove that all lines up to the end were moved, so that not all need to be read.
  private static let proofLength = 4_096

  /// Returns the distance by which a line and its successors were moved, because bytes before them were added or
  /// removed.
  ///
  /// Nil for a line or a block of lines that was written to another position, which is damage. The batch that is due is
  /// not among these, and a line in its own place follows them, or they continue no batch.
  private func shift(of line: UnsafeRawBufferPointer, at offset: UInt64, _ replay: Replay) throws -> Int? {
    guard let salt = LineParser.salt(of: line), let shift = segment.distance(of: salt, at: offset), shift != 0,
      shift < 0 || offset >= UInt64(shift)
    else { return nil }
    var scanner = LineScanner(file, from: offset, to: end, windowSize: 1 << 16)
    // A copy of a line that is still in its place was not moved.
    var former = LineScanner(file, from: offset &- UInt64(bitPattern: Int64(shift)), to: end, windowSize: 1 << 16)
    if let piece = try former.next(), piece.isTerminated, LineParser.isSound(piece.bytes, salt: salt) { return nil }
    var first: UInt64?
    var isDue = false
    var continues = segment.isCompacted || replay.isInBatch
    var count = 0
    while count < Self.proofLength, let piece = try scanner.next(), piece.bytes.first != 0 {
      // Another damage proves nothing about the lines around it.
      guard piece.isTerminated else { break }
      if LineParser.isSound(piece.bytes, salt: position(piece.offset)) { return nil }
      guard LineParser.isSound(piece.bytes, salt: position(piece.offset, shift)) else { continue }
      switch LineParser.parse(piece.bytes) {
      case .batch(let batch, _, _):
        let due = replay.expected ?? batch
        if first == nil { continues = batch >= due && (continues || count == 0) }
        first = first ?? batch
        isDue = isDue || first == due
      case .kept: isDue = true
      default: break
      }
      count += 1
      // A second line, because a flipped bit can make one seem to be moved.
      if isDue, count > 1 { return shift }
    }
    return continues && count > 1 ? shift : nil
  }

  /// Returns the number of a segment's first batch, from its first line; nil if it has none yet, or is another segment.
  static func firstBatch(of file: any StoreFile, ifNumber expected: UInt32) throws -> UInt64? {
    var scanner = LineScanner(file, windowSize: 4_096)
    guard let piece = try scanner.next(), piece.isTerminated, LineParser.isSound(piece.bytes),
      case .segment(let version, let number, let firstBatch, _, _) = LineParser.parse(piece.bytes), number == expected
    else { return nil }
    guard version <= StoreFormat.version else {
      throw FileEngineError.newerFormat(path: file.path, version: version, supported: StoreFormat.version)
    }
    return firstBatch
  }

  /// Returns whether a complete line begins at an offset of a segment, and it is not the first line of the batch.
  static func hasOtherLine(
    than batch: UInt64, in file: any StoreFile, _ segment: SegmentNumber, at offset: UInt64
  ) throws -> Bool {
    var scanner = LineScanner(file, from: offset, windowSize: 4_096)
    guard let piece = try scanner.next(), piece.isTerminated, piece.bytes.firstIndex(of: 0) == nil else { return false }
    guard LineParser.isSound(piece.bytes, salt: segment.salt(at: offset)) || LineParser.isSound(piece.bytes),
      case .batch(let number, _, _) = LineParser.parse(piece.bytes)
    else { return true }
    return number != batch
  }

  /// Returns the group of a segment, from its first line; nil if that can't be read.
  static func group(of file: any StoreFile) throws -> String? {
    var scanner = LineScanner(file, windowSize: 4_096)
    guard let piece = try scanner.next(), piece.isTerminated, LineParser.isSound(piece.bytes),
      case .segment(_, _, _, let group, _) = LineParser.parse(piece.bytes)
    else { return nil }
    return group
  }

  /// Applies the readable part of a piece that is not an intact line.
  private func takeUnsound(_ piece: LineScanner.Piece, into replay: inout Replay, _ extent: inout Extent) throws {
    var bytes = piece.bytes
    var offset = piece.offset
    func advance(_ count: Int) {
      bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
      offset += UInt64(count)
    }
    repeat {
      if piece.isTerminated, let salt = salt(of: bytes, at: offset, &extent) {
        return try accept(bytes, at: offset, salt, into: &replay, &extent)
      }
      if let zero = bytes.firstIndex(of: 0) {
        // No line has a zero byte: it is preallocated space, or a block that was never written. The bytes after it may
        // be intact.
        if zero > 0 { replay.takeDamage(at: offset, length: UInt64(zero), "the line is incomplete") }
        advance(zero)
        let zeros = bytes.firstIndex { $0 != 0 } ?? bytes.count
        if zeros == bytes.count, !piece.isTerminated { return }
        replay.takeDamage(at: offset, length: UInt64(zeros), "there are zeros instead of data")
        advance(zeros)
      } else if let (length, salt) = soundPrefix(bytes, at: offset, extent.shift) {
        let line = UnsafeRawBufferPointer(rebasing: bytes[..<length])
        try accept(line, at: offset, salt, into: &replay, &extent)
        replay.note(at: offset + UInt64(length), length: 1, "the line break is damaged, the lines around it are intact")
        advance(length + 1)
      } else if piece.isTerminated, let shift = try shift(of: bytes, at: offset, replay) {
        replay.noteMovedLines(at: offset, by: shift)
        extent.shift = shift
      } else if piece.isTerminated, let start = startOfSoundLine(in: bytes, at: offset, extent.shift) {
        replay.takeDamage(at: offset, length: UInt64(start), "the line is incomplete")
        advance(start)
      } else {
        let reason = piece.isTerminated ? "the line does not match its checksum" : "the line is incomplete"
        return replay.takeDamage(
          at: offset, length: UInt64(bytes.count), reason,
          piece.isTerminated && offset == piece.offset
            ? LineParser.lostContent(of: bytes, salt: position(offset, extent.shift)) : .unknown)
      }
    } while !bytes.isEmpty
  }

  /// Returns the length and the salt of an intact line at the start of the bytes, if the line break after it was
  /// damaged.
  private func soundPrefix(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64, _ shift: Int
  ) -> (length: Int, salt: UInt32)? {
    for salt in [position(offset, shift), 0] {
      if let length = LineParser.soundPrefix(bytes, salt: salt) { return (length, salt) }
    }
    return nil
  }

  /// Returns the start of an intact line after damaged bytes without a line break.
  private func startOfSoundLine(in bytes: UnsafeRawBufferPointer, at offset: UInt64, _ shift: Int) -> Int? {
    // A value can have many arrays of strings, and each costs a checksum.
    let starts = bytes.indices.lazy.dropFirst().filter { LineParser.mayStart(at: $0, in: bytes) }
    return starts.prefix(64).first { start in
      let line = UnsafeRawBufferPointer(rebasing: bytes[start...])
      return LineParser.isSound(line, salt: position(offset + UInt64(start), shift))
    }
  }

  private func accept(
    _ line: UnsafeRawBufferPointer, at offset: UInt64, _ salt: UInt32, into replay: inout Replay, _ extent: inout Extent
  ) throws {
    guard line.count <= Self.longestLine else {
      return replay.takeDamage(at: offset, length: UInt64(line.count), "the line is longer than 2 GiB")
    }
    switch LineParser.parse(line) {
    case .record(let record): replay.takeRecord(record, in: line, at: offset, salt)
    case .batch(let number, let count, let synced) where (1...StoreFormat.largestBatch).contains(number):
      replay.takeBatch(number: number, count: count, synced: synced, at: offset)
    case .kept(let batch, let count) where segment.isCompacted && (0...StoreFormat.largestBatch).contains(batch):
      extent.records.found &+= count
      replay.takeKept(upTo: batch, count: count, at: offset)
    case .largest(let type, let integer) where segment.isCompacted:
      replay.takeLargest(integer, of: type, in: line)
    case .segment(let version, let number, let firstBatch, let group, let records) where offset == 0:
      guard version <= StoreFormat.version else {
        throw FileEngineError.newerFormat(path: file.path, version: version, supported: StoreFormat.version)
      }
      guard group.utf8.elementsEqual(self.group.utf8) else {
        throw FileEngineError.wrongGroup(folder: folder, expected: self.group, found: group)
      }
      guard (1...StoreFormat.largestBatch).contains(firstBatch) else {
        return replay.takeDamage(at: offset, length: UInt64(line.count), "a journal can't have a batch \(firstBatch)")
      }
      if number != segment.number {
        replay.note(at: 0, length: UInt64(line.count), "the file was segment \(number) of its journal")
      }
      extent.records.expected = segment.isCompacted ? records ?? 0 : 0
      replay.takeSegment(firstBatch: firstBatch)
    case .unknown(let kind):
      throw FileEngineError.unknownOperation(name: kind, file: file.path, offset: offset)
    default: replay.takeDamage(at: offset, length: UInt64(line.count), "the line does not belong here")
    }
  }
}

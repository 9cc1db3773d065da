@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The files and bytes of a journal that must exist, as its writer knows them.
struct JournalExtent: Sendable {
  /// The files before the current segment.
  var sealed: [SegmentExtent]

  /// The end of the journal.
  var end: ClosedMark

  /// The parts that were missing when the journal was opened.
  var losses: [IntegrityIssue] = []

  /// All files.
  var files: [SegmentExtent] {
    sealed + [SegmentExtent(segment: SegmentNumber(end.segment), length: end.length)]
  }

  /// Returns the required length of a file; nil if it does not belong to the journal.
  func length(of segment: SegmentNumber) -> UInt64? { files.first { $0.segment == segment }?.length }
}

extension IntegrityIssue {
  /// Returns whether both report the same missing part.
  func isMissing(like other: IntegrityIssue) -> Bool {
    kind == .missing && other.kind == .missing && file == other.file && offset == other.offset
  }
}

extension JournalFiles {
  /// Whether a file is missing before another one.
  var hasGap: Bool {
    var due: UInt32 = 1
    for segment in segments {
      if !segment.isCompacted, segment.number > due { return true }
      due = segment.number + 1
    }
    return false
  }

  /// Returns the number after the last required file: from the last close, or the segment that a compaction of all
  /// others began.
  func dueEnd(_ mark: ClosedMark?) -> UInt32 {
    let behind = (segments.last?.number ?? 0) + (segments.last?.isCompacted == true ? 2 : 1)
    return max(behind, (mark?.segment ?? 0) + 1)
  }
}

extension ClosedMark {
  /// Reads the mark of a journal and records its problems; nil if there is no readable mark.
  static func read(
    in folder: String, _ fileSystem: any FileSystem, noting replay: inout Replay
  ) throws -> ClosedMark? {
    let path = "\(folder)/\(StoreFormat.closedMark)"
    let bytes: [UInt8]
    do {
      bytes = try fileSystem.open(path, .read).contents()
    } catch let error as FileSystemError where error.operation == .open && error.code == ENOENT {
      return nil
    }
    let mark = ClosedMark(parsing: bytes)
    if mark == nil {
      replay.note(
        IntegrityIssue(
          kind: .damage, file: path, offset: 0, length: UInt64(bytes.count),
          reason: "it does not record the end of the closed journal any more"))
    } else if bytes.last != 0x0a {
      replay.note(
        IntegrityIssue(
          kind: .damage, file: path, offset: UInt64(bytes.count), length: 0, reason: StoreFormat.missingLineBreak))
    }
    return mark
  }
}

extension Replay {
  /// Records that segments are missing.
  mutating func noteMissing(segments: Range<UInt32>, in folder: String) {
    guard let first = segments.first else { return }
    let reason = segments.count == 1 ? "the file is missing" : "\(segments.count) files from this on are missing"
    note(
      IntegrityIssue(
        kind: .missing, file: "\(folder)/\(StoreFormat.segment(SegmentNumber(first)))", offset: 0, length: 0,
        reason: reason))
  }

  /// Records that a file is missing.
  mutating func noteMissing(_ segment: SegmentNumber, in folder: String) {
    note(
      IntegrityIssue(
        kind: .missing, file: "\(folder)/\(StoreFormat.segment(segment))", offset: 0, length: 0,
        reason: "the file is missing"))
  }

  /// Records that the segment that was just read lacks bytes or batches that the journal had when it was closed.
  mutating func noteLoss(in segment: SegmentNumber, _ dataEnd: UInt64, mark: ClosedMark?) {
    guard let mark, segment == SegmentNumber(mark.segment) else { return }
    if dataEnd < mark.length {
      note(
        .missing, at: dataEnd, length: 0,
        "\(mark.length - dataEnd) bytes, up to batch \(mark.batch), existed when the store was closed and are missing")
    } else if lastBatch < mark.batch, index.losses.isEmpty {
      // The store was closed again since the loss.
      note(.missing, at: dataEnd, length: 0, Self.missing(lastBatch + 1, upTo: mark.batch))
    }
  }
}

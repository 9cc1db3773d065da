@_spi(ModelKitInternals) import StoreEngine

/// The result of opening a journal: the state from which writing continues.
struct OpenedJournal {
  var group: String
  var contents: JournalContents
  var file: any StoreFile
  var segment: UInt32

  /// The files before that segment.
  var sealed: [SegmentExtent]

  /// The offset of the next batch.
  var end: UInt64

  /// The size of the segment, with preallocated space.
  var size: UInt64
  var hasBatches: Bool
  var lastBatch: UInt64

  /// The number of bytes after the checkpoint.
  var bytesSinceCheckpoint: UInt64
  var mark: ClosedMark?
}

extension Journal {
  /// Opens the journal of a group, or creates it.
  ///
  /// An incomplete batch at the end is moved to a quarantine file, and the file of an interrupted compaction is
  /// removed. Nothing else is changed.
  ///
  /// - Parameters:
  ///   - directory: The folder of the groups.
  ///   - issues: The known issues of the store.
  ///   - home: The directory of the store, whose lock is checked before anything is written.
  ///   - files: Where segments are kept open for reading.
  static func open(
    group: String, in directory: String, options: Options = Options(), fileSystem: any FileSystem,
    issues: [IntegrityIssue] = [], home: StoreDirectory? = nil, files: OpenFiles = OpenFiles()
  ) throws -> Journal {
    let folder = "\(directory)/\(GroupFolder.name(of: group))"
    _ = try fileSystem.createDirectory(folder)
    var opening = JournalOpening(
      group: group, directory: directory, folder: folder, fileSystem: fileSystem, files: files)
    for issue in issues { opening.replay.note(issue) }
    return Journal(try opening.open(), options: options, fileSystem: fileSystem, home: home)
  }
}

/// The steps of opening one journal.
private struct JournalOpening {
  let group: String
  let directory: String
  let folder: String
  let fileSystem: any FileSystem
  let files: OpenFiles
  var replay = Replay()

  init(group: String, directory: String, folder: String, fileSystem: any FileSystem, files: OpenFiles) {
    self.group = group
    self.directory = directory
    self.folder = folder
    self.fileSystem = fileSystem
    self.files = files
  }

  mutating func open() throws -> OpenedJournal {
    let names = try fileSystem.list(folder)
    let files = try JournalFiles(names, in: folder, fileSystem)
    // They are replaced, or unfinished.
    for name in files.leftovers { try? fileSystem.remove("\(folder)/\(name)") }
    let mark = try ClosedMark.read(in: folder, fileSystem, noting: &replay)
    let known = try files.checkpoint(in: folder, names, fileSystem)
    if let known {
      replay.begin(from: known)
    } else if names.contains(StoreFormat.checkpoint) {
      // It would seem valid again after the journal grew to the recorded lengths.
      try fileSystem.remove("\(folder)/\(StoreFormat.checkpoint)")
      try fileSystem.synchronizeDirectory(folder)
    }

    var sealed: [SegmentExtent] = []
    var last: (file: any StoreFile, end: UInt64, start: UInt64)?
    var due: UInt32 = 1
    var unknown: UInt64 = 0
    for segment in files.segments {
      if let known, segment.number < known.position.segment {
        sealed += known.files.filter { $0.segment == segment }
        due = segment.number + 1
        continue
      }
      if !segment.isCompacted { replay.noteMissing(segments: due..<max(due, segment.number), in: folder) }
      due = segment.number + 1
      let isLast = segment == files.segments.last && !segment.isCompacted
      let start = segment.number == known?.position.segment ? known?.position.length ?? 0 : 0
      let file = try fileSystem.open(path(segment), isLast ? .readWrite : .read)
      replay.begin(segment: segment, file: path(segment))
      let scan = SegmentScan(file: file, segment: segment, group: group, folder: folder, start: start)
      let extent = try scan.run(into: &replay)
      unknown += extent.dataEnd - start
      if isLast {
        let end = try endJournal(file, segment, extent, mark: mark, names: names)
        last = (file, end, start)
        replay.noteLoss(in: segment, extent.dataEnd, mark: mark)
      } else {
        if segment.isCompacted { replay.end(synced: .max) }
        sealed.append(SegmentExtent(segment: segment, length: extent.dataEnd))
      }
    }
    replay.noteMissing(segments: due..<files.dueEnd(mark), in: folder)

    let lastBatch = max(replay.lastBatch, mark?.batch ?? 0)
    var opened: OpenedJournal
    if let (file, end, start) = last, end > 0, due > mark?.segment ?? 0 {
      if mark != ClosedMark(segment: due - 1, length: end, batch: lastBatch) {
        let isMarked = due - 1 == mark?.segment ?? 0
        try rewrite(file, from: max(replay.unsyncedStart, isMarked ? mark?.length ?? 0 : 0, start), to: end)
        try fileSystem.synchronizeDirectory(folder)
        try fileSystem.synchronizeDirectory(directory)
      }
      let empty = Journal.headerLength(number: due - 1, firstBatch: lastBatch + 1, group: group)
      opened = OpenedJournal(
        group: group, contents: contents(), file: file, segment: due - 1, sealed: sealed, end: end,
        size: try file.size(), hasBatches: end > empty, lastBatch: lastBatch, bytesSinceCheckpoint: unknown, mark: mark)
    } else {
      // There is no segment, the last one lacks its first line, or a later one was lost: begin a new one.
      if let last, last.end > 0 { sealed.append(SegmentExtent(segment: SegmentNumber(due - 1), length: last.end)) }
      let segment = last?.end == 0 ? due - 1 : max(due, (mark?.segment ?? 0) + 1)
      try fileSystem.synchronizeDirectory(directory)
      let (file, end) = try Journal.createSegment(
        segment, firstBatch: lastBatch + 1, group: group, folder: folder, fileSystem)
      opened = OpenedJournal(
        group: group, contents: contents(), file: file, segment: segment, sealed: sealed, end: end, size: end,
        hasBatches: false, lastBatch: lastBatch, bytesSinceCheckpoint: unknown, mark: mark)
    }
    return opened
  }

  private func path(_ segment: SegmentNumber) -> String { "\(folder)/\(StoreFormat.segment(segment))" }

  private func contents() -> JournalContents {
    JournalContents(
      folder: folder, index: replay.index, issues: replay.issues, fileSystem: fileSystem, files: files)
  }

  /// Determines the end of the journal, and moves the bytes after it to a quarantine file.
  private mutating func endJournal(
    _ file: any StoreFile, _ segment: SegmentNumber, _ extent: SegmentScan.Extent, mark: ClosedMark?, names: [String]
  ) throws -> UInt64 {
    let torn = replay.end(synced: mark?.batch ?? 0)
    // Damage of synced bytes is not moved, unless the next line would overwrite it.
    let end = torn?.start ?? min(extent.lineEnd, extent.dataEnd)
    guard end < extent.dataEnd else { return end }
    var attempt = 1
    while names.contains(StoreFormat.quarantine(segment.number, end, attempt: attempt)) { attempt += 1 }
    let quarantine = "\(folder)/\(StoreFormat.quarantine(segment.number, end, attempt: attempt))"
    try copy(file, from: end, to: extent.dataEnd, into: quarantine)
    try file.truncate(to: end)
    try file.synchronize()
    replay.discardDamage(in: path(segment), from: end)
    replay.note(
      IntegrityIssue(
        kind: .tornTail(quarantine: quarantine), file: path(segment), offset: end, length: extent.dataEnd - end,
        reason: torn?.reason ?? "the last line is incomplete"))
    return end
  }

  private func copy(_ file: any StoreFile, from start: UInt64, to end: UInt64, into path: String) throws {
    let target = try fileSystem.open(path, .create)
    do {
      try forEachPiece(of: file, from: start, to: end) { try target.writeFully($0, at: $1 - start) }
      try target.synchronize()
    } catch {
      // Nothing was truncated yet: the next opening creates a complete file.
      try? fileSystem.remove(path)
      throw error
    }
    try fileSystem.synchronizeDirectory(folder)
  }

  /// Syncs the bytes of a process that was killed, or whose sync failed.
  ///
  /// After a failed sync, the system may treat its cached pages as clean although they are not on the disk. Another
  /// sync would do nothing. So the bytes are written again.
  private func rewrite(_ file: any StoreFile, from start: UInt64, to end: UInt64) throws {
    try forEachPiece(of: file, from: start, to: end) { try file.writeFully($0, at: $1) }
    try file.synchronize()
  }

  private func forEachPiece(
    of file: any StoreFile, from start: UInt64, to end: UInt64, _ body: ([UInt8], UInt64) throws -> Void
  ) throws {
    var offset = start
    while offset < end {
      let bytes = try file.bytes(from: offset, count: Int(min(end - offset, 1 << 20)))
      guard !bytes.isEmpty else { return }
      try body(bytes, offset)
      offset += UInt64(bytes.count)
    }
  }
}

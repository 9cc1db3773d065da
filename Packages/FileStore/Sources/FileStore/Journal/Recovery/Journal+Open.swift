@_spi(ModelKitInternals) import StoreEngine

/// The result of opening a journal: the state from which writing continues.
struct OpenedJournal {
  var group: String
  var contents: JournalContents
  var file: any StoreFile
  var segment: UInt32

  /// The files before that segment.
  var sealed: [SegmentExtent]

  /// Where the next batch goes.
  var end: UInt64

  /// The size of the segment, with the room that is reserved.
  var size: UInt64
  var hasBatches: Bool
  var lastBatch: UInt64

  /// How many bytes the checkpoint does not know.
  var bytesSinceCheckpoint: UInt64
  var mark: ClosedMark?
}

extension Journal {
  /// Opens the journal of a group and makes it where there is none.
  ///
  /// What is left of a batch whose writing was interrupted goes into a quarantine file, and what a compaction has left
  /// that was interrupted is removed; nothing else is changed.
  ///
  /// - Parameters:
  ///   - directory: The folder of the groups.
  ///   - issues: What is already known to be wrong with the store.
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
    // They were replaced already, or never came to count.
    for name in files.leftovers { try? fileSystem.remove("\(folder)/\(name)") }
    let mark = try ClosedMark.read(in: folder, fileSystem, noting: &replay)
    let known = try files.checkpoint(in: folder, names, fileSystem)
    if let known {
      replay.begin(from: known)
    } else if names.contains(StoreFormat.checkpoint) {
      // It would come to life again when the journal has grown to the lengths that it knows.
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
      // There is no segment, or the last has not even its first line, or a later one was lost: begin one.
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

  /// Decides where the journal ends, and moves what is behind that into a quarantine file.
  private mutating func endJournal(
    _ file: any StoreFile, _ segment: SegmentNumber, _ extent: SegmentScan.Extent, mark: ClosedMark?, names: [String]
  ) throws -> UInt64 {
    let torn = replay.end(synced: mark?.batch ?? 0)
    // Damage that was on the disk stays where it is, unless the next line would be written onto its own.
    let end = torn?.start ?? min(extent.lineEnd, extent.dataEnd)
    guard end < extent.dataEnd else { return end }
    var attempt = 1
    while names.contains(StoreFormat.quarantine(segment.number, end, attempt: attempt)) { attempt += 1 }
    let quarantine = "\(folder)/\(StoreFormat.quarantine(segment.number, end, attempt: attempt))"
    try copy(file, from: end, to: extent.dataEnd, into: quarantine)
    try file.truncate(to: end)
    try file.synchronize()
    replay.forgetDamage(in: path(segment), from: end)
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
      // Nothing was cut off yet: the next opening makes a whole one.
      try? fileSystem.remove(path)
      throw error
    }
    try fileSystem.synchronizeDirectory(folder)
  }

  /// Brings to the disk what a process has left that was killed, or that met with a failing sync.
  ///
  /// After such a failure the system may take its copy for clean although the disk doesn't have it, and a mere sync would
  /// do nothing. So the bytes are written once more.
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

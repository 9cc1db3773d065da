@_spi(ModelKitInternals) import StoreEngine

/// Writes a new file with the live records of some files of a journal. It changes no file of the journal, so it can
/// stop at any point; ``Journal/finish(_:_:)`` replaces the old files by the new one.
struct Compaction: Sendable {
  /// The number of records in a group, which begins with a line that counts them.
  private static let groupSize = 4_096

  /// The approximate number of bytes of one write call.
  private static let pieceSize = 1 << 20

  let group: String
  let folder: String

  /// The models and their positions at its start.
  let index: JournalIndex

  /// The files to replace: all up to this number.
  let number: UInt32

  /// These files, in their order.
  var files: [SegmentExtent] = []

  /// Whether the index was read from these files alone, and others follow them.
  var isStep = false

  /// The last batch in them.
  let batch: UInt64

  /// The number of bytes to preallocate, so that the disk can't become full during the writes.
  var preallocation: UInt64 = 0

  /// The result: the length of the file, and the positions of its records, in the order of the index.
  struct Outcome: Sendable {
    var length: UInt64
    var places: [[RecordLocation]]
  }

  /// The file that replaces the others.
  var segment: SegmentNumber { .compacted(number) }
  var path: String { "\(folder)/\(StoreFormat.segment(segment))" }
  var unfinishedPath: String { path + StoreFormat.unfinishedSuffix }

  /// Writes and syncs the file.
  ///
  /// - Parameter shouldStop: is called at intervals.
  /// - Throws: `CancellationError` if it should stop; ``FileEngineError/damaged(_:)`` if a record can't be read, since
  ///   only the old file has its bytes; ``FileSystemError``.
  func run(_ fileSystem: any FileSystem, shouldStop: () -> Bool = { false }) throws -> Outcome {
    // Checked before the file is created: after a stop, another store may own the directory soon.
    if shouldStop() { throw CancellationError() }
    let file = try fileSystem.open(unfinishedPath, .create)
    try file.truncate(to: 0)
    do {
      if preallocation > 0 { try file.preallocate(from: 0, length: preallocation) }
    } catch {
      // Some file systems can't preallocate; then the writes may fail.
      if error.isAboutRoom { throw error }
    }
    let contents = JournalContents(folder: folder, index: JournalIndex(), issues: [], fileSystem: fileSystem)
    var output = Output(file: file, encoder: LineEncoder(segment))
    output.encoder.segment(
      number: UInt64(number), firstBatch: batch + 1, group: group, records: UInt64(index.liveCount))
    var places: [[RecordLocation]] = []
    for (number, (name, type)) in zip(index.names, index.types).enumerated() {
      // Types are in the order in which they first appear, so each has all of its lines together.
      if type.largestInteger > 0 {
        output.encoder.largest(type: String(decoding: name, as: UTF8.self), integer: type.largestInteger)
      }
      var moved: [RecordLocation] = []
      moved.reserveCapacity(type.liveCount)
      let live = type.entries.filter(\.isLive)
      var start = 0
      while start < live.count {
        if shouldStop() { throw CancellationError() }
        let end = min(start + Self.groupSize, live.count)
        output.encoder.kept(batch: batch, count: end - start)
        try copy(index.selection(Array(live[start..<end]), ofType: number), from: contents, to: &output, &moved)
        start = end
      }
      places.append(moved)
    }
    try output.flush()
    if preallocation > 0 { try file.truncate(to: output.encoder.end) }
    try file.synchronize()
    return Outcome(length: output.encoder.end, places: places)
  }

  /// Copies lines. Only their checksums change, which cover their positions.
  private func copy(
    _ records: RecordSelection, from contents: JournalContents, to output: inout Output, _ moved: inout [RecordLocation]
  ) throws {
    try contents.forEachRecord(records) { number, line, value in
      guard value != nil else {
        throw FileEngineError.damaged(contents.damage(at: records.entries[number].place, in: line))
      }
      moved.append(RecordLocation(segment: segment, length: UInt32(line.count), offset: output.encoder.end))
      output.encoder.copy(line)
      if output.encoder.bytes.count > Self.pieceSize { try output.flush() }
    }
  }

  /// The written bytes, and the buffered ones.
  private struct Output {
    let file: any StoreFile
    var encoder: LineEncoder

    mutating func flush() throws {
      try encoder.bytes.withUnsafeBytes { try file.writeFully($0, at: encoder.start) }
      encoder.removeAll()
    }
  }
}

extension Journal {
  /// Begins a compaction of everything written so far.
  ///
  /// - Returns: The compaction, which can run without the journal; nil if it would save nothing.
  /// - Throws: ``FileEngineError/damaged(_:)`` if it would remove the bytes of an unreadable record.
  func beginCompaction() throws -> Compaction? {
    try refuseAfterFailure()
    try refuseWithoutLock()
    if let damage = unrepairedDamage { throw FileEngineError.damaged(damage) }
    if !hasBatches, sealed.allSatisfy(\.segment.isCompacted) { return nil }
    if hasBatches { try beginSegment() } else { try sync() }
    guard let last = sealed.last else { return nil }
    return Compaction(
      group: group, folder: contents.folder, index: contents.withIndex { $0.withoutFieldIndexes },
      number: last.segment.number, files: sealed, batch: lastBatch)
  }

  /// The damage found when the journal was opened, unless it was repaired.
  var unrepairedDamage: IntegrityIssue? {
    if let loss = contents.withIndex({ $0.losses.first }) { return loss.issue }
    let damages = contents.issues.filter { $0.kind == .damage }
    if damages.isEmpty { return nil }
    let files = Set((sealed.map(\.segment) + [SegmentNumber(segment)]).map(contents.path))
    return damages.first { files.contains($0.file) }
  }

  /// Replaces the files of a compaction by its result. Batches written during the compaction stay.
  ///
  /// The rename of the new file is the commit point; the old files are removed afterwards.
  ///
  /// - Parameter repaired: The index of a repair, which replaces the current one; otherwise nil.
  func finish(
    _ compaction: Compaction, _ outcome: Compaction.Outcome, replacing repaired: JournalIndex? = nil
  ) throws {
    try refuseAfterFailure()
    try refuseWithoutLock()
    let folder = contents.folder
    let old = sealed.filter { $0.segment.number <= compaction.number && $0.segment != compaction.segment }
    try fileSystem.rename(compaction.unfinishedPath, to: compaction.path)
    // Readers of the folder use the new file from now on, so this journal does too.
    let naming = Result { try fileSystem.synchronizeDirectory(folder) }
    if let repaired {
      contents.replace(repaired)
      contents.conflictTrackers.noteReplacement()
    }
    contents.move(compaction.index, to: outcome.places, areNamed: compaction.isStep)
    try replaceFiles(
      upTo: compaction.number, with: SegmentExtent(segment: compaction.segment, length: outcome.length))
    contents.closeFiles()
    // If the rename is lost in a crash, the old files are the journal.
    do { try naming.get() } catch { throw refusingWrites(afterSync: error) }
    for extent in old {
      // A remaining file is removed when the journal is next opened.
      try? fileSystem.remove("\(folder)/\(StoreFormat.segment(extent.segment))")
    }
  }

  /// Removes the file of an unfinished compaction.
  func abandon(_ compaction: Compaction) {
    if !isWithoutLock { try? fileSystem.remove(compaction.unfinishedPath) }
  }
}

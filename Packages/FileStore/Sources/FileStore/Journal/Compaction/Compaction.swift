@_spi(ModelKitInternals) import StoreEngine

/// The making of a file that has, of some files of a journal, only what is of use. It changes nothing that counts, so
/// it can stop at any point; ``Journal/finish(_:_:)`` lets the new file take the place of the others.
struct Compaction: Sendable {
  /// How many records stand together behind one line that counts them.
  private static let groupSize = 4_096

  /// About how many bytes are written with one call.
  private static let pieceSize = 1 << 20

  let group: String
  let folder: String

  /// The models and their places when it began.
  let index: JournalIndex

  /// The files that are to be replaced: all up to this number.
  let number: UInt32

  /// These files, in their order.
  var files: [SegmentExtent] = []

  /// Whether the index was read from these files alone, and others follow them.
  var isStep = false

  /// The last batch in them.
  let batch: UInt64

  /// How many bytes of disk space are taken before anything is written, so that the disk can't be full in the middle.
  var preallocation: UInt64 = 0

  /// The result: the length of the file, and the positions of its records, in the order of the index.
  struct Outcome: Sendable {
    var length: UInt64
    var places: [[RecordLocation]]
  }

  /// The file that is to replace the others.
  var segment: SegmentNumber { .compacted(number) }
  var path: String { "\(folder)/\(StoreFormat.segment(segment))" }
  var unfinishedPath: String { path + StoreFormat.unfinishedSuffix }

  /// Writes the file and brings it to the disk.
  ///
  /// - Parameter shouldStop: Is called at intervals.
  /// - Throws: `CancellationError` if it should stop; ``FileEngineError/damaged(_:)`` if a record can't be read, since
  ///   what is left of it is in the old file only; ``FileSystemError``.
  func run(_ fileSystem: any FileSystem, shouldStop: () -> Bool = { false }) throws -> Outcome {
    // Before the file is touched: when this is to stop, another store may have the directory soon.
    if shouldStop() { throw CancellationError() }
    let file = try fileSystem.open(unfinishedPath, .create)
    try file.truncate(to: 0)
    do {
      if preallocation > 0 { try file.preallocate(from: 0, length: preallocation) }
    } catch {
      // Some file systems can't; then it is the writing that fails.
      if error.isAboutRoom { throw error }
    }
    let contents = JournalContents(folder: folder, index: JournalIndex(), issues: [], fileSystem: fileSystem)
    var output = Output(file: file)
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
    if preallocation > 0 { try file.truncate(to: output.end) }
    try file.synchronize()
    return Outcome(length: output.end, places: places)
  }

  /// Copies lines as they are.
  private func copy(
    _ records: RecordSelection, from contents: JournalContents, to output: inout Output, _ moved: inout [RecordLocation]
  ) throws {
    try contents.forEachRecord(records) { number, line, value in
      guard value != nil else {
        throw FileEngineError.damaged(contents.damage(at: records.entries[number].place, in: line))
      }
      moved.append(RecordLocation(segment: segment, length: UInt32(line.count), offset: output.position))
      output.encoder.verbatim(line)
      output.encoder.lineBreak()
      if output.encoder.bytes.count > Self.pieceSize { try output.flush() }
    }
  }

  /// The bytes that are written and those still to be written.
  private struct Output {
    let file: any StoreFile
    var encoder = LineEncoder()

    /// Where the bytes of the encoder go.
    private(set) var end: UInt64 = 0

    var position: UInt64 { end + UInt64(encoder.bytes.count) }

    init(file: any StoreFile) { self.file = file }

    mutating func flush() throws {
      try encoder.bytes.withUnsafeBytes { try file.writeFully($0, at: end) }
      end += UInt64(encoder.bytes.count)
      encoder.removeAll()
    }
  }
}

extension Journal {
  /// Begins to compact all that was written so far.
  ///
  /// - Returns: What is to be done, for which the journal is not needed; nil if there is nothing to gain.
  /// - Throws: ``FileEngineError/damaged(_:)`` if it would remove what is left of a record that can't be read.
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

  /// The damage that was found by opening the journal, and is not repaired yet.
  var unrepairedDamage: IntegrityIssue? {
    let damages = contents.issues.filter { $0.kind == .damage }
    if damages.isEmpty { return nil }
    let files = Set((sealed.map(\.segment) + [SegmentNumber(segment)]).map(contents.path))
    return damages.first { files.contains($0.file) }
  }

  /// Lets what a compaction has made take the place of what it was made from. Batches that were written meanwhile stay.
  ///
  /// The moment at which the new file gets its name is the one from which it counts; what it replaces is removed
  /// after that.
  func finish(_ compaction: Compaction, _ outcome: Compaction.Outcome) throws {
    try refuseAfterFailure()
    try refuseWithoutLock()
    let folder = contents.folder
    let old = sealed.filter { $0.segment.number <= compaction.number && $0.segment != compaction.segment }
    try fileSystem.rename(compaction.unfinishedPath, to: compaction.path)
    // Whoever looks into the folder takes the new file from now on, so this journal does too.
    let naming = Result { try fileSystem.synchronizeDirectory(folder) }
    contents.move(compaction.index, to: outcome.places, areNamed: compaction.isStep)
    try replaceFiles(
      upTo: compaction.number, with: SegmentExtent(segment: compaction.segment, length: outcome.length))
    contents.closeFiles()
    // If the new name is lost, the old files are the journal.
    do { try naming.get() } catch { throw refusingWrites(afterSync: error) }
    for extent in old {
      // One that stays is removed when the journal is opened next.
      try? fileSystem.remove("\(folder)/\(StoreFormat.segment(extent.segment))")
    }
  }

  /// Removes what a compaction has left that came to no end.
  func abandon(_ compaction: Compaction) {
    if !isWithoutLock { try? fileSystem.remove(compaction.unfinishedPath) }
  }
}

@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A read-only journal of one group, which follows the writes of another process.
///
/// One thread owns it; others read through ``contents``. It has complete batches in their order. The last of them may
/// not be synced yet.
final class JournalReader {
  let contents: JournalContents
  private let group: String
  private let fileSystem: any FileSystem
  private let migrations: MigrationPlan?
  private var state: State

  /// Whether the current segment is closed until the next read.
  private var isResting = false

  /// The last batch whose model versions were checked; nil if none was.
  private var checkedBatch: UInt64?

  /// The position of the last restart. Damaged bytes there do not cause another restart.
  private var restartedAt: ClosedMark?

  /// The position up to which a journal was read.
  struct State {
    /// The files at that time.
    var segments: [SegmentNumber] = []

    /// The current segment; nil if there is none yet.
    var file: (any StoreFile)?

    /// The next position, and the last batch before it.
    var position = ClosedMark(segment: 0, length: 0, batch: 0)

    /// The bytes before that position; nil if they have changed already.
    var tail: [UInt8]? = []
  }

  /// The number of read bytes that are compared with the file. A rejected batch may have been read before its removal,
  /// and another one of the same length may have replaced it.
  private static let tailLength: UInt64 = 4_096

  /// Reads the journal.
  ///
  /// - Parameters:
  ///   - migrations: The migrations of the program; nil to accept any version.
  ///   - readsAll: Whether everything is read, even if there is a checkpoint.
  ///   - files: Where segments are kept open for reading.
  ///   - shouldStop: is called at intervals; `CancellationError` is thrown if it returns true.
  init(
    group: String, in directory: String, fileSystem: any FileSystem, issues: [IntegrityIssue] = [],
    migrations: MigrationPlan? = nil, readsAll: Bool = false, files: OpenFiles = OpenFiles(),
    shouldStop: () -> Bool = { false }
  ) throws {
    self.group = group
    self.fileSystem = fileSystem
    self.migrations = migrations
    let folder = "\(directory)/\(GroupFolder.name(of: group))"
    var replay = Replay()
    for issue in issues { replay.note(issue) }
    state = try Self.read(
      group: group, folder: folder, fileSystem, &replay, isWholeJournal: readsAll, shouldStop: shouldStop)
    contents = JournalContents(
      folder: folder, index: replay.index, issues: replay.issues, fileSystem: fileSystem, files: files)
    try refuseOtherVersions()
  }

  /// The batches that the last ``follow(noting:)`` applied, if it was called with `true`.
  private(set) var followed: [[Replay.AppliedRecord]] = []

  /// Whether the last ``follow(noting:)`` read everything again.
  private(set) var hasStartedOver = false

  private var isNoting = false

  /// Applies the batches written since the last call.
  ///
  /// - Parameter noting: Whether ``followed`` receives these batches.
  /// - Throws: ``FileEngineError/needsMigration(type:version:known:)`` or
  ///   ``FileEngineError/newerModel(type:version:known:)`` if another process has migrated the records meanwhile.
  func follow(noting: Bool = false) throws {
    followed = []
    hasStartedOver = false
    isNoting = noting
    do {
      if try !followSegments() { try startOver() }
      try refuseOtherVersions()
    } catch let error as FileSystemError where error.code == ENOENT {
      try startOver()
      try refuseOtherVersions()
    }
  }

  /// Closes the current segment until the next read. The bytes before the position identify it again, so it stays open
  /// if there are none.
  func rest() {
    guard state.file != nil, state.tail?.isEmpty == false else { return }
    state.file = nil
    isResting = true
  }

  private func refuseOtherVersions() throws {
    guard let migrations, checkedBatch != state.position.batch else { return }
    try Journal.refuseOtherVersions(contents, migrations)
    checkedBatch = state.position.batch
  }

  /// - Returns: False if the bytes that were read before no longer exist.
  private func followSegments() throws -> Bool {
    if isResting {
      state.file = try fileSystem.open(contents.path(SegmentNumber(state.position.segment)), .read)
      isResting = false
    }
    guard state.file != nil else {
      return try Self.files(in: contents.folder, fileSystem)?.files.segments ?? [] == state.segments
    }
    while true {
      // A segment that could not be begun was removed, or a compacted file replaced it.
      guard try state.file?.hasName() == true, try readOn() else { return false }
      let names = try fileSystem.list(contents.folder)
      let files = try JournalFiles(names, in: contents.folder, fileSystem)
      if let first = files.segments.first, first.isCompacted, first != state.segments.first { return false }
      guard let next = files.segments.first(where: { $0.number > state.position.segment }) else { return true }
      if next.isCompacted { return false }
      let following = try fileSystem.open(contents.path(next), .read)
      guard let firstBatch = try SegmentScan.firstBatch(of: following, ifNumber: next.number) else { return true }
      if firstBatch != state.position.batch + 1 {
        // It may have been begun after the last read of the previous one.
        guard try readOn(), firstBatch == state.position.batch + 1 else { return false }
      }
      state.file = following
      state.position.segment = next.number
      state.position.length = 0
      state.tail = []
    }
  }

  /// Reads the new bytes of the segment.
  ///
  /// - Returns: False if the bytes that were read before no longer exist.
  private func readOn() throws -> Bool {
    guard let file = state.file else { return true }
    guard let tail = state.tail else { return false }
    let start = state.position
    let bytes = try file.bytes(from: start.length - UInt64(tail.count), count: tail.count + 1)
    guard bytes.starts(with: tail) else { return false }
    // Preallocated space has zeros.
    guard bytes.count > tail.count, bytes[tail.count] != 0 else { return true }
    if start.length > 0, start != restartedAt,
      try SegmentScan.hasOtherLine(
        than: start.batch + 1, in: file, SegmentNumber(start.segment), at: start.length)
    {
      return false
    }
    let segment = SegmentNumber(start.segment)
    state.position = try contents.withIndex { index in
      // Moved out and back, to avoid a copy of the whole index.
      var replay = Replay(index, lastBatch: start.batch)
      if isNoting { replay.applied = [] }
      index = JournalIndex()
      defer {
        index = replay.takeIndex()
        followed += replay.applied ?? []
      }
      replay.begin(segment: segment, file: file.path)
      let scan = SegmentScan(
        file: file, segment: segment, group: group, folder: contents.folder, start: start.length)
      let extent = try scan.run(into: &replay)
      let torn = replay.end(synced: 0)
      let end = torn?.start ?? min(extent.lineEnd, extent.dataEnd)
      return ClosedMark(segment: start.segment, length: max(end, start.length), batch: replay.lastBatch)
    }
    if state.position.batch != start.batch { contents.withIndex { $0.noteWriteToAll() } }
    state.tail = nil
    state.tail = try Self.tail(of: file, before: state.position.length)
    return true
  }

  /// Reads everything again, because the bytes that were read before no longer exist.
  private func startOver() throws {
    var replay = Replay()
    isResting = false
    state = try Self.read(group: group, folder: contents.folder, fileSystem, &replay, isWholeJournal: false)
    restartedAt = state.position
    checkedBatch = nil
    contents.replace(replay.index)
    followed = []
    hasStartedOver = true
  }

  /// Returns the last bytes before an offset; nil if they no longer exist.
  static func tail(of file: any StoreFile, before offset: UInt64) throws -> [UInt8]? {
    let count = min(offset, tailLength)
    let bytes = try file.bytes(from: offset - count, count: Int(count))
    // No line ends in a zero: the space was preallocated again.
    return bytes.count < count || bytes.last == 0 ? nil : bytes
  }
}

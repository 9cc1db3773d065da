@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The journal of one group: a state machine that blocks, keeps no time and starts nothing, over an injected file system.
///
/// It is owned by one thread; others read through ``contents``. Batches go in with ``append(_:)``, which makes them
/// survive the process, and are on the disk after ``sync()``. After a sync that failed, or a write that could not be
/// undone, it writes nothing more. The system may have dropped the bytes that it could not write, so the journal has to
/// be opened again to find out what is stored.
package final class Journal {
  /// The largest batch in bytes: the lengths of lines have 32 bits.
  static let largestBatch = 1 << 31

  let group: String
  let contents: JournalContents
  let options: Options
  let fileSystem: any FileSystem

  /// The directory of the store, with its lock; nil if no other process has to be excluded.
  private let home: StoreDirectory?

  /// The path that errors name.
  private var directory: String { home?.directory ?? contents.folder }

  private var file: SegmentFile
  private(set) var segment: UInt32

  /// The files before the segment that is being written.
  private(set) var sealed: [SegmentExtent]

  /// Where the next batch goes.
  private(set) var end: UInt64

  /// The space behind that.
  private var room: PreallocatedSpace

  /// Whether the segment has batches. One that has none takes the next batch however large that is.
  private(set) var hasBatches: Bool
  private(set) var lastBatch: UInt64

  /// How many bytes were written that the last checkpoint does not know.
  private var bytesSinceCheckpoint: UInt64

  /// A checkpoint that is to be written, when there is time for it.
  private var dueCheckpoint: Checkpoint?

  /// All batches up to this one are on the disk.
  private(set) var syncedBatch: UInt64

  /// The extent that the mark of the last clean close has recorded.
  private var mark: ClosedMark?

  /// The parts that were missing when it was opened, until a repair has reported them.
  private var losses: [IntegrityIssue]

  /// Whether no room is taken for what can wait: the disk is full, and what there is has other uses.
  var savesRoom = false

  /// The size beyond which a segment gets no more batches. It is a small part of the journal, so that a full disk has room for
  /// what is left of one.
  private(set) var segmentLimit: UInt64 = 0

  /// Why nothing can be written any more.
  private var failure: (any Error)?

  /// Whether there are batches that are not known to be on the disk.
  var needsSync: Bool { syncedBatch < lastBatch && failure == nil }

  init(_ opened: OpenedJournal, options: Options, fileSystem: any FileSystem, home: StoreDirectory?) {
    self.options = options
    self.home = home
    self.fileSystem = fileSystem
    group = opened.group
    contents = opened.contents
    file = SegmentFile(opened.file, fileSystem)
    segment = opened.segment
    sealed = opened.sealed
    bytesSinceCheckpoint = opened.bytesSinceCheckpoint
    end = opened.end
    room = PreallocatedSpace(options, reserved: opened.size, filled: opened.end)
    hasBatches = opened.hasBatches
    lastBatch = opened.lastBatch
    syncedBatch = opened.lastBatch
    mark = opened.mark
    losses = opened.contents.issues.filter {
      $0.kind == .missing && $0.file.hasPrefix("\(opened.contents.folder)/")
    }
    setSegmentLimit()
  }

  private func setSegmentLimit() {
    segmentLimit = min(options.segmentSize, UInt64(Self.largestBatch), max(1 << 20, size / 16))
  }

  /// Takes over that batches were written.
  func noteAppended(_ batches: Int, bytes: UInt64) {
    end += bytes
    bytesSinceCheckpoint += bytes
    room.noteWritten(upTo: end)
    hasBatches = true
    lastBatch += UInt64(batches)
  }

  /// Brings everything appended so far to the disk.
  func sync() throws {
    try refuseAfterFailure()
    guard needsSync else { return }
    do {
      let file = try openedFile()
      try file.synchronize()
      try refuseIfRemoved(file)
    } catch {
      failure = error
      throw error
    }
    syncedBatch = lastBatch
  }

  /// Throws if the file was removed: bytes written into it are lost, although the system accepts them.
  private func refuseIfRemoved(_ file: any StoreFile) throws {
    if try !file.hasName() { throw FileSystemError(.synchronize, file.path, code: ENOENT) }
  }

  /// The file of the segment, opened again if it was closed. If it does not exist any more nothing is written again, since
  /// another process may be writing; a limit of open files is temporary.
  func openedFile() throws -> any StoreFile {
    do {
      return try file.opened()
    } catch let error as FileSystemError where [ENOENT, ESTALE].contains(error.code) {
      failure = error
      throw error
    }
  }

  /// Whether the file of the segment is open.
  var hasOpenFile: Bool { file.isOpen }

  /// Closes the file of the segment until something is to be written. All that was written is on the disk by then; a sync
  /// that fails counts as any other: nothing is written after it.
  func rest() {
    guard file.isOpen else { return }
    // An error is kept, and refuses what comes next.
    if failure == nil { try? sync() }
    if failure == nil { try? file.close(endingAt: end) } else { file.drop() }
  }

  /// Brings everything to the disk, gives reserved room back and leaves a mark, so that the next opening can tell
  /// whether anything got lost at the end. Call it once; the journal can't be used afterwards.
  func close() throws {
    try refuseAfterFailure()
    try refuseWithoutLock()
    defer {
      failure = FileEngineError.closed(directory: directory)
      file.drop()
    }
    try trim()
    if position != mark { try leave(position) }
    if bytesSinceCheckpoint >= options.checkpointInterval {
      // It only makes opening faster: a disk that has no room for it is no reason to fail.
      try? makeCheckpoint().write(to: contents.folder, fileSystem)
    }
  }

  /// Records in a file of its own that everything up to a position is on the disk.
  private func leave(_ mark: ClosedMark) throws {
    var encoder = LineEncoder()
    encoder.closed(segment: UInt64(mark.segment), length: mark.length, batch: mark.batch)
    try fileSystem.replace(StoreFormat.closedMark, in: contents.folder, with: encoder.bytes)
    self.mark = mark
  }

  /// Where the journal ends.
  var position: ClosedMark { ClosedMark(segment: segment, length: end, batch: lastBatch) }

  /// The files and bytes that must exist.
  var extent: JournalExtent { JournalExtent(sealed: sealed, end: position, losses: losses) }

  /// Leaves what was wrong behind, after a repair: all of it is on the disk and sound.
  func endRepair() throws {
    try leave(position)
    losses = []
  }

  func refuseAfterFailure() throws {
    guard let failure else { return }
    if let closed = failure as? FileEngineError { throw closed }
    throw FileEngineError.refusesWrites(directory: directory, cause: "\(failure)")
  }

  /// Whether the files in the folder may belong to another process by now.
  var isWithoutLock: Bool { (try? home?.isLocked()) == false }

  /// Throws if the lock is gone: another process can open the store then, and write to the same files. So nothing is
  /// written without the lock, and nothing acknowledged that was written while it may have been gone.
  func refuseWithoutLock() throws {
    guard let home else { return }
    do {
      if try !home.isLocked() { throw FileEngineError.lockRemoved(directory: home.directory) }
    } catch {
      failure = error
      throw error
    }
  }

  /// Writes nothing any more if an error is one of a sync: a second one could succeed without having done anything.
  func refusingWrites(afterSync error: any Error) -> any Error {
    if (error as? FileSystemError)?.operation == .synchronize { failure = error }
    return error
  }

  /// Ends the segment, which is complete on the disk then, and begins the next. If that fails, this one goes on.
  func beginSegment() throws {
    try trim()
    let next: (file: any StoreFile, end: UInt64)
    do {
      next = try Self.createSegment(
        segment + 1, firstBatch: lastBatch + 1, group: group, folder: contents.folder, fileSystem)
    } catch let error as FileSystemError where error.operation == .synchronize {
      throw refusingWrites(afterSync: error)
    } catch {
      // A file behind this one would say that all of this one is on the disk.
      do { try removeUnbegun(segment + 1) } catch { failure = error }
      throw error
    }
    sealed.append(SegmentExtent(segment: SegmentNumber(segment), length: end))
    file = SegmentFile(next.file, fileSystem)
    (segment, end, hasBatches) = (segment + 1, next.end, false)
    room.giveBack(from: end)
    setSegmentLimit()
    if bytesSinceCheckpoint >= options.checkpointInterval { dueCheckpoint = makeCheckpoint() }
  }

  // MARK: Checkpoints and compaction

  /// The index as it is now. All that it knows has to be on the disk.
  private func makeCheckpoint() -> Checkpoint {
    bytesSinceCheckpoint = 0
    return Checkpoint(position: position, index: contents.withIndex { $0.withoutFieldIndexes }, files: sealed)
  }

  /// A checkpoint that is to be written, once.
  func takeDueCheckpoint() -> Checkpoint? {
    if savesRoom { return nil }
    defer { dueCheckpoint = nil }
    return dueCheckpoint == nil || isWithoutLock ? nil : dueCheckpoint
  }

  /// Removes the checkpoint: the next opening reads everything.
  ///
  /// - Returns: Whether there was one.
  func dropCheckpoint() throws -> Bool {
    guard try fileSystem.list(contents.folder).contains(StoreFormat.checkpoint) else { return false }
    try fileSystem.remove("\(contents.folder)/\(StoreFormat.checkpoint)")
    try fileSystem.synchronizeDirectory(contents.folder)
    bytesSinceCheckpoint = size
    return true
  }

  /// How many bytes the files have, without reserved room.
  var size: UInt64 { sealed.reduce(end) { $0 + $1.length } }

  /// Whether the journal has enough obsolete bytes to be compacted in the background.
  var wantsCompaction: Bool {
    guard let threshold = options.compactionThreshold, failure == nil else { return false }
    let live = contents.withIndex { $0.liveBytes }
    return size > live * 2 && size - live > threshold && unrepairedDamage == nil
  }

  /// Lets a compacted file take the place of those that it was made from.
  func replaceFiles(upTo number: UInt32, with extent: SegmentExtent) throws {
    sealed = [extent] + sealed.filter { $0.segment.number > number }
    setSegmentLimit()
    try sync()
    dueCheckpoint = makeCheckpoint()
  }

  private func trim() throws {
    let file = try openedFile()
    do {
      if room.reserved > end {
        try file.truncate(to: end)
        room.giveBack(from: end)
        try file.synchronize()
      } else if needsSync {
        try file.synchronize()
      }
      try refuseIfRemoved(file)
    } catch {
      failure = error
      throw error
    }
    syncedBatch = lastBatch
  }

  /// Preallocates space for `count` bytes and more. A failure is harmless: the write that follows reports the cause.
  func reserve(_ count: UInt64) {
    guard !savesRoom, room.isShort(of: count, at: end), let file = try? openedFile() else { return }
    room.reserve(count, at: end, in: file)
  }

  /// How many zeros are to be written behind `count` bytes that come to the end. They are taken for written.
  func takeFilling(behind count: UInt64) -> Int { room.takeFilling(behind: count, at: end) }

  /// Removes what a failed write has left, since a shorter batch over it would leave the rest of it standing behind
  /// itself.
  func takeBack(_ error: any Error) {
    do {
      let file = try openedFile()
      try file.truncate(to: end)
      try file.synchronize()
      room.giveBack(from: end)
      syncedBatch = lastBatch
    } catch {
      failure = error
    }
  }
}

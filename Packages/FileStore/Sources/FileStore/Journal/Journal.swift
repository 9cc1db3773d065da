@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The journal of one group: a blocking state machine without clock or threads, over an injected file system.
///
/// One thread owns it; others read through ``contents``. Batches that are written with ``append(_:)`` survive a crash
/// of the process, and after ``sync()`` a power failure. After a failed sync, or a write that could not be undone, it
/// rejects all writes. The system may have dropped unwritten bytes, so the journal has to be opened again to determine
/// its contents.
package final class Journal {
  /// The largest batch in bytes: the lengths of lines have 32 bits.
  static let largestBatch = 1 << 31

  let group: String
  let contents: JournalContents
  let options: Options
  let fileSystem: any FileSystem

  /// The directory of the store, with its lock; nil without a lock.
  private let home: StoreDirectory?

  /// The path in errors.
  private var directory: String { home?.directory ?? contents.folder }

  private var file: SegmentFile
  private(set) var segment: UInt32

  /// The files before the current segment.
  private(set) var sealed: [SegmentExtent]

  /// The offset of the next batch.
  private(set) var end: UInt64

  /// The preallocated space after it.
  private var room: PreallocatedSpace

  /// Whether the segment has batches. An empty segment accepts a batch of any size.
  private(set) var hasBatches: Bool
  private(set) var lastBatch: UInt64

  /// The number of bytes written since the last checkpoint.
  private var bytesSinceCheckpoint: UInt64

  /// A due checkpoint, which is written in the background.
  private var dueCheckpoint: Checkpoint?

  /// The last synced batch.
  private(set) var syncedBatch: UInt64

  /// The extent recorded by the mark of the last clean close.
  private var mark: ClosedMark?

  /// The parts that were missing when it was opened, until a repair has reported them.
  private var losses: [IntegrityIssue]

  /// Whether preallocation and background checkpoints are off, because the disk is full.
  var savesRoom = false

  /// The size after which a segment gets no more batches. It is a small part of the journal, so that even a full disk
  /// has space to compact one segment.
  private(set) var segmentLimit: UInt64 = 0

  /// The error that made the journal reject all writes.
  private var failure: (any Error)?

  /// Whether there are unsynced batches.
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

  /// Records that batches were written.
  func noteAppended(_ batches: Int, bytes: UInt64) {
    end += bytes
    bytesSinceCheckpoint += bytes
    room.noteWritten(upTo: end)
    hasBatches = true
    lastBatch += UInt64(batches)
  }

  /// Syncs everything appended so far.
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

  /// Returns the file of the segment, opened again if it was closed. If the file is missing, the journal rejects all
  /// writes, because another process may be writing. Too many open files is a temporary error.
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

  /// Syncs and closes the file of the segment until the next write. After a failed sync the journal rejects all
  /// writes.
  func rest() {
    guard file.isOpen else { return }
    // The error is kept, and rejects later writes.
    if failure == nil { try? sync() }
    if failure == nil { try? file.close(endingAt: end) } else { file.drop() }
  }

  /// Syncs everything, frees preallocated space and writes a mark, with which the next opening detects losses at the
  /// end. Call it once; the journal can't be used afterwards.
  func close() throws {
    try refuseAfterFailure()
    try refuseWithoutLock()
    defer {
      failure = FileEngineError.closed(directory: directory)
      file.drop()
    }
    try trim()
    if position != mark { try leave(position) }
    if bytesSinceCheckpoint >= options.checkpointInterval, !hasLosses {
      // It only makes opening faster, so a full disk is not an error.
      try? makeCheckpoint().write(to: contents.folder, fileSystem)
    }
  }

  /// Records in a separate file that everything up to a position is synced.
  private func leave(_ mark: ClosedMark) throws {
    var encoder = LineEncoder()
    encoder.closed(segment: UInt64(mark.segment), length: mark.length, batch: mark.batch)
    try fileSystem.replace(StoreFormat.closedMark, in: contents.folder, with: encoder.bytes)
    self.mark = mark
  }

  /// The end of the journal.
  var position: ClosedMark { ClosedMark(segment: segment, length: end, batch: lastBatch) }

  /// The files and bytes that must exist.
  var extent: JournalExtent { JournalExtent(sealed: sealed, end: position, losses: losses) }

  /// Clears the known issues after a repair: everything is synced and intact.
  func endRepair() throws {
    try leave(position)
    losses = []
  }

  func refuseAfterFailure() throws {
    guard let failure else { return }
    if let closed = failure as? FileEngineError { throw closed }
    throw FileEngineError.refusesWrites(directory: directory, cause: "\(failure)")
  }

  /// Whether the lock was lost, so that another process may own the files.
  var isWithoutLock: Bool { (try? home?.isLocked()) == false }

  /// Throws if the lock was lost: another process could then write to the same files. It is checked before each write,
  /// and again before the write is acknowledged.
  func refuseWithoutLock() throws {
    guard let home else { return }
    do {
      if try !home.isLocked() { throw FileEngineError.lockRemoved(directory: home.directory) }
    } catch {
      failure = error
      throw error
    }
  }

  /// Rejects all writes after a failed sync: another sync could succeed without having written the bytes.
  func refusingWrites(afterSync error: any Error) -> any Error {
    if (error as? FileSystemError)?.operation == .synchronize { failure = error }
    return error
  }

  /// Syncs and ends the segment, and begins the next. If that fails, this segment continues.
  func beginSegment() throws {
    try trim()
    let next: (file: any StoreFile, end: UInt64)
    do {
      next = try Self.createSegment(
        segment + 1, firstBatch: lastBatch + 1, group: group, folder: contents.folder, fileSystem)
    } catch let error as FileSystemError where error.operation == .synchronize {
      throw refusingWrites(afterSync: error)
    } catch {
      // A later file would declare that all of this one is synced.
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

  /// Returns a checkpoint of the current index. All of its records must be synced.
  private func makeCheckpoint() -> Checkpoint {
    bytesSinceCheckpoint = 0
    return Checkpoint(position: position, index: contents.withIndex { $0.withoutFieldIndexes }, files: sealed)
  }

  /// Whether a part of the journal is lost. A checkpoint would hide that, and a compaction would remove the rest of it.
  private var hasLosses: Bool { contents.withIndex { !$0.losses.isEmpty } }

  /// Returns the due checkpoint once.
  func takeDueCheckpoint() -> Checkpoint? {
    if savesRoom || hasLosses { return nil }
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

  /// The number of bytes in the files, without preallocated space.
  var size: UInt64 { sealed.reduce(end) { $0 + $1.length } }

  /// Whether the journal has enough obsolete bytes to be compacted in the background.
  var wantsCompaction: Bool {
    guard let threshold = options.compactionThreshold, failure == nil else { return false }
    let live = contents.withIndex { $0.liveBytes }
    return size > live * 2 && size - live > threshold && unrepairedDamage == nil
  }

  /// Replaces files by their compacted form.
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

  /// Preallocates space for `count` bytes and more. A failure is ignored: the next write reports the cause.
  func reserve(_ count: UInt64) {
    guard !savesRoom, room.isShort(of: count, at: end), let file = try? openedFile() else { return }
    room.reserve(count, at: end, in: file)
  }

  /// Returns the number of zeros to write after `count` bytes at the end. They are recorded as written.
  func takeFilling(behind count: UInt64) -> Int { room.takeFilling(behind: count, at: end) }

  /// Removes the bytes of a failed write. Otherwise a shorter batch over them would be followed by their
  /// rest.
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

/// The journal of one group: a state machine that blocks, keeps no time and starts nothing, over an injected file system.
///
/// It is owned by one thread; others read through ``contents``. Batches go in with ``append(_:)``, which makes them
/// survive the process, and are on the disk after ``sync()``. After a sync that failed, or a write that could not be
/// taken back, it writes nothing more: the system may have dropped the bytes it could not write, so only opening the
/// journal again tells what is there.
package final class Journal {
  /// The sizes that a journal works with.
  package struct Options: Sendable {
    /// Where a new segment begins, in bytes. A batch is never divided, so a segment can be larger.
    package var segmentSize: UInt64 = 64 << 20

    /// How much room is reserved at a time at the end of a segment, in bytes; 0 reserves none.
    package var preallocation: UInt64 = 1 << 20

    package init() {}
  }

  /// The largest batch in bytes: places within a segment have 32 bits.
  static let largestBatch = 1 << 31

  let group: String
  let contents: JournalContents
  private let options: Options
  private let fileSystem: any FileSystem

  private var file: any StoreFile
  private var segment: UInt32

  /// Where the next batch goes.
  private var end: UInt64

  /// How far the segment has room reserved.
  private var reserved: UInt64

  /// Whether the segment has batches. One that has none takes the next batch however large that is.
  private var hasBatches: Bool
  private var lastBatch: UInt64

  /// All batches up to this one are on the disk.
  private var syncedBatch: UInt64

  /// What the mark of the last clean close says is there.
  private var mark: ClosedMark?

  /// Why nothing can be written any more.
  private var failure: (any Error)?

  /// Whether there are batches that are not known to be on the disk.
  var needsSync: Bool { syncedBatch < lastBatch && failure == nil }

  init(_ opened: OpenedJournal, options: Options, fileSystem: any FileSystem) {
    self.options = options
    self.fileSystem = fileSystem
    group = opened.group
    contents = opened.contents
    file = opened.file
    segment = opened.segment
    end = opened.end
    reserved = opened.size
    hasBatches = opened.hasBatches
    lastBatch = opened.lastBatch
    syncedBatch = opened.lastBatch
    mark = opened.mark
  }

  /// Writes batches, each of which is whole or absent after a crash, and a later one is there only if all earlier are.
  ///
  /// - Returns: Where the records stand, batch by batch. The index does not know them yet.
  /// - Throws: Without having written anything.
  func append(_ batches: [[JournalRecord]]) throws -> [[RecordPlace]] {
    try refuseAfterFailure()
    var encoder = LineEncoder()
    var lines: [[Range<Int>]] = []
    for (index, batch) in batches.enumerated() {
      encoder.batch(number: lastBatch + UInt64(index) + 1, count: batch.count, synced: syncedBatch)
      lines.append(batch.map { encoder.record($0.change, revision: $0.revision) })
    }
    let bytes = encoder.bytes
    guard bytes.count <= Self.largestBatch else { throw FileEngineError.batchTooLarge(bytes: bytes.count) }
    if hasBatches, end + UInt64(bytes.count) > min(options.segmentSize, UInt64(Self.largestBatch)) {
      try beginSegment()
    }
    reserve(UInt64(bytes.count))
    let start = end
    do {
      try file.writeFully(bytes, at: start)
    } catch {
      takeBack(error)
      throw error
    }
    end += UInt64(bytes.count)
    reserved = max(reserved, end)
    hasBatches = true
    lastBatch += UInt64(batches.count)
    return lines.map { batch in
      batch.map {
        RecordPlace(segment: segment, offset: UInt32(start) + UInt32($0.lowerBound), length: UInt32($0.count))
      }
    }
  }

  /// Brings everything appended so far to the disk.
  func sync() throws {
    try refuseAfterFailure()
    guard needsSync else { return }
    do {
      try file.synchronize()
    } catch {
      failure = error
      throw error
    }
    syncedBatch = lastBatch
  }

  /// Brings everything to the disk, gives reserved room back and leaves a mark, so that the next opening can tell
  /// whether anything got lost at the end. Call it once; the journal can't be used afterwards.
  func close() throws {
    try refuseAfterFailure()
    defer { failure = FileEngineError.closed(directory: contents.folder) }
    try trim()
    let mark = ClosedMark(segment: segment, length: end, batch: lastBatch)
    guard mark != self.mark else { return }
    var encoder = LineEncoder()
    encoder.closed(segment: UInt64(mark.segment), length: mark.length, batch: mark.batch)
    try fileSystem.replace(StoreFormat.closedMark, in: contents.folder, with: encoder.bytes)
  }

  private func refuseAfterFailure() throws {
    guard let failure else { return }
    if let closed = failure as? FileEngineError { throw closed }
    throw FileEngineError.refusesWrites(directory: contents.folder, cause: "\(failure)")
  }

  /// Ends the segment, which is complete on the disk then, and begins the next.
  private func beginSegment() throws {
    try trim()
    let next = try Self.createSegment(
      segment + 1, firstBatch: lastBatch + 1, group: group, folder: contents.folder, fileSystem)
    (file, segment, end, reserved, hasBatches) = (next.file, segment + 1, next.end, next.end, false)
  }

  private func trim() throws {
    do {
      if reserved > end {
        try file.truncate(to: end)
        reserved = end
        try file.synchronize()
      } else if needsSync {
        try file.synchronize()
      }
    } catch {
      failure = error
      throw error
    }
    syncedBatch = lastBatch
  }

  /// Reserves room for `count` bytes and more. That it fails is no harm: the write that follows tells what is wrong.
  private func reserve(_ count: UInt64) {
    guard options.preallocation > 0, end + count > reserved else { return }
    let target = (end + count + options.preallocation - 1) / options.preallocation * options.preallocation
    do {
      try file.preallocate(from: reserved, length: target - reserved)
      reserved = target
    } catch {}
  }

  /// Removes what a failed write has left, since a shorter batch over it would leave the rest of it standing behind
  /// itself.
  private func takeBack(_ error: any Error) {
    do {
      try file.truncate(to: end)
      try file.synchronize()
      reserved = end
      syncedBatch = lastBatch
    } catch {
      failure = error
    }
  }

  /// Makes a segment with its first line, durably.
  static func createSegment(
    _ number: UInt32, firstBatch: UInt64, group: String, folder: String, _ fileSystem: any FileSystem
  ) throws -> (file: any StoreFile, end: UInt64) {
    var encoder = LineEncoder()
    encoder.segment(number: UInt64(number), firstBatch: firstBatch, group: group)
    let file = try fileSystem.open("\(folder)/\(StoreFormat.segment(number))", .create)
    try file.writeFully(encoder.bytes, at: 0)
    try file.synchronize()
    try fileSystem.synchronizeDirectory(folder)
    return (file, UInt64(encoder.bytes.count))
  }
}

/// Where a journal ended when it was closed: everything before that is known to have been on the disk.
struct ClosedMark: Equatable {
  var segment: UInt32
  var length: UInt64
  var batch: UInt64
}

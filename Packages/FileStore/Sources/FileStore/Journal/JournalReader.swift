#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The journal of one group as somebody sees it who may not write: it follows what another process writes, and changes
/// nothing.
///
/// It is owned by one thread; others read through ``contents``. What it shows is whole batches, in their order; the last
/// of them may not have reached the disk yet.
final class JournalReader {
  let contents: JournalContents
  private let group: String
  private let fileSystem: any FileSystem

  /// The segment in which it goes on, where, and the last batch before that; nil if there is no journal yet.
  private var file: (any StoreFile)?
  private var position = ClosedMark(segment: 0, length: 0, batch: 0)

  /// The first file of the journal as it was read. If it is another one now, what it replaced is gone.
  private var firstFile: SegmentNumber?

  /// Reads what is there.
  ///
  /// - Parameter readsAll: Whether everything is read, although a checkpoint may know it already.
  init(
    group: String, in directory: String, fileSystem: any FileSystem, findings: [Finding] = [], readsAll: Bool = false
  ) throws {
    self.group = group
    self.fileSystem = fileSystem
    let folder = "\(directory)/\(GroupFolder.name(of: group))"
    var replay = Replay()
    for finding in findings { replay.note(finding) }
    firstFile = Self.firstFile(in: folder, fileSystem)
    let state = try Self.read(group: group, folder: folder, fileSystem, &replay, isWholeJournal: readsAll)
    contents = JournalContents(
      folder: folder, index: replay.index, findings: replay.findings, fileSystem: fileSystem)
    (file, position) = state
  }

  /// What is wrong with a journal that somebody writes, all of it up to a place that is known to be on the disk.
  static func verify(
    group: String, folder: String, upTo end: ClosedMark, _ fileSystem: any FileSystem
  ) throws -> [Finding] {
    try scan(group: group, folder: folder, upTo: end, into: JournalIndex(), fileSystem).findings
  }

  /// The same, and what is readable.
  ///
  /// - Parameter index: An index without models, whose types keep their numbers.
  static func scan(
    group: String, folder: String, upTo end: ClosedMark, into index: JournalIndex, _ fileSystem: any FileSystem
  ) throws -> (index: JournalIndex, findings: [Finding]) {
    var replay = Replay(into: index)
    _ = try read(group: group, folder: folder, fileSystem, &replay, isWholeJournal: true, upTo: end)
    return (replay.takeIndex(), replay.findings)
  }

  /// Takes over what was written since.
  func follow() throws {
    guard file != nil else { return try startOver() }
    do {
      try followSegments()
    } catch let error as FileSystemError where error.code == ENOENT {
      try startOver()
    }
  }

  private func followSegments() throws {
    while true {
      // A segment that could not be begun was removed again, or a compacted file has taken its place.
      if try file?.hasName() == false { return try startOver() }
      try readOn()
      let names = try fileSystem.list(contents.folder)
      let files = try JournalFiles(names, in: contents.folder, fileSystem)
      if let first = files.segments.first, first.isCompacted, first != firstFile { return try startOver() }
      guard let next = files.segments.first(where: { $0.number > position.segment }) else { return }
      let path = contents.path(next)
      let following = try fileSystem.open(path, .read)
      if next.isCompacted { return try startOver() }
      guard let firstBatch = try SegmentScan.firstBatch(of: following, ifNumber: next.number) else { return }
      if firstBatch != position.batch + 1 {
        // It may have been begun after the last look into the one before it.
        try readOn()
        guard firstBatch == position.batch + 1 else { return try startOver() }
      }
      file = following
      position.segment = next.number
      position.length = 0
    }
  }

  /// Reads what the segment has more of.
  private func readOn() throws {
    guard let file else { return }
    var next: UInt8 = 0
    let count = try withUnsafeMutableBytes(of: &next) { try file.read(into: $0, at: position.length) }
    // Reserved room reads as zeros.
    if count == 0 || next == 0 { return }
    let segment = SegmentNumber(position.segment)
    let start = position
    position = try contents.withIndex { index in
      // Moved out and back: a copy would cost as much as the whole index.
      var replay = Replay(index, lastBatch: start.batch)
      index = JournalIndex()
      defer { index = replay.takeIndex() }
      replay.begin(segment: segment, file: file.path)
      let scan = SegmentScan(
        file: file, segment: segment, group: group, folder: contents.folder, start: start.length)
      let extent = try scan.run(into: &replay)
      let torn = replay.end(synced: 0)
      let end = torn?.start ?? min(extent.lineEnd, extent.dataEnd)
      return ClosedMark(segment: start.segment, length: max(end, start.length), batch: replay.lastBatch)
    }
    if position.batch != start.batch { contents.withIndex { $0.noteWriteToAll() } }
  }

  /// Reads everything anew, because what was read before is not there any more.
  private func startOver() throws {
    var replay = Replay()
    let first = Self.firstFile(in: contents.folder, fileSystem)
    (file, position) = try Self.read(
      group: group, folder: contents.folder, fileSystem, &replay, isWholeJournal: false)
    // Not before that has succeeded: the next look has to begin anew otherwise.
    firstFile = first
    contents.replace(replay.index)
  }

  /// The first file of a journal; nil if that can't be told just now, so that it is looked at again later.
  private static func firstFile(in folder: String, _ fileSystem: any FileSystem) -> SegmentNumber? {
    guard let names = try? fileSystem.list(folder) else { return nil }
    return (try? JournalFiles(names, in: folder, fileSystem))?.segments.first
  }

  /// Reads a journal without changing anything.
  private static func read(
    group: String, folder: String, _ fileSystem: any FileSystem, _ replay: inout Replay, isWholeJournal: Bool,
    upTo end: ClosedMark? = nil
  ) throws -> (file: (any StoreFile)?, position: ClosedMark) {
    var attempts = 0
    while true {
      let before = replay
      do {
        return try readOnce(
          group: group, folder: folder, fileSystem, &replay, isWholeJournal: isWholeJournal, upTo: end)
      } catch let error as FileSystemError where error.code == ENOENT && attempts < 16 {
        // A compaction came to its end meanwhile.
        attempts += 1
        replay = before
      }
    }
  }

  /// The names in a group's folder; nil if there is none yet.
  private static func names(in folder: String, _ fileSystem: any FileSystem) throws -> [String]? {
    do {
      return try fileSystem.list(folder)
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
  }

  private static func readOnce(
    group: String, folder: String, _ fileSystem: any FileSystem, _ replay: inout Replay, isWholeJournal: Bool,
    upTo end: ClosedMark?
  ) throws -> (file: (any StoreFile)?, position: ClosedMark) {
    guard let names = try names(in: folder, fileSystem) else {
      if end != nil { throw FileSystemError(.list, folder, code: ENOENT) }
      return (nil, ClosedMark(segment: 0, length: 0, batch: 0))
    }
    let files = try JournalFiles(names, in: folder, fileSystem)
    let mark =
      names.contains(StoreFormat.closedMark)
      ? ClosedMark(parsing: try fileSystem.open("\(folder)/\(StoreFormat.closedMark)", .read).contents()) : nil
    let known = isWholeJournal ? nil : try files.checkpoint(in: folder, names, fileSystem)
    if let known { replay.begin(from: known) }
    var state: (file: (any StoreFile)?, position: ClosedMark) = (nil, ClosedMark(segment: 0, length: 0, batch: 0))
    for segment in files.segments {
      if let known, segment.number < known.position.segment { continue }
      if let end, segment.number > end.segment { break }
      let path = "\(folder)/\(StoreFormat.segment(segment))"
      let file = try fileSystem.open(path, .read)
      let start = segment.number == known?.position.segment ? known?.position.length ?? 0 : 0
      replay.begin(segment: segment, file: path)
      let extent = try SegmentScan(file: file, segment: segment, group: group, folder: folder, start: start)
        .run(into: &replay)
      let isLast = segment == files.segments.last || segment.number == end?.segment
      if segment.isCompacted { replay.end(synced: .max) }
      guard isLast, !segment.isCompacted else { continue }
      if let end, extent.dataEnd < end.length {
        replay.note(
          .missing, at: extent.dataEnd, length: 0,
          "\(end.length - extent.dataEnd) bytes, up to batch \(end.batch), were here and are gone")
      }
      let torn = replay.end(synced: max(end?.batch ?? 0, mark?.batch ?? 0))
      let length = torn?.start ?? min(extent.lineEnd, extent.dataEnd)
      state = (file, ClosedMark(segment: segment.number, length: max(length, start), batch: replay.lastBatch))
    }
    return state
  }
}

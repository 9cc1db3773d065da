@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension JournalReader {
  /// Returns the issues of a journal, up to a position that is known to be synced. The journal may be written at the
  /// same time.
  ///
  /// - Parameters:
  ///   - index: The index at that position, which is compared with the files.
  ///   - shouldStop: is called at intervals.
  /// - Throws: `CancellationError` if it should stop.
  static func verify(
    group: String, folder: String, upTo extent: JournalExtent, comparing index: JournalIndex? = nil,
    _ fileSystem: any FileSystem, shouldStop: () -> Bool = { false }
  ) throws -> [IntegrityIssue] {
    let (scanned, issues) = try scan(
      group: group, folder: folder, upTo: extent, into: JournalIndex(), fileSystem, shouldStop: shouldStop)
    guard let index else { return issues }
    return issues + index.mismatches(with: scanned, besides: issues, in: folder).map(\.issue)
  }

  /// Returns the same, and the readable records.
  ///
  /// - Parameters:
  ///   - index: An index without models, whose types keep their numbers.
  ///   - shouldStop: is called at intervals.
  static func scan(
    group: String, folder: String, upTo extent: JournalExtent, into index: JournalIndex, _ fileSystem: any FileSystem,
    shouldStop: () -> Bool = { false }
  ) throws -> (index: JournalIndex, issues: [IntegrityIssue]) {
    var replay = Replay(into: index)
    for loss in extent.losses { replay.note(loss) }
    _ = try read(
      group: group, folder: folder, fileSystem, &replay, isWholeJournal: true, upTo: extent, shouldStop: shouldStop)
    var issues: [IntegrityIssue] = []
    // Both sides may report the same missing part.
    for issue in replay.issues where !issues.contains(where: { $0.isMissing(like: issue) }) {
      issues.append(issue)
    }
    return (replay.takeIndex(), issues)
  }

  /// Reads a journal without changing anything.
  static func read(
    group: String, folder: String, _ fileSystem: any FileSystem, _ replay: inout Replay, isWholeJournal: Bool,
    upTo extent: JournalExtent? = nil, shouldStop: () -> Bool = { false }
  ) throws -> State {
    var attempts = 0
    while true {
      let before = replay
      do {
        return try readOnce(
          group: group, folder: folder, fileSystem, &replay, isWholeJournal: isWholeJournal, upTo: extent, shouldStop)
      } catch let error as FileSystemError where error.code == ENOENT && attempts < 16 {
        // A compaction ended in between.
        attempts += 1
        replay = before
      }
    }
  }

  /// Returns the files in a group's folder; nil if there is no folder yet.
  static func files(
    in folder: String, _ fileSystem: any FileSystem
  ) throws -> (names: [String], files: JournalFiles)? {
    do {
      let names = try fileSystem.list(folder)
      return (names, try JournalFiles(names, in: folder, fileSystem))
    } catch let error as FileSystemError {
      guard error.code == ENOENT, error.operation == .list else { throw error }
      return nil
    }
  }

  private static func readOnce(
    group: String, folder: String, _ fileSystem: any FileSystem, _ replay: inout Replay, isWholeJournal: Bool,
    upTo known: JournalExtent?, _ shouldStop: () -> Bool
  ) throws -> State {
    // Read before the names: so all of its files exist then, or are replaced.
    let mark = try ClosedMark.read(in: folder, fileSystem, noting: &replay)
    guard var (names, files) = try files(in: folder, fileSystem) else {
      if known != nil { throw FileSystemError(.list, folder, code: ENOENT) }
      return State()
    }
    if files.hasGap, let again = try Self.files(in: folder, fileSystem) {
      // A list made during a rename may lack the file.
      (names, files) = again
    }
    let checkpoint = isWholeJournal ? nil : try files.checkpoint(in: folder, names, fileSystem)
    if let checkpoint { replay.begin(from: checkpoint) }
    var state = State(segments: files.segments)
    var due: UInt32 = 1
    for segment in files.segments {
      if let known, segment.number > known.end.segment { break }
      defer { due = segment.number + 1 }
      if let checkpoint, segment.number < checkpoint.position.segment { continue }
      if known == nil, !segment.isCompacted {
        replay.noteMissing(segments: due..<max(due, segment.number), in: folder)
      }
      let path = "\(folder)/\(StoreFormat.segment(segment))"
      let file = try fileSystem.open(path, .read)
      let start = segment.number == checkpoint?.position.segment ? checkpoint?.position.length ?? 0 : 0
      replay.begin(segment: segment, file: path)
      var scan = SegmentScan(file: file, segment: segment, group: group, folder: folder, start: start)
      // Later writes are not compared.
      if let known, segment.number == known.end.segment { scan.end = known.end.length }
      let extent = try scan.run(into: &replay, shouldStop: shouldStop)
      let isLast = segment == files.segments.last || segment.number == known?.end.segment
      if let length = known?.length(of: segment), extent.dataEnd < length {
        replay.note(
          .missing, at: extent.dataEnd, length: 0, "\(length - extent.dataEnd) bytes are missing")
      }
      if segment.isCompacted { replay.end(synced: .max) }
      guard isLast, !segment.isCompacted else { continue }
      let torn = replay.end(synced: max(known?.end.batch ?? 0, mark?.batch ?? 0))
      if known == nil { replay.noteLoss(in: segment, extent.dataEnd, mark: mark) }
      let length = max(torn?.start ?? min(extent.lineEnd, extent.dataEnd), start)
      state.file = file
      state.position = ClosedMark(segment: segment.number, length: length, batch: replay.lastBatch)
      state.tail = try tail(of: file, before: length)
    }
    if let known {
      for file in known.files where !files.segments.contains(file.segment) {
        replay.noteMissing(file.segment, in: folder)
      }
    } else {
      replay.noteMissing(segments: due..<files.dueEnd(mark), in: folder)
    }
    return state
  }
}

@_spi(ModelKitInternals) import StoreEngine

// Compaction on a full disk: in steps that the free space allows.
extension Compaction {
  /// Runs the compaction. If the disk lacks space for the result, only the first files are compacted. The replaced
  /// files are removed before the next step, which then has more space.
  ///
  /// - Returns: The compaction that ran, and its outcome. It has the number of this one if it covers all files.
  /// - Throws: ``FileEngineError/noRoomToCompact(folder:bytes:)`` if the disk has no space for any step, and the errors
  ///   of ``run(_:shouldStop:)``.
  func runStep(
    _ fileSystem: any FileSystem, shouldStop: () -> Bool
  ) throws -> (step: Compaction, outcome: Outcome) {
    var smallest = size
    if let outcome = try run(ifThereIsRoomIn: fileSystem, shouldStop) { return (self, outcome) }
    let live = liveBytesByFile()
    var count = files.count - 1
    while count > 0 {
      defer { count -= 1 }
      let files = files.prefix(count)
      // A compacted file can't get the name of the one that it replaces.
      guard let last = files.last, !last.segment.isCompacted else { break }
      let total = files.reduce(0) { $0 + $1.length }
      let kept = files.reduce(Self.size(of: index, keeping: 0)) { $0 + (live[$1.segment] ?? 0) }
      guard Self.isWorthIt(kept, of: total) else { continue }
      // The estimate first: reading the files takes longer than checking the free space.
      guard try hasRoom(for: kept, fileSystem) else {
        smallest = min(smallest, kept)
        continue
      }
      let step = try step(over: Array(files), fileSystem, shouldStop: shouldStop)
      guard Self.isWorthIt(step.size, of: total) else { continue }
      if let outcome = try step.run(ifThereIsRoomIn: fileSystem, shouldStop) { return (step, outcome) }
      smallest = min(smallest, step.size)
      // The estimate was too low: the files have older revisions, which define the order of the models.
      count = count / 2 + 1
    }
    throw FileEngineError.noRoomToCompact(folder: folder, bytes: smallest)
  }

  /// Returns whether a step frees at least half as much as it writes. A step that frees less makes the next steps
  /// larger, because they write its result again.
  private static func isWorthIt(_ kept: UInt64, of total: UInt64) -> Bool { kept + kept / 2 <= total }

  /// The maximum number of written bytes.
  private var size: UInt64 { Self.size(of: index, keeping: index.liveBytes) }

  private static func size(of index: JournalIndex, keeping bytes: UInt64) -> UInt64 {
    index.names.reduce(bytes + 1_024) { $0 + UInt64($1.count) * 6 + 256 } + UInt64(index.liveCount / 64)
  }

  /// - Returns: The outcome; nil if the disk has too little space. The attempt then leaves no file behind.
  private func run(
    ifThereIsRoomIn fileSystem: any FileSystem, _ shouldStop: () -> Bool
  ) throws -> Outcome? {
    var compaction = self
    compaction.preallocation = size
    do {
      return try compaction.run(fileSystem, shouldStop: shouldStop)
    } catch let error as FileSystemError where error.isAboutRoom {
      try fileSystem.remove(unfinishedPath)
      return nil
    } catch {
      try? fileSystem.remove(unfinishedPath)
      throw error
    }
  }

  private func hasRoom(for count: UInt64, _ fileSystem: any FileSystem) throws -> Bool {
    let file = try fileSystem.open(unfinishedPath, .create)
    defer { try? fileSystem.remove(unfinishedPath) }
    do {
      try file.truncate(to: 0)
      try file.preallocate(from: 0, length: count)
      return true
    } catch {
      return !error.isAboutRoom
    }
  }

  private func liveBytesByFile() -> [SegmentNumber: UInt64] {
    var bytes: [SegmentNumber: UInt64] = [:]
    for type in index.types {
      for entry in type.entries where entry.isLive {
        bytes[entry.place.segment, default: 0] += UInt64(entry.place.length) + 1
      }
    }
    return bytes
  }

  /// Returns a compaction of the first files alone.
  ///
  /// It keeps the models of these files that still exist. Each has the revision that it had at the end of the last
  /// file. So they stay in the order of their creation, and later revisions are replayed over them.
  func step(
    over files: [SegmentExtent], _ fileSystem: any FileSystem, shouldStop: () -> Bool = { false }
  ) throws -> Compaction {
    var replay = Replay(into: index.withoutModels)
    for extent in files {
      let path = "\(folder)/\(StoreFormat.segment(extent.segment))"
      replay.begin(segment: extent.segment, file: path)
      let scan = SegmentScan(
        file: try fileSystem.open(path, .read), segment: extent.segment, group: group, folder: folder)
      _ = try scan.run(into: &replay, shouldStop: shouldStop)
    }
    replay.end(synced: .max)
    if let damage = replay.issues.first { throw FileEngineError.damaged(damage) }
    let batch = replay.lastBatch
    var kept = replay.takeIndex()
    kept.removeModels(missingIn: index)
    return Compaction(
      group: group, folder: folder, index: kept, number: files.last?.segment.number ?? 0, files: files, isStep: true,
      batch: batch)
  }
}

@_spi(ModelKitInternals) import StoreEngine

/// The files in the folder of a group: those of the journal, and obsolete ones.
struct JournalFiles {
  /// The files of the journal in order: the last compacted file, if any, then the later segments.
  let segments: [SegmentNumber]

  /// The files that the first of them replaced, and the unfinished ones of a writer that stopped.
  let leftovers: [String]

  /// - Parameters:
  ///   - names: The names in the folder.
  ///   - folder: The folder. A compacted file replaces others only if its first line declares it, or if there are none
  ///     that it could replace.
  init(_ names: [String], in folder: String, _ fileSystem: any FileSystem) throws {
    let segments = names.compactMap(StoreFormat.segmentNumber).sorted()
    let compacted = try names.compactMap(StoreFormat.compactedNumber).sorted(by: >).first { number in
      guard let first = segments.first, first <= number else { return true }
      let file = try fileSystem.open("\(folder)/\(StoreFormat.segment(.compacted(number)))", .read)
      return try SegmentScan.firstBatch(of: file, ifNumber: number) != nil
    }
    self.segments =
      (compacted.map { [.compacted($0)] } ?? [])
      + segments.filter { $0 > compacted ?? 0 }.map { SegmentNumber($0) }
    leftovers = names.filter { name in
      if StoreFormat.isUnfinished(name) { return true }
      guard let compacted else { return false }
      if let number = StoreFormat.segmentNumber(name) { return number <= compacted }
      return StoreFormat.compactedNumber(name).map { $0 < compacted } ?? false
    }
  }

  /// Returns the checkpoint of the journal, if it has just these files, and none is shorter than recorded there.
  ///
  /// - Throws: ``FileEngineError/newerFormat(path:version:supported:)``.
  func checkpoint(in folder: String, _ names: [String], _ fileSystem: any FileSystem) throws -> Checkpoint? {
    guard names.contains(StoreFormat.checkpoint), let checkpoint = try Checkpoint(of: folder, fileSystem) else {
      return nil
    }
    let position = checkpoint.position
    let current = SegmentNumber(position.segment)
    guard checkpoint.files.map(\.segment) == segments.filter({ $0.number < position.segment }),
      segments.contains(current)
    else { return nil }
    for extent in checkpoint.files {
      let file = try? fileSystem.open("\(folder)/\(StoreFormat.segment(extent.segment))", .read)
      // Files before the last one never change.
      guard let file, let size = try? file.size(), size == extent.length else { return nil }
    }
    let file = try? fileSystem.open("\(folder)/\(StoreFormat.segment(current))", .read)
    guard let file, let size = try? file.size(), size >= position.length,
      (try? checkpoint.belongs(to: file, in: folder, fileSystem)) == true
    else { return nil }
    return checkpoint
  }
}

import Foundation
@_spi(ModelKitInternals) import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The files of a store at one point in time. Files only grow, and none is removed while its group is locked.
struct StoreBackup: Sendable {
  struct Group: Sendable {
    let folder: String
    let name: String
    let files: [SegmentExtent]
    let end: ClosedMark
  }

  let groups: [Group]

  private static let unfinishedSuffix = ".unfinished"
  private static let pieceSize = 1 << 20

  /// - Throws: ``FileEngineError/notEmpty(directory:)``.
  static func refuseIfNotEmpty(_ target: String, _ fileSystem: any FileSystem) throws {
    do {
      if try !fileSystem.list(target).isEmpty { throw FileEngineError.notEmpty(directory: target) }
    } catch let error as FileSystemError where error.code == ENOENT {
      return
    }
  }

  /// Creates a folder next to the target, under an unused name.
  private static func createUnfinished(_ target: String, _ fileSystem: any FileSystem) throws -> String {
    let parent = PosixFileSystem.parent(of: target)
    try fileSystem.createDirectories(parent)
    // Some folders are writable but can't be listed.
    let names = Set((try? fileSystem.list(parent)) ?? [])
    var number = 1
    while true {
      let path = target + unfinishedSuffix + (number > 1 ? "-\(number)" : "")
      let isFree = !names.contains(String(path.split(separator: "/").last ?? ""))
      if try isFree && fileSystem.createDirectory(path) { return path }
      number += 1
    }
  }

  /// Copies all files, syncs them, and renames the folder. An error leaves no files.
  func write(to target: String, _ fileSystem: any FileSystem, shouldStop: () -> Bool) throws {
    let unfinished = try Self.createUnfinished(target, fileSystem)
    do {
      try write(to: target, by: unfinished, fileSystem, shouldStop)
    } catch {
      try? FileManager.default.removeItem(atPath: unfinished)
      throw error
    }
  }

  private func write(
    to target: String, by unfinished: String, _ fileSystem: any FileSystem, _ shouldStop: () -> Bool
  ) throws {
    _ = try fileSystem.createDirectory("\(unfinished)/\(StoreFormat.groups)")
    for group in groups {
      let folder = "\(unfinished)/\(StoreFormat.groups)/\(group.name)"
      _ = try fileSystem.createDirectory(folder)
      for extent in group.files {
        let name = StoreFormat.segment(extent.segment)
        try Self.copy("\(group.folder)/\(name)", extent.length, to: "\(folder)/\(name)", fileSystem, shouldStop)
      }
      var encoder = LineEncoder()
      encoder.closed(segment: UInt64(group.end.segment), length: group.end.length, batch: group.end.batch)
      // This syncs the names of all files.
      try fileSystem.replace(StoreFormat.closedMark, in: folder, with: encoder.bytes)
    }
    try fileSystem.synchronizeDirectory("\(unfinished)/\(StoreFormat.groups)")
    try fileSystem.replace(StoreFormat.manifest, in: unfinished, with: StoreManifest.bytes())
    try Self.refuseIfNotEmpty(target, fileSystem)
    try fileSystem.rename(unfinished, to: target)
    try fileSystem.synchronizeDirectory(PosixFileSystem.parent(of: target))
  }

  private static func copy(
    _ path: String, _ length: UInt64, to newPath: String, _ fileSystem: any FileSystem, _ shouldStop: () -> Bool
  ) throws {
    let source = try fileSystem.open(path, .read)
    let copy = try fileSystem.open(newPath, .create)
    var offset: UInt64 = 0
    while offset < length {
      if shouldStop() { throw CancellationError() }
      let bytes = try source.bytes(from: offset, count: Int(min(length - offset, UInt64(pieceSize))))
      guard !bytes.isEmpty else {
        throw FileEngineError.damaged(
          IntegrityIssue(
            kind: .missing, file: path, offset: offset, length: 0,
            reason: "\(length - offset) bytes are missing"))
      }
      try copy.writeFully(bytes, at: offset)
      offset += UInt64(bytes.count)
    }
    try copy.synchronize()
  }
}

extension Writer {
  /// Opens the journals of all groups that have one, and returns these groups.
  mutating func openAll() throws -> [String] {
    let folder = "\(directory)/\(StoreFormat.groups)"
    var groups: [String] = []
    for name in try fileSystem.list(folder).sorted() {
      guard let names = try Self.names(in: "\(folder)/\(name)", fileSystem) else { continue }
      let files = try JournalFiles(names, in: "\(folder)/\(name)", fileSystem)
      if files.segments.isEmpty { continue }
      if try Self.wasNeverBegun("\(folder)/\(name)", names, files, fileSystem) { continue }
      let group = try Self.group(in: "\(folder)/\(name)", files, fileSystem)
      guard let group, GroupFolder.name(of: group) == name else {
        throw FileEngineError.unknownGroup(folder: "\(folder)/\(name)")
      }
      _ = try open(group)
      groups.append(group)
    }
    return groups
  }

  /// Returns the contents of a folder; nil if the path is not a folder.
  private static func names(in folder: String, _ fileSystem: any FileSystem) throws -> [String]? {
    do {
      return try fileSystem.list(folder)
    } catch {
      if error.code == ENOTDIR { return nil }
      throw error
    }
  }

  /// Returns whether a folder has at most the beginning of the first line of a journal: it never contained a record.
  private static func wasNeverBegun(
    _ folder: String, _ names: [String], _ files: JournalFiles, _ fileSystem: any FileSystem
  ) throws -> Bool {
    let first = SegmentNumber(1)
    guard files.segments == [first], !names.contains(StoreFormat.closedMark) else { return false }
    var scanner = LineScanner(try fileSystem.open("\(folder)/\(StoreFormat.segment(first))", .read), windowSize: 4_096)
    return try scanner.next()?.isTerminated != true
  }

  /// Returns the group of the journal in a folder, by its first readable line.
  private static func group(in folder: String, _ files: JournalFiles, _ fileSystem: any FileSystem) throws -> String? {
    for segment in files.segments {
      let file = try fileSystem.open("\(folder)/\(StoreFormat.segment(segment))", .read)
      if let group = try SegmentScan.group(of: file) { return group }
    }
    return nil
  }

  /// Returns the current files of groups, after syncing them.
  mutating func backup(of groups: [String]) throws -> StoreBackup {
    StoreBackup(
      groups: try groups.map { group in
        try sync(group)
        let journal = try journal(group)
        let current = SegmentExtent(segment: SegmentNumber(journal.segment), length: journal.end)
        return StoreBackup.Group(
          folder: journal.contents.folder, name: GroupFolder.name(of: group), files: journal.sealed + [current],
          end: journal.position)
      })
  }
}

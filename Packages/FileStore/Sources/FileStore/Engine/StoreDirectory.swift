#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The directory of a store, locked by this process. Only its owner may write.
struct StoreDirectory {
  let directory: String

  /// The issue of the manifest, if it is damaged.
  private(set) var issues: [IntegrityIssue] = []

  /// The lock, released with the home; nil for a read-only store.
  private let lock: StoreLock?

  /// The folder of the groups' folders.
  var groups: String { "\(directory)/\(StoreFormat.groups)" }

  /// Creates the directory if it is missing, takes its lock, and checks its format.
  ///
  /// A directory of another program, or of a newer version, is not changed.
  ///
  /// - Throws: ``FileEngineError/locked(directory:holder:)``, ``FileEngineError/notAStore(directory:name:)`` or
  ///   ``FileEngineError/newerFormat(path:version:supported:)``.
  init(directory: String, fileSystem: any FileSystem, clock: any EngineClock) throws {
    self.directory = directory
    // If there is a manifest, the directory's own name is on the disk, because the manifest is written later.
    let isKnown = try? fileSystem.list(directory).contains(StoreFormat.manifest)
    if isKnown != true { try fileSystem.createDirectories(directory) }
    _ = try StoreInspection(of: directory, fileSystem)
    let lock = try StoreLock(directory, fileSystem)
    self.lock = lock
    // Another process may have created the store by now, or one of another version.
    let inspection = try StoreInspection(of: directory, fileSystem)
    _ = try fileSystem.createDirectory(groups)
    if case .empty = inspection {
      try fileSystem.replace(StoreFormat.manifest, in: directory, with: StoreManifest.bytes())
    }
    // Only when there is a manifest: without one, an incomplete name in the lock file could belong to another program.
    try lock.name(since: clock.timestamp())
    if case .store(let version, let issues) = inspection {
      self.issues = issues
      if let version, version < StoreFormat.version {
        // Files of an older version are read unchanged. From here on, that version must not write them.
        try fileSystem.replace(StoreFormat.manifest, in: directory, with: StoreManifest.bytes())
      }
    }
    // Even if nothing is new: an earlier attempt to open the store may have been interrupted here.
    try fileSystem.synchronizeDirectory(directory)
  }

  /// Opens the directory of a store for reading, without taking its lock.
  ///
  /// - Throws: ``FileEngineError/noStore(directory:)``, ``FileEngineError/notAStore(directory:name:)`` or
  ///   ``FileEngineError/newerFormat(path:version:supported:)``.
  init(reading directory: String, fileSystem: any FileSystem) throws {
    self.directory = directory
    lock = nil
    do {
      guard case .store(_, let issues) = try StoreInspection(of: directory, fileSystem) else {
        throw FileEngineError.noStore(directory: directory)
      }
      self.issues = issues
    } catch let error as FileSystemError where error.code == ENOENT && error.path == directory {
      throw FileEngineError.noStore(directory: directory)
    }
  }

  /// Returns whether no other process can write. It is false when the lock was removed by another process.
  func isLocked() throws -> Bool { try lock?.isHeld() ?? true }

  /// Writes the manifest again if it was damaged. The damaged one is kept in a quarantine file.
  ///
  /// - Returns: The path of the quarantine file; nil if there is none.
  mutating func restoreManifest(_ fileSystem: any FileSystem) throws -> String? {
    if issues.isEmpty { return nil }
    let quarantine = try quarantineManifest(fileSystem)
    try fileSystem.replace(StoreFormat.manifest, in: directory, with: StoreManifest.bytes())
    issues = []
    return quarantine
  }

  private func quarantineManifest(_ fileSystem: any FileSystem) throws -> String? {
    let names = try fileSystem.list(directory)
    guard names.contains(StoreFormat.manifest) else { return nil }
    let bytes = try fileSystem.open("\(directory)/\(StoreFormat.manifest)", .read).contents()
    var number = 1
    while names.contains(StoreFormat.manifestQuarantine(number)) { number += 1 }
    let path = "\(directory)/\(StoreFormat.manifestQuarantine(number))"
    let file = try fileSystem.open(path, .createNew)
    try file.writeFully(bytes, at: 0)
    try file.synchronize()
    try fileSystem.synchronizeDirectory(directory)
    return path
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The directory of a store, held by this process: only the owner of the home may write.
struct StoreDirectory {
  let directory: String

  /// The fault of the manifest.
  private(set) var issues: [IntegrityIssue] = []

  /// Held for as long as the home is. Nil for a read-only store.
  private let lock: StoreLock?

  /// The folder of the groups' folders.
  var groups: String { "\(directory)/\(StoreFormat.groups)" }

  /// Makes the directory where there is none, takes its lock, and checks that its format is known.
  ///
  /// A directory of another program, or of a newer version, is left as it is.
  ///
  /// - Throws: ``FileEngineError/locked(directory:holder:)``, ``FileEngineError/notAStore(directory:name:)`` or
  ///   ``FileEngineError/newerFormat(path:version:supported:)``.
  init(directory: String, fileSystem: any FileSystem, clock: any EngineClock) throws {
    self.directory = directory
    // Where a manifest is, the directory's own name is on the disk: it comes after that.
    let isKnown = try? fileSystem.list(directory).contains(StoreFormat.manifest)
    if isKnown != true { try fileSystem.createDirectories(directory) }
    _ = try StoreInspection(of: directory, fileSystem)
    let lock = try StoreLock(directory, fileSystem)
    self.lock = lock
    // Another process may have made a store until now, or left one of another version.
    let inspection = try StoreInspection(of: directory, fileSystem)
    _ = try fileSystem.createDirectory(groups)
    if case .empty = inspection {
      try fileSystem.replace(StoreFormat.manifest, in: directory, with: StoreManifest.bytes())
    }
    // Not before there is a manifest: half a name in a lock without one has no owner.
    try lock.name(since: clock.timestamp())
    if case .store(let version, let issues) = inspection {
      self.issues = issues
      if let version, version < StoreFormat.version {
        // All that an older version has written is read as it is. From here on it must not write again.
        try fileSystem.replace(StoreFormat.manifest, in: directory, with: StoreManifest.bytes())
      }
    }
    // Also if nothing is new: the last attempt to open the store may have got no further than here.
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

  /// Whether no other process can write. It is false when the lock was removed by another process.
  func isLocked() throws -> Bool { try lock?.isHeld() ?? true }

  /// Writes the manifest again if it was faulty. The faulty one is kept in a file of its own.
  ///
  /// - Returns: The path of that file; nil if there was nothing to keep.
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

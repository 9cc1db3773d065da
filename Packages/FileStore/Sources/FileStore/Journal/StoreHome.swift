#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The directory of a store, held by this process: whoever has the home may write, nobody else.
struct StoreHome {
  let directory: String

  /// What was found wrong with the manifest.
  private(set) var findings: [Finding] = []

  /// Open for as long as the home is held: closing it gives the lock back. Nil for somebody who only reads.
  private let lock: (any StoreFile)?

  /// The folder of the groups' folders.
  var groups: String { "\(directory)/\(StoreFormat.groups)" }

  /// Who holds a store, as its lock file says.
  private struct Holder: Codable {
    var pid: Int32
    var since: String
  }

  private struct Manifest: Codable {
    var format: String
    var version: UInt64
  }

  /// Makes the directory where there is none, takes its lock, and checks that its format is known.
  ///
  /// - Throws: ``FileEngineError/locked(directory:holder:)`` or
  ///   ``FileEngineError/newerFormat(path:version:supported:)``.
  init(directory: String, fileSystem: any FileSystem, clock: any EngineClock) throws {
    self.directory = directory
    // Where a manifest is, the directory's own name is on the disk: it comes after that.
    let isKnown = try? fileSystem.list(directory).contains(StoreFormat.manifest)
    if isKnown != true { try fileSystem.createDirectories(directory) }
    let lock = try fileSystem.open("\(directory)/\(StoreFormat.lock)", .create)
    self.lock = lock
    guard try lock.tryLock() else {
      throw FileEngineError.locked(directory: directory, holder: Self.describeHolder(try? lock.contents()))
    }
    let holder = #"{"pid":\#(getpid()),"since":"\#(clock.timestamp())"}"# + "\n"
    try lock.truncate(to: 0)
    try lock.writeFully(Array(holder.utf8), at: 0)
    _ = try fileSystem.createDirectory(groups)
    try checkManifest(fileSystem)
    // Also if nothing is new: the last attempt to open the store may have got no further than here.
    try fileSystem.synchronizeDirectory(directory)
  }

  /// Looks at the directory of a store without taking its lock, in order to read what is in it.
  ///
  /// - Throws: ``FileEngineError/newerFormat(path:version:supported:)``; ``FileSystemError`` if there is no store.
  init(reading directory: String, fileSystem: any FileSystem) throws {
    self.directory = directory
    lock = nil
    _ = try knownVersion(fileSystem)
  }

  private static func describeHolder(_ contents: [UInt8]?) -> String {
    guard let contents, let holder = try? JSONDecoder().decode(Holder.self, from: Data(contents)) else {
      return "another process"
    }
    let process = holder.pid == getpid() ? "another store in this process" : "another process"
    return "\(process) (pid \(holder.pid), since \(holder.since))"
  }

  /// Checks the manifest, writes it where there is none, and lets it say what is going to be written.
  private mutating func checkManifest(_ fileSystem: any FileSystem) throws {
    let isNew = try !fileSystem.list(directory).contains(StoreFormat.manifest) && fileSystem.list(groups).isEmpty
    if isNew { return try fileSystem.replace(StoreFormat.manifest, in: directory, with: Self.manifest()) }
    if let version = try knownVersion(fileSystem), version < StoreFormat.version {
      // All that an older version has written is read as it is. From here on it must not write again.
      try fileSystem.replace(StoreFormat.manifest, in: directory, with: Self.manifest())
    }
  }

  /// Writes the manifest anew, if something was wrong with it.
  mutating func restoreManifest(_ fileSystem: any FileSystem) throws {
    if findings.isEmpty { return }
    try fileSystem.replace(StoreFormat.manifest, in: directory, with: Self.manifest())
    findings = []
  }

  /// The version that the manifest names; nil if it is missing or damaged, which is noted.
  private mutating func knownVersion(_ fileSystem: any FileSystem) throws -> UInt64? {
    let path = "\(directory)/\(StoreFormat.manifest)"
    guard try fileSystem.list(directory).contains(StoreFormat.manifest) else {
      // Every segment names its version too, so the store can be read; but somebody ought to know.
      findings.append(Finding(kind: .missing, file: path, offset: 0, length: 0, reason: "the file is missing"))
      return nil
    }
    let bytes = try fileSystem.open(path, .read).contents()
    guard let version = Self.version(inManifest: bytes) else {
      findings.append(
        Finding(
          kind: .damage, file: path, offset: 0, length: UInt64(bytes.count),
          reason: "it does not match its checksum; the format version was taken from the journals"))
      return nil
    }
    guard version <= StoreFormat.version else {
      throw FileEngineError.newerFormat(path: path, version: version, supported: StoreFormat.version)
    }
    if bytes.last != 0x0a {
      findings.append(
        Finding(
          kind: .damage, file: path, offset: UInt64(bytes.count), length: 0, reason: StoreFormat.missingLineBreak))
    }
    return version
  }

  /// `{"crc":"01234567",` and the rest of one line, which the checksum covers.
  private static let manifestPrefix = 18

  static func manifest() -> [UInt8] {
    let rest = Array(#""format":"\#(StoreFormat.name)","version":\#(StoreFormat.version)}"#.utf8)
    return Array(#"{"crc":"\#(checksum(rest[...]))","#.utf8) + rest + [0x0a]
  }

  private static func version(inManifest bytes: [UInt8]) -> UInt64? {
    let line = bytes.prefix { $0 != 0x0a }
    guard line.count > manifestPrefix,
      line.starts(with: #"{"crc":"\#(checksum(line[manifestPrefix...]))","#.utf8),
      let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(line)), manifest.format == StoreFormat.name
    else { return nil }
    return manifest.version
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> String {
    let digits = String(bytes.withUnsafeBytes(CRC32C.checksum), radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

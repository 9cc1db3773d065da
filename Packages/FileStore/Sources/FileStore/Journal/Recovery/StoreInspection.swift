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

/// The content of a directory for a store, read without changes.
enum StoreInspection {
  /// No relevant files: a store can be created here.
  case empty

  /// A store: the version in its manifest, nil without one, and the issues of the manifest.
  case store(version: UInt64?, issues: [IntegrityIssue])

  /// Reads a directory.
  ///
  /// - Throws: ``FileEngineError/notAStore(directory:name:)`` if something in it belongs to another program;
  ///   ``FileEngineError/newerFormat(path:version:supported:)``; ``FileSystemError``.
  init(of directory: String, _ fileSystem: any FileSystem) throws {
    let names = try fileSystem.list(directory)
    let path = "\(directory)/\(StoreFormat.manifest)"
    guard names.contains(StoreFormat.manifest) else {
      let hasJournals = try Self.hasJournals(directory, fileSystem)
      let foreignName = hasJournals ? nil : try Self.foreignName(names, in: directory, fileSystem)
      if !hasJournals, foreignName == nil {
        self = .empty
      } else if try fileSystem.list(directory).contains(StoreFormat.manifest) {
        // Another process created the store between two reads. A manifest is never removed, so it is found now.
        self = try StoreInspection(of: directory, fileSystem)
      } else if let foreignName {
        throw FileEngineError.notAStore(directory: directory, name: foreignName)
      } else {
        // Every segment also has the version, so the store can be read, and the loss is reported.
        let issue = IntegrityIssue(kind: .missing, file: path, offset: 0, length: 0, reason: "the file is missing")
        self = .store(version: nil, issues: [issue])
      }
      return
    }
    let bytes = try fileSystem.open(path, .read).contents()
    switch StoreManifest.Reading(bytes) {
    case .version(let version):
      guard version <= StoreFormat.version else {
        throw FileEngineError.newerFormat(path: path, version: version, supported: StoreFormat.version)
      }
      let issue = IntegrityIssue(
        kind: .damage, file: path, offset: UInt64(bytes.count), length: 0, reason: StoreFormat.missingLineBreak)
      self = .store(version: version, issues: bytes.last == 0x0a ? [] : [issue])
    case .damaged where try Self.hasJournals(directory, fileSystem):
      let issue = IntegrityIssue(
        kind: .damage, file: path, offset: 0, length: UInt64(bytes.count),
        reason: "it does not match its checksum; the format version was taken from the journals")
      self = .store(version: nil, issues: [issue])
    case .damaged, .foreign: throw FileEngineError.notAStore(directory: directory, name: StoreFormat.manifest)
    }
  }

  /// Returns whether there is a file of a journal in the folder of a group.
  private static func hasJournals(_ directory: String, _ fileSystem: any FileSystem) throws -> Bool {
    let groups = "\(directory)/\(StoreFormat.groups)"
    for folder in try names(in: groups, fileSystem) ?? [] {
      let names = try names(in: "\(groups)/\(folder)", fileSystem) ?? []
      if names.contains(where: StoreFormat.isJournal) { return true }
    }
    return false
  }

  /// Returns the names in a folder; nil if there is none.
  private static func names(in folder: String, _ fileSystem: any FileSystem) throws -> [String]? {
    do {
      return try fileSystem.list(folder)
    } catch {
      if [ENOENT, ENOTDIR].contains(error.code) { return nil }
      throw error
    }
  }

  /// Returns the first name of another program. Files of systems and editors, and those of an interrupted creation, are
  /// ignored.
  private static func foreignName(
    _ names: [String], in directory: String, _ fileSystem: any FileSystem
  ) throws -> String? {
    for name in names.sorted() where !isLitter(name) {
      let path = "\(directory)/\(name)"
      let isOurs =
        switch name {
        case StoreFormat.lock:
          try contents(of: path, fileSystem).map { $0.isEmpty || StoreLock.Holder($0) != nil } ?? false
        case StoreFormat.manifest + StoreFormat.unfinishedSuffix:
          try contents(of: path, fileSystem).map { $0.count <= StoreManifest.bytes().count } ?? false
        case StoreFormat.groups:
          try Self.names(in: path, fileSystem)?.allSatisfy { folder in
            try isLitter(folder) || Self.names(in: "\(path)/\(folder)", fileSystem)?.allSatisfy(isLitter) ?? false
          } ?? false
        default: false
        }
      if !isOurs { return name }
    }
    return nil
  }

  /// Returns the bytes of a small file, or the beginning of a large one; nil if there is none.
  private static func contents(of path: String, _ fileSystem: any FileSystem) throws -> [UInt8]? {
    do {
      return try fileSystem.open(path, .read).bytes(from: 0, count: 4_096)
    } catch let error as FileSystemError where [EISDIR, ELOOP].contains(error.code) {
      return nil
    } catch let error as FileSystemError where error.code == ENOENT {
      // Removed in between, or a broken link, which the lock rejects.
      return []
    }
  }

  /// Returns whether a file is ignored: hidden files, and those that systems create in each folder.
  private static func isLitter(_ name: String) -> Bool {
    name.hasPrefix(".") || ["lost+found", "desktop.ini", "Thumbs.db"].contains(name)
  }
}

/// The file that declares the format of a store.
enum StoreManifest {
  /// The result of reading a manifest.
  enum Reading {
    /// The version of the format.
    case version(UInt64)

    /// It is the file of another program.
    case foreign

    /// It may have been a manifest.
    case damaged

    init(_ bytes: [UInt8]) {
      let line = bytes.prefix { $0 != 0x0a }
      if line.count > prefixLength, line.starts(with: #"{"crc":"\#(checksum(line[prefixLength...]))","#.utf8),
        let contents = try? JSONDecoder().decode(Contents.self, from: Data(line))
      {
        self = contents.format == StoreFormat.name ? .version(contents.version) : .foreign
      } else if let members = try? JSONDecoder().decode([String: Anything].self, from: Data(bytes)) {
        // A flipped bit leaves one of the two intact.
        self = members.keys.contains { ["crc", "format"].contains($0) } ? .damaged : .foreign
      } else {
        self = .damaged
      }
    }
  }

  private struct Contents: Decodable {
    var format: String
    var version: UInt64
  }

  /// A value that is ignored.
  private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
  }

  /// `{"crc":"01234567",` and the rest of one line, which the checksum covers.
  private static let prefixLength = 18

  /// Returns the manifest of the written version.
  static func bytes() -> [UInt8] {
    let rest = Array(#""format":"\#(StoreFormat.name)","version":\#(StoreFormat.version)}"#.utf8)
    return Array(#"{"crc":"\#(checksum(rest[...]))","#.utf8) + rest + [0x0a]
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> String {
    let digits = String(bytes.withUnsafeBytes { CRC32C.checksum($0) }, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

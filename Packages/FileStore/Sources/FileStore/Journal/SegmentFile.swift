#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The file of the current segment. It can be closed between writes: a store can have more groups than a process may
/// have open files.
struct SegmentFile {
  /// The number of bytes before the end that identify the closed file.
  private static let tailLength: UInt64 = 4_096

  /// The state of the file when it was closed.
  private struct Closed: Equatable {
    var end: UInt64
    var size: UInt64
    var tail: UInt64

    init(_ file: any StoreFile, end: UInt64) throws {
      self.end = end
      size = try file.size()
      let length = min(end, tailLength)
      var fingerprint = Fingerprint()
      try file.bytes(from: end - length, count: Int(length)).withUnsafeBytes { fingerprint.add($0) }
      tail = fingerprint.value
    }
  }

  private enum State {
    case open(any StoreFile)
    case closed(Closed)
    case dropped
  }

  let path: String
  private let fileSystem: any FileSystem
  private var state: State

  init(_ file: any StoreFile, _ fileSystem: any FileSystem) {
    self.fileSystem = fileSystem
    path = file.path
    state = .open(file)
  }

  var isOpen: Bool { if case .open = state { true } else { false } }

  /// Returns the file, opened if it is closed.
  ///
  /// An open file that was replaced has lost its name. A closed file is known only by its name, so the file at that
  /// name is compared with the closed one.
  ///
  /// - Throws: ``FileSystemError``, with the code `ENOENT` if the file is missing, and `ESTALE` if another file or
  ///   other content replaced it.
  mutating func opened() throws -> any StoreFile {
    switch state {
    case .open(let file): return file
    case .closed(let closed):
      let file = try fileSystem.open(path, .readWrite)
      guard try Closed(file, end: closed.end) == closed else { throw FileSystemError(.open, path, code: ESTALE) }
      state = .open(file)
      return file
    case .dropped: throw FileSystemError(.open, path, code: EBADF)
    }
  }

  /// Closes the file until the next write. Everything written to it must be synced.
  ///
  /// - Parameter end: the end of the journal in the file.
  /// - Throws: ``FileSystemError`` if the state of the file can't be read. It stays open then.
  mutating func close(endingAt end: UInt64) throws {
    guard case .open(let file) = state else { return }
    state = .closed(try Closed(file, end: end))
  }

  /// Closes the file permanently.
  mutating func drop() { state = .dropped }
}

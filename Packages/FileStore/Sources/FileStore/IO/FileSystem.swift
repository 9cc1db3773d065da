#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The file system as the journal sees it: the few calls it makes, so that tests can stand in for a disk that fails.
///
/// Every call may block. Paths are absolute or relative to the working directory and use `/`.
package protocol FileSystem: Sendable {
  /// Opens a file for reading, or for reading and writing.
  ///
  /// `.create` makes it (mode 0600) where it is missing, and follows no symbolic link: what is written to is in this folder.
  /// `.createNew` makes it, and fails with `EEXIST` if something has the name already.
  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any StoreFile

  /// Makes one directory (mode 0700). An existing directory is left as it is.
  ///
  /// - Returns: Whether it was made by this call.
  func createDirectory(_ path: String) throws(FileSystemError) -> Bool

  /// The names in a directory, without `.` and `..`, in no order.
  func list(_ path: String) throws(FileSystemError) -> [String]

  /// Gives a file another name, atomically replacing what had it.
  func rename(_ path: String, to newPath: String) throws(FileSystemError)

  /// Removes a file.
  func remove(_ path: String) throws(FileSystemError)

  /// Brings the directory's entries to the disk: a new file outlives a power cut only after this.
  func synchronizeDirectory(_ path: String) throws(FileSystemError)
}

/// How a file is opened.
package enum FileMode: Sendable, Equatable {
  case read
  case readWrite
  case create
  case createNew
}

/// An open file. It is closed when its last reference goes, so a read never meets a descriptor that was reused.
package protocol StoreFile: AnyObject, Sendable {
  /// The path it was opened with.
  var path: String { get }

  /// Reads at most `buffer.count` bytes; fewer are possible, 0 is the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int

  /// Reads all of `buffer` if that needs no waiting for a disk.
  ///
  /// - Returns: Whether it was read. False means that ``read(into:at:)`` is needed, and is no error.
  func readWithoutWaiting(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool

  /// Writes at most `bytes.count` bytes; fewer are possible.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int

  /// Reserves room that reads as zeros and extends the file's size.
  func preallocate(from offset: UInt64, length: UInt64) throws(FileSystemError)

  /// Cuts or extends the file to `size` bytes.
  func truncate(to size: UInt64) throws(FileSystemError)

  /// Returns when the file's bytes and size are on the disk itself.
  func synchronize() throws(FileSystemError)

  /// Has the system begin to bring bytes to the disk, so that ``synchronize()`` has less to wait for. It promises nothing.
  func beginSynchronizing(from offset: UInt64, length: UInt64)

  /// The file's size in bytes.
  func size() throws(FileSystemError) -> UInt64

  /// Whether the file can still be found by a name. Bytes in one that was removed are lost when it is closed.
  func hasName() throws(FileSystemError) -> Bool

  /// Takes the exclusive lock of this file, which lasts until the file is closed, also if a process that was started meanwhile
  /// has inherited it.
  ///
  /// - Returns: False if someone else holds it, in this process or another.
  func tryLock() throws(FileSystemError) -> Bool
}

extension StoreFile {
  package func hasName() throws(FileSystemError) -> Bool { true }

  package func beginSynchronizing(from offset: UInt64, length: UInt64) {}

  package func readWithoutWaiting(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool { false }

  /// Reads until `buffer` is full or the file ends, and returns how many bytes that were.
  package func readFully(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = try read(into: .init(rebasing: buffer[done...]), at: offset + UInt64(done))
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all of `bytes`, continuing after short writes.
  package func writeFully(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) {
    var done = 0
    while done < bytes.count {
      let count = try write(UnsafeRawBufferPointer(rebasing: bytes[done...]), at: offset + UInt64(done))
      // A disk that takes nothing and reports nothing would keep us here for ever.
      guard count > 0 else { throw FileSystemError(.write, path, code: EIO) }
      done += count
    }
  }

  /// Writes all of `bytes`, continuing after short writes.
  package func writeFully(_ bytes: some Sequence<UInt8>, at offset: UInt64) throws {
    try Array(bytes).withUnsafeBytes { try writeFully($0, at: offset) }
  }

  /// The bytes of a small file.
  package func contents() throws -> [UInt8] { try bytes(from: 0, count: Int(try size())) }

  /// So many bytes from an offset on, or fewer if the file ends there.
  package func bytes(from offset: UInt64, count: Int) throws -> [UInt8] {
    // To make an array of nothing in this way would write to the one that all empty arrays are.
    guard count > 0 else { return [] }
    return try [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
      read = try readFully(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
    }
  }
}

extension FileSystem {
  /// Puts `bytes` under `path` so that a crash leaves the old file or the new one, and never a part of either.
  package func replace(_ name: String, in directory: String, with bytes: [UInt8]) throws {
    let temporary = "\(directory)/\(name).new"
    let file = try open(temporary, .create)
    try file.truncate(to: 0)
    try file.writeFully(bytes, at: 0)
    try file.synchronize()
    try rename(temporary, to: "\(directory)/\(name)")
    try synchronizeDirectory(directory)
  }

  /// Creates `path` and the missing directories above it, and syncs their names. Names of existing directories are synced,
  /// too: an earlier attempt may have been interrupted before it did.
  package func createDirectories(_ path: String) throws {
    let parent = Self.parent(of: path)
    do {
      _ = try createDirectory(path)
    } catch let error where error.code == ENOENT {
      guard parent != path else { throw error }
      try createDirectories(parent)
      _ = try createDirectory(path)
    }
    do {
      try synchronizeDirectory(parent)
    } catch let error where [EACCES, EPERM].contains(error.code) {
      // A directory can be ours in one that we may not open, as those that systemd makes for services are.
    }
  }

  /// The directory that holds `path`.
  static func parent(of path: String) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }
}

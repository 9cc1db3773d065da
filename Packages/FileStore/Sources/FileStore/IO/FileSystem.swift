#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The file system calls that the journal needs. Tests replace it to simulate a failing disk.
///
/// Every call may block. Paths are absolute or relative to the working directory and use `/`.
package protocol FileSystem: Sendable {
  /// Opens a file for reading, or for reading and writing.
  ///
  /// `.create` creates a missing file (mode 0600), and follows no symbolic link, so the written file is in this folder.
  /// `.createNew` creates it, and fails with `EEXIST` if the name exists.
  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any StoreFile

  /// Creates one directory (mode 0700). An existing directory is unchanged.
  ///
  /// - Returns: Whether this call created it.
  func createDirectory(_ path: String) throws(FileSystemError) -> Bool

  /// Returns the names in a directory, without `.` and `..`, in no order.
  func list(_ path: String) throws(FileSystemError) -> [String]

  /// Renames a file, atomically replacing an existing one.
  func rename(_ path: String, to newPath: String) throws(FileSystemError)

  /// Removes a file.
  func remove(_ path: String) throws(FileSystemError)

  /// Syncs the directory's entries: a new file survives a power cut only after this.
  func synchronizeDirectory(_ path: String) throws(FileSystemError)
}

/// The mode in which a file is opened.
package enum FileMode: Sendable, Equatable {
  case read
  case readWrite
  case create
  case createNew
}

/// An open file. It is closed with its last reference, so a read never uses a reused descriptor.
package protocol StoreFile: AnyObject, Sendable {
  /// The path it was opened with.
  var path: String { get }

  /// Reads at most `buffer.count` bytes, possibly fewer; 0 at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int

  /// Fills `buffer` if that does not wait for a disk.
  ///
  /// - Returns: Whether it was filled. Otherwise use ``read(into:at:)``.
  func readWithoutWaiting(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool

  /// Writes at most `bytes.count` bytes, possibly fewer.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int

  /// Preallocates space that reads as zeros, and extends the file's size.
  func preallocate(from offset: UInt64, length: UInt64) throws(FileSystemError)

  /// Truncates or extends the file to `size` bytes.
  func truncate(to size: UInt64) throws(FileSystemError)

  /// Syncs the file: returns when its bytes and size are on the disk.
  func synchronize() throws(FileSystemError)

  /// Starts writing bytes to the disk, so that ``synchronize()`` waits less. It guarantees nothing.
  func beginSynchronizing(from offset: UInt64, length: UInt64)

  /// Returns the file's size in bytes.
  func size() throws(FileSystemError) -> UInt64

  /// Returns whether the file still has a name. The bytes of a removed file are lost when it is closed.
  func hasName() throws(FileSystemError) -> Bool

  /// Returns whether the file is still at ``path``. It does not if the file, or a folder above it, was removed,
  /// renamed or replaced.
  func isAtItsPath() throws(FileSystemError) -> Bool

  /// Acquires the exclusive lock of this file. It is released when the file is closed, even if a child process has
  /// inherited it.
  ///
  /// - Returns: `false` if another owner has it, in this process or another.
  func tryLock() throws(FileSystemError) -> Bool
}

extension StoreFile {
  package func hasName() throws(FileSystemError) -> Bool { true }

  package func isAtItsPath() throws(FileSystemError) -> Bool { try hasName() }

  package func beginSynchronizing(from offset: UInt64, length: UInt64) {}

  package func readWithoutWaiting(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool { false }

  /// Reads until `buffer` is full or the file ends, and returns the number of bytes.
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
      // A disk that writes no bytes and reports no error would cause an endless loop.
      guard count > 0 else { throw FileSystemError(.write, path, code: EIO) }
      done += count
    }
  }

  /// Writes all of `bytes`, continuing after short writes.
  package func writeFully(_ bytes: some Sequence<UInt8>, at offset: UInt64) throws {
    try Array(bytes).withUnsafeBytes { try writeFully($0, at: offset) }
  }

  /// Returns the bytes of a small file.
  package func contents() throws -> [UInt8] { try bytes(from: 0, count: Int(try size())) }

  /// Returns `count` bytes from an offset, or fewer at the end of the file.
  package func bytes(from offset: UInt64, count: Int) throws -> [UInt8] {
    // Creating an empty array in this way would write to the shared empty array.
    guard count > 0 else { return [] }
    return try [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
      read = try readFully(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
    }
  }
}

extension FileSystem {
  /// Replaces a file atomically: a crash leaves the old file or the new one.
  package func replace(_ name: String, in directory: String, with bytes: [UInt8]) throws {
    let temporary = "\(directory)/\(name).new"
    let file = try open(temporary, .create)
    try file.truncate(to: 0)
    try file.writeFully(bytes, at: 0)
    try file.synchronize()
    try rename(temporary, to: "\(directory)/\(name)")
    try synchronizeDirectory(directory)
  }

  /// Creates `path` and its missing parent directories, and syncs their names. Names of existing directories are
  /// synced, too: an earlier attempt may have been interrupted before its sync.
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
      // The parent of a directory may be unreadable, as for directories that systemd creates for services.
    }
  }

  /// Returns the parent directory of `path`.
  static func parent(of path: String) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }
}

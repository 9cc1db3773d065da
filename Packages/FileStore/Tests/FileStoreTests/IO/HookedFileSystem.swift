@testable import FileStore

/// A file system that runs a closure between two calls.
struct HookedFileSystem: FileSystem {
  let base: any FileSystem

  /// Is called before each look into a directory.
  var willList: @Sendable () -> Void = {}

  /// Is called with the path of each file that was opened for writing.
  var didOpen: @Sendable (_ path: String) -> Void = { _ in }

  /// Is called before each read, with the path of the file and the offset.
  var willRead: @Sendable (String, UInt64) -> Void = { _, _ in }

  /// Is called before a file is cut, with its path.
  var willTruncate: @Sendable (String) -> Void = { _ in }

  /// Is called before a file is removed, with its path.
  var willRemove: @Sendable (String) -> Void = { _ in }

  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any StoreFile {
    let file = try base.open(path, mode)
    if mode != .read { didOpen(path) }
    return File(base: file, system: self)
  }

  func createDirectory(_ path: String) throws(FileSystemError) -> Bool { try base.createDirectory(path) }

  func list(_ path: String) throws(FileSystemError) -> [String] {
    willList()
    return try base.list(path)
  }

  func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }

  func remove(_ path: String) throws(FileSystemError) {
    willRemove(path)
    try base.remove(path)
  }

  func synchronizeDirectory(_ path: String) throws(FileSystemError) { try base.synchronizeDirectory(path) }

  private final class File: StoreFile {
    private let base: any StoreFile
    private let system: HookedFileSystem

    init(base: any StoreFile, system: HookedFileSystem) { (self.base, self.system) = (base, system) }

    var path: String { base.path }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
      system.willRead(path, offset)
      return try base.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
      try base.write(bytes, at: offset)
    }

    func preallocate(from offset: UInt64, length: UInt64) throws(FileSystemError) {
      try base.preallocate(from: offset, length: length)
    }

    func truncate(to size: UInt64) throws(FileSystemError) {
      system.willTruncate(path)
      try base.truncate(to: size)
    }

    func synchronize() throws(FileSystemError) { try base.synchronize() }

    func size() throws(FileSystemError) -> UInt64 { try base.size() }

    func hasName() throws(FileSystemError) -> Bool { try base.hasName() }

    func isAtItsPath() throws(FileSystemError) -> Bool { try base.isAtItsPath() }

    func tryLock() throws(FileSystemError) -> Bool { try base.tryLock() }
  }
}

@_spi(ModelKitInternals) import StoreProtocol

@testable import FileStore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file system that lets a process have no more than a number of files open, as `ulimit -n` does.
final class LimitedFileSystem: FileSystem {
  private struct Counts {
    var limit: Int
    var open = 0
    var most = 0
  }

  private let base: any FileSystem
  private let counts: Lock<Counts>

  init(base: any FileSystem, limit: Int) {
    self.base = base
    counts = Lock(Counts(limit: limit))
  }

  var openCount: Int { counts.withLock { $0.open } }

  /// How many files were open together at most.
  var mostOpenCount: Int { counts.withLock { $0.most } }

  func setLimit(_ limit: Int) { counts.withLock { $0.limit = limit } }

  private func take(_ path: String) throws(FileSystemError) {
    let isFree = counts.withLock { counts in
      if counts.open >= counts.limit { return false }
      counts.open += 1
      counts.most = max(counts.most, counts.open)
      return true
    }
    if !isFree { throw FileSystemError(.open, path, code: EMFILE) }
  }

  private func giveBack() { counts.withLock { $0.open -= 1 } }

  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any StoreFile {
    try take(path)
    do throws(FileSystemError) {
      return File(base: try base.open(path, mode), system: self)
    } catch {
      giveBack()
      throw error
    }
  }

  func createDirectory(_ path: String) throws(FileSystemError) -> Bool { try base.createDirectory(path) }

  func list(_ path: String) throws(FileSystemError) -> [String] {
    try take(path)
    defer { giveBack() }
    return try base.list(path)
  }

  func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }

  func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }

  func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    try take(path)
    defer { giveBack() }
    try base.synchronizeDirectory(path)
  }

  private final class File: StoreFile {
    private let base: any StoreFile
    private let system: LimitedFileSystem

    init(base: any StoreFile, system: LimitedFileSystem) { (self.base, self.system) = (base, system) }

    deinit { system.giveBack() }

    var path: String { base.path }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
      try base.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
      try base.write(bytes, at: offset)
    }

    func preallocate(from offset: UInt64, length: UInt64) throws(FileSystemError) {
      try base.preallocate(from: offset, length: length)
    }

    func truncate(to size: UInt64) throws(FileSystemError) { try base.truncate(to: size) }

    func synchronize() throws(FileSystemError) { try base.synchronize() }

    func size() throws(FileSystemError) -> UInt64 { try base.size() }

    func hasName() throws(FileSystemError) -> Bool { try base.hasName() }

    func isAtItsPath() throws(FileSystemError) -> Bool { try base.isAtItsPath() }

    func tryLock() throws(FileSystemError) -> Bool { try base.tryLock() }
  }
}

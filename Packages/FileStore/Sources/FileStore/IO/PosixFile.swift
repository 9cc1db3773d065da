import CFileSupport
@_spi(ModelKitInternals) import StoreProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An open file of the real file system.
final class PosixFile: StoreFile {
  let path: String
  private let descriptor: Int32
  private let isLocked = Lock(false)

  init(_ path: String, _ descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    // Closing releases a lock only if no other process has the file open. A process that is being started has it open:
    // it inherits all open files.
    if isLocked.withLock({ $0 }) { _ = flock(descriptor, LOCK_UN) }
    _ = close(descriptor)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
    try retryingInterrupts(.read, path) { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
    try retryingInterrupts(.write, path) { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
  }

  func truncate(to size: UInt64) throws(FileSystemError) {
    _ = try retryingInterrupts(.truncate, path) { ftruncate(descriptor, off_t(size)) }
  }

  func beginSynchronizing(from offset: UInt64, length: UInt64) {
    filestore_begin_writeback(descriptor, Int64(offset), Int64(length))
  }

  func size() throws(FileSystemError) -> UInt64 {
    var status = stat()
    _ = try retryingInterrupts(.size, path) { fstat(descriptor, &status) }
    return UInt64(status.st_size)
  }

  func hasName() throws(FileSystemError) -> Bool {
    var count: UInt64 = 0
    _ = try retryingInterrupts(.size, path) { filestore_link_count(descriptor, &count) }
    return count > 0
  }

  func isAtItsPath() throws(FileSystemError) -> Bool {
    try retryingInterrupts(.size, path) { Int(filestore_is_at(descriptor, path)) } == 1
  }

  func tryLock() throws(FileSystemError) -> Bool {
    do {
      _ = try retryingInterrupts(.lock, path) { flock(descriptor, LOCK_EX | LOCK_NB) }
      isLocked.withLock { $0 = true }
      return true
    } catch let error where error.code == EWOULDBLOCK {
      return false
    }
  }

  #if canImport(Darwin)
    func synchronize() throws(FileSystemError) {
      // fsync() stops at the drive's cache; only this reaches the platter.
      do {
        _ = try retryingInterrupts(.synchronize, path) { fcntl(descriptor, F_FULLFSYNC) }
      } catch let error where [ENOTSUP, EINVAL].contains(error.code) {
        _ = try retryingInterrupts(.synchronize, path) { fsync(descriptor) }
      }
    }

    func preallocate(from offset: UInt64, length: UInt64) throws(FileSystemError) {
      var request = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(length),
        fst_bytesalloc: 0)
      _ = try retryingInterrupts(.preallocate, path) { fcntl(descriptor, F_PREALLOCATE, &request) }
      // Preallocation does not change the size. The extended part reads as zeros.
      try truncate(to: offset + length)
    }
  #else
    func synchronize() throws(FileSystemError) {
      _ = try retryingInterrupts(.synchronize, path) { fdatasync(descriptor) }
    }

    func preallocate(from offset: UInt64, length: UInt64) throws(FileSystemError) {
      var code: Int32
      // This call returns its error instead of setting errno.
      repeat { code = posix_fallocate(descriptor, off_t(offset), off_t(length)) } while code == EINTR
      if code != 0 { throw FileSystemError(.preallocate, path, code: code) }
    }
  #endif

  #if canImport(Glibc)
    func readWithoutWaiting(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool {
      guard let call = Self.preadv2 else { return false }
      var vector = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
      return call(descriptor, &vector, 1, off_t(offset), Self.noWait) == buffer.count
    }

    private typealias PReadV2 =
      @convention(c) (Int32, UnsafePointer<iovec>, Int32, off_t, Int32) -> Int

    /// `preadv2`, which Glibc's module doesn't declare (it needs `_GNU_SOURCE`).
    private static let preadv2: PReadV2? = dlsym(nil, "preadv2").map { unsafeBitCast($0, to: PReadV2.self) }

    /// `RWF_NOWAIT`: fail instead of waiting for a disk.
    private static let noWait: Int32 = 8
  #endif
}

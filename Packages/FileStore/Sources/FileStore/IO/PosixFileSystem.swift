#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The real file system. Files are readable and writable for their owner only, directories likewise.
package struct PosixFileSystem: FileSystem {
  package init() {}

  package func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any StoreFile {
    let flags =
      switch mode {
      case .read: O_RDONLY
      case .readWrite: O_RDWR
      case .create: O_RDWR | O_CREAT | O_NOFOLLOW
      case .createNew: O_RDWR | O_CREAT | O_EXCL
      }
    return PosixFile(path, try Self.descriptor(path, flags))
  }

  package func createDirectory(_ path: String) throws(FileSystemError) -> Bool {
    do {
      _ = try retryingInterrupts(.createDirectory, path) { mkdir(path, 0o700) }
      return true
    } catch let error where error.code == EEXIST {
      // The name exists: this is not an error if it is a directory.
      let descriptor: Int32
      do {
        descriptor = try Self.descriptor(path, O_RDONLY | O_DIRECTORY)
      } catch {
        throw FileSystemError(.createDirectory, path, code: error.code)
      }
      _ = close(descriptor)
      return false
    }
  }

  package func list(_ path: String) throws(FileSystemError) -> [String] {
    guard let directory = opendir(path) else { throw FileSystemError(.list, path, code: errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    if errno != 0 { throw FileSystemError(.list, path, code: errno) }
    return names
  }

  package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    do {
      #if canImport(Darwin)
        _ = try retryingInterrupts(.rename, path) { Darwin.rename(path, newPath) }
      #elseif canImport(Musl)
        _ = try retryingInterrupts(.rename, path) { Musl.rename(path, newPath) }
      #else
        _ = try retryingInterrupts(.rename, path) { Glibc.rename(path, newPath) }
      #endif
    } catch {
      throw FileSystemError(.rename, path, to: newPath, code: error.code)
    }
  }

  package func remove(_ path: String) throws(FileSystemError) {
    _ = try retryingInterrupts(.remove, path) { unlink(path) }
  }

  package func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    let descriptor = try Self.descriptor(path, O_RDONLY | O_DIRECTORY)
    defer { _ = close(descriptor) }
    do {
      _ = try retryingInterrupts(.synchronize, path) { fsync(descriptor) }
    } catch let error where error.code == EINVAL {
      // Some network and fuse file systems have no such call for directories; their entries are durable at once.
    }
  }

  private static func descriptor(_ path: String, _ flags: Int32) throws(FileSystemError) -> Int32 {
    try retryingInterrupts(.open, path) {
      #if canImport(Darwin)
        Darwin.open(path, flags | O_CLOEXEC, 0o600)
      #elseif canImport(Musl)
        Musl.open(path, flags | O_CLOEXEC, 0o600)
      #else
        Glibc.open(path, flags | O_CLOEXEC, 0o600)
      #endif
    }
  }
}

@testable import FileStore

/// A file system that lets somebody else act between two calls: `willList` is called with the number of each look into a
/// directory, before it, and `didOpen` with the path of each file that was opened for writing.
struct HookedFileSystem: FileSystem {
  let base: any FileSystem
  let willList: @Sendable () -> Void
  var didOpen: @Sendable (_ path: String) -> Void = { _ in }

  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any StoreFile {
    let file = try base.open(path, mode)
    if mode != .read { didOpen(path) }
    return file
  }

  func createDirectory(_ path: String) throws(FileSystemError) -> Bool { try base.createDirectory(path) }

  func list(_ path: String) throws(FileSystemError) -> [String] {
    willList()
    return try base.list(path)
  }

  func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }

  func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }

  func synchronizeDirectory(_ path: String) throws(FileSystemError) { try base.synchronizeDirectory(path) }
}

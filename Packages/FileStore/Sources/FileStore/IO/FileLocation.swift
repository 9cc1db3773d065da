import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The file or directory at a path.
enum FileLocation {
  /// Returns the path after resolving symbolic links. The file need not exist.
  ///
  /// - Throws: ``FileSystemError`` if the links form a cycle.
  static func following(_ path: String) throws(FileSystemError) -> String {
    var path = path
    for _ in 0..<40 {
      guard let destination = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
      path = destination.hasPrefix("/") ? destination : "\(PosixFileSystem.parent(of: path))/\(destination)"
    }
    throw FileSystemError(.open, path, code: ELOOP)
  }

  /// Returns the path without links, as far as it exists.
  static func resolved(_ path: String) -> String {
    if let found = realpath(path, nil) {
      defer { free(found) }
      return String(cString: found)
    }
    let parent = PosixFileSystem.parent(of: path)
    guard parent != path else { return path }
    let name = path.split(separator: "/").last ?? ""
    let folder = resolved(parent)
    return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  /// Returns whether a path is that of a directory, or of a file inside it.
  static func isInside(_ path: String, _ directory: String) -> Bool {
    let (path, directory) = (resolved(path), resolved(directory))
    return path == directory || path.hasPrefix(directory == "/" ? "/" : directory + "/")
  }
}

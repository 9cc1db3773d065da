#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A call to the file system that failed: what was tried, on which path, and why it didn't work.
package struct FileSystemError: Error, Equatable, CustomStringConvertible {
  /// The operation that failed.
  package enum Operation: String, Sendable {
    case open, read, write, truncate, lock, list, remove, rename
    case preallocate = "reserve room in"
    case synchronize = "bring to the disk"
    case size = "measure"
    case createDirectory = "create the directory"
    case startThread = "start a thread for"
  }

  package var operation: Operation
  package var path: String

  /// The path that it was to become.
  package var newPath: String?

  /// The `errno` of the call.
  package var code: Int32

  package init(_ operation: Operation, _ path: String, to newPath: String? = nil, code: Int32) {
    self.operation = operation
    self.path = path
    self.newPath = newPath
    self.code = code
  }

  /// The operation, the path, the system's reason, and what to do where that is known.
  package var description: String {
    "Could not \(operation.rawValue) '\(path)'\(newPath.map { " to '\($0)'" } ?? ""): \(String(cString: strerror(code))) (errno \(code)).\(advice)"
  }

  /// Whether there is no room on the disk.
  var isAboutRoom: Bool { [ENOSPC, EDQUOT].contains(code) }

  private var advice: String {
    switch code {
    case ENOSPC, EDQUOT: " Make room on the disk, then try again."
    case EMFILE, ENFILE: " Close files that are not needed, or allow the process more of them, then try again."
    case EACCES, EPERM: " Give the user of this process the right to read and write there."
    case EROFS: " It can only be read there: open the store with the mode readOnly, or somewhere else."
    case ESTALE: " It is not the file that it was. Put that one back, and open the store again."
    case ENOENT: " It is not there. If it was moved or removed, put it back, then try again."
    case ELOOP: " It is a symbolic link, which is not followed there: remove it, or choose another place."
    case ENOTDIR: " A part of this path is a file and no folder: choose another place."
    default: ""
    }
  }
}

/// Calls `body` until it is not interrupted by a signal, and turns a result of -1 into an error.
func retryingInterrupts<Result: SignedInteger>(
  _ operation: FileSystemError.Operation, _ path: String, _ body: () -> Result
) throws(FileSystemError) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    let code = errno
    if code != EINTR { throw FileSystemError(operation, path, code: code) }
  }
}

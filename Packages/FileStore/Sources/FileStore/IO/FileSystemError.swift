#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A failed call to the file system: the operation, the path, and the reason.
package struct FileSystemError: Error, Equatable, CustomStringConvertible {
  /// The operation that failed.
  package enum Operation: String, Sendable {
    case open, read, write, truncate, lock, list, remove, rename
    case preallocate = "reserve room in"
    case synchronize = "sync"
    case size = "measure"
    case createDirectory = "create the directory"
    case startThread = "start a thread for"
  }

  package var operation: Operation
  package var path: String

  /// The new path of a rename.
  package var newPath: String?

  /// The `errno` of the call.
  package var code: Int32

  package init(_ operation: Operation, _ path: String, to newPath: String? = nil, code: Int32) {
    self.operation = operation
    self.path = path
    self.newPath = newPath
    self.code = code
  }

  /// A message with the operation, the path, the system's reason, and the remedy if it is known.
  package var description: String {
    "Could not \(operation.rawValue) '\(path)'\(newPath.map { " to '\($0)'" } ?? ""): \(String(cString: strerror(code))) (errno \(code)).\(advice)"
  }

  /// Whether the disk or the quota is full, or a file is beyond the limit of the process.
  var isAboutRoom: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }

  private var advice: String {
    switch code {
    case ENOSPC, EDQUOT: " Free space on the disk, then try again."
    case EFBIG: " Allow the process larger files (ulimit -f), then try again."
    case EMFILE, ENFILE: " Close files that are not needed, or allow the process more of them, then try again."
    case EACCES, EPERM: " Allow the user of this process to read and write there."
    case EROFS: " The file system is read-only: open the store with the mode readOnly, or at another path."
    case ESTALE: " The file was replaced: restore the original, and open the store again."
    case ENOENT: " The file is missing: if it was moved or removed, restore it, then try again."
    case ELOOP: " It is a symbolic link, which is not followed: remove it, or choose another path."
    case ENOTDIR: " A component of the path is a file, not a folder: choose another path."
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

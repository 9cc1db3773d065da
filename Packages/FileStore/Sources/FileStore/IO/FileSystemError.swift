#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A call to the file system that failed: what was tried, on which path, and why it didn't work.
package struct FileSystemError: Error, Equatable, CustomStringConvertible {
  /// What was tried.
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

  /// The `errno` of the call.
  package var code: Int32

  package init(_ operation: Operation, _ path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// A sentence with the path and the system's reason.
  package var description: String {
    "Could not \(operation.rawValue) '\(path)': \(String(cString: strerror(code))) (errno \(code))."
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

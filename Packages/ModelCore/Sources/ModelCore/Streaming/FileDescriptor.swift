#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file or pipe that can't be read.
struct FileReadingError: Error {
  /// A sentence without a full stop.
  let message: String
  /// The number of bytes read before the error.
  let offset: Int
}

/// An open file, which is closed on deallocation.
final class FileDescriptor: Sendable {
  private let number: Int32
  private let path: String
  /// Whether a read always returns soon: pipes and terminals may have no data for a long time.
  private let isRegular: Bool

  private static let chunkLength = 131_072
  /// The interval for checking the cancellation while a pipe has no data, in milliseconds.
  private static let patience: Int32 = 50

  /// Opens a file for reading.
  init(opening url: URL) throws(FileReadingError) {
    guard url.isFileURL else {
      throw FileReadingError(
        message: "'\(url.absoluteString)' is not a file URL: fetch it and pass its bytes to the stream", offset: 0)
    }
    path = url.path(percentEncoded: false)
    // Opening a pipe would otherwise wait for its writer.
    number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var information = stat()
    guard number >= 0 else { throw Self.error("open", path, 0) }
    isRegular = fstat(number, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
  }

  deinit { if number >= 0 { close(number) } }

  /// Returns the next bytes, waiting until there are any; empty at the end.
  ///
  /// - Parameters:
  ///   - offset: the number of bytes read before.
  ///   - isCancelled: returns whether to stop waiting.
  func read(at offset: Int, isCancelled: () -> Bool) throws -> [UInt8] {
    while true {
      if isCancelled() { throw CancellationError() }
      if !isRegular {
        var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        if poll(&request, 1, Self.patience) == 0 { continue }
      }
      var code: Int32 = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkLength) { buffer, count in
        let length = systemRead(number, buffer.baseAddress, buffer.count)
        code = length < 0 ? errno : 0
        count = max(length, 0)
      }
      if code == 0 { return chunk }
      if code != EINTR, code != EAGAIN { throw Self.error("read", path, offset, code) }
    }
  }

  private static func error(_ verb: String, _ path: String, _ offset: Int, _ code: Int32 = errno) -> FileReadingError {
    FileReadingError(message: "Could not \(verb) '\(path)': \(String(cString: strerror(code)))", offset: offset)
  }
}

private func systemRead(_ number: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
  read(number, buffer, count)
}

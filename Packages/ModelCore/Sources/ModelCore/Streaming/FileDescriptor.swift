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
  /// How many bytes were read before.
  let offset: Int
}

/// An open file, which is closed with this object.
final class FileDescriptor: Sendable {
  private let number: Int32
  private let path: String
  /// Whether a read always returns soon: pipes and terminals may have nothing for a long time.
  private let isRegular: Bool

  private static let chunkLength = 131_072
  /// How long a pipe is waited for before it is looked whether anybody still wants it, in milliseconds.
  private static let patience: Int32 = 50

  /// Opens a file for reading.
  init(opening url: URL) throws(FileReadingError) {
    guard url.isFileURL else {
      throw FileReadingError(
        message: "'\(url.absoluteString)' is no file: fetch it, and give the bytes to the stream", offset: 0)
    }
    path = url.path(percentEncoded: false)
    // Opening a pipe waits for its writer otherwise.
    number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var information = stat()
    guard number >= 0 else { throw Self.error("open", path, 0) }
    isRegular = fstat(number, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
  }

  deinit { if number >= 0 { close(number) } }

  /// Reads the next bytes, and waits until there are any; none at the end.
  ///
  /// - Parameters:
  ///   - offset: how many bytes were read before.
  ///   - isCancelled: tells whether to stop waiting.
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

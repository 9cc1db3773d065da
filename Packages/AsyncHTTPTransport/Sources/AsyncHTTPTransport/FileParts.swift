import Foundation
import NIOCore

/// The contents of a file in parts, which are read when they are sent.
struct FileParts: AsyncSequence, Sendable {
  let file: URL
  /// Receives the number of bytes that were read so far.
  let isSending: @Sendable (Int) -> Void

  /// The length of the file.
  ///
  /// - Throws: an error if the file can't be read.
  var length: Int64 {
    get throws {
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      return (attributes[.size] as? NSNumber)?.int64Value ?? 0
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: self) }

  struct AsyncIterator: AsyncIteratorProtocol {
    private static let partLength = 64 * 1024

    let parts: FileParts
    private var handle: FileHandle?
    private var count = 0

    init(parts: FileParts) { self.parts = parts }

    mutating func next() async throws -> ByteBuffer? {
      let handle = try self.handle ?? FileHandle(forReadingFrom: parts.file)
      self.handle = handle
      guard let data = try handle.read(upToCount: Self.partLength), !data.isEmpty else { return nil }
      count += data.count
      parts.isSending(count)
      return ByteBuffer(bytes: data)
    }
  }
}

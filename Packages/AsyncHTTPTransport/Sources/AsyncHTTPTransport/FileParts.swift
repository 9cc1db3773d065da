import Foundation
import NIOCore
import StoreProtocol

/// The contents of a file in parts, which are read when they are sent.
struct FileParts: AsyncSequence, Sendable {
  let file: URL
  /// The number of bytes that are sent. A file that grows is sent up to there.
  let length: Int
  /// Receives the number of bytes that were read so far.
  let isSending: @Sendable (Int) -> Void

  /// - Throws: `ModelStoreError` with the code `inputOutput` if the file can't be read.
  init(file: URL, isSending: @escaping @Sendable (Int) -> Void) throws {
    self.file = file
    self.isSending = isSending
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      length = (attributes[.size] as? NSNumber)?.intValue ?? 0
    } catch {
      throw Self.failure(file, error.localizedDescription)
    }
  }

  /// The error of the file. As a lost connection, it would cause the request to be sent again.
  private static func failure(_ file: URL, _ reason: String) -> ModelStoreError {
    ModelStoreError(.inputOutput, "the file \"\(file.lastPathComponent)\" can't be read: \(reason)")
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: self) }

  struct AsyncIterator: AsyncIteratorProtocol {
    private static let partLength = 64 * 1024

    let parts: FileParts
    private var handle: FileHandle?
    private var count = 0

    init(parts: FileParts) { self.parts = parts }

    mutating func next() async throws -> ByteBuffer? {
      if count == parts.length { return nil }
      var read: Data?
      do {
        let handle = try self.handle ?? FileHandle(forReadingFrom: parts.file)
        self.handle = handle
        read = try handle.read(upToCount: Swift.min(Self.partLength, parts.length - count))
      } catch {
        throw FileParts.failure(parts.file, error.localizedDescription)
      }
      guard let data = read, !data.isEmpty else {
        throw FileParts.failure(parts.file, "it was shortened while it was sent")
      }
      count += data.count
      parts.isSending(count)
      return ByteBuffer(bytes: data)
    }
  }
}

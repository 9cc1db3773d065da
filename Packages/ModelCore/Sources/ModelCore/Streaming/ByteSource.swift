#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A source of the bytes of a stream.
protocol ByteSource: AnyObject {
  /// Passes the next bytes to a closure, and returns whether there were any.
  func next(isolation actor: isolated (any Actor)?, _ body: (UnsafeRawBufferPointer) -> Void) async throws -> Bool
}

/// Chunks of bytes from a sequence of the caller.
final class ChunkSource<Chunks: AsyncSequence>: ByteSource where Chunks.Element: Collection<UInt8> {
  private var iterator: Chunks.AsyncIterator

  init(_ chunks: Chunks) { iterator = chunks.makeAsyncIterator() }

  func next(isolation actor: isolated (any Actor)?, _ body: (UnsafeRawBufferPointer) -> Void) async throws -> Bool {
    guard let chunk = try await iterator.next(isolation: actor) else { return false }
    if chunk.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) == nil {
      Array(chunk).withUnsafeBytes(body)
    }
    return true
  }
}

/// Single bytes from a sequence of the caller.
final class SingleByteSource<Bytes: AsyncSequence>: ByteSource where Bytes.Element == UInt8 {
  private var iterator: Bytes.AsyncIterator
  private var chunk: [UInt8] = []

  private static var chunkLength: Int { 4_096 }

  init(_ bytes: Bytes) { iterator = bytes.makeAsyncIterator() }

  func next(isolation actor: isolated (any Actor)?, _ body: (UnsafeRawBufferPointer) -> Void) async throws -> Bool {
    chunk.removeAll(keepingCapacity: true)
    while chunk.count < Self.chunkLength, let byte = try await iterator.next(isolation: actor) {
      chunk.append(byte)
      // More bytes may take a while, so a possible end of an element is passed on at once.
      if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "\n") { break }
    }
    chunk.withUnsafeBytes(body)
    return !chunk.isEmpty
  }
}

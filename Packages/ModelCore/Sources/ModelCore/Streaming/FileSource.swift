import Dispatch
@_spi(ModelKitInternals) import FieldKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes of a file, read on a dispatch queue of its own.
final class FileSource: ByteSource {
  private let file: StreamedFile

  init(_ url: URL) { file = StreamedFile(url) }

  func next(isolation actor: isolated (any Actor)?, _ body: (UnsafeRawBufferPointer) -> Void) async throws -> Bool {
    let chunk = try await file.read()
    chunk.withUnsafeBytes(body)
    return !chunk.isEmpty
  }
}

/// A file that is opened by the first read, and closed on deallocation.
///
/// All work runs on a dispatch queue, and never blocks the cooperative thread pool.
final class StreamedFile: Sendable {
  private struct State {
    var descriptor: FileDescriptor?
    var offset = 0
    var isCancelled = false
  }

  private let url: URL
  private let queue = DispatchQueue(label: "ModelCore.StreamedFile")
  private let state = Lock(State())

  init(_ url: URL) { self.url = url }

  /// Returns the next bytes; empty at the end.
  ///
  /// - Throws: `FileReadingError`, or `CancellationError` if the task is cancelled while a pipe has nothing to read.
  func read() async throws -> [UInt8] {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Result { try self.readNow() }) }
      }
    } onCancel: {
      state.withLock { $0.isCancelled = true }
    }
  }

  private func readNow() throws -> [UInt8] {
    let (known, offset) = state.withLock { ($0.descriptor, $0.offset) }
    let descriptor = try known ?? FileDescriptor(opening: url)
    if known == nil { state.withLock { $0.descriptor = descriptor } }
    let chunk = try descriptor.read(at: offset) { state.withLock { $0.isCancelled } }
    state.withLock { $0.offset += chunk.count }
    return chunk
  }
}

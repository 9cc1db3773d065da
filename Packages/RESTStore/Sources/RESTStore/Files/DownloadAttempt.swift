import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// One request of a download, which writes the body of its answer to the part. A transport may call it after the
/// request has ended: then it writes nothing.
final class DownloadAttempt: Sendable {
  private struct State {
    /// The open part; nil after it was closed.
    var handle: FileHandle?
    var hasEnded = false
    /// The number of bytes in the part.
    var count: Int
    /// The length of the whole file, if it is known.
    var total: Int?
    /// Whether the server does not know the length, so that the total is that of a range.
    var isTotalUnknown = false
    /// The number of bytes from earlier requests.
    var offset = 0
    var isTaking = false
    var mustRestart = false
  }

  private let part: DownloadPart
  private let source: DownloadPart.Source
  private let maximumBytes: Int
  /// The version of the kept part that the request continues; nil if it requests the whole file.
  let version: DownloadPart.Version?
  /// The number of bytes that were kept.
  let keptBytes: Int
  private let state: Lock<State>

  /// - Parameters:
  ///   - credentials: the digests of the credentials whose part may be continued; empty to request the whole file.
  init(
    _ part: DownloadPart, from source: DownloadPart.Source, continuing credentials: Set<String>, maximumBytes: Int
  ) throws {
    self.part = part
    self.source = source
    self.maximumBytes = maximumBytes
    let handle: FileHandle
    do {
      handle = try part.open()
    } catch {
      let failure = Self.failure(error, part)
      throw ModelStoreError(
        failure.code == .locked ? .locked : .inputOutput, "nothing was sent, because \(failure.message)", cause: error)
    }
    // It is locked now.
    let count = part.count
    version = part.version.flatMap { count > 0 && $0.isFrom(source, with: credentials) ? $0 : nil }
    keptBytes = version == nil ? 0 : count
    state = Lock(State(handle: handle, count: keptBytes))
  }

  /// The number of bytes from earlier requests that the answer continues.
  var offset: Int { state.withLock { $0.offset } }
  /// The number of bytes that this request added.
  var receivedBytes: Int { state.withLock { $0.isTaking ? $0.count - $0.offset : 0 } }
  /// Whether the answer did not continue the part, so that the whole file has to be requested.
  var mustRestart: Bool { state.withLock { $0.mustRestart } }

  /// Sets the headers with which the request continues the part.
  func setRange(of request: inout HTTPRequestData) {
    request.headers["Range"] = version == nil ? nil : "bytes=\(keptBytes)-"
    request.headers["If-Range"] = version?.validator
  }

  /// Receives the head or a part of an answer: see ``StreamingTransport``.
  func receive(_ head: HTTPResponseData, _ bytes: Data?) throws -> Bool {
    try state.withLock { state in
      guard !state.hasEnded else { throw CancellationError() }
      guard let bytes else {
        state.isTaking = false
        state.isTaking = try begin(head, &state)
        return state.isTaking
      }
      guard state.isTaking else { return false }
      let length = state.total ?? .max
      guard bytes.count <= length - state.count else {
        throw ModelStoreError(.server, "the file is longer than \(length) bytes, which the server declared")
      }
      guard bytes.count <= maximumBytes - state.count else { throw tooLong() }
      do {
        try state.handle?.write(contentsOf: bytes)
      } catch {
        throw Self.failure(error, part)
      }
      state.count += bytes.count
      return true
    }
  }

  private func begin(_ head: HTTPResponseData, _ state: inout State) throws -> Bool {
    guard head.isSuccessful else { return false }
    if let packing = head.headers["Content-Encoding"], packing.lowercased() != "identity" {
      throw ModelStoreError(.server, "the file has the content encoding \(packing.prefix(20)), which was not requested")
    }
    let length = head.headers["Content-Length"].flatMap { Int($0) }
    switch head.status {
    case 206:
      guard let range = ContentRange(head.headers["Content-Range"]), let bounds = range.bounds,
        bounds.lowerBound == keptBytes, length == nil || length == bounds.count, version?.differs(from: head) != true,
        version?.total == nil || range.total == nil || version?.total == range.total
      else {
        state.mustRestart = version != nil
        throw ModelStoreError(.server, "the response has another range of bytes than the requested one")
      }
      guard version != nil || range.total != nil else {
        throw ModelStoreError(.server, "the response has a range of bytes that was not requested, of an unknown length")
      }
      do {
        // Without a version, the part may have bytes of another file.
        try state.handle?.truncate(atOffset: UInt64(keptBytes))
        if version == nil { try part.setVersion(DownloadPart.Version(of: head, from: source, total: range.total)) }
      } catch {
        throw Self.failure(error, part)
      }
      state.offset = keptBytes
      // A server may send less than the rest.
      state.total = range.total ?? version?.total ?? bounds.upperBound + 1
      state.isTotalUnknown = range.total == nil && version?.total == nil
    case 200, 203:
      do {
        try state.handle?.truncate(atOffset: 0)
        try part.setVersion(DownloadPart.Version(of: head, from: source, total: length))
      } catch {
        throw Self.failure(error, part)
      }
      (state.count, state.offset, state.total) = (0, 0, length)
    default: throw ModelStoreError(.server, "the response has the status \(head.status), and no file")
    }
    guard state.total ?? 0 <= maximumBytes else { throw tooLong() }
    return true
  }

  /// Checks that the whole file was received.
  func checkLength() throws {
    let (count, total, isUnknown) = state.withLock { ($0.count, $0.total, $0.isTotalUnknown) }
    guard let total else { return }
    if isUnknown {
      // The next request gets the rest, or learns that there is none.
      throw ModelStoreError(.offline, "the response ended after \(count) bytes of a file of unknown length")
    }
    guard count < total else { return }
    throw ModelStoreError(.offline, "the response ended after \(count) of \(total) bytes")
  }

  /// Ends the attempt: later calls of a transport write nothing. A part that can't be continued is removed.
  func close() async {
    // The part is continued after a power failure, too.
    if state.withLock({ $0.handle != nil }) { try? await synchronize() }
    state.withLock { state in
      guard let handle = state.handle else { return }
      if part.version == nil { part.discard() }
      try? handle.close()
      state.handle = nil
    }
  }

  /// Ends the attempt with the whole file.
  func finish(at target: URL) async throws {
    try await synchronize()
    try state.withLock { state in
      try part.move(to: target)
      // The part is locked until here.
      try? state.handle?.close()
      state.handle = nil
    }
  }

  private static let queue = DispatchQueue(label: "RESTStore.DownloadAttempt", attributes: .concurrent)

  /// Ends the attempt, and waits for the disk. That may take seconds for a large file, in which neither the caller's
  /// actor nor a thread of tasks has to wait.
  private func synchronize() async throws {
    let descriptor = state.withLock { state in
      state.hasEnded = true
      return state.handle?.fileDescriptor
    }
    guard let descriptor else { return }
    let code = await withCheckedContinuation { continuation in
      Self.queue.async { continuation.resume(returning: fsync(descriptor) == 0 ? 0 : errno) }
    }
    guard code != 0 else { return }
    throw ModelStoreError(
      code == ENOSPC ? .full : .inputOutput,
      "\(part.file.lastPathComponent.quotedForMessage) can't be written: \(String(cString: strerror(code)))")
  }

  private func tooLong() -> ModelStoreError {
    ModelStoreError(.server, "the file is longer than \(maximumBytes) bytes, which is the limit")
  }

  private static func failure(_ error: any Error, _ part: DownloadPart) -> ModelStoreError {
    if let error = error as? ModelStoreError { return error }
    let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
    return ModelStoreError(
      isFull ? .full : .inputOutput,
      "\(part.file.lastPathComponent.quotedForMessage) can't be written: \(error.localizedDescription)", cause: error)
  }
}

import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// A body that is streamed from or to a file, in place of one in memory.
protocol FileTransfer: Sendable {
  /// The number of bytes that a request sends.
  var sentBytes: Int { get }
  /// Whether it counts as a request for ``RESTOptions/maximumConcurrentRequests``.
  var countsAsRequest: Bool { get }

  /// Sends one attempt of the request.
  ///
  /// - Returns: the answer, and the number of bytes of its body.
  func send(
    _ request: HTTPRequestData, through transport: any StreamingTransport
  ) async throws -> (response: HTTPResponseData, receivedBytes: Int)
}

extension FileTransfer {
  var countsAsRequest: Bool { true }
}

/// The upload of a file.
struct FileUpload: FileTransfer {
  let file: URL
  let sentBytes: Int

  /// - Throws: `ModelStoreError` with the code `inputOutput` if the file can't be read.
  init(_ file: URL) throws {
    self.file = file
    do {
      let handle = try FileHandle(forReadingFrom: file)
      // A folder can be opened, but not read.
      _ = try handle.read(upToCount: 1)
      sentBytes = try Int(handle.seekToEnd())
      try handle.close()
    } catch {
      throw ModelStoreError(
        .inputOutput,
        """
        Nothing was sent: the file \(file.lastPathComponent.quotedForMessage) can't be read: \(error.localizedDescription)
        """, cause: error)
    }
  }

  func send(
    _ request: HTTPRequestData, through transport: any StreamingTransport
  ) async throws -> (response: HTTPResponseData, receivedBytes: Int) {
    // Another length would be that of another file, and a missing one look like a lost connection.
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    guard let length = (attributes?[.size] as? NSNumber)?.intValue, length == sentBytes else {
      throw ModelStoreError(.inputOutput, "the file \(file.lastPathComponent.quotedForMessage) was changed or removed")
    }
    var request = request
    if sentBytes == 0 { request.body = Data() }
    let response = try await transport.send(request, from: sentBytes == 0 ? nil : file) { _, _ in false }
    return (response, response.body.count)
  }
}

/// The download of a file into a part beside it, which becomes the file when it is whole.
final class FileDownload: FileTransfer {
  private let target: URL
  private let part: DownloadPart
  private let maximumBytes: Int
  /// The digests of the credentials of this download, which may be renewed between its requests.
  private let credentials = Lock<Set<String>>([])
  /// The paths of the files that it may write.
  private let paths: Set<String>

  /// The paths of the files of downloads in progress.
  private static let targets = Lock<Set<String>>([])

  /// Begins a download.
  ///
  /// - Throws: `ModelStoreError` with the code `inputOutput` if the folder does not exist, or `locked` if another
  ///   download has this target.
  init(to target: URL, maximumBytes: Int) throws {
    // One file may have several names.
    let parent = target.standardizedFileURL.deletingLastPathComponent().resolvingSymlinksInPath()
    self.target = parent.appendingPathComponent(target.standardizedFileURL.lastPathComponent)
    self.maximumBytes = maximumBytes
    part = DownloadPart(beside: self.target)
    paths = Set((part.paths + [self.target.path]).map(Self.key))
    let name = target.lastPathComponent.quotedForMessage
    var isFolder: ObjCBool = false
    let folder = self.target.deletingLastPathComponent().path
    guard target.isFileURL, FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
    else {
      throw ModelStoreError(.inputOutput, "Nothing was sent: there is no folder for the file \(name).")
    }
    if FileManager.default.fileExists(atPath: self.target.path, isDirectory: &isFolder), isFolder.boolValue {
      throw ModelStoreError(.inputOutput, "Nothing was sent: \(name) is a folder.")
    }
    let isFree = Self.targets.withLock { [paths] targets in
      guard targets.isDisjoint(with: paths) else { return false }
      targets.formUnion(paths)
      return true
    }
    guard isFree else {
      throw ModelStoreError(.locked, "Nothing was sent: another download to \(name) is in progress.")
    }
  }

  /// Ends the download, so that another one may have the target.
  func end() { Self.targets.withLock { [paths] in $0.subtract(paths) } }

  /// Returns a path as it is compared. File systems of Apple's platforms ignore case and composition by default.
  private static func key(_ path: String) -> String {
    #if canImport(Darwin)
      path.precomposedStringWithCanonicalMapping.lowercased()
    #else
      path
    #endif
  }

  var sentBytes: Int { 0 }

  /// A sentence on the part that is kept after an error.
  var keptSentence: String {
    let count = part.count
    guard count > 0, part.version != nil else {
      return "No part of the file is kept: the next download begins again"
    }
    return
      "\(count) bytes are kept in \(part.file.lastPathComponent.quotedForMessage): the next download to this file continues them"
  }

  /// Sends one attempt of the request, outside of the caller's isolation: it reads and writes files.
  @concurrent
  func send(
    _ request: HTTPRequestData, through transport: any StreamingTransport
  ) async throws -> (response: HTTPResponseData, receivedBytes: Int) {
    let source = DownloadPart.Source(request)
    let known = credentials.withLock { credentials in
      credentials.insert(source.credentials)
      return credentials
    }
    do {
      return try await attempt(request, source, continuing: known, through: transport)
    } catch is Restart {
      return try await attempt(request, source, continuing: [], through: transport)
    }
  }

  /// An answer that does not continue the kept part.
  private struct Restart: Error {}

  private func attempt(
    _ request: HTTPRequestData, _ source: DownloadPart.Source, continuing credentials: Set<String>,
    through transport: any StreamingTransport
  ) async throws -> (response: HTTPResponseData, receivedBytes: Int) {
    let attempt = try DownloadAttempt(part, from: source, continuing: credentials, maximumBytes: maximumBytes)
    do {
      let answer = try await send(request, attempt, through: transport)
      await attempt.close()
      return answer
    } catch {
      await attempt.close()
      throw error
    }
  }

  private func send(
    _ request: HTTPRequestData, _ attempt: DownloadAttempt, through transport: any StreamingTransport
  ) async throws -> (response: HTTPResponseData, receivedBytes: Int) {
    var request = request
    attempt.setRange(of: &request)
    var response: HTTPResponseData
    do {
      response = try await HTTPProgress.$observer.withValue(observer(attempt), in: #isolation) {
        try await transport.send(request, from: nil) { try attempt.receive($0, $1) }
      }
    } catch {
      if attempt.mustRestart { throw Restart() }
      throw error
    }
    if response.status == 416, let version = attempt.version {
      // The last attempt may have ended between the last byte and the move of the file.
      let range = ContentRange(response.headers["Content-Range"])
      guard range?.total == attempt.keptBytes, range?.bounds == nil, !version.differs(from: response),
        version.total == nil || version.total == range?.total
      else {
        throw Restart()
      }
      response = HTTPResponseData(status: 200, headers: response.headers)
    } else if response.isSuccessful {
      try attempt.checkLength()
    } else {
      return (response, response.body.count)
    }
    let count = attempt.receivedBytes
    try await attempt.finish(at: target)
    return (response, count)
  }

  /// Returns an observer that adds the bytes of earlier requests to the progress.
  private func observer(_ attempt: DownloadAttempt) -> (@Sendable (HTTPProgress) -> Void)? {
    guard let observer = HTTPProgress.observer else { return nil }
    return { progress in
      var progress = progress
      let offset = attempt.offset
      progress.receivedBytes += offset
      progress.expectedBytes = progress.expectedBytes.map { $0 + offset }
      observer(progress)
    }
  }
}

public import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// A transport that records real traffic in a readable file, or replays it, for tests without a server.
///
/// ```swift
/// let file = URL(filePath: "Fixtures/people.json")
/// let transport = try RecordedTransport(
///   file, recording: .ifMissing(through: URLSessionTransport.shared))
/// let store = RESTModelStore(baseURL: url, transport: transport)
/// ```
///
/// The file is a JSON list of exchanges, each with its request and its response. Bodies are JSON where possible. A
/// ``RecordingRedaction`` replaces secrets by `REDACTED`, so that the file can be kept with the sources. A replay
/// answers each request with the first unused exchange of the same method, path, query and body.
public final class RecordedTransport: HTTPTransport {
  /// The choice between recording and replay.
  public enum Recording: Sendable {
    /// Nothing is recorded: the file is replayed.
    case never
    /// Everything is recorded; previous contents of the file are discarded.
    case always(through: any HTTPTransport)
    /// Everything is recorded if there is no file yet. Otherwise the file is replayed.
    case ifMissing(through: any HTTPTransport)
  }

  private struct State {
    /// The exchanges to replay.
    var exchanges: [RecordedExchange]
    /// The indexes of the exchanges that were replayed.
    var used: Set<Int> = []
    /// The file that is being recorded, and its length; nil before the first exchange.
    var recording: (file: FileHandle, length: UInt64)?
  }

  /// The file.
  public let file: URL
  /// The redaction that keeps secrets out of the file.
  public let redaction: RecordingRedaction
  /// The transport that carries requests while they are recorded; nil during a replay.
  private let source: (any HTTPTransport)?
  private let state: Lock<State>

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - file: the file of the exchanges, which need not exist before a recording.
  ///   - recording: whether to record or to replay.
  ///   - redaction: the redaction that keeps secrets out of the file.
  /// - Throws: `ModelStoreError` with the code `inputOutput` or `corrupt` if a file to replay can't be read.
  public init(_ file: URL, recording: Recording = .never, redaction: RecordingRedaction = RecordingRedaction()) throws {
    self.file = file
    self.redaction = redaction
    switch recording {
    case .always(let transport): source = transport
    case .ifMissing(let transport): source = FileManager.default.fileExists(atPath: file.path) ? nil : transport
    case .never: source = nil
    }
    state = Lock(State(exchanges: source == nil ? try Self.read(file) : []))
  }

  /// Sends and records a request, or answers it from the file.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` for a request that has no unused answer in the file. The
  ///   code is `inputOutput` if the file can't be written.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let source else { return try replay(request) }
    let response = try await source.send(request)
    let exchange = RecordedExchange(
      request: redaction.redacted(request), response: redaction.redacted(response, to: request))
    try state.withLock { try append(exchange, to: &$0.recording) }
    return response
  }

  /// The requests of the file that were not replayed, such as `GET /people?limit=5`; empty during a recording.
  public var unusedRequests: [String] {
    if source != nil { return [] }
    return state.withLock { state in
      state.exchanges.indices.filter { !state.used.contains($0) }.map { state.exchanges[$0].title }
    }
  }

  private func replay(_ request: HTTPRequestData) throws -> HTTPResponseData {
    let wanted = RecordedExchange(request: redaction.redacted(request), response: HTTPResponseData(status: 0))
    let found = state.withLock { state -> HTTPResponseData? in
      guard
        let index = state.exchanges.indices.first(where: {
          !state.used.contains($0) && state.exchanges[$0].answers(wanted)
        })
      else { return nil }
      state.used.insert(index)
      return state.exchanges[index].response
    }
    guard let found else {
      let left = unusedRequests.prefix(5).joined(separator: ", ")
      throw ModelStoreError(
        .unsupported,
        """
        \(file.lastPathComponent) has no unused answer to \(wanted.title)\(wanted.request.body == nil ? "" : " with this body"). Delete the \
        file to record it again, or request what is unused: \(left.isEmpty ? "nothing" : left).
        """)
    }
    return found
  }

  // MARK: The file

  private static func read(_ file: URL) throws -> [RecordedExchange] {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      let isThere = FileManager.default.fileExists(atPath: file.path)
      let advice = isThere ? "" : " Record it first, with recording: .ifMissing(through:)."
      throw ModelStoreError(
        .inputOutput, "The recording \(file.path) can't be read: \(error.localizedDescription)\(advice)", cause: error)
    }
    do {
      let list = try JSONValue(json: data)
      return try (list.arrayValue ?? []).enumerated().map { try RecordedExchange(json: $1, number: $0) }
    } catch {
      throw ModelStoreError(.corrupt, "\(file.path) is not a recording: \(error)", cause: error)
    }
  }

  /// The end of the list in the file.
  private static let end = Data("\n]\n".utf8)

  /// Writes an exchange at the end of the list, in place of that end: the file is complete after each exchange.
  private func append(_ exchange: RecordedExchange, to recording: inout (file: FileHandle, length: UInt64)?) throws {
    do {
      let json = try exchange.json.jsonString(JSONWritingOptions(pretty: true, sortedKeys: true))
      let element = Data(("\n" + json).replacingOccurrences(of: "\n", with: "\n  ").utf8) + Self.end
      if let known = recording {
        let start = known.length - UInt64(Self.end.count)
        let added = Data(",".utf8) + element
        do {
          // A write that failed may have left a part behind the end.
          try known.file.truncate(atOffset: start)
          try known.file.write(contentsOf: added)
          recording?.length = start + UInt64(added.count)
        } catch {
          // The exchanges before it stay readable, even on a full disk.
          try? known.file.truncate(atOffset: start)
          try? known.file.write(contentsOf: Self.end)
          throw error
        }
      } else {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let list = Data("[".utf8) + element
        try list.write(to: file, options: .atomic)
        recording = (try FileHandle(forUpdating: file), UInt64(list.count))
      }
    } catch {
      throw ModelStoreError(.inputOutput, "The recording \(file.path) can't be written: \(error)", cause: error)
    }
  }
}

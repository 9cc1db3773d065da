public import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// Writes real traffic to a file that people can read, or replays it: for tests that need no server.
///
/// ```swift
/// let file = URL(filePath: "Fixtures/people.json")
/// let transport = try RecordedTransport(file, recording: .ifMissing(through: URLSessionTransport.shared))
/// let store = RESTModelStore(baseURL: url, transport: transport)
/// ```
///
/// The file is JSON: a list of exchanges, each with its request and its response, bodies as JSON where they are JSON. What a
/// ``RecordingRedaction`` names stands there as `REDACTED`, so the file can be kept with the sources. A replay answers each
/// request with the first exchange of the same method, path, query and body that was not used yet.
public final class RecordedTransport: HTTPTransport {
  /// What is recorded.
  public enum Recording: Sendable {
    /// Nothing: the file is replayed.
    case never
    /// Everything; what the file had before goes.
    case always(through: any HTTPTransport)
    /// Everything, if there is no file yet. If there is one, it is replayed.
    case ifMissing(through: any HTTPTransport)
  }

  private struct State {
    var exchanges: [RecordedExchange]
    /// Those that were replayed.
    var used: Set<Int> = []
  }

  /// The file.
  public let file: URL
  /// What is kept out of the file.
  public let redaction: RecordingRedaction
  /// Carries requests while they are recorded; nil while they are replayed.
  private let source: (any HTTPTransport)?
  private let state: Lock<State>

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - file: where the exchanges are, or will be.
  ///   - recording: what is recorded.
  ///   - redaction: what is kept out of the file.
  /// - Throws: `ModelStoreError` with the code `inputOutput` or `corrupt` if there has to be a file and it can't be read.
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
  /// - Throws: `ModelStoreError` with the code `unsupported` for a request that the file does not have, or that was replayed
  ///   as often as it has it; `inputOutput` if the file can't be written.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let source else { return try replay(request) }
    let response = try await source.send(request)
    let exchange = RecordedExchange(
      request: redaction.redacted(request), response: redaction.redacted(response, to: request))
    let exchanges = state.withLock { state in
      state.exchanges.append(exchange)
      return state.exchanges
    }
    try write(exchanges)
    return response
  }

  /// The requests of the file that were not replayed, such as `GET /people?limit=5`; empty while it is recorded.
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
        \(file.lastPathComponent) has no answer to \(wanted.title)\(wanted.request.body == nil ? "" : " with this body"), \
        or it was used already. Left are: \(left.isEmpty ? "none" : left). Delete the file to record it anew.
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
      throw ModelStoreError(.corrupt, "\(file.path) is no recording: \(error)", cause: error)
    }
  }

  private func write(_ exchanges: [RecordedExchange]) throws {
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      let list = JSONValue.array(exchanges.map(\.json))
      try list.jsonData(JSONWritingOptions(pretty: true, sortedKeys: true)).write(to: file, options: .atomic)
    } catch {
      throw ModelStoreError(.inputOutput, "The recording \(file.path) can't be written: \(error)", cause: error)
    }
  }
}

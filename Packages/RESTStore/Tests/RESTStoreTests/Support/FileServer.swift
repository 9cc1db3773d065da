import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol

/// A folder that is removed with its last reference.
final class DownloadFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
  var target: URL { url.appendingPathComponent("photo") }
  var part: URL { url.appendingPathComponent("photo.part") }
  var version: URL { url.appendingPathComponent("photo.part.json") }

  func text(_ file: URL? = nil) throws -> String { try String(contentsOf: file ?? target, encoding: .utf8) }
}

/// A server with one file on a real socket. A plan has its faults, request by request; it answers later ones correctly.
final class FileServer: Sendable {
  enum Fault: Sendable {
    /// The connection ends after so many bytes of the body.
    case cut(Int)
    /// The connection ends before the answer.
    case silent
    /// Ranges are ignored.
    case noRanges
    /// A partial answer has this `Content-Range`.
    case range(String)
    /// Any other answer.
    case answer(ScriptedServer.Answer)
  }

  struct State {
    var contents: String
    var validators: [String]
    var plan: [Fault]
  }

  /// The contents of a file of a few packets.
  static let contents = (0..<40_000).map { "\($0);" }.joined()

  let state: Lock<State>
  let socket: ScriptedServer

  init(
    _ contents: String, validators: [String] = ["ETag: \"1\""], _ plan: [Fault] = []
  ) throws {
    let state = Lock(State(contents: contents, validators: validators, plan: plan))
    self.state = state
    socket = try ScriptedServer { head in
      state.withLock { Self.answer(head, &$0) }
    }
  }

  func change(_ contents: String, validators: [String] = ["ETag: \"2\""]) {
    state.withLock { ($0.contents, $0.validators) = (contents, validators) }
  }

  static func field(_ name: String, of head: String) -> String? {
    head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
      .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
  }

  private static func answer(_ head: String, _ state: inout State) -> ScriptedServer.Answer {
    let fault = state.plan.isEmpty ? nil : state.plan.removeFirst()
    if case .answer(let answer)? = fault { return answer }
    if case .silent? = fault { return .text("") }
    var ignoresRange = false
    if case .noRanges? = fault { ignoresRange = true }
    let bytes = Array(state.contents.utf8)
    var (status, start) = ("200 OK", 0)
    var lines = state.validators
    let condition = field("If-Range", of: head)
    let isSame = state.validators.contains { $0.hasSuffix(": " + (condition ?? "-")) }
    if let range = field("Range", of: head), condition == nil || isSame, !ignoresRange {
      let first = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
      guard first < bytes.count else {
        return .http("416 Range", headers: ["Content-Range: bytes */\(bytes.count)"] + state.validators, "no")
      }
      (status, start) = ("206 Part", first)
      var value = "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"
      if case .range(let text)? = fault { value = text }
      lines.append("Content-Range: \(value)")
    }
    var body = bytes[start...]
    lines += ["Content-Length: \(body.count)", "Connection: close"]
    if case .cut(let count)? = fault { body = body.prefix(count) }
    return .text(
      "HTTP/1.1 \(status)\r\n" + lines.joined(separator: "\r\n") + "\r\n\r\n" + String(decoding: body, as: UTF8.self))
  }

  /// The `Range` and `If-Range` of each request.
  var ranges: [String] {
    socket.heads.map { "\(Self.field("Range", of: $0) ?? "-") \(Self.field("If-Range", of: $0) ?? "-")" }
  }

  func store(
    _ options: RESTOptions = RESTOptions(), transport: any HTTPTransport = URLSessionTransport()
  ) throws -> RESTModelStore {
    RESTModelStore(baseURL: try socket.url("/v1"), transport: transport, options: options)
  }
}

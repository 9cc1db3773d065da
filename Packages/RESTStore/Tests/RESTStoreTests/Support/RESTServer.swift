import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

/// A server of the folder `Scripts`, in its own process on a free port of the loopback interface. It ends when its
/// standard input closes, so it never outlives the tests.
final class RESTServer: Sendable {
  let url: URL
  // `Process` is not `Sendable`; it is used only under the lock.
  private let process: Lock<(process: Process, input: Pipe)>
  /// A stream that finishes when the process has ended.
  private let ended: AsyncStream<Never>

  /// Returns the server of all tests that neither stop it nor make it fail.
  static func shared() throws -> RESTServer { try sharedResult.get() }
  private static let sharedResult = Result { try RESTServer() }

  /// Returns the server of all tests that need wrong answers.
  static func faults() throws -> RESTServer { try faultsResult.get() }
  private static let faultsResult = Result { try RESTServer("rest-fault-server") }

  init(_ name: String = "rest-server") throws {
    guard let script = Self.script(name) else { throw Missing(description: "Scripts/\(name) is not there") }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script.path]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    let (ended, end) = AsyncStream.makeStream(of: Never.self)
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw Missing(description: "Scripts/\(name) ended without printing its address") }
      line.append(data)
    }
    let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard let last = words.last, let url = URL(string: String(last)) else {
      throw Missing(description: "Scripts/\(name) printed: \(String(decoding: line, as: UTF8.self))")
    }
    self.url = url
    self.ended = ended
    self.process = Lock((process, input))
  }

  /// Kills the server, and waits until it has ended.
  func kill() async {
    // Not SIGTERM: a child inherits the signal mask of the thread that starts it, and may never see it.
    process.withLock { running in _ = Foundation.kill(running.process.processIdentifier, SIGKILL) }
    for await _ in ended {}
  }

  /// Returns a base address whose collections no other test uses.
  func freshBase() -> URL {
    url.appendingPathComponent("runs").appendingPathComponent(UUID().uuidString)
  }

  /// Requests something other than collections, such as `_fail`.
  func control(_ method: HTTPRequestData.Method, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue? {
    var request = HTTPRequestData(method, url.appendingPathComponent(path))
    request.body = try body?.jsonData()
    // A machine may be busy.
    request.timeout = .seconds(240)
    let response = try await URLSessionTransport.shared.send(request)
    return try RESTResponse(response).payload
  }

  // MARK: Whether there can be one

  /// Whether the server is expected. On a CI machine a missing server is a failure; elsewhere the tests that need it
  /// are not run.
  static let isExpected =
    ProcessInfo.processInfo.environment["CI"] == "true" || (script("rest-server") != nil && hasPython)

  private static func script(_ name: String) -> URL? {
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path.count > 1 {
      folder = folder.deletingLastPathComponent()
      let script = folder.appendingPathComponent("Scripts/\(name)")
      if FileManager.default.isReadableFile(atPath: script.path) { return script }
    }
    return nil
  }

  private static var hasPython: Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
  }
}

extension Trait where Self == ConditionTrait {
  /// A condition for tests that need the server.
  static var needsRESTServer: Self {
    .enabled(if: RESTServer.isExpected, "needs python3 in the PATH and Scripts/rest-server of the repository")
  }
}

import FieldKit
import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The built tool, run as a process.
enum ModelKitTool {
  /// The tool is built beside the tests.
  private static var binary: URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
    let folder = bundle ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    return folder.appending(path: "modelkit")
  }

  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs the tool to its end.
  static func run(_ arguments: [String]) async throws -> Outcome {
    let running = try Running(binary, arguments)
    return await running.outcome()
  }

  /// Starts a server, and stops it with a signal after the function.
  ///
  /// - Parameter token: the token in its environment; nil for a random one.
  static func serving<Result>(
    _ arguments: [String], command: String = "serve", signal: Int32 = SIGTERM, token: String? = nil,
    _ body: (Served) async throws -> Result
  ) async throws -> Result {
    let variables = token.map { ["MODELKIT_TOKEN=\($0)"] } ?? []
    let running = try Running(binary, [command, "--port", "0", "--json"] + arguments, variables)
    do {
      guard let line = await running.firstLine() else {
        let outcome = await running.outcome()
        throw ToolFailure(description: "modelkit \(command) ended with status \(outcome.status): \(outcome.errors)")
      }
      let served = try Served(JSONValue(json: line))
      let result = try await body(served)
      running.signal(signal)
      let outcome = await running.outcome()
      try #require(outcome.status == 0, "\(outcome.errors)")
      return result
    } catch {
      running.signal(SIGKILL)
      throw error
    }
  }
}

struct ToolFailure: Error, CustomStringConvertible {
  let description: String
}

/// A process with its output. Threads wait for it: a `Process` may miss the end of a pipe while others are started.
private final class Running {
  private let identifier: pid_t
  private let output: AsyncStream<Data>
  private let errors: AsyncStream<Data>
  private let exits: AsyncStream<Int32>
  private var received = Data()

  /// - Parameter variables: variables of the environment, beside those of this process.
  init(_ binary: URL, _ arguments: [String], _ variables: [String] = []) throws {
    let path = binary.path(percentEncoded: false)
    let (outputPipe, errorPipe) = (try Self.pipe(), try Self.pipe())
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, outputPipe.writing, 1)
    posix_spawn_file_actions_adddup2(&actions, errorPipe.writing, 2)
    var texts: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    let all = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" } + variables
    var environment: [UnsafeMutablePointer<CChar>?] = all.map { strdup($0) } + [nil]
    defer { for text in texts + environment { free(text) } }
    var started: pid_t = 0
    let code = posix_spawn(&started, path, &actions, nil, &texts, &environment)
    close(outputPipe.writing)
    close(errorPipe.writing)
    guard code == 0 else { throw ToolFailure(description: "\(path) can't be started: error \(code)") }
    let process = started
    identifier = process
    (output, errors) = (Self.data(of: outputPipe.reading), Self.data(of: errorPipe.reading))
    let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
    self.exits = exits
    Thread.detachNewThread {
      var status: Int32 = 0
      while waitpid(process, &status, 0) == -1, errno == EINTR {}
      // The status of an exit, or the number of the signal.
      exit.yield(status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F))
      exit.finish()
    }
  }

  private static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    #if canImport(Darwin)
      let code = Darwin.pipe(&ends)
    #else
      let code = Glibc.pipe(&ends)
    #endif
    guard code == 0 else { throw ToolFailure(description: "There is no pipe: error \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func data(of end: Int32) -> AsyncStream<Data> {
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = read(end, &buffer, buffer.count)
        if count > 0 { continuation.yield(Data(buffer[..<count])) }
        if count == 0 || (count < 0 && errno != EINTR) { break }
      }
      close(end)
      continuation.finish()
    }
    return stream
  }

  func signal(_ signal: Int32) { kill(identifier, signal) }

  /// Returns the first line of the output; nil if the process ends without one.
  func firstLine() async -> String? {
    for await data in output {
      received.append(data)
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        return String(decoding: received[..<end], as: UTF8.self)
      }
    }
    return nil
  }

  func outcome() async -> ModelKitTool.Outcome {
    for await data in output { received.append(data) }
    var text = Data()
    for await data in errors { text.append(data) }
    let status = await exits.first { _ in true } ?? -1
    return ModelKitTool.Outcome(
      status: status, output: String(decoding: received, as: UTF8.self), errors: String(decoding: text, as: UTF8.self))
  }
}

/// A server that the tool runs.
struct Served {
  let url: URL
  let token: String?
  let page: String

  init(_ json: JSONValue) throws {
    url = try #require(json["address"]?.stringValue.flatMap { URL(string: $0) })
    token = json["token"]?.stringValue
    page = try #require(json["page"]?.stringValue)
    #expect(page.hasPrefix("\(url)/_inspect/"))
  }

  /// Sends a request with the token.
  func request(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> (
    status: Int, json: JSONValue?
  ) {
    let text = try body?.jsonString() ?? ""
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    if body != nil { head += "Content-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n" }
    let answer = try await RawClient.send("\(head)\r\n\(text)", to: url)
    let parts = answer.components(separatedBy: "\r\n\r\n")
    let status = answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (try #require(status), try? JSONValue(json: parts.dropFirst().joined(separator: "\r\n\r\n")))
  }
}

/// Runs a function with a folder that is removed afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "modelkit-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

import Foundation

/// A server of the folder `Scripts` in a process of its own, which ends with this object.
final class ScriptServer: Sendable {
  let url: URL
  /// A pipe whose closing ends the server.
  private let input: Pipe

  /// Whether a server can be started.
  static let isPossible: Bool = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let hasPython = path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/python3")
    }
    return hasPython && script("rest-bench-server") != nil
  }()

  private static func script(_ name: String) -> URL? {
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path.count > 1 {
      folder = folder.deletingLastPathComponent()
      let script = folder.appendingPathComponent("Scripts/\(name)")
      if FileManager.default.isReadableFile(atPath: script.path) { return script }
    }
    return nil
  }

  struct NotStarted: Error, CustomStringConvertible {
    let name: String
    var description: String { "Scripts/\(name) did not start" }
  }

  init(_ name: String, _ arguments: [String] = []) throws {
    guard let script = Self.script(name) else { throw NotStarted(name: name) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script.path] + arguments
    input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw NotStarted(name: name) }
      line.append(data)
    }
    let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard let url = words.last.flatMap({ URL(string: String($0)) }) else { throw NotStarted(name: name) }
    self.url = url
  }

  /// Ends the server.
  func stop() { try? input.fileHandleForWriting.close() }
}

import Foundation

/// A server of samples: `Scripts/rest-bench-server` in a process of its own, which ends with this object.
final class PeopleServer: Sendable {
  let url: URL
  private let folder: URL
  /// A pipe whose closing ends the server.
  private let input: Pipe

  /// Whether the server can be started.
  static let isPossible: Bool = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let hasPython = path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/python3")
    }
    return hasPython && script != nil
  }()

  private static let script: URL? = {
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path.count > 1 {
      folder = folder.deletingLastPathComponent()
      let script = folder.appendingPathComponent("Scripts/rest-bench-server")
      if FileManager.default.isReadableFile(atPath: script.path) { return script }
    }
    return nil
  }()

  struct NotStarted: Error, CustomStringConvertible {
    var description: String { "Scripts/rest-bench-server did not start" }
  }

  /// Starts a server with single people at `/people/ID`, and all of them at `/everybody`.
  init(count: Int, single: Int) throws {
    guard let script = Self.script else { throw NotStarted() }
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("people-\(UUID().uuidString)")
    let people = PersonRecord.samples(identifiers: 0..<count)
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("people"), withIntermediateDirectories: true)
    try PersonRecord.json(people).write(to: folder.appendingPathComponent("everybody"))
    for person in people.prefix(single) {
      try JSONEncoder().encode(person).write(to: folder.appendingPathComponent("people/\(person.id)"))
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script.path, folder.path]
    input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw NotStarted() }
      line.append(data)
    }
    let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard let url = words.last.flatMap({ URL(string: String($0)) }) else { throw NotStarted() }
    self.url = url
  }

  /// Ends the server.
  func stop() {
    try? input.fileHandleForWriting.close()
    try? FileManager.default.removeItem(at: folder)
  }
}

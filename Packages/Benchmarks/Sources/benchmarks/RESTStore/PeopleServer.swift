import Foundation

/// A server of samples: `Scripts/rest-bench-server` in a process of its own, which ends with this object.
final class PeopleServer: Sendable {
  var url: URL { server.url }
  private let folder: URL
  private let server: ScriptServer

  /// Whether the server can be started.
  static var isPossible: Bool { ScriptServer.isPossible }

  /// Starts a server with single people at `/people/ID`, and all of them at `/everybody`.
  init(count: Int, single: Int) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("people-\(UUID().uuidString)")
    let people = PersonRecord.samples(identifiers: 0..<count)
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("people"), withIntermediateDirectories: true)
    try PersonRecord.json(people).write(to: folder.appendingPathComponent("everybody"))
    for person in people.prefix(single) {
      try JSONEncoder().encode(person).write(to: folder.appendingPathComponent("people/\(person.id)"))
    }
    server = try ScriptServer("rest-bench-server", [folder.path])
  }

  /// Ends the server.
  func stop() {
    server.stop()
    try? FileManager.default.removeItem(at: folder)
  }
}

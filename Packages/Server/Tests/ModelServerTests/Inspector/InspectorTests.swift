import Foundation
import MemoryStore
import ModelServer
import RESTService
import SyncStore
import Testing

private final class Patient: Model {
  @Field var id: Int?
  @Field var name: String?
  @Field(sensitive: true) var illness: String?
  @Field var note: String?
  override var identifierField: AnyField? { $id }
}

@Suite(.timeLimit(.minutes(30))) struct `The inspector of a server` {
  private static func withInspector(_ body: (URL) async throws -> Void) async throws {
    let store = MemoryModelStore()
    for title in ["Emma", "Evelina", "Persuasion"] {
      let novel = Novel()
      novel.title = title
      try await store.create(novel)
    }
    try await withServer(
      .novels(store), inspector: Inspector(serving: [Novel.self]),
      authentication: .tokens(["pearl": "jane"]), body)
  }

  private static func answer(
    _ path: String, method: String = "GET", token: String? = "pearl", from url: URL
  ) async throws -> (status: String, headers: String, body: String) {
    let header = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    let text = try await RawClient.send(
      "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(header)Connection: close\r\n\r\n", to: url)
    let parts = text.components(separatedBy: "\r\n\r\n")
    return (String(text.dropFirst(9).prefix(3)), parts[0], parts.dropFirst().joined(separator: "\r\n\r\n"))
  }

  @Test func `The schema has the fields of each type with their rules`() async throws {
    try await Self.withInspector { url in
      let answer = try await Self.answer("/_inspect/schema", from: url)
      let type = try JSONValue(json: answer.body)["types"]?.arrayValue?.first
      #expect(type?["name"] == "Novel")
      #expect(type?["path"] == "/novels")
      #expect(type?["identifier"] == "id")
      #expect(type?["label"] == "title")
      let title = type?["fields"]?.arrayValue?.first { $0["key"] == "title" }
      #expect(title?["type"] == "string")
      #expect(title?["isRequired"] == true)
      #expect(title?["maximum"] == "20")
    }
  }

  @Test func `Relations have their inverses, and the names of their properties`() async throws {
    let inspector = Inspector(serving: [Shelf.self, Volume.self])
    try await withServer(.novels(), inspector: inspector) { url in
      let answer = try await Self.answer("/_inspect/schema", from: url)
      let types = try JSONValue(json: answer.body)["types"]?.arrayValue
      let volumes = types?.first?["relations"]?.arrayValue?.first
      let shelf = types?.last?["relations"]?.arrayValue?.first
      #expect(volumes?["to"] == "Volume")
      #expect(volumes?["inverse"] == "shelf_id")
      #expect(volumes?["isToMany"] == true)
      #expect(volumes?["deleteRule"] == "cascade")
      #expect(shelf?["inverse"] == "volumes")
      #expect(shelf?["key"] == "shelf_id")
      #expect(shelf?["name"] == "shelf")
      #expect(shelf?["isReference"] == true)
    }
  }

  @Test func `Health is shown and checked for users who may read everything`() async throws {
    let health = StoreHealth {
      [.init("Size", .bytes(12)), .init("Mode", .text("reading"))]
    } check: { progress in
      progress(0.5)
      return ["one part"]
    }
    let inspector = Inspector(serving: [Novel.self]).showing(health)
    try await withServer(.novels(), inspector: inspector) { url in
      let schema = try await Self.answer("/_inspect/schema", from: url)
      #expect(try JSONValue(json: schema.body)["sections"] == ["health"])
      let health = try JSONValue(json: try await Self.answer("/_inspect/health", from: url).body)
      #expect(health["figures"] == [["name": "Size", "bytes": 12], ["name": "Mode", "text": "reading"]])
      #expect(health["check"] == ["state": "none"])
      let changed = try await Self.answer("/_inspect/health", method: "POST", from: url)
      #expect(changed.status == "405")
      let started = try await Self.answer("/_inspect/health/check", method: "POST", from: url)
      #expect(started.status == "200")
      var check: JSONValue?
      repeat {
        check = try JSONValue(json: try await Self.answer("/_inspect/health/check", from: url).body)["check"]
      } while check?["state"] == "running"
      #expect(check?["problems"] == ["one part"])
    }
    let limited = RESTService.novels { access in access.allow(.read, Novel.self) { _, novel in novel.writer == "Jane" }
    }
    try await withServer(limited, inspector: inspector) { url in
      let refused = try await Self.answer("/_inspect/health", from: url)
      #expect(refused.status == "403")
    }
  }

  @Test func `The outbox is shown without sensitive and hidden values`() async throws {
    let engine = SyncEngine(MemoryModelStore().handle)
    let waiting = SyncModelStore(engine, remote: MemoryModelStore(), types: [Patient.self])
    let patient = Patient()
    (patient.name, patient.illness, patient.note) = ("Ada", "a secret", "a hidden one")
    try await waiting.create(patient)
    let service = RESTService(engine, serving: [Patient.self]) { access in
      access.allow(.all, Patient.self)
      access.hide(\Patient.$note)
    }
    try await withServer(service, inspector: Inspector(serving: [Patient.self]).showing(InspectedSync(waiting))) {
      url in
      let answer = try await Self.answer("/_inspect/sync", from: url)
      let entry = try JSONValue(json: answer.body)["entries"]?[0]
      #expect(entry?["kind"] == "creation")
      #expect(answer.body.contains("Ada"))
      #expect(answer.body.contains("illness"))
      for secret in ["a secret", "a hidden one", "note"] { #expect(!answer.body.contains(secret)) }
      let unknown = try await RawClient.send(
        """
        POST /_inspect/sync/retry HTTP/1.1\r\nHost: localhost\r\nContent-Length: 35\r\nConnection: close\r\n\r\n\
        {"type":"Patient","identifier":"9"}
        """, to: url)
      #expect(unknown.contains(" 404 "))
    }
  }

  @Test func `Counts are those of all types, or of a condition`() async throws {
    try await Self.withInspector { url in
      let all = try await Self.answer("/_inspect/counts", from: url)
      #expect(all.body == #"{"Novel":3}"#)
      let condition = "%7B%22field%22:%22title%22,%22is%22:%22hasPrefix%22,%22value%22:%22E%22%7D"
      let some = try await Self.answer("/_inspect/counts?type=Novel&where=\(condition)", from: url)
      #expect(some.body == #"{"Novel":2}"#)
      let spaced = "%7B%22field%22:+%22title%22,+%22is%22:+%22hasPrefix%22,+%22value%22:+%22E%22%7D"
      #expect(try await Self.answer("/_inspect/counts?type=Novel&where=\(spaced)", from: url).body == some.body)
      for query in [
        "type=Poem", "where=\(condition)", "type=Novel&where=%7B", "type=Novel&where=%7B%22field%22:%22x%22%7D",
      ] {
        let wrong = try await Self.answer("/_inspect/counts?\(query)", from: url)
        #expect(wrong.status == "400", "\(query)")
      }
      let written = try await Self.answer("/_inspect/counts", method: "DELETE", from: url)
      #expect(written.status == "405")
    }
  }

  @Test func `A query is explained to users who may read all records`() async throws {
    let condition = "%7B%22field%22:%22title%22,%22is%22:%22hasPrefix%22,%22value%22:%22E%22%7D"
    try await Self.withInspector { url in
      let answer = try await Self.answer("/_inspect/explain?type=Novel&where=\(condition)", from: url)
      let report = try JSONValue(json: answer.body)
      #expect(report["found"] == 2)
      #expect(report["read"] == 3)
      #expect(report["plan"]?.stringValue?.isEmpty == false)
      #expect(try await Self.answer("/_inspect/explain", from: url).status == "400")
    }
  }

  @Test func `Counts with a condition are under the access rules and the limits of the service`() async throws {
    let store = MemoryModelStore()
    for writer in ["jane", "anne"] {
      let novel = Novel()
      novel.writer = writer
      try await store.create(novel)
    }
    let service = RESTService.novels(store, options: .init(requestsPerMinute: 2)) { access in
      access.allow(.read, Novel.self) { request, novel in request.user != nil && request.user == novel.writer }
    }
    let inspector = Inspector(serving: [Novel.self])
    try await withServer(service, inspector: inspector, authentication: .tokens(["pearl": "jane"])) { url in
      let condition = "%7B%22field%22:%22writer%22,%22is%22:%22hasPrefix%22,%22value%22:%22a%22%7D"
      let hidden = try await Self.answer("/_inspect/counts?type=Novel&where=\(condition)", from: url)
      #expect(hidden.body == #"{"Novel":0}"#)
      let pattern = condition.replacing("hasPrefix", with: "matches")
      let matching = try await Self.answer("/_inspect/counts?type=Novel&where=\(pattern)", from: url)
      #expect(matching.status == "400")
      #expect(try await Self.answer("/_inspect/counts", from: url).status == "429")
    }
  }

  @Test func `Only the files of the page are sent without a token`() async throws {
    try await Self.withInspector { url in
      for path in ["/_inspect/", "/_inspect/index.html", "/_inspect/inspector.js", "/_inspect/inspector.css"] {
        let file = try await Self.answer(path, token: nil, from: url)
        #expect(file.status == "200", "\(path)")
        #expect(file.headers.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"), "\(path)")
      }
      for path in [
        "/_inspect/schema", "/_inspect/counts", "/novels", "/_inspect/../Package.swift",
        "/_inspect/%2e%2e/Package.swift",
        "/_inspect/..%2fPackage.swift", "/_inspect//etc/passwd",
      ] {
        let refused = try await Self.answer(path, token: nil, from: url)
        #expect(refused.status == "401", "\(path)")
        let absent = try await Self.answer("/_inspect/\(path)", from: url)
        #expect(absent.status == "404", "\(path)")
      }
    }
  }

  @Test func `The page has no inline code or style, and names no other host`() async throws {
    try await Self.withInspector { url in
      let page = try await Self.answer("/_inspect/", token: nil, from: url).body
      #expect(page.contains("<script type=\"module\" src="))
      #expect(!page.contains("<style") && !page.contains(" style=") && !page.contains(" on"))
      for name in ["", "inspector.js", "inspector.css"] {
        let text = try await Self.answer("/_inspect/\(name)", token: nil, from: url).body
        #expect(!text.contains("https:") && !text.contains("http:") && !text.contains("innerHTML"), "\(name)")
      }
    }
  }

  @Test func `The root redirects to the page`() async throws {
    try await Self.withInspector { url in
      let root = try await Self.answer("/", token: nil, from: url)
      #expect(root.status == "302")
      #expect(root.headers.contains("Location: /_inspect/"))
    }
  }
}

final class Shelf: Model {
  @Field var id: Int?
  @ModelArrayField(deleteRule: .cascade) var volumes: [Volume]?
  override var identifierField: AnyField? { $id }
}

final class Volume: Model {
  @Field var id: Int?
  @ModelField(key: "shelf_id", foreignKey: true, inverse: \.$volumes) var shelf: Shelf?
  override var identifierField: AnyField? { $id }
}

import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite struct `A recording of traffic` {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent(
    "recording-\(UUID().uuidString).json")

  private func store(_ transport: any HTTPTransport) throws -> RESTModelStore {
    let url = try #require(URL(string: "http://ada:pass123@api.test/v1?key=abc123"))
    var options = RESTOptions()
    options.authentication = BearerAuthentication("token123")
    return RESTModelStore(baseURL: url, transport: transport, options: options)
  }

  private func use(_ store: RESTModelStore) async throws -> [String?] {
    let person = Person(name: "Ada")
    try await store.create(person)
    person.age.value = 37
    try await store.update(person)
    let found = try await RESTModelStore(store.handle).lookup(Person.self, identifier: "7")
    let missing = try await storeError { _ = try await store.lookup(Person.self, identifier: "8") }
    return [person.identifier, found.name.value, missing.code.description]
  }

  @Test func `A recording is complete again after a write that left a part of an exchange`() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let transport = try RecordedTransport(file, recording: .always(through: StubTransport(status: 200, "[]")))
    let store = try store(transport)
    _ = try await store.list(Person.self)
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(#",{"request": {"me"#.utf8))
    try handle.close()
    _ = try await store.count(Person.self)
    let exchanges = try #require(try JSONValue(json: Data(contentsOf: file)).arrayValue)
    #expect(exchanges.count == 2)
  }

  @Test func `A recording of traffic is replayed as it went, without a server`() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let real = StubTransport([
      .success(
        HTTPResponseData(status: 201, body: Data(#"{"id": 7, "name": "Ada", "access_token": "token456"}"#.utf8))),
      .success(HTTPResponseData(status: 204)),
      .success(
        HTTPResponseData(
          status: 200, headers: ["Set-Cookie": "cookie123"], body: Data(#"{"id": 7, "name": "Ada"}"#.utf8))),
      .success(HTTPResponseData(status: 404, body: Data("not here".utf8))),
    ])
    let recorded = try await use(store(RecordedTransport(file, recording: .ifMissing(through: real))))
    #expect(recorded == ["7", "Ada", "notFound"])
    let text = try String(contentsOf: file, encoding: .utf8)
    for secret in ["pass123", "abc123", "token123", "token456", "cookie123"] { #expect(!text.contains(secret)) }
    #expect(text.contains("\"name\": \"Ada\""))
    let replay = try RecordedTransport(file, recording: .ifMissing(through: StubTransport(status: 500)))
    #expect(try await use(store(replay)) == recorded)
    #expect(replay.unusedRequests.isEmpty)
    #expect(real.lines.count == 4)
  }

  @Test func `A recording of traffic names the request that it does not have, and the ones that are left`() async throws
  {
    defer { try? FileManager.default.removeItem(at: file) }
    let source = StubTransport(status: 200, #"{"id": 7}"#)
    _ = try await store(RecordedTransport(file, recording: .always(through: source)))
      .lookup(Person.self, identifier: "7")
    let replay = try RecordedTransport(file)
    #expect(replay.unusedRequests == ["GET /v1/people/7?key=REDACTED"])
    let error = try await storeError { _ = try await store(replay).lookup(Person.self, identifier: "8") }
    #expect(error.code == .unsupported)
    #expect(error.message.contains("no unused answer to GET /v1/people/8?key=REDACTED"))
    #expect(error.message.contains("unused: GET /v1/people/7?key=REDACTED"))
    let other = try await storeError { try await store(replay).update(Person(id: 7, name: "Ada")) }
    #expect(other.message.contains("with this body"))
    _ = try await store(replay).lookup(Person.self, identifier: "7")
    #expect(
      try await storeError { _ = try await store(replay).lookup(Person.self, identifier: "7") }.code == .unsupported)
  }

  @Test func `A recording of concurrent requests has all of them`() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    for _ in 0..<10 {
      let transport = try RecordedTransport(file, recording: .always(through: StubTransport(status: 200, "{}")))
      let urls = try (0..<16).map { try #require(URL(string: "http://api.test/\($0)")) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for url in urls { group.addTask { @concurrent in _ = try await transport.send(HTTPRequestData(.get, url)) } }
        try await group.waitForAll()
      }
      #expect(try RecordedTransport(file).unusedRequests.count == 16)
    }
  }

  @Test func `A recording of traffic is continued with each exchange, not written again`() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let transport = try RecordedTransport(file, recording: .always(through: StubTransport(status: 200, "[\n1]")))
    var numbers: Set<Int?> = []
    for count in 1...3 {
      _ = try await transport.send(HTTPRequestData(.get, try #require(URL(string: "http://api.test/\(count)"))))
      numbers.insert(try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int)
      let expected = (1...count).map { "GET /\($0)" }
      #expect(try RecordedTransport(file).unusedRequests == expected)
    }
    #expect(numbers.count == 1)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text == (try JSONValue(json: Data(text.utf8)).jsonString(.init(pretty: true, sortedKeys: true))) + "\n")
  }

  @Test(.timeLimit(.minutes(30)))
  func `A recording of a long text has no part of a long token before an ellipsis`() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let token = String(repeating: "abcdefghijklmnopqrstuvwxyz0123456789", count: 40)
    let text = String(repeating: "Lorem ipsum ", count: 5_000) + token.prefix(500).uppercased() + "…"
    let source = StubTransport(status: 200, #"{"id": 1, "name": "\#(text)"}"#)
    var options = RESTOptions()
    options.authentication = BearerAuthentication(token)
    let transport = try RecordedTransport(file, recording: .always(through: source))
    _ = try await RESTModelStore(transport, options: options).lookup(Person.self, identifier: "1")
    let recorded = try String(contentsOf: file, encoding: .utf8)
    #expect(recorded.contains("Lorem ipsum REDACTED…"))
  }

  @Test(arguments: [
    #"{"name": "Ada", "login": {"password": "hunter2000"}}"#, "name=Ada&password=hunter2000",
  ])
  func `A recording of traffic has no secret of a request's body that the answer repeats`(body: String) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let echo = #"{"detail": [{"loc": ["body", "login"], "msg": "too weak", "input": "hunter2000"}]}"#
    let transport = try RecordedTransport(file, recording: .always(through: StubTransport(status: 422, echo)))
    let url = try #require(URL(string: "http://api.test/people"))
    _ = try await transport.send(HTTPRequestData(.post, url, body: Data(body.utf8)))
    let recorded = try String(contentsOf: file, encoding: .utf8)
    #expect(!recorded.contains("hunter2000") && recorded.contains("too weak"))
  }

  @Test func `A recording of traffic keeps bodies that are no JSON`() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let url = try #require(URL(string: "http://api.test/x"))
    for body in [Data([0xFF, 0x00, 0x80]), Data("a=1&password=p4ss\n".utf8), Data("a=1&password=p4ss".utf8), Data()] {
      let source = StubTransport([.success(HTTPResponseData(status: 200, body: body))])
      let request = HTTPRequestData(.post, url, body: body)
      _ = try await RecordedTransport(file, recording: .always(through: source)).send(request)
      let replayed = try await RecordedTransport(file).send(request)
      let text = String(data: body, encoding: .utf8)?.replacing("p4ss", with: "REDACTED")
      #expect(replayed.body == text.map { Data($0.utf8) } ?? body)
    }
  }

  @Test(arguments: ["nothing", "{", #"[{"request": {}}]"#])
  func `A recording of traffic that can't be read is refused when it is opened`(text: String) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    if text != "nothing" { try Data(text.utf8).write(to: file) }
    let error = try await storeError { _ = try RecordedTransport(file) }
    #expect(error.code == (text == "nothing" ? .inputOutput : .corrupt))
    #expect(error.message.contains(file.lastPathComponent))
  }

  @Test func `A recording of traffic reports the progress of the real transport`() async throws {
    let server = try ScriptedServer { _ in .http("200 OK", headers: ["Content-Type: application/json"], #"[{"id": 1}]"#)
    }
    let seen = Lock<[HTTPProgress]>([])
    let store = RESTModelStore(baseURL: try server.url())
    let people = try await HTTPProgress.observing({ progress in seen.withLock { $0.append(progress) } }) {
      try await store.list(Person.self)
    }
    #expect(people.count == 1)
    let last = try #require(seen.withLock { $0 }.last)
    #expect(last.receivedBytes == 11)
    #expect(last.expectedBytes == 11)
    #expect(last.path == "/people")
  }
}

import Foundation
import Logging
import MemoryStore
import ModelServer
import RESTService
import StoreEngine
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(30))) struct `A server` {
  @Test func `A client creates, finds and deletes records over HTTP`() async throws {
    try await withServer(.novels()) { url in
      let store = RESTModelStore(baseURL: url, dialect: JSONDialect(sendsQueries: true))
      let novel = Novel()
      novel.title = "Emma"
      try await store.create(novel)
      #expect(novel.id == 1)
      let found = try await store.list(Novel.self, where: { $0.title == "Emma" })
      #expect(found == [novel])
      try await store.delete(novel)
      let count = try await store.count(Novel.self)
      #expect(count == 0)
    }
  }

  @Test func `A response to HEAD has the length of the body, and no body`() async throws {
    try await withServer(.novels()) { url in
      let text = try await RawClient.send(
        "HEAD /novels HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", to: url)
      #expect(text.lowercased().contains("content-length: 2\r\n"))
      #expect(text.hasSuffix("\r\n\r\n"))
    }
  }

  @Test func `A connection serves one request after the other`() async throws {
    try await withServer(.novels()) { url in
      let request = "GET /novels HTTP/1.1\r\nHost: localhost\r\n"
      let text = try await RawClient.send("\(request)\r\n\(request)Connection: close\r\n\r\n", to: url)
      #expect(text.components(separatedBy: "HTTP/1.1 200").count == 3)
    }
  }

  @Test func `A line in the log has the identifier of the response, and no secrets`() async throws {
    let log = RecordedLog()
    let text = try await withServer(.novels(), logger: log.logger) { url in
      try await RawClient.send(
        "GET /novels?key=pearl HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer pearl\r\nConnection: close\r\n\r\n",
        to: url)
    }
    let lines = log.lines.withLock { $0 }
    let line = try #require(lines.first { $0.contains("GET /novels") })
    let identifier = try #require(text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("x-request-id: ") })
    #expect(line.contains(identifier.dropFirst("x-request-id: ".count)))
    #expect(lines.allSatisfy { !$0.contains("pearl") })
  }

  @Test(arguments: [
    "/novels/1", "/novels",
    "/_inspect/counts?type=Novel&where=%7B%22field%22:%22title%22,%22is%22:%22==%22,%22value%22:%22x%22%7D",
  ])
  func `The cause of a failure is in the log, with the identifier of the response, and is not sent`(
    path: String
  ) async throws {
    let store = MemoryModelStore()
    // Its class can't decode it.
    try store.handle.commit(RecordBatch([.create("Novel", "1", Array(#"{"id": 1, "title": ["amethyst"]}"#.utf8))]))
    let (log, inspector) = (RecordedLog(), Inspector(serving: [Novel.self]))
    let text = try await withServer(.novels(store), inspector: inspector, logger: log.logger) { url in
      try await RawClient.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", to: url)
    }
    #expect(text.hasPrefix("HTTP/1.1 500"))
    let body = try #require(text.components(separatedBy: "\r\n\r\n").last)
    #expect(!body.contains("expected"))
    let line = try #require(log.lines.withLock { $0 }.first { $0.contains(" failed: ") })
    #expect(line.contains("expected a string"), "\(line)")
    let identifier = try #require(text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("x-request-id: ") })
    #expect(line.contains(identifier.dropFirst("x-request-id: ".count)))
  }

  @Test func `Events are sent when they happen, until the server is stopped`() async throws {
    let server = try ModelServer(.followedNovels(), logger: .silent)
    let (addresses, address) = AsyncStream.makeStream(of: URL.self)
    let running = Task { try await server.run(stopsOnSignals: false) { address.yield($0) } }
    let url = try #require(await addresses.first { _ in true })
    let text = try await RawClient.exchange(with: url) { exchange in
      try await exchange.send("GET /novels HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
      _ = try await exchange.receive(upTo: "event: reset")
      let novel = Novel()
      novel.title = "Emma"
      try await RESTModelStore(baseURL: url).create(novel)
      _ = try await exchange.receive(upTo: #""title":"Emma""#)
      running.cancel()
      return try await exchange.rest()
    }
    #expect(text.lowercased().contains("content-type: text/event-stream\r\n"))
    #expect(text.hasSuffix("\r\n0\r\n\r\n"))
    try await running.value
  }

  @Test func `A stopped server finishes the request in progress, and accepts no other`() async throws {
    // A request is authenticated when its headers have arrived.
    let (heads, head) = AsyncStream.makeStream(of: HTTPRequestData.Method.self)
    let authentication = RequestAuthentication { request in
      head.yield(request.method)
      return .anonymous
    }
    let server = try ModelServer(.novels(), authentication: authentication, logger: .silent)
    let (addresses, address) = AsyncStream.makeStream(of: URL.self)
    let running = Task { try await server.run(stopsOnSignals: false) { address.yield($0) } }
    let url = try #require(await addresses.first { _ in true })
    let body = #"{"title": "Emma"}"#
    let text = try await RawClient.exchange(with: url) { exchange in
      try await exchange.send("GET /novels HTTP/1.1\r\nHost: localhost\r\n\r\n")
      _ = try await exchange.receive(upTo: "[]")
      let head = "POST /novels HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      try await exchange.send("\(head)Content-Length: \(body.utf8.count)\r\n\r\n{")
      _ = await heads.first { $0 == .post }
      running.cancel()
      try await exchange.send(String(body.dropFirst()))
      return try await exchange.rest()
    }
    #expect(text.contains("HTTP/1.1 201"))
    try await running.value
    // The port may be that of another program by now, which closes the connection.
    let other = try? await RawClient.send("GET / HTTP/1.1\r\n\r\n", to: url)
    #expect(other ?? "" == "")
  }

  @Test func `A request that does not finish does not keep a stopped server`() async throws {
    let (heads, head) = AsyncStream.makeStream(of: HTTPRequestData.Method.self)
    let authentication = RequestAuthentication { request in
      head.yield(request.method)
      return .anonymous
    }
    let options = ModelServerOptions(bodyTimeout: .seconds(3_600), stopTimeout: .milliseconds(50))
    let server = try ModelServer(.novels(), authentication: authentication, options: options, logger: .silent)
    let (addresses, address) = AsyncStream.makeStream(of: URL.self)
    let running = Task { try await server.run(stopsOnSignals: false) { address.yield($0) } }
    let url = try #require(await addresses.first { _ in true })
    try await RawClient.exchange(with: url) { exchange in
      try await exchange.send("POST /novels HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
      _ = await heads.first { $0 == .post }
      running.cancel()
      _ = try await exchange.rest()
    }
    try await running.value
  }

  @Test func `Every one of many servers stops, with idle connections and without`() async throws {
    for cycle in 0..<100 {
      try await withServer(.novels()) { url in
        if cycle.isMultiple(of: 3) { return }
        try await RawClient.exchange(with: url) { exchange in
          try await exchange.send("GET /novels HTTP/1.1\r\nHost: localhost\r\n\r\n")
          _ = try await exchange.receive(upTo: "[]")
        }
      }
    }
  }

  @Test func `A used port is an error that names it`() async throws {
    try await withServer(.novels()) { url in
      let port = try #require(url.port)
      let error = await #expect(throws: ModelServerError.self) {
        try await withServer(.novels(), options: ModelServerOptions(port: port)) { _ in }
      }
      #expect(error?.description.contains("port \(port)") == true)
    }
  }

  @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "example.com"])
  func `A service without access rules is not served to other machines`(host: String) {
    let error = #expect(throws: ModelServerError.self) {
      try ModelServer(.novels(), options: ModelServerOptions(host: host))
    }
    #expect(error == .publicWithoutRules(host: host))
    #expect(throws: Never.self) {
      try ModelServer(.novels { $0.allow(.read, Novel.self) }, options: ModelServerOptions(host: host))
    }
  }
}

/// A log whose lines are kept.
final class RecordedLog: Sendable {
  let lines = Mutex<[String]>([])

  var logger: Logger {
    Logger(label: "test") { _ in Handler(log: self) }
  }

  private struct Handler: LogHandler {
    let log: RecordedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      log.lines.withLock { $0.append("\(event.message) \(all)") }
    }
  }
}

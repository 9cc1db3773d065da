import Foundation
import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite(.timeLimit(.minutes(30))) struct `A transport over URLSession` {
  private func send(_ request: HTTPRequestData) async throws -> HTTPResponseData {
    try await URLSessionTransport.shared.send(request)
  }

  @Test func `A transport over URLSession sends method, headers and body, and returns status, headers and body`()
    async throws
  {
    let server = try ScriptedServer { _ in .http("418 I'm a teapot", headers: ["X-Kind: Oolong"], "short and stout") }
    var request = HTTPRequestData(.patch, try server.url("/tea/a%2Fb?milk=no%2Bnever"), body: Data("{}".utf8))
    request.headers["X-Token"] = "secret"
    let response = try await send(request)
    #expect(response.status == 418)
    #expect(response.headers["x-kind"] == "Oolong")
    #expect(response.body == Data("short and stout".utf8))
    let head = try #require(server.heads.first)
    #expect(head.hasPrefix("PATCH /tea/a%2Fb?milk=no%2Bnever HTTP/1.1\r\n"))
    #expect(head.lowercased().contains("x-token: secret\r\n"))
    #expect(head.lowercased().contains("content-length: 2\r\n"))
  }

  @Test func `A transport over URLSession does not send a header with a line break`() async throws {
    let server = try ScriptedServer { _ in .http("200 OK") }
    let request = HTTPRequestData(.get, try server.url(), headers: ["X-Token": "a\r\nX-Admin: yes"])
    #expect(try await storeError { _ = try await send(request) }.code == .invalid)
    #expect(server.heads.isEmpty)
  }

  @Test func `A transport over URLSession follows a redirect on the same host with all headers`() async throws {
    let server = try ScriptedServer { head in
      head.hasPrefix("GET /old") ? .http("302 Found", headers: ["Location: /new"]) : .http("200 OK", "[]")
    }
    let request = HTTPRequestData(.get, try server.url("/old"), headers: ["Authorization": "Bearer secret"])
    #expect(try await send(request).status == 200)
    #expect(server.heads.count == 2)
    #expect(server.heads.allSatisfy { $0.lowercased().contains("authorization: bearer secret") })
  }

  @Test func `A transport over URLSession takes no credentials along to another host`() async throws {
    let other = try ScriptedServer { _ in .http("200 OK", "[]") }
    let target = try other.url(host: "localhost", "/new")
    let server = try ScriptedServer { _ in .http("301 Moved", headers: ["Location: \(target)"]) }
    let request = HTTPRequestData(
      .get, try server.url("/old"),
      headers: [
        "Authorization": "Bearer secret", "X-API-Key": "secret", "Cookie": "s=secret", "Accept": "application/json",
      ])
    #expect(try await send(request).status == 200)
    let head = try #require(other.heads.first)
    #expect(!head.contains("secret"))
    #expect(head.lowercased().contains("accept: application/json"))
  }

  @Test func `A transport over URLSession does not follow a redirect that would make a read of a write`() async throws {
    let server = try ScriptedServer { head in
      head.hasPrefix("POST") ? .http("302 Found", headers: ["Location: /elsewhere"]) : .http("200 OK", "[]")
    }
    let response = try await send(HTTPRequestData(.post, try server.url("/people"), body: Data("{}".utf8)))
    #expect(response.status == 302)
    #expect(response.headers["Location"]?.hasSuffix("/elsewhere") == true)
    #expect(server.heads.count == 1)
  }

  @Test func `A transport over URLSession gives up on redirects in a circle`() async throws {
    let server = try ScriptedServer { _ in .http("302 Found", headers: ["Location: /again"]) }
    let error = try await storeError { _ = try await send(HTTPRequestData(.get, try server.url("/again"))) }
    #expect(error.code == .server, "\(error)")
    #expect(server.heads.count < 50)
  }

  @Test(arguments: ["Basic realm=\"api\"", "Digest realm=\"api\", nonce=\"1\"", "Bearer realm=\"api\"", "Bearer"])
  func `A transport over URLSession returns a refusal, and requests no password`(challenge: String) async throws {
    let server = try ScriptedServer { _ in .http("401 Unauthorized", headers: ["WWW-Authenticate: \(challenge)"], "{}")
    }
    let response = try await send(HTTPRequestData(.get, try server.url("/people")))
    #expect(response.status == 401)
    #expect(response.body == Data("{}".utf8))
    #expect(server.heads.count == 1)
  }

  @Test func `A transport over URLSession keeps no cookies between requests`() async throws {
    let server = try ScriptedServer { _ in .http("200 OK", headers: ["Set-Cookie: session=1"], "[]") }
    _ = try await send(HTTPRequestData(.get, try server.url("/login")))
    _ = try await send(HTTPRequestData(.get, try server.url("/people")))
    #expect(server.heads.allSatisfy { !$0.lowercased().contains("cookie") })
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1388\r\n",
    "HTTP/1.1 200 OK\r\n\r\n",
  ])
  func `A transport over URLSession refuses an answer over the limit, even one that never ends`(head: String)
    async throws
  {
    let server = try ScriptedServer { _ in .endless(head: head, part: String(repeating: "x", count: 1_000)) }
    let request = HTTPRequestData(.get, try server.url(), maximumResponseBytes: 4_000)
    let error = try await storeError { _ = try await send(request) }
    #expect(error.code == .server)
    #expect(error.message.contains("4000 bytes"))
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1, 2", "SSH-2.0-OpenSSH_9.6\r\n"])
  func `A transport over URLSession fails for an answer that is cut off or is not HTTP`(text: String) async throws {
    let server = try ScriptedServer { _ in .text(text) }
    let error = try await storeError { _ = try await send(HTTPRequestData(.get, try server.url())) }
    #expect([.offline, .server].contains(error.code), "\(error.code): \(error)")
  }

  @Test func `A transport over URLSession does not wait longer than it may`() async throws {
    let server = try ScriptedServer { _ in .silence }
    let request = HTTPRequestData(.get, try server.url(), timeout: .milliseconds(200))
    #expect(try await storeError { _ = try await send(request) }.code == .timeout)
  }

  @Test func `A transport over URLSession waits as long as each request may, even for a part of a second`() async throws
  {
    let server = try ScriptedServer { _ in .silence }
    let url = try server.url()
    let transport = URLSessionTransport()
    try await withThrowingTaskGroup { group in
      for milliseconds in [300, 100, 200, 150] {
        group.addTask {
          let timeout = Duration.milliseconds(milliseconds)
          let start = ContinuousClock.now
          let error = try await storeError {
            _ = try await transport.send(HTTPRequestData(.get, url, timeout: timeout))
          }
          #expect(error.code == .timeout)
          #expect(ContinuousClock.now - start >= timeout)
        }
      }
      try await group.waitForAll()
    }
    // The timer works for later requests, too.
    let late = HTTPRequestData(.get, url, timeout: .milliseconds(50))
    #expect(try await storeError { _ = try await transport.send(late) }.code == .timeout)
  }

  @Test func `A transport over URLSession takes a time limit of any length`() async throws {
    let server = try ScriptedServer { _ in .http("200 OK", "[]") }
    let request = HTTPRequestData(.get, try server.url(), timeout: .seconds(Int64.max))
    #expect(try await send(request).status == 200)
    let none = HTTPRequestData(.get, try server.url(), timeout: .seconds(-1))
    #expect(try await storeError { _ = try await send(none) }.code == .timeout)
    #expect(server.heads.count == 1)
  }

  @Test func `A NUL byte in a header is not taken for a lost connection`() async throws {
    let server = try ScriptedServer { _ in .http("200 OK", headers: ["X-Text: a\u{0}b"], "[]") }
    #expect(try await storeError { _ = try await send(HTTPRequestData(.get, try server.url())) }.code == .server)
  }

  @Test func `A transport over URLSession does not wait longer than it may for an answer that arrives slowly`()
    async throws
  {
    let server = try ScriptedServer { _ in
      .endless(head: "HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n", part: "x")
    }
    let request = HTTPRequestData(.get, try server.url(), timeout: .milliseconds(300), maximumResponseBytes: .max)
    #expect(try await storeError { _ = try await send(request) }.code == .timeout)
  }

  @Test func `A transport over URLSession is offline where no server listens`() async throws {
    let server = try ScriptedServer { _ in .silence }
    server.stop()
    #expect(try await storeError { _ = try await send(HTTPRequestData(.get, try server.url())) }.code == .offline)
  }

  @Test func `A transport over URLSession stops at once when its task is cancelled`() async throws {
    let (requests, asked) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { _ in
      asked.yield()
      return .silence
    }
    let request = HTTPRequestData(.get, try server.url(), timeout: .seconds(600))
    let task = Task { try await URLSessionTransport.shared.send(request) }
    for await _ in requests { break }
    task.cancel()
    #expect(try await storeError { _ = try await task.value }.code == .cancelled)
  }

  @Test func `A transport over URLSession can be cancelled by the observer of its progress`() async throws {
    let server = try ScriptedServer { _ in
      .endless(head: "HTTP/1.1 200 OK\r\n\r\n", part: String(repeating: "x", count: 1_000))
    }
    let request = HTTPRequestData(.get, try server.url(), maximumResponseBytes: .max)
    let running = Lock<Task<HTTPResponseData, any Error>?>(nil)
    let task = Task {
      try await HTTPProgress.observing({ _ in running.withLock { $0 }?.cancel() }) {
        try await URLSessionTransport.shared.send(request)
      }
    }
    running.withLock { $0 = task }
    #expect(try await storeError { _ = try await task.value }.code == .cancelled)
  }

  @Test func `A transport over URLSession does not begin when its task is cancelled already`() async throws {
    let server = try ScriptedServer { _ in .silence }
    let request = HTTPRequestData(.get, try server.url())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await URLSessionTransport.shared.send(request)
    }
    #expect(try await storeError { _ = try await task.value }.code == .cancelled)
    #expect(server.heads.isEmpty)
  }
}

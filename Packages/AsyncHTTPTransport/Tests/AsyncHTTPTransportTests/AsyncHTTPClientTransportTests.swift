import AsyncHTTPClient
import AsyncHTTPTransport
import Foundation
import NIOCore
import NIOPosix
import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

/// Sends a line to each new connection.
private final class Greeting: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "SSH-2.0-OpenSSH_9.6\r\n")), promise: nil)
  }
}

@Suite(.timeLimit(.minutes(30))) struct `A transport over AsyncHTTPClient` {
  private func send(_ request: HTTPRequestData) async throws -> HTTPResponseData {
    try await AsyncHTTPClientTransport.shared.send(request)
  }

  @Test func `A request carries method, headers and body, and returns status, headers and body`() async throws {
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

  @Test(arguments: ["a\r\nX-Admin: yes", "a\nX-Admin: yes", "a\0"])
  func `A header with a control character is not sent`(value: String) async throws {
    let server = try ScriptedServer { _ in .http("200 OK") }
    for headers: HTTPHeaderList in [["X-Token": value], [value: "a"], ["X(Y)": "a"], ["": "a"]] {
      let error = try await storeError { _ = try await send(HTTPRequestData(.get, try server.url(), headers: headers)) }
      #expect(error.code == .invalid)
      #expect(!error.message.contains("Admin"))
    }
    let method = HTTPRequestData(.init("GET / HTTP/1.1\r\n"), try server.url())
    #expect(try await storeError { _ = try await send(method) }.code == .invalid)
    #expect(server.heads.isEmpty)
  }

  @Test(arguments: ["ftp://localhost/", "http+unix://%2Ftmp%2Fsocket/", "file:///etc/passwd", "people/1"])
  func `A request to an address that is not that of a web server is not sent`(address: String) async throws {
    let url = try #require(URL(string: address))
    #expect(try await storeError { _ = try await send(HTTPRequestData(.get, url)) }.code == .invalid)
  }

  @Test func `A request that only a cache may answer is not sent`() async throws {
    let server = try ScriptedServer { _ in .http("200 OK") }
    var request = HTTPRequestData(.get, try server.url())
    request.cachePolicy = .onlyCache
    #expect(try await storeError { _ = try await send(request) }.code == .offline)
    #expect(server.heads.isEmpty)
  }

  @Test func `The name and password in an address become a header`() async throws {
    let server = try ScriptedServer { _ in .http("200 OK") }
    let address = try server.url("/a").absoluteString.replacing("http://", with: "http://ada:p%40ss@")
    let url = try #require(URL(string: address))
    _ = try await send(HTTPRequestData(.get, url))
    #expect(server.heads.first?.contains("Authorization: Basic \(Data("ada:p@ss".utf8).base64EncodedString())") == true)
    server.stop()
    let error = try await storeError { _ = try await send(HTTPRequestData(.get, url)) }
    #expect(!"\(error)".contains("p%40ss"))
    #expect(!"\(error)".contains("ada"))
  }

  @Test(arguments: ["Basic realm=\"api\"", "Digest realm=\"api\", nonce=\"1\"", "Bearer"])
  func `A refusal is returned, and no password is requested`(challenge: String) async throws {
    let server = try ScriptedServer { _ in .http("401 Unauthorized", headers: ["WWW-Authenticate: \(challenge)"], "{}")
    }
    let response = try await send(HTTPRequestData(.get, try server.url("/people")))
    #expect(response.status == 401)
    #expect(response.body == Data("{}".utf8))
    #expect(server.heads.count == 1)
  }

  @Test func `Cookies are not kept between requests`() async throws {
    let server = try ScriptedServer { _ in .http("200 OK", headers: ["Set-Cookie: session=1"], "[]") }
    _ = try await send(HTTPRequestData(.get, try server.url("/login")))
    _ = try await send(HTTPRequestData(.get, try server.url("/people")))
    #expect(server.heads.allSatisfy { !$0.lowercased().contains("cookie") })
  }

  // MARK: Limits

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nF4240\r\n",
    "HTTP/1.1 200 OK\r\n\r\n",
  ])
  func `An answer over the limit is rejected, even one that never ends`(head: String) async throws {
    let server = try ScriptedServer { _ in .endless(head: head, part: String(repeating: "x", count: 1_000)) }
    let request = HTTPRequestData(.get, try server.url(), maximumResponseBytes: 4_000)
    let error = try await storeError { _ = try await send(request) }
    #expect(error.code == .server)
    #expect(error.message.contains("4000 bytes"))
  }

  @Test func `An answer of exactly the limit is accepted`() async throws {
    let server = try ScriptedServer { _ in .http("200 OK", String(repeating: "x", count: 4_000)) }
    let request = HTTPRequestData(.get, try server.url(), maximumResponseBytes: 4_000)
    #expect(try await send(request).body.count == 4_000)
  }

  @Test func `A request ends at its time limit`() async throws {
    let server = try ScriptedServer { _ in .silence }
    let request = HTTPRequestData(.get, try server.url(), timeout: .milliseconds(200))
    #expect(try await storeError { _ = try await send(request) }.code == .timeout)
  }

  @Test func `One time limit covers all redirects and an answer that comes slowly`() async throws {
    let server = try ScriptedServer { head in
      head.hasPrefix("GET /old")
        ? .http("302 Found", headers: ["Location: /new"])
        : .endless(head: "HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n", part: "x")
    }
    let request = HTTPRequestData(
      .get, try server.url("/old"), timeout: .milliseconds(300), maximumResponseBytes: .max)
    #expect(try await storeError { _ = try await send(request) }.code == .timeout)
    #expect(server.heads.count == 2)
  }

  @Test func `A time limit may have any length`() async throws {
    let server = try ScriptedServer { _ in .http("200 OK", "[]") }
    let request = HTTPRequestData(.get, try server.url(), timeout: .seconds(Int64.max))
    #expect(try await send(request).status == 200)
    let none = HTTPRequestData(.get, try server.url(), timeout: .seconds(-1))
    #expect(try await storeError { _ = try await send(none) }.code == .timeout)
    #expect(server.heads.count == 1)
  }

  // MARK: Connections

  @Test func `The error is offline where no server listens`() async throws {
    let server = try ScriptedServer { _ in .silence }
    server.stop()
    #expect(try await storeError { _ = try await send(HTTPRequestData(.get, try server.url())) }.code == .offline)
    let unknown = HTTPRequestData(.get, try #require(URL(string: "http://server.invalid/")))
    #expect(try await storeError { _ = try await send(unknown) }.code == .offline)
  }

  @Test func `The error is offline where no secure connection can be made`() async throws {
    // A server that talks first, and no TLS.
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Greeting()) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(server.localAddress?.port)
    let url = try #require(URL(string: "https://127.0.0.1:\(port)/?api_key=secret"))
    let error = try await storeError { _ = try await send(HTTPRequestData(.get, url)) }
    #expect(error.code == .offline)
    #expect(error.message.contains("no secure connection could be made"))
    #expect(!"\(error)".contains("secret"))
    try await server.close()
  }

  @Test(arguments: [
    ("407 Proxy Authentication Required", ModelStoreError.Code.unauthorized), ("403 Forbidden", .offline),
  ])
  func `A proxy that refuses a request is reported`(status: String, code: ModelStoreError.Code) async throws {
    let proxy = try ScriptedServer { _ in .http(status) }
    var configuration = HTTPClient.Configuration()
    configuration.proxy = .server(
      host: "127.0.0.1", port: Int(proxy.port), authorization: .basic(credentials: "secret"))
    let transport = AsyncHTTPClientTransport(configuration: configuration)
    let url = try #require(URL(string: "https://example.test/"))
    let error = try await storeError { _ = try await transport.send(HTTPRequestData(.get, url)) }
    #expect(error.code == code)
    #expect(!"\(error)".contains("secret"))
    #expect(proxy.heads.allSatisfy { $0.hasPrefix("CONNECT example.test:443 ") })
  }

  @Test func `A request ends although nothing else refers to its transport`() async throws {
    let server = try ScriptedServer { _ in .http("200 OK", "[]") }
    for _ in 0..<20 {
      #expect(try await AsyncHTTPClientTransport().send(HTTPRequestData(.get, try server.url())).status == 200)
    }
  }

  // MARK: Cancellation

  @Test func `A request stops at once when its task is cancelled`() async throws {
    let (requests, asked) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { _ in
      asked.yield()
      return .silence
    }
    let request = HTTPRequestData(.get, try server.url(), timeout: .seconds(600))
    let task = Task { try await AsyncHTTPClientTransport.shared.send(request) }
    for await _ in requests { break }
    task.cancel()
    #expect(try await storeError { _ = try await task.value }.code == .cancelled)
  }

  @Test func `A request can be cancelled by an observer of its progress`() async throws {
    let server = try ScriptedServer { _ in
      .endless(head: "HTTP/1.1 200 OK\r\n\r\n", part: String(repeating: "x", count: 1_000))
    }
    let request = HTTPRequestData(.get, try server.url(), timeout: .seconds(600), maximumResponseBytes: .max)
    let running = Lock<Task<HTTPResponseData, any Error>?>(nil)
    let task = Task {
      try await HTTPProgress.observing({ _ in running.withLock { $0 }?.cancel() }) {
        try await AsyncHTTPClientTransport.shared.send(request)
      }
    }
    running.withLock { $0 = task }
    #expect(try await storeError { _ = try await task.value }.code == .cancelled)
  }

  @Test func `A cancelled task sends no request`() async throws {
    let server = try ScriptedServer { _ in .silence }
    let request = HTTPRequestData(.get, try server.url())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await AsyncHTTPClientTransport.shared.send(request)
    }
    #expect(try await storeError { _ = try await task.value }.code == .cancelled)
    #expect(server.heads.isEmpty)
  }
}

import Foundation
import MemoryStore
import ModelServer
import NIOCore
import RESTService
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct `Hostile requests to a server` {
  private static let get = "GET /novels HTTP/1.1\r\nHost: localhost\r\n"
  private static let post = "POST /novels HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

  private static func status(_ text: String, to url: URL) async throws -> Int? {
    let answer = try await RawClient.send(text, to: url)
    return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  private static func expect(_ text: String, to url: URL, gets status: Int) async throws {
    let found = try await Self.status(text, to: url)
    #expect(found == status, "\(text.prefix(200))")
  }

  @Test(arguments: [
    ("localhost", 200), ("LOCALHOST:80", 200), ("127.0.0.1:8080", 200), ("[::1]:8080", 200), ("shop.example", 200),
    ("evil.example", 421), ("localhost.evil.example", 421), ("127.0.0.1.evil.example", 421), ("", 400),
    ("localhost:x", 400), ("[::1", 400), ("user@localhost", 421), ("127.0.0.256", 421),
  ])
  func `Only known host names and addresses are served`(host: String, status: Int) async throws {
    try await withServer(.novels(), options: ModelServerOptions(hostNames: ["shop.example"])) { url in
      let request = "GET /novels HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
      try await Self.expect(request, to: url, gets: status)
    }
  }

  @Test func `A page of another origin is rejected, one of the same origin is served`() async throws {
    try await withServer(.novels()) { url in
      for (header, status) in [
        ("Origin: http://localhost", 200), ("Origin: http://evil.example", 403), ("Origin: null", 403),
        ("Origin: http://localhost:81", 403), ("Sec-Fetch-Site: cross-site", 403), ("Sec-Fetch-Site: none", 200),
      ] {
        let request = "\(Self.get)\(header)\r\nConnection: close\r\n\r\n"
        try await Self.expect(request, to: url, gets: status)
      }
    }
  }

  @Test func `A body that is declared or becomes too long is rejected unread`() async throws {
    let store = MemoryModelStore()
    try await withServer(.novels(store, options: RESTServiceOptions(maximumBodyBytes: 1_000))) { url in
      try await Self.expect("\(Self.post)Content-Length: 9000000000\r\n\r\n", to: url, gets: 413)
      let chunk = "400\r\n\(String(repeating: "x", count: 0x400))\r\n"
      try await Self.expect("\(Self.post)Transfer-Encoding: chunked\r\n\r\n\(chunk)", to: url, gets: 413)
    }
    #expect(try await store.count(Novel.self) == 0)
  }

  @Test func `A slow body is rejected, and its connection closed`() async throws {
    try await withServer(.novels(), options: ModelServerOptions(bodyTimeout: .milliseconds(50))) { url in
      try await Self.expect("\(Self.post)Content-Length: 20\r\n\r\n{", to: url, gets: 408)
    }
  }

  @Test func `A client that only connects is disconnected`() async throws {
    try await withServer(.novels(), options: ModelServerOptions(idleTimeout: .milliseconds(50))) { url in
      for beginning in ["", "GET /novels HTTP/1.1\r\nHost: local"] {
        let answer = try await RawClient.send(beginning, to: url)
        #expect(answer == "")
      }
    }
  }

  @Test func `A client that sends its headers byte by byte is disconnected`() async throws {
    try await withServer(.novels(), options: ModelServerOptions(idleTimeout: .milliseconds(100))) { url in
      let isComplete = try await RawClient.exchange(with: url) { exchange in
        let outbound = exchange.outbound
        let sending = Task {
          for byte in (Self.get + String(repeating: "X: a\r\n", count: 100)).utf8 {
            try await outbound.write(ByteBuffer(bytes: [byte]))
            try await Task.sleep(for: .milliseconds(50))
          }
        }
        _ = try await exchange.rest()
        sending.cancel()
        return (try? await sending.value) != nil
      }
      #expect(!isComplete)
    }
  }

  @Test(arguments: [
    "/../novels", "/novels/../../etc/passwd", "/novels/..%2f..%2fetc%2fpasswd", "/%2e%2e/novels", "/novels/%00",
    "/novels/%ff",
    "//evil.example/novels", "/novels/1/2", "*", "/novels/%", "/novels\\1",
    "/novels?where=%7B%22field%22", "/novels#x", "/_inspect/../novels",
  ])
  func `An odd path is answered with 400 or 404`(path: String) async throws {
    try await withServer(.novels()) { url in
      let status = try await Self.status(
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", to: url)
      #expect([400, 404].contains(status), "\(status ?? 0)")
    }
  }

  @Test(arguments: [
    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
    "Content-Length: -1\r\n", "Content-Length: 5, 5\r\n", "Transfer-Encoding: chunked, identity\r\n",
    "Transfer-Encoding : chunked\r\n", "X: a\u{0}b\r\n",
  ])
  func `Ambiguous lengths and malformed headers are rejected`(headers: String) async throws {
    let store = MemoryModelStore()
    try await withServer(.novels(store)) { url in
      let request = "\(Self.post)\(headers)\r\n0\r\n\r\n\(Self.post)Content-Length: 2\r\nConnection: close\r\n\r\n{}"
      let answer = try await RawClient.send(request, to: url)
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
    }
    // Nothing was smuggled behind it.
    #expect(try await store.count(Novel.self) == 0)
  }

  @Test func `Headers beyond their limit are rejected`() async throws {
    try await withServer(.novels()) { url in
      let long = "X-Long: \(String(repeating: "x", count: 200_000))\r\n"
      try await Self.expect("\(Self.get)\(long)\r\n", to: url, gets: 400)
    }
  }
}

@Suite(.serialized, .timeLimit(.minutes(30))) struct `Users of a server` {
  private static func status(_ authorization: String?, to url: URL) async throws -> String {
    let header = authorization.map { "Authorization: \($0)\r\n" } ?? ""
    return try await RawClient.send(
      "GET /novels HTTP/1.1\r\nHost: localhost\r\n\(header)Connection: close\r\n\r\n", to: url)
  }

  @Test func `A token identifies its user, and a request without a valid one is rejected`() async throws {
    let store = MemoryModelStore()
    for writer in ["jane", "anne"] {
      let novel = Novel()
      novel.writer = writer
      try await store.create(novel)
    }
    let service = RESTService.novels(store) { access in
      access.allow(.all, Novel.self) { request, novel in request.user == novel.writer }
    }
    try await withServer(service, authentication: .tokens(["pearl": "jane", "ruby": "anne"])) { url in
      let own = try await Self.status("Bearer pearl", to: url)
      #expect(own.contains(#""writer":"jane""#))
      let other = try await Self.status("bearer ruby", to: url)
      #expect(other.contains(#""writer":"anne""#) && !other.contains("jane"))
      for wrong in [nil, "Bearer", "Bearer ", "Bearer pearls", "Bearer pear", "Basic pearl", "pearl"] {
        let answer = try await Self.status(wrong, to: url)
        #expect(answer.hasPrefix("HTTP/1.1 401"))
        #expect(answer.lowercased().contains("www-authenticate: bearer"))
      }
    }
  }

  @Test func `A custom authentication determines the user`() async throws {
    let store = MemoryModelStore()
    let novel = Novel()
    novel.writer = "jane"
    try await store.create(novel)
    let service = RESTService.novels(store) { access in
      access.allow(.read, Novel.self) { request, novel in request.user == novel.writer }
    }
    let authentication = RequestAuthentication { request in
      request.headers["X-User"].map { .user($0) } ?? .anonymous
    }
    try await withServer(service, authentication: authentication) { url in
      let request = "GET /novels HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      let own = try await RawClient.send("\(request)X-User: jane\r\n\r\n", to: url)
      #expect(own.contains(#""writer":"jane""#))
      let other = try await RawClient.send("\(request)\r\n", to: url)
      #expect(other.hasSuffix("[]"))
    }
  }
}

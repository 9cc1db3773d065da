import AsyncHTTPTransport
import Foundation
import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite(.timeLimit(.minutes(30))) struct `A random answer` {
  private static let answers = [
    "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nContent-Type: text/plain\r\n\r\nhello world",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9223372036854775807\r\n\r\n{}",
    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Encoding: deflate\r\n\r\nnot packed at all",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\u{81}\u{0}",
  ]

  /// The same answers each time.
  private struct Source: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 31)
    }
  }

  private static func spoiled(_ answer: String, _ source: inout Source) -> String {
    var scalars = Array(answer.unicodeScalars)
    for _ in 0..<Int.random(in: 0...4, using: &source) where scalars.count > 2 {
      let start = Int.random(in: 0..<scalars.count, using: &source)
      let end = min(scalars.count, start + Int.random(in: 1...12, using: &source))
      switch Int.random(in: 0..<5, using: &source) {
      case 0: scalars.removeSubrange(start..<end)
      case 1: scalars.insert(contentsOf: scalars[start..<end], at: start)
      case 2: scalars[start] = Unicode.Scalar(UInt8.random(in: 0...255, using: &source))
      case 3: scalars.insert(contentsOf: "\r\n".unicodeScalars, at: start)
      default: scalars.removeSubrange(start...)
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `A random answer ends in a result or in one error, and spoils no later request`(seed: UInt64) async throws {
    var source = Source(state: seed)
    let transport = AsyncHTTPClientTransport()
    let good = try ScriptedServer { _ in .http("200 OK", "[]") }
    for _ in 0..<150 {
      let text = Self.spoiled(Self.answers.randomElement(using: &source) ?? "", &source)
      let server = try ScriptedServer { _ in .text(text) }
      for method in [HTTPRequestData.Method.get, .post] {
        do {
          _ = try await transport.send(
            HTTPRequestData(method, try server.url("/a"), body: method == .post ? Data("{}".utf8) : nil))
        } catch let error as ModelStoreError {
          // Half a head may be waited for until the time is over, if the connection is not closed before.
          #expect([.offline, .server, .timeout].contains(error.code), "\(error) for \(text.debugDescription)")
        }
      }
    }
    #expect(try await transport.send(HTTPRequestData(.get, try good.url())).body == Data("[]".utf8))
  }
}

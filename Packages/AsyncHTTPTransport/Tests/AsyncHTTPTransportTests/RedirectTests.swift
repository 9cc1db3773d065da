import AsyncHTTPTransport
import Foundation
import RESTStore
import StoreProtocol
import Testing

@Suite(.timeLimit(.minutes(30))) struct `A redirect of AsyncHTTPClient` {
  private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

  private func send(_ method: String, _ url: URL) async throws -> HTTPResponseData {
    let body = ["POST", "PUT", "PATCH"].contains(method) ? Data("{}".utf8) : nil
    return try await AsyncHTTPClientTransport.shared.send(
      HTTPRequestData(
        HTTPRequestData.Method(method), url,
        headers: [
          "Authorization": "Bearer secret", "X-API-Key": "secret", "Cookie": "s=secret", "Accept": "application/json",
        ], body: body))
  }

  @Test(arguments: methods, [300, 301, 302, 303, 304, 305, 307, 308])
  func `A redirect on the same host is followed with all headers where it keeps the method`(
    method: String, status: Int
  ) async throws {
    let server = try ScriptedServer { head in
      head.contains(" /old ") ? .http("\(status) Moved", headers: ["Location: /new"]) : .http("204 No Content")
    }
    let response = try await send(method, try server.url("/old"))
    let isRead = ["GET", "HEAD"].contains(method)
    let isFollowed =
      [307, 308].contains(status) || ([301, 302].contains(status) && method != "POST") || (status == 303 && isRead)
    #expect(response.status == (isFollowed ? 204 : status))
    #expect(
      server.heads.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        == (isFollowed ? ["\(method) /old", "\(method) /new"] : ["\(method) /old"]))
    #expect(server.heads.allSatisfy { $0.lowercased().contains("authorization: bearer secret") })
  }

  @Test(arguments: methods, [301, 302, 303, 307, 308])
  func `A redirect to another host is followed by a read without credentials, and by no write`(
    method: String, status: Int
  ) async throws {
    let other = try ScriptedServer { _ in .http("204 No Content") }
    let target = try other.url(host: "name:password@localhost", "/new")
    let server = try ScriptedServer { _ in .http("\(status) Moved", headers: ["Location: \(target)"]) }
    let response = try await send(method, try server.url("/old"))
    let isRead = ["GET", "HEAD"].contains(method)
    #expect(response.status == (isRead ? 204 : status))
    #expect(other.heads.count == (isRead ? 1 : 0))
    #expect(other.heads.allSatisfy { !$0.contains("secret") && !$0.lowercased().contains("authorization") })
    #expect(other.heads.allSatisfy { $0.lowercased().contains("accept: application/json") })
  }

  @Test(arguments: ["", "file:///etc/passwd", "http://", "https://", "ftp://localhost/", "javascript:alert(1)"])
  func `A redirect without a target is returned as the answer`(location: String) async throws {
    let server = try ScriptedServer { head in
      head.contains(" /old ") ? .http("302 Found", headers: ["Location: \(location)"]) : .http("200 OK")
    }
    #expect(try await send("GET", try server.url("/old")).status == 302)
    #expect(server.heads.count == 1)
  }

  @Test func `A redirect in a circle ends at the limit`() async throws {
    let server = try ScriptedServer { _ in .http("302 Found", headers: ["Location: /again"]) }
    var request = HTTPRequestData(.get, try server.url("/again"))
    request.maximumRedirects = 3
    let error = try await storeError { _ = try await AsyncHTTPClientTransport.shared.send(request) }
    #expect(error.code == .server)
    #expect(error.message.contains("more than 3 times"))
    #expect(server.heads.count == 4)
  }
}

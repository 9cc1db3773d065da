import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

/// A server that repeats all that it was sent, in answers of one style.
private struct EchoingServer: HTTPTransport {
  enum Style: CaseIterable, Sendable {
    case text, message, fields, brokenJSON, wrongType, longText, redirect, link, transportError, list, unauthorized
    case capitals, lowercase, encodings
  }

  let style: Style

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let url = request.url.absoluteString
    let lines = [url] + request.headers.entries.map { "\($0.name): \($0.value)" }
    let all = lines.joined(separator: " | ")
    let encoded = url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    func json(_ value: JSONValue) throws -> Data { try value.jsonData() }
    switch style {
    case .text: return HTTPResponse(status: 500, body: Data("\(all) \(encoded)".utf8))
    case .capitals: return HTTPResponse(status: 500, body: Data("\(all) \(encoded)".uppercased().utf8))
    case .lowercase: return HTTPResponse(status: 400, body: try json(["detail": .string(all.lowercased())]))
    case .encodings:
      let values = request.headers.entries.map(\.value).flatMap { [$0] + $0.split(separator: " ").map(String.init) }
      let spelled = values.map { value in
        "\(Data(value.utf8).base64EncodedString()) \(value.replacing("/", with: "\\/")) \(SecretSpelling.escaped(value))"
      }
      return HTTPResponse(status: 500, body: Data(spelled.joined(separator: " | ").utf8))
    case .longText:
      let padding = String(repeating: "x", count: 150)
      return HTTPResponse(status: 500, body: Data("\(padding) \(request.headers["Authorization"] ?? "") \(all)".utf8))
    case .message: return HTTPResponse(status: 409, body: try json(["message": .string(all)]))
    case .unauthorized: return HTTPResponse(status: 401, body: try json(["detail": .string(all)]))
    case .fields: return HTTPResponse(status: 422, body: try json(["errors": ["name": [.string(all)]]]))
    case .brokenJSON: return HTTPResponse(status: 200, body: Data("\(all) {".utf8))
    case .wrongType: return HTTPResponse(status: 200, body: try json(["id": .string(all), "name": .string(all)]))
    case .redirect: return HTTPResponse(status: 302, headers: ["Location": url])
    case .link:
      return HTTPResponse(
        status: 200, headers: ["Link": "<\(url.replacing("api.test", with: "evil.test"))>; rel=\"next\""],
        body: try json([["id": 1]]))
    case .list: return HTTPResponse(status: 200, body: try json([["id": 1, "name": ["next": .string(url)]]]))
    case .transportError:
      throw URLError(
        .cannotConnectToHost,
        userInfo: [
          NSURLErrorFailingURLErrorKey: request.url, "NSErrorFailingURLStringKey": url,
          NSLocalizedDescriptionKey: "no connection to \(url)",
        ])
    }
  }
}

/// An echoing server whose answers are streamed, and end before the last byte.
private struct StreamingEcho: StreamingTransport {
  let server: EchoingServer

  func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await server.send(request) }

  func send(
    _ request: HTTPRequest, from file: URL?, receive: @escaping @Sendable (HTTPResponse, Data?) throws -> Bool
  ) async throws -> HTTPResponse {
    var response = try await server.send(request)
    let body = response.body
    response.headers["ETag"] = "\"1\""
    response.headers["Content-Length"] = String(body.count + 1)
    guard try receive(response, nil) else { return response }
    response.body = Data()
    _ = try receive(response, body)
    return response
  }
}

private enum SecretSpelling {
  /// A text as a JSON writer spells it that writes ASCII only.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      if scalar.isASCII { return scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : "\(scalar)" }
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    .joined()
  }
}

@Suite struct `A secret of a store` {
  private static let secrets = [
    "bearer \"tok/+=%&né", "base-pa:ss", "base-k&ey=1", "dialect-k\\ey", "session-4711-value", "odd|header|value",
  ]

  private struct SecretDialect: RESTDialect {
    func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) {
      request.headers["X-API-Key"] = secrets[3]
      request.headers["Cookie"] = "a=b; sid=\(secrets[4])"
    }
  }

  private struct OddAuthentication: RESTAuthentication {
    func authorize(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws {
      request.headers["Authorization"] = "Bearer \(secrets[0])"
      // Its name does not indicate a secret.
      request.headers["X-Odd"] = secrets[5]
    }
  }

  private func spellings(_ secret: String) -> [String] {
    let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
    return [
      secret, secret.addingPercentEncoding(withAllowedCharacters: allowed) ?? secret,
      String(secret.debugDescription.dropFirst().dropLast()), secret.replacing("/", with: "\\/"),
      SecretSpelling.escaped(secret), Data(secret.utf8).base64EncodedString(),
    ]
  }

  private func texts(of value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value)\n\(String(reflecting: value))\n\(dumped)"
  }

  @Test(arguments: EchoingServer.Style.allCases)
  fileprivate func `A secret of a store is in no error, event, model or recording, whatever the server repeats`(
    style: EchoingServer.Style
  ) async throws {
    var components = URLComponents()
    (components.scheme, components.host, components.path) = ("http", "api.test", "/v1")
    (components.user, components.password) = ("ada", Self.secrets[1])
    components.percentEncodedQuery = "api%5Fkey=base-k%26ey%3D1"
    let base = try #require(components.url)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let monitor = ListeningMonitor()
    var options = RESTOptions()
    options.authentication = OddAuthentication()
    options.monitor = monitor
    let recorder = try RecordedTransport(file, recording: .always(through: EchoingServer(style: style)))
    let store = RESTModelStore(baseURL: base, dialect: SecretDialect(), transport: recorder, options: options)
    var collected = [texts(of: store), texts(of: store.handle), texts(of: recorder)]
    let person = try Person.from(dictionaryValue: ["id": 1, "name": "Ada"], in: store.scope)
    person.name.value = "Augusta"
    let new = Person(name: "Bob")
    let operations: [() async throws -> Void] = [
      { _ = try await store.lookup(Person.self, identifier: "1") }, { _ = try await store.list(Person.self) },
      { _ = try await store.count(Person.self) }, { try await store.create(new) }, { try await store.update(person) },
      { try await store.delete(person) },
      { for try await each in store.stream(Person.self) { collected.append(texts(of: each)) } },
      { collected.append(texts(of: try await store.request(.post, "/people/1/activate").status)) },
      { _ = try await store.request(.get, "/people/active").models(Person.self) },
      { _ = try await store.with(headers: ["X-API-Key": Self.secrets[3]]).request(.get, "/me").json },
    ]
    var failures = 0
    for operation in operations {
      do { try await operation() } catch {
        failures += 1
        collected.append(texts(of: error))
        collected.append(error.localizedDescription)
      }
    }
    #expect(failures > 0)
    collected += (person.validationErrors + new.validationErrors).map { texts(of: $0) }
    collected += monitor.events.map { texts(of: $0) }
    let recording = try? Data(contentsOf: file)
    #expect((recording == nil) == (style == .transportError))
    collected.append(String(decoding: recording ?? Data(), as: UTF8.self))
    for text in collected {
      for secret in Self.secrets {
        for spelling in spellings(secret) {
          #expect(!text.lowercased().contains(spelling.lowercased()), "\(spelling) in \(text)")
        }
      }
    }
  }

  @Test(arguments: EchoingServer.Style.allCases)
  fileprivate func `A secret of a store is in no error or event of a file, and in no file beside it`(
    style: EchoingServer.Style
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let monitor = ListeningMonitor()
    var options = RESTOptions()
    options.authentication = OddAuthentication()
    options.monitor = monitor
    let base = try #require(URL(string: "http://ada:base-pa%3Ass@api.test/v1?api%5Fkey=base-k%26ey%3D1"))
    let store = RESTModelStore(
      baseURL: base, dialect: SecretDialect(), transport: StreamingEcho(server: EchoingServer(style: style)),
      options: options)
    let file = folder.appendingPathComponent("file")
    try Data("abc".utf8).write(to: file)
    let operations: [() async throws -> Void] = [
      { try await store.download("/photo", to: folder.appendingPathComponent("photo")) },
      { _ = try await store.upload(.put, "/photo", from: file).json },
    ]
    var collected: [String] = []
    for operation in operations {
      do { try await operation() } catch {
        collected.append(texts(of: error))
        collected.append(error.localizedDescription)
      }
    }
    collected += monitor.events.map { texts(of: $0) }
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("photo.") {
      // The part itself is what the server sent.
      guard name.hasSuffix(".json") else { continue }
      collected.append(try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8))
    }
    for text in collected {
      for secret in Self.secrets {
        for spelling in spellings(secret) {
          #expect(!text.lowercased().contains(spelling.lowercased()), "\(spelling) in \(text)")
        }
      }
    }
  }

  @Test(arguments: [
    "ada:s3cret@api.test/v1?api_key=s3cret", "http:ada:s3cret@api.test", "/v1?token=s3cret", "//u:s3cret@",
    "http:/ada:s3cret@api.test",
  ])
  func `A secret of a store is not in the error for a base address that names no server, or in a description`(
    base: String
  ) async throws {
    let store = try RESTModelStore(StubTransport(status: 200, "[]"), base: base)
    #expect(!(texts(of: store) + texts(of: store.handle)).contains("s3cret"))
    let error = try await storeError { _ = try await store.list(Person.self) }
    #expect(!texts(of: error).contains("s3cret"))
  }

  @Test func `A secret is not in the links of a recording, which can be followed when it is replayed`() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let server = StubTransport([
      .success(
        HTTPResponseData(
          status: 200, headers: ["Link": "</people?api_key=s3cret&at=2>; rel=\"next\""],
          body: Data("[{\"id\": 1}]".utf8))),
      .success(HTTPResponseData(status: 200, body: Data("[{\"id\": 2}]".utf8))),
    ])
    let base = "http://api.test?api_key=s3cret"
    let recorder = try RecordedTransport(file, recording: .always(through: server))
    #expect(try await RESTModelStore(recorder, base: base).list(Person.self).count == 2)
    #expect(!String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("s3cret"))
    let replay = try RESTModelStore(RecordedTransport(file), base: base)
    #expect(try await replay.list(Person.self).map(\.id.value) == [1, 2])
  }

  @Test(arguments: [
    Data(#"{"errors": {"TOKENsecret/+=ü": ["x"]}}"#.utf8), Data("<e>Bearer TOKENsecret/+=ü</e>".utf8),
    Data([0xFF]) + Data("Bearer TOKENsecret/+=ü".utf8), Data([0xFF]) + Data("token TOKENSECRET%2F%2B%3D%C3%BC".utf8),
    Data("TOKENsecret/+=ü".utf16.flatMap { [UInt8($0), 0] }),
  ])
  func `A secret is not in a recording as a key, in an address of an item or a header, or among other bytes`(
    body: Data
  ) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let server = StubTransport([
      .success(
        HTTPResponseData(status: 200, headers: ["Refresh": "0; url=http://h?at=1&api_key=REFsecret"], body: body))
    ])
    let items = "q=http%3A%2F%2Fh%3Fat%3D1%26token%3DITEMsecret&r=http%253A%252F%252Fu%253AURLsecret%2540h"
    let url = try #require(URL(string: "http://api.test/x?\(items)"))
    let request = HTTPRequestData(.get, url, headers: ["Authorization": "Bearer TOKENsecret/+=ü"])
    _ = try await RecordedTransport(file, recording: .always(through: server)).send(request)
    let replayed = try await RecordedTransport(file).send(request)
    let text = try String(contentsOf: file, encoding: .utf8) + String(decoding: replayed.body, as: UTF8.self)
    #expect(!text.lowercased().contains("secret"), "\(text)")
    #expect(text.contains("q=http%3A%2F%2Fh%3Fat%3D1%26token%3DREDACTED&"), "\(text)")
    #expect(text.contains("url=http://h?at=1&api_key=REDACTED"), "\(text)")
    if body.first != UInt8(ascii: "{"), body.first != UInt8(ascii: "<") {
      #expect(replayed.body == Data("REDACTED".utf8))
    }
  }
}

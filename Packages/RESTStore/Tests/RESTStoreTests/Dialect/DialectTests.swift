import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

/// A dialect with `{"data": …}` around requests and answers, names in capitals, and errors with status 200.
private struct Enveloped: RESTDialect {
  var headers = ["Authorization": "Bearer secret", "accept": "application/vnd.test+json"]
  let errors = Lock<[ModelStoreError.Code]>([])

  func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) {
    for (name, value) in headers { request.headers[name] = value }
  }

  func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue {
    .object(Dictionary(uniqueKeysWithValues: record.map { ($0.key.uppercased(), $0.value) }))
  }

  func formatPayload(_ payload: JSONValue, for operation: RESTOperation) throws -> JSONValue { ["data": payload] }

  func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    var answer = try RESTResponse(response)
    if let failure = answer.payload?["failure"]?.stringValue {
      answer.error = ModelStoreError(.conflict, failure)
    } else if answer.payload?["fine"] == true {
      answer.error = nil
    }
    answer.payload = answer.payload?["data"]
    return answer
  }

  func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    guard case .object(let object) = payload else { throw Missing(description: "no object") }
    return Dictionary(uniqueKeysWithValues: object.map { ($0.key.lowercased(), $0.value) })
  }

  func handleError(_ error: ModelStoreError) async { errors.withLock { $0.append(error.code) } }
}

@Suite struct `A dialect` {
  @Test func `A dialect shapes requests and answers`() async throws {
    let transport = StubTransport(status: 201, #"{"data": {"ID": 7, "NAME": "Augusta"}}"#)
    let store = try RESTModelStore(transport, dialect: Enveloped())
    let person = Person(name: "Ada")
    try await store.create(person)
    let request = try #require(transport.requests.first)
    #expect(request.body == Data(#"{"data":{"NAME":"Ada"}}"#.utf8))
    #expect(request.headers["Authorization"] == "Bearer secret")
    #expect(request.headers.values(for: "Accept") == ["application/vnd.test+json"])
    #expect(person.id.value == 7)
    #expect(person.name.value == "Augusta")
  }

  @Test func `A dialect can find an error in a success`() async throws {
    let dialect = Enveloped()
    let store = try RESTModelStore(StubTransport(status: 200, #"{"failure": "name is taken"}"#), dialect: dialect)
    let person = Person(name: "Ada")
    let error = try await storeError { try await store.create(person) }
    #expect(error.code == .conflict)
    #expect(error.message.contains("POST /people: name is taken"))
    #expect(dialect.errors.withLock { $0 } == [.conflict])
    #expect(!person.isKnownToStore)
  }

  @Test func `A dialect can't turn a failure into a success`() async throws {
    let store = try RESTModelStore(
      StubTransport(status: 500, #"{"fine": true, "data": {"ID": 7}}"#), dialect: Enveloped())
    let error = try await storeError { _ = try await store.lookup(Person.self, identifier: "7") }
    #expect(error.code == .server)
  }

  @Test func `A dialect receives every error of a request, but no others`() async throws {
    let dialect = Enveloped()
    let store = try RESTModelStore(
      StubTransport([
        .failure(ModelStoreError(.offline, "no network")), .success(HTTPResponseData(status: 401)),
        .success(HTTPResponseData(status: 200, body: Data("[".utf8))), .failure(CancellationError()),
      ]), dialect: dialect)
    for _ in 1...4 { _ = try await storeError { _ = try await store.list(Person.self) } }
    _ = try await storeError { try await store.create(Person(name: "")) }
    #expect(dialect.errors.withLock { $0 } == [.offline, .unauthorized, .server])
  }

  @Test(arguments: ["x\r\nX-Admin: yes", "x\ny", "x\rY", "x\u{0}y", "x\u{7F}"])
  func `A dialect can't smuggle a header into a request`(value: String) async throws {
    let transport = StubTransport(status: 200, "[]")
    for headers in [["X-Token": value], ["X-\(value)": "x"]] {
      let store = try RESTModelStore(transport, dialect: Enveloped(headers: headers))
      let error = try await storeError { _ = try await store.list(Person.self) }
      #expect(error.code == .invalid)
    }
    #expect(transport.lines.isEmpty)
  }

  @Test func `A dialect that can't adjust a request sends nothing`() async throws {
    struct SignedOut: RESTDialect {
      func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) throws {
        throw Missing(description: "no token")
      }
    }
    let transport = StubTransport(status: 200, "[]")
    let store = try RESTModelStore(transport, dialect: SignedOut())
    let error = try await storeError { _ = try await store.list(Person.self) }
    #expect(error.code == .invalid)
    #expect(error.message.contains("no token"))
    #expect(transport.lines.isEmpty)
  }

  @Test func `A dialect limits time and length`() async throws {
    struct Hasty: RESTDialect {
      func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) {
        request.timeout = .milliseconds(1_500)
        request.maximumResponseBytes = 20
      }
    }
    let transport = StubTransport(status: 200, #"[{"id": 1, "name": "Ada"}]"#)
    let store = try RESTModelStore(transport, dialect: Hasty())
    let error = try await storeError { _ = try await store.list(Person.self) }
    #expect(error.code == .server)
    #expect(error.message.contains("20 bytes"))
    #expect(transport.requests.first?.timeout == .milliseconds(1_500))
    #expect(transport.requests.first?.maximumResponseBytes == 20)
  }
}

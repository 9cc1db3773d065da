import Foundation
import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite struct `Any other request of a REST store` {
  @Test func `A REST store sends any request below the base address, with its parameters as the body`() async throws {
    let transport = StubTransport(status: 200, #"{"state": "active"}"#, headers: ["X-Total": "3"])
    let store = try RESTModelStore(transport, base: "http://api.test/v2?key=1", dialect: Keyed())
    let answer = try await store.request(.post, "/people/10/activate", parameters: ["force": true])
    #expect(transport.lines == ["POST http://api.test/v2/people/10/activate?key=1"])
    let sent = try #require(transport.requests.first)
    #expect(sent.body == Data(#"{"force":true}"#.utf8))
    #expect(sent.headers["Content-Type"] == "application/json")
    #expect(sent.headers["X-API-Key"] == "open sesame")
    #expect(answer.status == 200)
    #expect(answer.headers["x-total"] == "3")
    #expect(try answer.json["state"] == "active")
  }

  @Test(arguments: ["GET", "HEAD", "DELETE"])
  func `A REST store puts the parameters of a request without a body into its address`(name: String) async throws {
    let transport = StubTransport(status: 204)
    let store = try RESTModelStore(transport)
    let answer = try await store.request(
      HTTPRequestData.Method(name), "/people/export?a=%26b&c&d=x+y", parameters: ["from": "1 & 2", "page": 3])
    #expect(transport.lines == ["\(name) http://api.test/people/export?a=%26b&c&d=x+y&from=1%20%26%202&page=3"])
    #expect(transport.requests.first?.body == nil)
    #expect(answer.body.isEmpty)
  }

  @Test func `A REST store sends bytes as they are, and returns bytes that are not JSON`() async throws {
    let transport = StubTransport(status: 200, "%PDF", headers: ["Content-Type": "application/pdf"])
    let store = try RESTModelStore(transport, dialect: EnvelopedDialect())
    let answer = try await store.request(
      .put, "/people/10/photo", parameters: ["crop": true], body: Data([0xFF, 0xD8]),
      headers: ["Content-Type": "image/jpeg"])
    #expect(transport.lines == ["PUT http://api.test/people/10/photo?crop=true"])
    #expect(transport.requests.first?.body == Data([0xFF, 0xD8]))
    #expect(transport.requests.first?.headers["content-type"] == "image/jpeg")
    #expect(answer.body == Data("%PDF".utf8))
    let error = try await storeError { _ = try answer.json }
    #expect(error.code == .server)
    #expect(error.message.contains("PUT /people/10/photo: the response is not JSON"))
  }

  @Test func `A REST store reads the models of an answer into the live ones`() async throws {
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, body: Data(#"{"id": 7, "name": "Ada"}"#.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(#"[{"id": 7, "age": 36}, {"id": 8, "name": "Bo"}]"#.utf8))),
    ])
    let store = try RESTModelStore(transport)
    let ada = try await store.request(.get, "/me").model(Person.self)
    #expect(ada.identifier == "7")
    ada.name.value = "Augusta"
    let people = try await store.request(.get, "/people/active").models(Person.self)
    #expect(people.map(\.identifier) == ["7", "8"])
    #expect(people.first === ada)
    #expect(ada.name.value == "Augusta")
    #expect(ada.age.value == 36)
  }

  @Test(arguments: [true, false])
  func `An answer whose record was deleted since its request has no model`(isList: Bool) async throws {
    let record = #"{"id": 7, "name": "Ada"}"#
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, body: Data(record.utf8))),
      .success(HTTPResponseData(status: 200, body: Data((isList ? "[\(record)]" : record).utf8))),
      .success(HTTPResponseData(status: 204)),
    ])
    let store = try RESTModelStore(transport)
    let ada = try await store.lookup(Person.self, identifier: "7")
    let answer = try await store.request(.post, "/people/7/archive")
    try await store.delete(ada)
    if isList {
      #expect(try answer.models(Person.self).isEmpty)
    } else {
      #expect(try await storeError { _ = try answer.model(Person.self) }.code == .notFound)
    }
    #expect(store.scope.liveModel(Person.self, identifier: "7") == nil)
  }

  @Test func `A REST store unwraps the models of an answer as its dialect does`() async throws {
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, body: Data(#"{"data": [{"id": 7}]}"#.utf8))),
      .success(HTTPResponseData(status: 201, body: Data(#"{"data": {"id": 8}}"#.utf8))),
    ])
    let store = try RESTModelStore(transport, dialect: EnvelopedDialect())
    #expect(try await store.request(.get, "/people/active").models(Person.self).map(\.identifier) == ["7"])
    #expect(try await store.request(.post, "/people/8/copies").model(Person.self).identifier == "8")
  }

  @Test func `A REST store reads all models of an answer or none, and names the position`() async throws {
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, body: Data(#"{"id": 7, "name": "A"}"#.utf8))),
      .success(
        HTTPResponseData(status: 200, body: Data(#"[{"id": 7, "name": "Ada"}, {"id": 8, "age": "old"}]"#.utf8))),
    ])
    let store = try RESTModelStore(transport)
    let live = try await store.lookup(Person.self, identifier: "7")
    let answer = try await store.request(.get, "/people/active")
    let error = try await storeError { _ = try answer.models(Person.self) }
    #expect(error.code == .server)
    #expect(error.message.contains("GET /people/active"))
    #expect(error.message.contains("[1].age"))
    #expect(live.name.value == "A")
  }

  @Test func `An answer that was overtaken by a save leaves the saved model as it is`() async throws {
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, body: Data(#"{"id": 7, "name": "Ada"}"#.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(#"{"id": 7, "name": "Ada"}"#.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(#"{"id": 7, "name": "Augusta"}"#.utf8))),
    ])
    let store = try RESTModelStore(transport)
    let ada = try await store.lookup(Person.self, identifier: "7")
    let older = try await store.request(.get, "/me")
    ada.name.value = "Augusta"
    try await store.update(ada)
    #expect(try older.model(Person.self) === ada)
    #expect(ada.name.value == "Augusta")
  }

  @Test func `An answer has all its records although a transaction of another store of the scope failed`() async throws
  {
    let store = try RESTModelStore(StubTransport(status: 200, #"[{"id": 7, "name": "Ada"}, {"id": 8, "name": "Bo"}]"#))
    let answer = try await store.request(.get, "/people")
    store.scope.pendingReads.noteRollback(Person.typeName, "7")
    #expect(try answer.models(Person.self).map(\.name.value) == ["Ada", "Bo"])
  }

  @Test func `A REST store decodes an answer as a value`() async throws {
    struct Total: Decodable { let count: Int }
    let store = try RESTModelStore(StubTransport(status: 200, #"{"count": 3}"#))
    let answer = try await store.request(.get, "/people/total")
    #expect(try answer.decoded(as: Total.self).count == 3)
    let error = try await storeError { _ = try answer.decoded(as: [Total].self) }
    #expect(error.code == .server)
    #expect(error.message.hasPrefix("GET /people/total: "))
  }

  @Test func `A refused request has the code, the fields and the status of the refusal`() async throws {
    let transport = StubTransport(status: 422, #"{"errors": {"until": ["is in the past"]}}"#)
    let store = try RESTModelStore(transport)
    let error = try await storeError { _ = try await store.request(.post, "/people/10/suspend") }
    #expect(error.code == .invalid)
    #expect(error.fields == ["until": ["is in the past"]])
    #expect(error.refusal?.status == 422)
    #expect(error.message.hasPrefix("POST /people/10/suspend: "))
  }

  @Test func `An error that a dialect finds in a successful answer ends the request`() async throws {
    let transport = StubTransport(status: 200, #"{"error": {"message": "The quota is used up."}}"#)
    let store = try RESTModelStore(transport, dialect: EnvelopedDialect(error: "error"))
    let error = try await storeError { _ = try await store.request(.get, "/quota") }
    #expect(error.message.contains("The quota is used up."))
  }

  @Test func `A lost answer to a request that may change something leaves its outcome uncertain`() async throws {
    let store = try RESTModelStore(StubTransport(failing: URLError(.timedOut)))
    let error = try await storeError { _ = try await store.request(.post, "/people/10/activate") }
    #expect(error.code == .timeout)
    #expect(error.message.hasPrefix("It is not certain whether the server carried out this request. "))
    let read = try await storeError { _ = try await store.request(.get, "/people/10/photo") }
    #expect(read.message.hasPrefix("GET /people/10/photo: "))
  }

  @Test(arguments: ["people", "@elsewhere.test/people", "/people#top", "/people/a b", ""])
  func `A REST store sends no request to a path that leaves the server or can't be sent`(path: String) async throws {
    let transport = StubTransport(status: 200, "{}")
    let store = try RESTModelStore(transport)
    let error = try await storeError { _ = try await store.request(.get, path) }
    #expect(error.code == .invalid)
    #expect(transport.requests.isEmpty)
  }

  @Test func `Only requests that may safely arrive twice are sent again`() async throws {
    var options = RESTOptions()
    options.retry = .standard
    options.retry.sleep = { _ in }
    func count(_ method: HTTPRequestData.Method, _ options: RESTOptions) async throws -> Int {
      let transport = StubTransport(status: 503)
      let url = try #require(URL(string: "http://api.test"))
      let store = RESTModelStore(baseURL: url, transport: transport, options: options)
      _ = try await storeError { _ = try await store.request(method, "/jobs") }
      return transport.requests.count
    }
    #expect(try await count(.get, options) > 1)
    #expect(try await count(.post, options) == 1)
    options.idempotencyKeyHeader = "Idempotency-Key"
    #expect(try await count(.post, options) > 1)
  }

  @Test func `An instance with additions sends them with every call, and shares the models`() async throws {
    let transport = StubTransport(status: 200, #"{"id": 7, "name": "Ada"}"#)
    let store = try RESTModelStore(transport, dialect: Keyed())
    let traced = store.with(headers: ["X-Trace": "1"], parameters: ["lang": "en"], timeout: .seconds(5))
      .with(headers: ["X-API-Key": "another"], cachePolicy: .onlyCache)
    let ada = try await traced.lookup(Person.self, identifier: "7")
    #expect(try await store.lookup(Person.self, identifier: "7") === ada)
    _ = try await traced.request(.get, "/me")
    ada.age.value = 36
    try await traced.update(ada)
    #expect(
      transport.lines == [
        "GET http://api.test/people/7?lang=en", "GET http://api.test/people/7", "GET http://api.test/me?lang=en",
        "PATCH http://api.test/people/7?lang=en",
      ])
    for (index, request) in transport.requests.enumerated() {
      let isTraced = index != 1
      #expect(request.headers["X-Trace"] == (isTraced ? "1" : nil))
      #expect(request.headers["X-API-Key"] == (isTraced ? "another" : "open sesame"))
      #expect(request.timeout == (isTraced ? .seconds(5) : .seconds(60)))
      #expect(request.cachePolicy == (isTraced ? .onlyCache : .ignoringCache))
    }
  }

  @Test func `An instance with additions sends the entity tags of the other`() async throws {
    let transport = StubTransport(status: 200, #"{"id": 7, "name": "Ada"}"#, headers: ["ETag": "\"1\""])
    let store = try RESTModelStore(transport)
    let ada = try await store.lookup(Person.self, identifier: "7")
    ada.age.value = 36
    try await store.with(timeout: .seconds(5)).update(ada)
    #expect(transport.requests.last?.headers["If-Match"] == "\"1\"")
  }
}

/// A dialect whose requests have a key.
private struct Keyed: RESTDialect {
  func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) {
    request.headers["X-API-Key"] = "open sesame"
  }
}

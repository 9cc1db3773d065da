import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

/// A dialect with all hooks that depend on the operation, each with a visible effect.
private struct Hooked: RESTDialect {
  let log = Lock<[String]>([])
  var createsWithPut = false
  var updateMethod = HTTPRequestData.Method.patch
  var formMethods: Set<HTTPRequestData.Method> = []

  func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) {
    log.withLock {
      $0.append("\(operation.kind) \(operation.collectionName) \(operation.identifier ?? "-"): \(request.method)")
    }
    request.timeout = operation.kind == .list ? .seconds(120) : .seconds(5)
    if operation.kind == .lookup { request.cachePolicy = .preferringCache }
    request.maximumRedirects = 2
  }
  func method(for kind: RESTOperation.Kind) -> HTTPRequestData.Method {
    switch kind {
    case .create: .post
    case .update: updateMethod
    case .delete: .delete
    case .lookup, .list, .request: .get
    }
  }
  func encoding(for method: HTTPRequestData.Method) -> RESTEncoding {
    formMethods.contains(method) ? .form() : method == .put ? .query() : .json
  }
  func isTemporary(_ identifier: String) -> Bool { identifier.hasPrefix("-") }
}

private final class Account: Model {
  @Field var id: Int?
  @Field var name: String?
  @Field var isActive = true
  override var identifierField: AnyField? { $id }
}

@Suite struct `A hook of a dialect` {
  @Test func `A hook of a dialect adjusts each request once, with its operation`() async throws {
    let dialect = Hooked()
    let store = try RESTModelStore(
      StubTransport([
        .success(HTTPResponseData(status: 200, body: Data(#"{"id": 1}"#.utf8))),
        .success(HTTPResponseData(status: 200, body: Data("[]".utf8))),
      ]), dialect: dialect)
    _ = try await store.lookup(Person.self, identifier: "1")
    _ = try await store.list(Person.self)
    #expect(dialect.log.withLock { $0 } == ["lookup people 1: GET", "list people -: GET"])
  }

  @Test func `A hook of a dialect decides on time limit, redirects and cache of a request`() async throws {
    let transport = StubTransport(status: 200, "[]")
    let store = try RESTModelStore(transport, dialect: Hooked())
    _ = try await store.list(Person.self)
    _ = try await storeError { _ = try await store.lookup(Person.self, identifier: "1") }
    #expect(transport.requests.map(\.timeout) == [.seconds(120), .seconds(5)])
    #expect(transport.requests.map(\.cachePolicy) == [.ignoringCache, .preferringCache])
    #expect(transport.requests.map(\.maximumRedirects) == [2, 2])
  }

  @Test func `A hook of a dialect chooses the encoding by the method`() async throws {
    let transport = StubTransport(status: 200, #"{"id": 1}"#)
    var dialect = Hooked()
    dialect.formMethods = [.post]
    dialect.updateMethod = .put
    let store = try RESTModelStore(transport, dialect: dialect)
    let person = Person(name: "Ada & Bob")
    try await store.create(person)
    person.age.value = 36
    try await store.update(person)
    #expect(transport.requests[0].body == Data("name=Ada%20%26%20Bob".utf8))
    #expect(transport.requests[0].headers["Content-Type"] == "application/x-www-form-urlencoded; charset=utf-8")
    #expect(transport.lines[1] == "PUT http://api.test/people/1?age=36&id=1&name=Ada%20%26%20Bob")
    #expect(transport.requests[1].body == nil)
    #expect(transport.requests[1].headers["Content-Type"] == nil)
  }

  @Test func `A hook of a dialect updates the whole record with PUT`() async throws {
    let transport = StubTransport(status: 204)
    let store = try RESTModelStore(transport, dialect: Hooked(updateMethod: .put))
    let person = try Person.from(dictionaryValue: ["id": 7, "name": "Ada", "age": 36], in: store.scope)
    person.age.value = 37
    try await store.update(person, fields: [person.age])
    #expect(transport.lines == ["PUT http://api.test/people/7?age=37&id=7&name=Ada"])
    #expect(!person.isDirty)
  }

  @Test func `An update with PUT reads a model first of which a list brought only a part`() async throws {
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, body: Data(#"[{"id": 7, "name": "Ada"}]"#.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(#"{"id": 7, "name": "Grace", "age": 36}"#.utf8))),
      .success(HTTPResponseData(status: 204)),
    ])
    let store = try RESTModelStore(transport, dialect: Hooked(updateMethod: .put))
    let person = try #require(try await store.list(Person.self).first)
    person.name.value = "Augusta"
    try await store.save(person)
    #expect(
      transport.lines.dropFirst() == [
        "GET http://api.test/people/7", "PUT http://api.test/people/7?age=36&id=7&name=Augusta",
      ])
    #expect(person.age.value == 36 && !person.isDirty)
  }

  @Test func `An update with PUT does not write an initial value over one that was not read`() async throws {
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, body: Data(#"[{"id": 7, "name": "Ada"}]"#.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(#"{"id": 7, "name": "Ada", "isActive": false}"#.utf8))),
      .success(HTTPResponseData(status: 204)),
    ])
    let store = try RESTModelStore(transport, dialect: Hooked(updateMethod: .put))
    let account = try #require(try await store.list(Account.self).first)
    account.name = "Augusta"
    try await store.save(account)
    #expect(transport.lines.last == "PUT http://api.test/accounts/7?id=7&isActive=false&name=Augusta")
  }

  @Test func `An update with PUT has the unknown values that are kept`() async throws {
    let transport = StubTransport(status: 204)
    let scope = ModelScope(transformers: ValueTransformerContext(keepsUnknownKeys: true))
    let store = try RESTModelStore(transport, dialect: Hooked(updateMethod: .put), scope: scope)
    let person = try Person.from(dictionaryValue: ["id": 7, "name": "Ada", "shoe": 38], in: scope)
    person.age.value = 37
    try await store.update(person)
    #expect(transport.lines == ["PUT http://api.test/people/7?age=37&id=7&name=Ada&shoe=38"])
  }

  @Test func `A hook of a dialect creates a model at its own path, only where there is none yet`() async throws {
    let transport = StubTransport(status: 201)
    let dialect = Hooked(createsWithPut: true)
    let store = try RESTModelStore(transport, dialect: dialect)
    let document = Document()
    document.path.value = "a/b"
    try await store.create(document)
    #expect(transport.lines == ["PUT http://api.test/documents/a%2Fb?id=a%2Fb"])
    #expect(transport.requests[0].headers["If-None-Match"] == "*")
    let taken = try RESTModelStore(StubTransport(status: 412), dialect: dialect)
    #expect(try await storeError { try await taken.create(Person(id: 1, name: "Ada")) }.code == .conflict)
  }

  @Test func `A creation at its own path whose answer is lost is not sent again, and its outcome is uncertain`()
    async throws
  {
    let transport = StubTransport(failing: URLError(.networkConnectionLost))
    var options = RESTOptions()
    options.retry = .standard
    options.retry.sleep = { _ in }
    let store = try RESTModelStore(transport, dialect: Hooked(createsWithPut: true), options: options)
    let error = try await storeError { try await store.create(Person(id: 1, name: "Ada")) }
    #expect(transport.lines == ["PUT http://api.test/people/1?id=1&name=Ada"])
    #expect(error.message.hasPrefix("It is not certain whether this Person was written. "))
  }

  @Test func `A temporary identifier is not sent, and that of the server replaces it in the same model`()
    async throws
  {
    let transport = StubTransport(status: 201, #"{"id": 7, "name": "Ada"}"#)
    let store = try RESTModelStore(transport, dialect: Hooked())
    let person = Person(id: -1, name: "Ada")
    store.scope.add(person)
    try await store.create(person)
    #expect(transport.requests[0].body == Data(#"{"name":"Ada"}"#.utf8))
    #expect(person.identifier == "7")
    #expect(!person.isDirty)
    #expect(Person.with(identifier: "7", in: store.scope) === person)
    #expect(Person.with(identifier: "-1", in: store.scope) === person)
  }

  @Test func `A new model gets the server's identifier even if another one was sent`() async throws {
    let store = try RESTModelStore(StubTransport(status: 201, #"{"id": 8}"#))
    let person = Person(id: 1_000_001, name: "Ada")
    try await store.create(person)
    #expect(person.identifier == "8")
    #expect(Person.with(identifier: "8", in: store.scope) === person)
  }
}

import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite struct `An unusual answer` {
  @Test(arguments: ["\"a\u{7F}b\"", "\"a\u{1}b\"", "\"a\nb\""])
  func `An entity tag that can't be sent blocks no further request`(
    tag: String
  ) async throws {
    let transport = StubTransport([.success(ada(["ETag": tag])), .success(ada())])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    _ = try await store.lookup(Person.self, identifier: "1")
    person.name.value = "Augusta"
    try await store.update(person)
    #expect(transport.requests.allSatisfy { $0.headers["If-Match"] == nil && $0.headers["If-None-Match"] == nil })
  }

  @Test(arguments: ["", " "])
  func `An empty token is an error, and nothing is sent`(
    token: String
  ) async throws {
    let transport = StubTransport([.success(ada())])
    var options = RESTOptions()
    options.authentication = BearerAuthentication(token)
    let url = try #require(URL(string: "http://api.test"))
    let store = RESTModelStore(baseURL: url, transport: transport, options: options)
    let error = try await storeError { _ = try await store.lookup(Person.self, identifier: "1") }
    #expect(error.code == .unauthorized)
    #expect(error.message.contains("empty"))
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `A redirect of a write ends with an error that describes the outcome`(
    status: Int
  ) async throws {
    let transport = StubTransport(status: status, headers: ["Location": "http://other.test/people/1"])
    let store = try RESTModelStore(transport)
    let person = try Person.from(dictionaryValue: ["id": 1, "name": "Ada"], in: store.scope)
    person.name.value = "Augusta"
    for write in [
      { _ = try await store.create(Person(name: "Bob")) }, { _ = try await store.update(person) },
      { _ = try await store.delete(person) },
    ] as [() async throws -> Void] {
      let error = try await storeError(write)
      #expect(error.code == .server)
      #expect(error.message.contains("http://other.test/people/1"))
      let isRefused = [301, 307, 308].contains(status)
      #expect(error.message.contains("was not ") == isRefused)
      #expect(error.message.contains("does not show whether") == !isRefused)
    }
    #expect(person.name.isDirty)
  }

  @Test(arguments: ["null", "missing"])
  func `An answer to a write without an identifier leaves the model its own`(identifier: String) async throws {
    let body = identifier == "null" ? #"{"id": null, "name": "Grace"}"# : #"{"name": "Grace"}"#
    let store = try RESTModelStore(StubTransport(status: 200, body))
    let person = Person(id: 7, name: "Ada")
    try await store.create(person)
    #expect(person.identifier == "7" && person.name.value == "Grace")
    person.name.value = "Augusta"
    try await store.update(person)
    #expect(person.identifier == "7" && person.name.value == "Grace")
    #expect(!person.isDirty)
    #expect(Person.with(identifier: "7", in: store.scope) === person)
  }

  private final class Badge: Model {
    let id = Field<UUID>()
    override var identifierField: AnyField? { id }
  }

  @Test func `A UUID is looked up in either case`() async throws {
    let id = "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"
    let transport = StubTransport(status: 200, "{\"id\": \"\(id)\"}")
    let store = try RESTModelStore(transport)
    let badge = try await store.lookup(Badge.self, identifier: id)
    #expect(try await store.lookup(Badge.self, identifier: id.uppercased()) === badge)
    #expect(transport.requests.map { $0.url.lastPathComponent } == [id, id.uppercased()])
  }

  @Test func `A create that is answered with the identifier of another live model fails and changes neither`()
    async throws
  {
    let transport = StubTransport([
      .success(ada()), .success(HTTPResponseData(status: 201, body: Data(#"{"id": 1, "name": "Grace"}"#.utf8))),
    ])
    let store = try RESTModelStore(transport)
    let live = try await store.lookup(Person.self, identifier: "1")
    let person = Person(name: "Grace")
    let error = try await storeError { try await store.create(person) }
    #expect(error.code == .server)
    #expect(error.message.contains(#"the identifier "1" of another model"#), "\(error.message)")
    #expect(person.identifier == nil && !person.isKnownToStore)
    #expect(live.name.value == "Ada")
    #expect(Person.with(identifier: "1", in: store.scope) === live)
  }

  @Test func `An identifier that the server chooses instead of the sent one is used by all references`()
    async throws
  {
    let monitor = ListeningMonitor()
    var options = RESTOptions()
    options.monitor = monitor
    let store = try RESTModelStore(StubTransport(status: 201, #"{"id": 9, "name": "Acme"}"#), options: options)
    let company = Company()
    company.id.value = 7
    let employee = Employee()
    employee.company.value = company
    try await store.create(company)
    #expect(company.identifier == "9")
    #expect(Company.with(identifier: "9", in: store.scope) === company)
    #expect(employee.dictionaryValue["company"] == 9)
    let event = try #require(monitor.events.last)
    #expect(event.kind == .identifierReplaced(sent: "7", by: "9"))
    #expect(event.description.hasSuffix(#"POST /companies stored as "9" instead of "7""#))
    #expect(Set(monitor.events.map(\.call)).count == 1)
    // An identifier that the server assigns, or leaves as it is, is not reported.
    for identifier in [nil, 9] as [Int?] {
      let other = try RESTModelStore(StubTransport(status: 201, #"{"id": 9}"#), options: options)
      let company = Company()
      company.id.value = identifier
      try await other.create(company)
    }
    #expect(monitor.events.count { if case .identifierReplaced = $0.kind { true } else { false } } == 1)
  }

  @Test(arguments: [404, 409, 500])
  func `An error about an identifier of five million bytes has a short message`(
    status: Int
  ) async throws {
    let store = try RESTModelStore(StubTransport(status: status))
    let identifier = String(repeating: "x", count: 5_000_000)
    let error = try await storeError { _ = try await store.lookup(Document.self, identifier: identifier) }
    #expect(error.message.utf8.count < 1_000)
    let other = try RESTModelStore(StubTransport(status: 200, #"{"id": "y"}"#))
    let second = try await storeError { _ = try await other.lookup(Document.self, identifier: identifier) }
    #expect(second.message.utf8.count < 1_000)
  }

  @Test
  func `An error with twenty thousand messages for a field keeps the first hundred of them`()
    async throws
  {
    let messages = (0..<20_000).map { "\"message \($0)\"" }.joined(separator: ",")
    let store = try RESTModelStore(StubTransport(status: 422, "{\"errors\": {\"name\": [\(messages)]}}"))
    let person = Person(name: "Ada")
    let error = try await storeError { try await store.create(person) }
    #expect(error.fields["name"]?.count == 101)
    #expect(error.fields["name"]?.last == "and 19900 more")
    #expect(person.name.validationState.messages.count == 101)
  }

  // MARK: JSON:API

  private func chain(_ length: Int) -> String {
    func resource(_ number: Int) -> String {
      let next = "{\"parent\": {\"data\": {\"type\": \"folders\", \"id\": \"\(number + 1)\"}}}"
      return "{\"type\": \"folders\", \"id\": \"\(number)\", \"attributes\": {}, \"relationships\": \(next)}"
    }
    let others = (2...length).map(resource).joined(separator: ",")
    return "{\"data\": \(resource(1)), \"included\": [\(others)]}"
  }

  @Test(arguments: [100, 128])
  func `A chain of resources of the maximum length is read`(length: Int) async throws {
    let store = try RESTModelStore(StubTransport(status: 200, chain(length)), dialect: JSONAPIDialect())
    let folder = try await store.lookup(Folder.self, identifier: "1")
    #expect(folder.parent.value?.parent.value?.id.value == "3")
  }

  @Test(arguments: [200, 600, 20_000])
  func `A chain of resources over the maximum length throws an error`(
    length: Int
  ) async throws {
    let store = try RESTModelStore(StubTransport(status: 200, chain(length)), dialect: JSONAPIDialect())
    let error = try await storeError { _ = try await store.lookup(Folder.self, identifier: "1") }
    #expect(error.code == .server)
    #expect(error.message.contains("128 levels"))
  }

  private func nodes(_ value: JSONValue) -> Int {
    switch value {
    case .array(let elements): elements.reduce(1) { $0 + nodes($1) }
    case .object(let members): members.values.reduce(1) { $0 + nodes($1) }
    default: 1
    }
  }

  private func sharing(_ count: Int) throws -> Int {
    let link = "{\"data\": {\"type\": \"companies\", \"id\": \"1\"}}"
    let data = (1...count).map {
      "{\"type\": \"employees\", \"id\": \"\($0)\", \"relationships\": {\"company\": \(link)}}"
    }
    let members = (1...count).map { "{\"type\": \"employees\", \"id\": \"\($0)\"}" }.joined(separator: ",")
    let hub =
      "{\"type\": \"companies\", \"id\": \"1\", \"attributes\": {\"name\": \"Acme\"}, "
      + "\"relationships\": {\"employees\": {\"data\": [\(members)]}}}"
    let body = "{\"data\": [\(data.joined(separator: ","))], \"included\": [\(hub)]}"
    let answer = try JSONAPIDialect().constructResponse(
      HTTPResponseData(status: 200, body: Data(body.utf8)),
      to: RESTOperation(.lookup, typeName: "X", collectionPath: "/x"))
    let elements = try #require(answer.payload?.arrayValue)
    #expect(
      elements.allSatisfy { $0["relationships"]?["company"]?["data"]?["attributes"]?["name"] == "Acme" })
    return elements.reduce(0) { $0 + nodes($1) }
  }

  @Test func `Resources that share another one take work in proportion to the length of the answer`()
    throws
  {
    #expect(try sharing(1_000) < 3 * sharing(500))
  }

  @Test func `A request includes the relationships that the dialect has for its type`() throws {
    let dialect = JSONAPIDialect(
      included: ["publisher"], includedByType: ["people": [], "authors": ["books", "editor"]])
    func items(_ path: String) throws -> [RESTQueryItem] {
      try dialect.address(of: RESTOperation(.list, typeName: "X", collectionPath: path)).query
    }
    #expect(try items("/v1/people").isEmpty)
    #expect(try items("/authors") == [RESTQueryItem("include", "books,editor")])
    #expect(try items("/books") == [RESTQueryItem("include", "publisher")])
  }
}

import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct `An error of a REST store` {
  @Test func `A message about a field in a conflict is added to the errors of that field`() async throws {
    let taken = HTTPResponseData(status: 409, body: Data(#"{"errors": {"name": ["is taken"]}}"#.utf8))
    let transport = StubTransport([.success(ada(["ETag": "\"1\""])), .success(taken)])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.name.value = "Bob"
    let error = try await storeError { try await store.save(person) }
    #expect(error.code == .conflict)
    #expect(error.fields == ["name": ["is taken"]])
    #expect(person.validationErrors.map(\.path.description) == ["name"])
    // It is no change by another writer, whose version would have to be read.
    #expect(transport.requests.map(\.method) == [.get, .patch])
  }

  @Test func `A creation at a path that does not exist was not written`() async throws {
    let store = try RESTModelStore(StubTransport(status: 404))
    let error = try await storeError { try await store.create(Person(id: 7, name: "Ada")) }
    #expect(error.message.hasPrefix("This Person was not written. POST /people: "), "\(error.message)")
  }

  @Test func `An error of a REST store names type, identifier, request, status and the server's message`() async throws
  {
    let store = try RESTModelStore(StubTransport(status: 404, #"{"error": "no such row"}"#), base: "http://api.test/v1")
    let error = try await storeError { _ = try await store.lookup(Person.self, identifier: "7") }
    #expect(error.code == .notFound)
    #expect(error.identifier == "7")
    #expect(
      error.message
        == "There is no Person with the identifier \"7\". GET /v1/people/7: status 404: no such row")
  }

  @Test func `An error of a REST store reports whether the server carried out the request`() async throws {
    let person = Person(id: 7, name: "Ada")
    for (status, sentence) in [
      (409, "This Person was not written. PATCH /people/7: status 409"),
      (428, "This Person was not written. PATCH /people/7: status 428"),
      (304, "This Person was not written. PATCH /people/7: status 304"),
      (418, "This Person was not written. PATCH /people/7: status 418"),
      (
        503,
        """
        It is not certain whether this Person was written. PATCH /people/7: status 503: the server is temporarily unavailable; try again \
        later
        """
      ),
    ] {
      let store = try RESTModelStore(StubTransport(status: status))
      let error = try await storeError { try await store.update(person) }
      #expect(error.message == sentence)
    }
    let store = try RESTModelStore(StubTransport(status: 200, "[]"))
    let error = try await storeError { try await store.update(person) }
    #expect(error.message.hasPrefix("The server reports that this Person was written"))
    #expect(error.code == .server)
  }

  @Test func `An error of a REST store has the messages of a server's rules by field, and leaves the model unchanged`()
    async throws
  {
    let store = try RESTModelStore(StubTransport(status: 422, #"{"errors": {"name": ["is taken"]}}"#))
    let person = Person(name: "Ada")
    let error = try await storeError { try await store.create(person) }
    #expect(error.code == .invalid)
    #expect(error.fields == ["name": ["is taken"]])
    #expect(!person.isKnownToStore)
    #expect(person.name.isDirty)
    #expect(person.identifier == nil)
  }

  @Test func `An error of a REST store for a taken identifier is a conflict that names the identifier`() async throws {
    let store = try RESTModelStore(StubTransport(status: 409))
    let error = try await storeError { try await store.create(Person(id: 7, name: "Ada")) }
    #expect(error.code == .conflict)
    #expect(error.identifier == "7")
  }

  @Test(arguments: [
    ("[{\"id\": 1}, {\"id\": 2", "line 1, column 21"), ("<html>", "line 1, column 1"), ("", "expected a list"),
    ("{\"id\": 1}", "expected a list"), ("null", "expected a list"), ("[1]", "[0]: expected an object"),
    (#"[{"id": 1, "name": "new"}, {"id": 2, "age": "old"}]"#, "[1].age: expected an integer"),
  ])
  func `An error of a REST store describes the fault in a list, and nothing of the list is read`(
    body: String, words: String
  ) async throws {
    let scope = ModelScope()
    let person = try Person.from(dictionaryValue: ["id": 1, "name": "Ada"], in: scope)
    let store = try RESTModelStore(StubTransport(status: 200, body), scope: scope)
    let error = try await storeError { _ = try await store.list(Person.self) }
    #expect(error.code == .server)
    #expect(error.message.contains(words))
    #expect(error.message.hasPrefix("GET /people: "))
    #expect(person.name.value == "Ada")
  }

  @Test(arguments: ["", "null", "[]", "7", #"{"id": 8}"#, #"{"id": 7, "age": "old"}"#, #"{"id": "x"}"#])
  func `A lookup that is answered with something else throws an error and changes no model`(body: String) async throws {
    let scope = ModelScope()
    let person = try Person.from(dictionaryValue: ["id": 7, "name": "Ada", "age": 36], in: scope)
    let store = try RESTModelStore(StubTransport(status: 200, body), scope: scope)
    let error = try await storeError { _ = try await store.lookup(Person.self, identifier: "7") }
    #expect(error.code == .server)
    #expect(person.dictionaryValue == ["id": 7, "name": "Ada", "age": 36])
  }

  @Test(arguments: ["[]", "7", #"{"id": 8, "name": "x"}"#, #"{"id": 7, "age": "old"}"#, "{"])
  func `An update that is answered with something else throws an error and changes no model`(body: String)
    async throws
  {
    let scope = ModelScope()
    let person = try Person.from(dictionaryValue: ["id": 7, "name": "Ada"], in: scope)
    person.name.value = "Augusta"
    let store = try RESTModelStore(StubTransport(status: 200, body), scope: scope)
    let error = try await storeError { try await store.update(person) }
    #expect(error.code == .server)
    #expect(person.id.value == 7)
    #expect(person.name.value == "Augusta")
    #expect(person.name.isDirty)
  }

  @Test func `A create that is answered without identifier throws an error and leaves the model new`() async throws {
    for body in ["", "{}", #"{"name": "Ada"}"#] {
      let store = try RESTModelStore(StubTransport(status: 201, body))
      let person = Person(name: "Ada")
      let error = try await storeError { try await store.create(person) }
      #expect(error.code == .server)
      #expect(!person.isKnownToStore)
    }
  }

  @Test func `An empty answer to a save is no error where nothing is missing`() async throws {
    let store = try RESTModelStore(StubTransport(status: 204))
    let person = Person(id: 7, name: "Ada")
    try await store.create(person)
    #expect(!person.isDirty)
    person.name.value = "Augusta"
    try await store.update(person)
    #expect(!person.isDirty)
  }

  @Test func `A lookup in a shared collection throws notFound for a model of a sibling class`() async throws {
    let store = try RESTModelStore(StubTransport(status: 200, #"{"id": 2, "kind": "square"}"#))
    let error = try await storeError { _ = try await store.lookup(Circle.self, identifier: "2") }
    #expect(error.code == .notFound)
    #expect(error.identifier == "2")
  }

  @Test(arguments: [
    (URLError.Code.notConnectedToInternet, "offline"), (.cannotConnectToHost, "offline"), (.cannotFindHost, "offline"),
    (.networkConnectionLost, "offline"), (.secureConnectionFailed, "offline"), (.timedOut, "timeout"),
    (.cancelled, "cancelled"), (.unsupportedURL, "invalid"), (.httpTooManyRedirects, "server"),
    (.userAuthenticationRequired, "unauthorized"), (.cannotParseResponse, "server"),
  ])
  func `An error of a REST store has a code for each failure of a connection`(code: URLError.Code, expected: String)
    async throws
  {
    let store = try RESTModelStore(StubTransport(failing: URLError(code)))
    let person = Person(name: "Ada")
    let error = try await storeError { try await store.create(person) }
    #expect(error.code == ModelStoreError.Code(expected))
    #expect((error.cause as? URLError)?.code == code)
    #expect(!person.isKnownToStore)
  }

  @Test func `An error of another kind of transport is kept as the cause`() async throws {
    let store = try RESTModelStore(StubTransport(failing: Missing(description: "no carrier")))
    let error = try await storeError { _ = try await store.list(Person.self) }
    #expect(error.code == .server)
    #expect(error.message == "GET /people: no response arrived: no carrier")
    #expect(error.cause is Missing)
  }
}

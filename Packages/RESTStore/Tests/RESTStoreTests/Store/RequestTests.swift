import Foundation
import RESTStore
import Testing

@Suite struct `A request of a REST store` {
  @Test(arguments: [
    ("http://api.test", "/people/7"), ("http://api.test/", "/people/7"), ("http://api.test/v2//", "/v2/people/7"),
    ("http://api.test:81/a%2Fb?key=1&x=#top", "/a%2Fb/people/7?key=1&x="),
  ])
  func `A REST store sends a lookup below the base address`(base: String, expected: String) async throws {
    let transport = StubTransport(status: 200, #"{"id": 7}"#)
    _ = try await RESTModelStore(transport, base: base).lookup(Person.self, identifier: "7")
    let host = base.contains(":81") ? "http://api.test:81" : "http://api.test"
    #expect(transport.lines == ["GET \(host)\(expected)"])
  }

  /// Joined to the host, such a path would change the host.
  @Test(arguments: ["@elsewhere.test/people", ".elsewhere.test", "people", ":99/people"])
  func `A REST store sends nothing to an address that leaves the server`(path: String) async throws {
    struct Astray: RESTDialect {
      let path: String
      func address(of operation: RESTOperation) throws -> RESTAddress { RESTAddress(path) }
    }
    let transport = StubTransport(status: 200, "{}")
    let store = try RESTModelStore(transport, dialect: Astray(path: path))
    let error = try await storeError { _ = try await store.lookup(Person.self, identifier: "7") }
    #expect(error.code == .invalid)
    #expect(transport.requests.isEmpty)
  }

  @Test func `A REST store deletes unloaded references to which a rule cascades`() async throws {
    let transport = StubTransport(status: 200, #"{"id": 1, "profile": 7, "photos": [8]}"#)
    let store = try RESTModelStore(transport)
    let user = try await store.lookup(User.self, identifier: "1")
    let profile = try #require(user.profile)
    try await store.delete(user)
    #expect(
      Set(transport.lines.dropFirst()) == [
        "DELETE http://api.test/profiles/7", "DELETE http://api.test/photos/8", "DELETE http://api.test/users/1",
      ])
    #expect(transport.lines.last == "DELETE http://api.test/users/1")
    #expect(!profile.isPersisted && !user.isPersisted)
  }

  @Test func `A REST store creates a model with a POST to the collection`() async throws {
    let transport = StubTransport(status: 201, #"{"id": 7, "name": "Ada", "age": 36}"#)
    let store = try RESTModelStore(transport)
    let person = Person(name: "Ada")
    try await store.create(person)
    #expect(transport.lines == ["POST http://api.test/people"])
    #expect(transport.requests.first?.body == Data(#"{"name":"Ada"}"#.utf8))
    #expect(transport.requests.first?.headers["content-type"] == "application/json")
    #expect(person.identifier == "7")
    #expect(person.age.value == 36)
    #expect(!person.isDirty)
    #expect(try await store.lookup(Person.self, identifier: "7") === person)
  }

  @Test func `A REST store updates a model with a PATCH of nothing but the changes`() async throws {
    let transport = StubTransport(status: 200, #"{"id": 7, "name": "Ada", "age": 36}"#)
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "7")
    person.age.value = nil
    person.name.value = "Augusta"
    try await store.update(person, fields: [person.age])
    #expect(transport.lines.last == "PATCH http://api.test/people/7")
    #expect(transport.requests.last?.body == Data(#"{"age":null}"#.utf8))
    #expect(person.name.value == "Augusta")
    #expect(person.name.isDirty)
    // The value of the server's answer counts, whatever was sent.
    #expect(person.age.value == 36)
  }

  @Test func `A REST store deletes a model with a DELETE without a body, whatever the answer is`() async throws {
    let transport = StubTransport(status: 200, "OK, it is gone")
    let store = try RESTModelStore(transport)
    try await store.delete(Person(id: 7, name: "Ada"))
    #expect(transport.lines == ["DELETE http://api.test/people/7"])
    #expect(transport.requests.first?.body == nil)
    #expect(transport.requests.first?.headers["Content-Type"] == nil)
  }

  @Test func `A REST store sends limit and offset with a list, and no request for a limit of 0`() async throws {
    let transport = StubTransport(status: 200, #"[{"id": 1}, {"id": 2}, {"id": 3}]"#)
    let store = try RESTModelStore(
      transport, base: "http://api.test/v1/?key=a%2Bb#part", dialect: JSONDialect(paging: .offset(size: 100)))
    _ = try await store.list(Person.self)
    #expect(try await store.list(Person.self, limit: 2, offset: 4).map(\.id.value) == [1, 2])
    #expect(try await store.list(Person.self, limit: 0).isEmpty)
    #expect(
      transport.lines == [
        "GET http://api.test/v1/people?key=a%2Bb&limit=100",
        "GET http://api.test/v1/people?key=a%2Bb&limit=2&offset=4",
      ])
  }

  @Test func `A REST store sends nested paths for models that have an owner`() async throws {
    let transport = StubTransport(status: 201, #"{"id": 45}"#)
    let store = try RESTModelStore(transport)
    let company = Company()
    company.id.value = 10
    let employee = Employee()
    employee.company.value = company
    try await store.create(employee)
    employee.name.value = "Ada"
    try await store.update(employee)
    #expect(
      transport.lines == [
        "POST http://api.test/companies/10/employees", "PATCH http://api.test/companies/10/employees/45",
      ])
  }

  @Test(arguments: [
    ("http://api.test", "http://api.test/documents/a%2Fb%3Fc"),
    ("http://api.test/", "http://api.test/documents/a%2Fb%3Fc"),
    ("https://api.test:8080/api/v%202//", "https://api.test:8080/api/v%202/documents/a%2Fb%3Fc"),
  ])
  func `A REST store sends any identifier below the base address`(base: String, address: String) async throws {
    let transport = StubTransport(status: 200, #"{"text": "x"}"#)
    let store = try RESTModelStore(transport, base: base)
    let document = try await store.lookup(Document.self, identifier: "a/b?c")
    #expect(transport.requests.map(\.url.absoluteString) == [address])
    // The answer did not repeat the identifier.
    #expect(document.identifier == "a/b?c")
  }

  @Test func `A REST store sends nothing for an identifier that would change the path`() async throws {
    let transport = StubTransport(status: 200, "{}")
    let store = try RESTModelStore(transport)
    let paths = ["../../admin", "a/../b", "a/.", "..\\admin", "..;/admin", "%2e%2e/admin", "a%2F..%2Fb"]
    for identifier in ["", ".", ".."] + paths {
      let lookup = try await storeError { _ = try await store.lookup(Document.self, identifier: identifier) }
      #expect(lookup.code == .invalid && lookup.message.contains("can't be part of a path"))
      let document = Document()
      document.path.value = identifier
      document.text.value = "x"
      #expect(try await storeError { try await store.update(document) }.code == .invalid)
      #expect(try await storeError { try await store.delete(document) }.code == .invalid)
    }
    #expect(transport.lines.isEmpty)
  }

  @Test(arguments: ["people", "/api", "file:///people", "mailto:ada@api.test"])
  func `A REST store sends nothing if the base address names no server`(base: String) async throws {
    let transport = StubTransport(status: 200, "[]")
    let store = try RESTModelStore(transport, base: base)
    let error = try await storeError { _ = try await store.list(Person.self) }
    #expect(error.code == .invalid)
    #expect(error.message.contains(base.replacing("mailto:ada", with: "REDACTED")))
    #expect(transport.lines.isEmpty)
  }

  @Test func `A REST store fetches the whole collection for a class that shares it, and pages the matches`()
    async throws
  {
    let transport = StubTransport(
      status: 200,
      #"[{"id": 1, "kind": "circle"}, {"id": 2, "kind": "square"}, {"id": 3, "kind": "circle"}, {"id": 4, "kind": "circle"}]"#
    )
    let store = try RESTModelStore(transport)
    #expect(try await store.list(Circle.self, limit: 1, offset: 1).map(\.id.value) == [3])
    let shapes = try await store.list(Shape.self)
    #expect(shapes.map { $0 is Circle } == [true, false, true, true])
    #expect(transport.lines == ["GET http://api.test/shapes", "GET http://api.test/shapes"])
  }

  @Test func `A REST store instance sends requests to the server of another one, and has its own models`()
    async throws
  {
    let transport = StubTransport(status: 200, #"{"id": 7}"#)
    let store = try RESTModelStore(transport)
    let other = RESTModelStore(store.handle)
    let person = try await store.lookup(Person.self, identifier: "7")
    #expect(try await other.lookup(Person.self, identifier: "7") !== person)
    #expect(transport.lines.count == 2)
  }
}

private final class User: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true, deleteRule: .cascade) var profile: Profile?
  @ModelArrayField(foreignKey: true, deleteRule: .cascade) var photos: [Photo]?
  override var identifierField: AnyField? { $id }
}

private final class Profile: Model {
  @Field var id: Int?
  override var identifierField: AnyField? { $id }
}

private final class Photo: Model {
  @Field var id: Int?
  override var identifierField: AnyField? { $id }
}

import Foundation
import StoreProtocol
import Testing

@testable import RESTStore

@Suite struct `A setting of a REST store` {
  @Test func `A path that leaves the base address by dots sends nothing`() async throws {
    let transport = StubTransport(status: 200, "{}")
    let store = try RESTModelStore(transport, base: "http://api.test/v2")
    for path in [
      "/../admin", "/a/../../admin", "/a/%2e%2E/b", "/./a", "/a/..", "/a\\..\\b", "/%2E", "/..%2Fadmin", "/a%2F..%2Fb",
      "/..%5Cadmin", "/..;/admin", "/%252e%252e/admin",
    ] {
      let error = try await storeError { _ = try await store.request(.get, path) }
      #expect(error.code == .invalid, "\(path)")
    }
    #expect(transport.requests.isEmpty)
    for path in ["/a..b", "/...", "/a?b=/../c", "/a%2Fb;c"] { _ = try await store.request(.get, path) }
    #expect(transport.lines.count == 4)
  }

  @Test func `A router makes segments of the names of classes, and paths in any collection`() throws {
    let router = RESTRouter(segment: { name in "v1/\(name.lowercased())-items" })
    #expect(router.collectionPath(for: Person.self) == "/v1/person-items")
    router.route(Person.self, to: "staff")
    #expect(router.collectionPath(for: Person.self) == "/staff")
    #expect(RESTRouter(segment: { _ in "" }).collectionPath(for: Person.self) == nil)
    let person = Person(id: 7, name: "Ada")
    #expect(router.path(to: person, inCollection: "/archive/people") == "/archive/people/7")
    #expect(router.path(to: person, inCollection: "/archive/people/") == "/archive/people/7")
    #expect(router.path(to: Person(name: "Bob"), inCollection: "/archive") == nil)
  }

  @Test func `A payload of an instance is added to the records of creates and updates`() async throws {
    let transport = StubTransport(status: 200, #"{"data": {"id": 7, "name": "Ada"}}"#)
    let store = try RESTModelStore(transport, dialect: EnvelopedDialect("data"))
      .with(payload: ["notify": true, "name": "Augusta"])
    let person = Person(name: "Ada")
    try await store.create(person)
    person.age.value = 36
    try await store.with(payload: ["notify": false]).update(person)
    #expect(
      transport.requests.map { $0.body.map { String(decoding: $0, as: UTF8.self) } } == [
        #"{"data":{"name":"Augusta","notify":true}}"#, #"{"data":{"age":36,"name":"Augusta","notify":false}}"#,
      ])
  }

  @Test func `An instance without credentials sends none, and restores no session`() async throws {
    let transport = StubTransport(status: 401, "{}")
    var options = RESTOptions()
    options.authentication = BearerAuthentication(nil) { _ in
      Issue.record("a session was restored")
      return "token"
    }
    let store = try RESTModelStore(transport, base: "http://ada:s3cret@api.test/v1", options: options)
    let error = try await storeError {
      _ = try await store.with(sendsCredentials: false).request(.get, "/status")
    }
    #expect(error.code == .unauthorized)
    #expect(transport.lines == ["GET http://api.test/v1/status"])
    #expect(transport.requests[0].headers["Authorization"] == nil)
    let both = try await storeError {
      _ = try await store.with(sendsCredentials: false).with(headers: ["A": "b"]).list(Person.self)
    }
    #expect(both.code == .unauthorized)
  }

  @Test func `The encoder of the options writes the parameters of an address`() async throws {
    let transport = StubTransport(status: 200, "{}")
    var options = RESTOptions()
    options.parameterEncoder = ParameterEncoder(includesNull: true, nullText: "null")
    let store = try RESTModelStore(transport, options: options)
    _ = try await store.with(parameters: ["a": .null]).request(.get, "/people", parameters: ["b": .null])
    #expect(transport.lines == ["GET http://api.test/people?a=null&b=null"])
    options.parameterEncoder = ParameterEncoder(lists: .repeated)
    let other = try RESTModelStore(transport, options: options)
    _ = try await other.with(parameters: ["a": [1, 2]]).request(.delete, "/people", parameters: ["b": ["x", "y"]])
    #expect(transport.lines.last == "DELETE http://api.test/people?a=1&a=2&b=x&b=y")
  }

  @Test func `An instance limits the fields of answers, and the others stay unloaded`() async throws {
    let transport = StubTransport(status: 200, #"[{"id": 7, "name": "Ada"}]"#)
    let store = try RESTModelStore(transport).with(parameters: ["fields": ["people": "id,name"]])
    let person = try #require(try await store.list(Person.self).first)
    #expect(transport.lines == ["GET http://api.test/people?fields%5Bpeople%5D=id%2Cname"])
    #expect(person.name.value == "Ada" && person.age.loadState != .loaded)
  }
}

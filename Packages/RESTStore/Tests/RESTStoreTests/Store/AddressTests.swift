import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@testable import RESTStore

@Suite struct `A base address that changes` {
  private let new = "http://new.test"

  @Test func `All requests of a deletion have the address that it began with`() async throws {
    let transport = GatedTransport(holding: { $0.method == .get }) { request in
      request.method == .get
        ? HTTPResponseData(status: 200, body: Data(#"[{"id": 1, "company": 7}]"#.utf8)) : HTTPResponseData(status: 204)
    }
    let store = try RESTModelStore(transport, dialect: JSONDialect(deletesRelations: true))
    let handle = store.handle
    let task = Task {
      let store = RESTModelStore(handle)
      let company = try Company.from(dictionaryValue: ["id": 7], in: store.scope)
      return try await store.deleteAll(in: company.employees)
    }
    await transport.arrived(1)
    handle.baseURL = try #require(URL(string: new))
    transport.open()
    #expect(try await task.value == 1)
    #expect(transport.requests.map { $0.url.host } == ["api.test", "api.test"])
  }

  @Test func `The server's version after a conflict is read at the address of the update`() async throws {
    let transport = GatedTransport(holding: { $0.method == .patch }) { request in
      request.method == .patch ? HTTPResponseData(status: 412) : ada(["ETag": "\"1\""])
    }
    let store = try RESTModelStore(transport)
    let handle = store.handle
    let task = Task {
      let store = RESTModelStore(handle)
      let person = try await store.lookup(Person.self, identifier: "1")
      person.age.value = 3
      return try await storeError { try await store.update(person) }.code
    }
    await transport.arrived(1)
    handle.baseURL = try #require(URL(string: new))
    transport.open()
    #expect(try await task.value == .conflict)
    #expect(transport.requests.map { $0.url.host } == ["api.test", "api.test", "api.test"])
  }

  @Test func `An entity tag is sent only to the address that it came from`() async throws {
    let transport = StubTransport([.success(ada(["ETag": "\"1\""]))])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    store.handle.baseURL = try #require(URL(string: new))
    person.age.value = 3
    try await store.update(person)
    store.handle.baseURL = try #require(URL(string: "http://third.test"))
    _ = try await store.lookup(Person.self, identifier: "1")
    _ = try await store.lookup(Person.self, identifier: "1")
    #expect(transport.requests.map { $0.headers["If-Match"] } == [nil, nil, nil, nil])
    #expect(transport.requests.map { $0.headers["If-None-Match"] } == [nil, nil, nil, "\"1\""])
  }

  @Test func `The secrets of a refused path are in no error`() async throws {
    let store = try RESTModelStore(StubTransport(status: 200, "[]"))
    for path in ["/report?access_token=s3cret&a=b c", "/x/../y?token=s3cret", "/people?api_key=s3cret"] {
      let error = try await storeError { _ = try await store.list(ModelQuery(Person.self), at: path) }
      #expect(error.code == .invalid && !error.message.contains("s3cret"))
    }
  }

  @Test func `An instance without credentials sends no secret of the base address`() async throws {
    let transport = StubTransport(status: 200, "{}")
    let store = try RESTModelStore(transport, base: "http://api.test/v1?api_key=s3cret&lang=en")
    _ = try await store.with(sendsCredentials: false).request(.get, "/status")
    #expect(transport.lines == ["GET http://api.test/v1/status?lang=en"])
  }

  @Test func `A dialect that changes addresses changes that of the change log`() async throws {
    let transport = StubTransport(status: 200, #"{"updated": [], "deleted": [], "position": "1"}"#)
    let dialect = JSONDialect(changesParameter: "since").adjusting(address: { address, _ in
      address.path = "/tenants/7" + address.path
    })
    _ = try await RESTModelStore(transport, dialect: dialect).changePage(of: Person.self, after: "0")
    #expect(transport.lines == ["GET http://api.test/tenants/7/people?since=0"])
  }

  @Test func `An error that a dialect throws for an answer ends any request`() async throws {
    let dialect = JSONDialect().adjusting(answer: { answer, _, _ in
      if answer.payload?["ok"] == false { throw ModelStoreError(.invalid, "not ok") }
    })
    let store = try RESTModelStore(StubTransport(status: 200, #"{"ok": false}"#), dialect: dialect)
    let error = try await storeError { _ = try await store.request(.post, "/people/10/activate") }
    #expect(error.code == .invalid && error.message.contains("not ok"))
  }
}

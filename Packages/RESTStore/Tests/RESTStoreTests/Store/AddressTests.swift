import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@testable import RESTStore

@Suite struct `An address of a store` {
  @Test func `A store at another address has the settings of the first one, and its own models`() async throws {
    let transport = StubTransport(status: 200, #"{"id": 1, "name": "Ada"}"#)
    let first = try RESTModelStore(transport, base: "http://old.test/v1")
      .with(headers: ["X-Trace": "1"])
    first.conflictPolicy = .overwrite
    let url = try #require(URL(string: "http://new.test/v2"))
    let second = first.at(url, router: RESTRouter(segment: { _ in "staff" }))
    #expect(second.handle.baseURL == url && second.conflictPolicy == .overwrite)
    _ = try await second.request(.get, "/status")
    let model = try await first.at(url).with(headers: ["X-Trace": "2"]).request(.get, "/me")
    #expect(model.status == 200)
    _ = try await first.request(.get, "/status")
    #expect(second.handle.router.collectionPath(for: Person.self) == "/staff")
    #expect(
      transport.lines == [
        "GET http://new.test/v2/status", "GET http://new.test/v2/me", "GET http://old.test/v1/status",
      ])
    #expect(transport.requests.map { $0.headers["X-Trace"] } == ["1", "2", "1"])
    #expect(second.scope !== first.scope && first.at(url, scope: first.scope).scope === first.scope)
  }

  @Test func `An entity tag is sent only to the address that it came from`() async throws {
    let transport = StubTransport([.success(ada(["ETag": "\"1\""]))])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.age.value = 3
    try await store.at(try #require(URL(string: "http://new.test")), scope: store.scope).update(person)
    let third = store.at(try #require(URL(string: "http://third.test")), scope: store.scope)
    _ = try await third.lookup(Person.self, identifier: "1")
    _ = try await third.lookup(Person.self, identifier: "1")
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

import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite struct `An entity tag` {
  @Test func `An entity tag is sent with the next update, and a conflict has the server's record`() async throws {
    let transport = StubTransport([
      .success(ada(["ETag": "\"v1\""])), .success(HTTPResponseData(status: 412)),
      .success(
        HTTPResponseData(
          status: 200, headers: ["ETag": "\"v2\""], body: Data(#"{"id": 1, "name": "Grace", "age": 85}"#.utf8))),
      .success(
        HTTPResponseData(
          status: 200, headers: ["ETag": "\"v2\""], body: Data(#"{"id": 1, "name": "Grace", "age": 85}"#.utf8))),
      .success(HTTPResponseData(status: 204, headers: ["ETag": "\"v3\""])), .success(HTTPResponseData(status: 204)),
    ])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.name.value = "Augusta"
    let error = try await storeError { try await store.update(person) }
    #expect(error.code == .conflict)
    let conflict = try #require(error.cause as? RESTConflict)
    #expect(conflict.record["name"] == "Grace")
    #expect(conflict.entityTag == "\"v2\"")
    #expect(error.conflicts == [FieldConflict(key: "name", baseline: "Ada", local: "Augusta", stored: "Grace")])
    #expect(person.name.value == "Augusta")
    // Local changes are kept, and can overwrite the version that is known now.
    _ = try await store.lookup(Person.self, identifier: "1")
    #expect(person.age.value == 85)
    try await store.update(person, onConflict: .overwrite)
    person.age.value = 1
    // The answer did not have the other fields of the third version.
    try await store.update(person)
    #expect(transport.requests.map { $0.headers["If-Match"] } == [nil, "\"v1\"", nil, nil, nil, "\"v2\""])
  }

  @Test func `An entity tag of a newer version is sent at once if others changed other fields only`() async throws {
    let older = HTTPResponseData(status: 412)
    let newer = HTTPResponseData(
      status: 200, headers: ["ETag": "\"v2\""], body: Data(#"{"id": 1, "name": "Ada", "age": 85}"#.utf8))
    let transport = StubTransport([
      .success(ada(["ETag": "\"v1\""])), .success(older), .success(newer), .success(HTTPResponseData(status: 204)),
    ])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.name.value = "Augusta"
    try await store.save(person)
    #expect(!person.isDirty)
    #expect(transport.requests.map(\.method) == [.get, .patch, .get, .patch])
    #expect(transport.requests.map { $0.headers["If-Match"] } == [nil, "\"v1\"", nil, "\"v2\""])
  }

  /// A dialect that stores the errors it receives.
  private struct Recording: RESTDialect {
    let errors = Lock<[ModelStoreError]>([])
    func handleError(_ error: ModelStoreError) async { errors.withLock { $0.append(error) } }
  }

  @Test func `An update that is merged has a new idempotency key, and reports no error`() async throws {
    let newer = HTTPResponseData(
      status: 200, headers: ["ETag": "\"v2\""], body: Data(#"{"id": 1, "name": "Ada", "age": 85}"#.utf8))
    let transport = StubTransport([
      .success(ada(["ETag": "\"v1\""])), .success(HTTPResponseData(status: 412)), .success(newer),
      .success(HTTPResponseData(status: 204)),
    ])
    var options = RESTOptions()
    options.idempotencyKeyHeader = "Idempotency-Key"
    let dialect = Recording()
    let store = try RESTModelStore(transport, dialect: dialect, options: options)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.name.value = "Augusta"
    try await store.save(person)
    let keys = transport.requests.filter { $0.method == .patch }.compactMap { $0.headers["Idempotency-Key"] }
    #expect(Set(keys).count == 2)
    #expect(dialect.errors.withLock { $0 }.isEmpty)
  }

  @Test func `A conflict is reported once to the dialect, with both values`() async throws {
    let newer = HTTPResponseData(
      status: 200, headers: ["ETag": "\"v2\""], body: Data(#"{"id": 1, "name": "Grace"}"#.utf8))
    let transport = StubTransport([
      .success(ada(["ETag": "\"v1\""])), .success(HTTPResponseData(status: 412)), .success(newer),
    ])
    let dialect = Recording()
    let store = try RESTModelStore(transport, dialect: dialect)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.name.value = "Augusta"
    let error = try await storeError { try await store.save(person) }
    let reported = dialect.errors.withLock { $0 }
    #expect(reported.map(\.code) == [.conflict])
    #expect(reported.first?.conflicts == error.conflicts && !error.conflicts.isEmpty)
  }

  @Test func `An entity tag that is another one in each answer ends an update in a conflict after 9 attempts`()
    async throws
  {
    let changes = (2...40).flatMap { [HTTPResponseData(status: 412), ada(["ETag": "\"v\($0)\""])] }
    let transport = StubTransport(([ada(["ETag": "\"v1\""])] + changes).map { .success($0) })
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.age.value = 5
    let error = try await storeError { try await store.save(person) }
    #expect(error.code == .conflict)
    #expect(error.message.hasPrefix("This Person was not written. PATCH /people/1: "), "\(error.message)")
    #expect(error.message.contains("after each of 9 attempts"), "\(error.message)")
    #expect(person.age.value == 5 && person.age.isDirty)
    let tags = transport.requests.filter { $0.method == .patch }.map { $0.headers["If-Match"] }
    #expect(tags == (1...9).map { "\"v\($0)\"" })
  }

  @Test func `An update sends the entity tag of the version that was changed, not of a later read`()
    async throws
  {
    let newer = HTTPResponseData(
      status: 200, headers: ["ETag": "\"v2\""], body: Data(#"{"id": 1, "name": "Grace", "age": 85}"#.utf8))
    let list = HTTPResponseData(status: 200, body: Data(#"[{"id": 1, "name": "Grace", "age": 85}]"#.utf8))
    let transport = StubTransport([
      .success(ada(["ETag": "\"v1\""])), .success(newer), .success(list), .success(HTTPResponseData(status: 412)),
      .success(newer), .success(newer), .success(HTTPResponseData(status: 204)),
    ])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.name.value = "Augusta"
    _ = try await store.lookup(Person.self, identifier: "1")
    _ = try await store.list(Person.self)
    let error = try await storeError { try await store.save(person) }
    #expect(error.conflicts.map(\.key) == ["name"])
    try await store.refresh(person)
    person.name.value = "Augusta"
    try await store.save(person)
    #expect(
      transport.requests.map { $0.headers["If-Match"] } == [nil, nil, nil, "\"v1\"", nil, nil, "\"v2\""])
  }

  @Test func `An entity tag is that of the latest version once the changes of an older one are reverted`() async throws
  {
    let transport = StubTransport([
      .success(ada(["ETag": "\"v1\""])), .success(ada(["ETag": "\"v2\""])), .success(HTTPResponseData(status: 204)),
    ])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.name.value = "Augusta"
    _ = try await store.lookup(Person.self, identifier: "1")
    person.revert()
    person.age.value = 5
    try await store.save(person, onConflict: .fail)
    #expect(transport.requests.last?.headers["If-Match"] == "\"v2\"")
  }

  @Test func `An entity tag is required by a save that fails on conflict, and is not sent by one that overwrites`()
    async throws
  {
    let transport = StubTransport([
      .success(ada()), .success(ada(["ETag": "\"v1\""])), .success(HTTPResponseData(status: 204)),
    ])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.age.value = 5
    let error = try await storeError { try await store.save(person, onConflict: .fail) }
    #expect(error.code == .unsupported)
    #expect(person.age.isDirty)
    _ = try await store.lookup(Person.self, identifier: "1")
    try await store.save(person, onConflict: .overwrite)
    #expect(transport.requests.map(\.method) == [.get, .get, .patch])
    #expect(transport.requests.allSatisfy { $0.headers["If-Match"] == nil })
  }

  @Test func `An entity tag is sent with a delete, and a conflict deletes nothing and has the server's record`()
    async throws
  {
    let grace = HTTPResponseData(
      status: 200, headers: ["ETag": "\"v2\""], body: Data(#"{"id": 1, "name": "Grace", "age": 85}"#.utf8))
    let transport = StubTransport([
      .success(ada(["ETag": "\"v1\""])), .success(HTTPResponseData(status: 412)), .success(grace), .success(grace),
      .success(HTTPResponseData(status: 204)),
    ])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.age.value = 5
    let error = try await storeError { try await store.delete(person) }
    #expect(error.code == .conflict)
    #expect(error.message.hasPrefix("This Person was not deleted. DELETE /people/1: "), "\(error.message)")
    let conflict = try #require(error.cause as? RESTConflict)
    #expect(conflict.record["name"] == "Grace")
    #expect(conflict.entityTag == "\"v2\"")
    #expect(person.name.value == "Ada")
    #expect(person.age.isDirty)
    #expect(person.isKnownToStore)
    #expect(Person.with(identifier: "1", in: store.scope) === person)
    // A caller that has read the new version may delete it.
    _ = try await store.lookup(Person.self, identifier: "1")
    try await store.delete(person)
    #expect(!person.isKnownToStore)
    #expect(transport.requests.map { $0.headers["If-Match"] } == [nil, "\"v1\"", nil, nil, "\"v2\""])
    #expect(transport.requests.map(\.method) == [.get, .delete, .get, .get, .delete])
  }

  @Test func `An entity tag is not sent with a delete if it is weak or unknown`() async throws {
    let transport = StubTransport([
      .success(ada(["ETag": "W/\"v1\""])), .success(HTTPResponseData(status: 204)), .success(ada()),
      .success(HTTPResponseData(status: 204)),
    ])
    let store = try RESTModelStore(transport)
    for _ in 0..<2 { try await store.delete(store.lookup(Person.self, identifier: "1")) }
    #expect(transport.requests.map(\.method) == [.get, .delete, .get, .delete])
    #expect(transport.requests.allSatisfy { $0.headers["If-Match"] == nil })
  }

  @Test func `An entity tag makes a lookup of an unchanged model transfer nothing`() async throws {
    let transport = StubTransport([.success(ada(["ETag": "W/\"v1\""])), .success(HTTPResponseData(status: 304))])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.age.value = 5
    #expect(try await store.lookup(Person.self, identifier: "1") === person)
    #expect(person.age.value == 5)
    #expect(transport.requests[1].headers["If-None-Match"] == "W/\"v1\"")
    // A weak tag is no proof of the very same version.
    _ = try? await store.update(person)
    #expect(transport.requests[2].headers["If-Match"] == nil)
  }

  @Test func `An entity tag is not sent by a refresh of local changes, nor after a list, nor if it is turned off`()
    async throws
  {
    let transport = StubTransport([
      .success(ada(["ETag": "\"v1\""])), .success(ada(["ETag": "\"v1\""])),
      .success(HTTPResponseData(status: 200, body: Data(#"[{"id": 1}]"#.utf8))), .success(ada()),
    ])
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.name.value = "Augusta"
    try await store.refresh(person)
    #expect(person.name.value == "Ada")
    _ = try await store.list(Person.self)
    _ = try await store.lookup(Person.self, identifier: "1")
    #expect(transport.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
    var options = RESTOptions()
    options.usesEntityTags = false
    let url = try #require(URL(string: "http://api.test"))
    let tagged = StubTransport([.success(ada(["ETag": "\"v1\""]))])
    let other = RESTModelStore(baseURL: url, transport: tagged, options: options)
    let same = try await other.lookup(Person.self, identifier: "1")
    _ = try await other.lookup(Person.self, identifier: "1")
    #expect(tagged.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
    #expect(same.name.value == "Ada")
  }
}

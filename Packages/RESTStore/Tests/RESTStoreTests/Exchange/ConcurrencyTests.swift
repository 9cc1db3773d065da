import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Lookups that are equal and in progress at the same time` {
  @Test func `Lookups that are equal and in progress at the same time are one request`() async throws {
    let transport = GatedTransport { _ in ada() }
    let monitor = ListeningMonitor()
    var options = RESTOptions()
    options.monitor = monitor
    let url = try #require(URL(string: "http://api.test"))
    let handle = RESTModelStore(baseURL: url, transport: transport, options: options).handle
    let names = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<1_000 {
        group.addTask { try await RESTModelStore(handle).lookup(Person.self, identifier: "1").name.value }
      }
      await transport.arrived(1)
      while monitor.events.count < 1_000 { await Task.yield() }
      transport.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(names.count == 1_000)
    #expect(Set(names) == ["Ada"])
    #expect(transport.requests.count == 1)
  }

  @Test func `Equal lookups are cancelled one by one, and sent again if the sender is cancelled`() async throws {
    let transport = GatedTransport { _ in ada() }
    let url = try #require(URL(string: "http://api.test"))
    let monitor = ListeningMonitor()
    var options = RESTOptions()
    options.monitor = monitor
    let handle = RESTModelStore(baseURL: url, transport: transport, options: options).handle
    let first = Task { try await RESTModelStore(handle).lookup(Person.self, identifier: "1").name.value }
    await transport.arrived(1)
    let second = Task { try await RESTModelStore(handle).lookup(Person.self, identifier: "1").name.value }
    while monitor.events.count < 2 { await Task.yield() }
    first.cancel()
    #expect(try await storeError { _ = try await first.value }.code == .cancelled)
    await transport.arrived(1)
    let third = Task { try await RESTModelStore(handle).lookup(Person.self, identifier: "1").name.value }
    while monitor.events.filter({ $0.kind == .shared }).count < 2 { await Task.yield() }
    third.cancel()
    #expect(try await storeError { _ = try await third.value }.code == .cancelled)
    transport.open()
    #expect(try await second.value == "Ada")
    #expect(transport.requests.count == 2)
  }

  /// The credentials of the user on whose behalf a task runs.
  private struct UserAuthentication: RESTAuthentication {
    @TaskLocal static var user = ""
    func authorize(_ request: inout HTTPRequestData, for operation: RESTOperation) {
      request.headers["Authorization"] = "Bearer \(Self.user)"
    }
  }

  @Test func `Lookups with different credentials are requests of their own`() async throws {
    let transport = GatedTransport { request in
      let name = request.headers["Authorization"] ?? ""
      return HTTPResponseData(status: 200, body: Data(#"{"id": 1, "name": "\#(name)"}"#.utf8))
    }
    var options = RESTOptions()
    options.authentication = UserAuthentication()
    let handle = try RESTModelStore(transport, options: options).handle
    let lookups = ["ada", "bob"].map { user in
      UserAuthentication.$user.withValue(user) {
        Task { try await RESTModelStore(handle).lookup(Person.self, identifier: "1").name.value }
      }
    }
    await transport.arrived(2)
    transport.open()
    #expect(try await lookups[0].value == "Bearer ada")
    #expect(try await lookups[1].value == "Bearer bob")
  }

  @Test func `Equal lookups are two requests if something was written in between`() async throws {
    let transport = GatedTransport { $0.method == .get ? ada() : HTTPResponseData(status: 204) }
    let url = try #require(URL(string: "http://api.test"))
    let handle = RESTModelStore(baseURL: url, transport: transport).handle
    let first = Task { try await RESTModelStore(handle).lookup(Person.self, identifier: "1").name.value }
    await transport.arrived(1)
    let write = Task { try await RESTModelStore(handle).update(Person(id: 1, name: "Augusta")).identifier }
    await transport.arrived(1)
    let second = Task { try await RESTModelStore(handle).lookup(Person.self, identifier: "1").name.value }
    await transport.arrived(1)
    transport.open()
    _ = try await (first.value, write.value, second.value)
    #expect(transport.requests.map(\.method) == [.get, .patch, .get])
  }

  @Test(arguments: [200, 304])
  @MainActor
  func `A lookup beside the deletion of its record makes no model`(status: Int) async throws {
    let isFirst = Lock(true)
    // The server reads the record before it deletes it, and the answer arrives after that.
    let transport = GatedTransport(holding: { $0.method == .get && isFirst.withLock { !$0 } }) { request in
      if request.method == .delete { return HTTPResponseData(status: 204) }
      let hasBody = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst || status == 200
      }
      return hasBody ? ada(["ETag": #""1""#]) : HTTPResponseData(status: status)
    }
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    let lookup = Task { try await store.lookup(Person.self, identifier: "1").name.value }
    await transport.arrived(1)
    try await store.delete(person)
    transport.open()
    #expect(try await storeError { _ = try await lookup.value }.code == .notFound)
    #expect(store.scope.liveModel(Person.self, identifier: "1") == nil)
    #expect(transport.requests.map(\.method) == [.get, .get, .delete])
    #expect(transport.requests[1].headers["If-None-Match"] == #""1""#)
  }

  @Test(arguments: [true, false])
  @MainActor
  func `An equal lookup that joins an earlier one returns no older value than a list`(joins: Bool) async throws {
    let transport = HeldTransport()
    let url = try #require(URL(string: "http://api.test"))
    let monitor = ListeningMonitor()
    var options = RESTOptions()
    options.monitor = monitor
    let store = RESTModelStore(baseURL: url, transport: transport, options: options)
    let person = try await store.list(Person.self)[0]
    var names: [String] = []
    let observation = person.name --> { names.append($0 ?? "") }
    // The first lookup is answered by the server before the list, and arrives after it.
    func lookup() -> Task<Void, any Error> { Task { _ = try await store.lookup(Person.self, identifier: "1") } }
    let first = try await transport.hold(1) { lookup() }
    transport.version.withLock { $0 += 1 }
    let list = try await transport.hold(2) { Task { _ = try await store.list(Person.self) } }
    var second: Task<Void, any Error>?
    if joins {
      second = lookup()
      while !monitor.events.contains(where: { $0.kind == .shared }) { await Task.yield() }
    }
    transport.release(2)
    _ = try await list.value
    #expect(person.name.value == "version 2")
    try await lookup().value
    transport.release(1)
    _ = try await (first.value, second?.value)
    observation.cancel()
    // The first is the value at the beginning of the observation.
    #expect(names == ["version 1", "version 2"])
  }
}

/// A transport whose server renames a person with each version, and that holds answers back.
private final class HeldTransport: HTTPTransport {
  let version = Lock(1)
  private let count = Lock(0)
  private let holds = Lock<[Int: (arrival: AsyncStream<Void>.Continuation, release: AsyncStream<Void>)]>([:])
  private let releases = Lock<[Int: AsyncStream<Void>.Continuation]>([:])

  /// Runs a body that sends a request, and returns once it has been sent and its answer is held.
  @MainActor
  func hold<Value>(_ number: Int, _ send: () throws -> Value) async throws -> Value {
    let arrival = AsyncStream.makeStream(of: Void.self), release = AsyncStream.makeStream(of: Void.self)
    holds.withLock { $0[number] = (arrival.continuation, release.stream) }
    releases.withLock { $0[number] = release.continuation }
    let value = try send()
    for await _ in arrival.stream {}
    return value
  }

  func release(_ number: Int) { releases.withLock { $0[number] }?.finish() }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let record = #"{"id":1,"name":"version \#(version.withLock { $0 })"}"#
    let isList = !request.url.path().hasSuffix("/1")
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    if let hold = holds.withLock({ $0[number] }) {
      hold.arrival.finish()
      for await _ in hold.release {}
    }
    return HTTPResponse(status: 200, body: Data((isList ? "[\(record)]" : record).utf8))
  }
}

@Suite(.timeLimit(.minutes(30))) struct `Requests of a store` {
  @Test func `Requests of a store wait for their turn beyond the limit, and can be cancelled there`() async throws {
    let transport = GatedTransport { _ in HTTPResponseData(status: 200, body: Data("[]".utf8)) }
    let monitor = ListeningMonitor()
    var options = RESTOptions()
    options.maximumConcurrentRequests = 2
    options.monitor = monitor
    let url = try #require(URL(string: "http://api.test"))
    let handle = RESTModelStore(baseURL: url, transport: transport, options: options).handle
    let tasks = (0..<5).map { _ in Task { try await RESTModelStore(handle).list(Person.self).count } }
    await transport.arrived(2)
    for _ in 0..<100 { await Task.yield() }
    #expect(transport.requests.count == 2)
    for task in tasks { task.cancel() }
    var cancelled = 0
    transport.open()
    for task in tasks {
      if case .failure(let error as ModelStoreError) = await task.result, error.code == .cancelled { cancelled += 1 }
    }
    #expect(cancelled == 5)
    #expect(transport.requests.count == 2)
    #expect(monitor.events.count { $0.kind == .sent(bytes: 0) } == 2)
    // The limit is free again for all requests.
    _ = try await RESTModelStore(handle).list(Person.self)
  }

  @Test func `Requests of a store are reported to a monitor, without secrets`() async throws {
    let monitor = ListeningMonitor()
    var options = RESTOptions()
    options.monitor = monitor
    options.authentication = BearerAuthentication("secret") { _ in "new-secret" }
    options.retry = RESTRetryPolicy(attempts: 2)
    options.retry.sleep = { _ in }
    options.retry.random = { 1 }
    let url = try #require(URL(string: "http://ada:secret@api.test/v1?key=secret"))
    let store = RESTModelStore(
      baseURL: url,
      transport: StubTransport([
        .success(HTTPResponseData(status: 401)), .success(HTTPResponseData(status: 503)), .success(ada()),
        .failure(ModelStoreError(.offline, "no network")),
      ]), options: options)
    _ = try await store.lookup(Person.self, identifier: "1")
    _ = try await storeError { try await store.create(Person(name: "secret")) }
    let words = monitor.events.map { event in
      switch event.kind {
      case .sent: "sent"
      case .answered(let status, _, _): "\(status)"
      case .failed(let code, _): code
      case .retrying(let wait): "retry in \(wait)"
      case .renewingCredentials: "renew"
      case .shared: "shared"
      case .identifierReplaced: "replaced"
      }
    }
    #expect(words == ["sent", "401", "renew", "sent", "503", "retry in 0.2 seconds", "sent", "200", "sent", "offline"])
    #expect(monitor.events.map(\.attempt) == [1, 1, 1, 2, 2, 2, 3, 3, 1, 1])
    #expect(monitor.events.allSatisfy { $0.path.hasPrefix("/v1/people") })
    #expect(!"\(monitor.events)".contains("secret"))
    #expect(Set(monitor.events.map(\.call)).count == 2)
  }
}

@MainActor
@Suite(.timeLimit(.minutes(30))) struct `A creation in progress` {
  @Test func `An answer to any request does not make another object of a model that is being created`() async throws {
    let transport = GatedTransport(holding: { $0.method == .post }) { request in
      let record = #"{"id": 8, "name": "Ada"}"#
      return request.method == .post
        ? HTTPResponseData(status: 201, body: Data(record.utf8))
        : HTTPResponseData(status: 200, body: Data("[\(record)]".utf8))
    }
    let store = try RESTModelStore(transport)
    let new = Person(name: "Ada")
    let creation = Task { _ = try await store.create(new) }
    await transport.arrived(1)
    let search = Task { try await store.request(.get, "/people/search").models(Person.self)[0] === new }
    for _ in 0..<100 { await Task.yield() }
    transport.open()
    try await creation.value
    #expect(try await search.value)
  }

  private struct PuttingDialect: RESTDialect {
    let createsWithPut: Bool
  }

  @Test(arguments: [false, true])
  func `A creation is waited for by reads of its class, since the server may replace its identifier`(puts: Bool)
    async throws
  {
    let record = #"{"id": 8, "name": "Ada"}"#
    let transport = GatedTransport(holding: { $0.method == .post || $0.method == .put }) { request in
      let isList = request.method == .get && request.url.lastPathComponent == "people"
      return HTTPResponseData(
        status: request.method == .get ? 200 : 201, body: Data((isList ? "[\(record)]" : record).utf8))
    }
    let url = try #require(URL(string: "http://api.test"))
    let store = RESTModelStore(
      baseURL: url, dialect: PuttingDialect(createsWithPut: puts), transport: transport)
    let person = Person(id: 7, name: "Ada")
    let creation = Task { _ = try await store.create(person) }
    await transport.arrived(1)
    var found: [Person] = []
    let list = Task { found += try await store.list(Person.self) }
    let lookup = Task { found.append(try await store.lookup(Person.self, identifier: "8")) }
    for _ in 0..<1_000 where found.isEmpty { await Task.yield() }
    #expect(found.isEmpty)
    transport.open()
    try await creation.value
    _ = try await (list.value, lookup.value)
    #expect(found == [person, person])
    #expect(person.identifier == "8" && person.canonicalInstance(in: store.scope) === person)
  }

  /// A source of credentials that gets a token for each creation with the same store.
  @MainActor
  private final class TokenSource: RESTAuthentication {
    weak var store: RESTModelStore?

    nonisolated func authorize(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws {
      if operation.kind == .create { request.headers["X-Token"] = try await token() }
    }

    private func token() async throws -> String? {
      try await store?.request(.get, "/token").json["token"]?.stringValue
    }
  }

  @Test func `A request for the credentials of a creation does not wait for that creation`() async throws {
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, body: Data(#"{"token": "1"}"#.utf8))),
      .success(HTTPResponseData(status: 201, body: Data(#"{"id": 8}"#.utf8))),
    ])
    let source = TokenSource()
    var options = RESTOptions()
    options.authentication = source
    let store = try RESTModelStore(transport, options: options)
    source.store = store
    try await store.create(Person(name: "Ada"))
    #expect(transport.requests.last?.headers["X-Token"] == "1")
  }
}

@MainActor
@Suite(.timeLimit(.minutes(30))) struct `Updates of one model` {
  /// A transport that answers an update with the written values.
  private let transport = GatedTransport { request in
    guard let body = request.body, case .object(var record) = try JSONValue(json: body) else { return ada() }
    record["id"] = 1
    return HTTPResponseData(status: 200, headers: ["ETag": "\"2\""], body: try JSONValue.object(record).jsonData())
  }

  private func person(in store: RESTModelStore) throws -> Person {
    try Person.from(dictionaryValue: ["id": 1, "name": "Ada", "age": 36], in: store.scope)
  }

  private var bodies: [JSONValue?] { transport.requests.map { $0.body.flatMap { try? JSONValue(json: $0) } } }

  /// Lets other tasks run as far as they can.
  private func settle() async { for _ in 0..<100 { await Task.yield() } }

  @Test func `Updates of one model are sent one after the other`() async throws {
    let store = try RESTModelStore(transport)
    let person = try person(in: store)
    person.name.value = "One"
    let first = Task { _ = try await store.update(person) }
    await transport.arrived(1)
    person.name.value = "Two"
    person.age.value = 5
    let second = Task { _ = try await store.update(person) }
    await settle()
    #expect(transport.requests.count == 1)
    transport.open()
    _ = try await (first.value, second.value)
    #expect(bodies == [["name": "One"], ["name": "Two", "age": 5]])
    #expect(person.name.value == "Two" && person.age.value == 5 && !person.isDirty)
  }

  @Test func `Updates of one model that have nothing left to write send nothing`() async throws {
    let store = try RESTModelStore(transport)
    let person = try person(in: store)
    person.name.value = "One"
    let saves = (0..<3).map { _ in Task { _ = try await store.update(person) } }
    await transport.arrived(1)
    await settle()
    transport.open()
    for save in saves { try await save.value }
    #expect(bodies == [["name": "One"]])
  }

  @Test func `Updates of one model that are cancelled while they wait send nothing`() async throws {
    let store = try RESTModelStore(transport)
    let person = try person(in: store)
    person.name.value = "One"
    let first = Task { _ = try await store.update(person) }
    await transport.arrived(1)
    person.name.value = "Two"
    let second = Task { _ = try await store.update(person) }
    await settle()
    second.cancel()
    #expect(try await storeError { try await second.value }.code == .cancelled)
    transport.open()
    try await first.value
    #expect(bodies == [["name": "One"]])
    #expect(person.name.value == "Two" && person.isDirty)
    try await store.update(person)
    #expect(bodies.last == ["name": "Two"])
  }

  @Test func `A deletion of a model waits for an update of it, and sends the entity tag of its answer`() async throws {
    let store = try RESTModelStore(transport)
    let person = try person(in: store)
    person.name.value = "One"
    let update = Task { _ = try await store.update(person) }
    await transport.arrived(1)
    let deletion = Task { _ = try await store.delete(person) }
    await settle()
    #expect(transport.requests.map(\.method) == [.patch])
    transport.open()
    _ = try await (update.value, deletion.value)
    #expect(transport.requests.map(\.method) == [.patch, .delete])
    #expect(transport.requests.last?.headers["If-Match"] == "\"2\"")
    #expect(!person.isKnownToStore)
  }

  @Test func `Updates of one model with different headers are sent one after the other`() async throws {
    let store = try RESTModelStore(transport)
    let person = try person(in: store)
    person.name.value = "One"
    let first = Task { _ = try await store.update(person) }
    await transport.arrived(1)
    person.name.value = "Two"
    let second = Task { _ = try await store.with(headers: ["X-Trace": "1"]).update(person) }
    await settle()
    #expect(transport.requests.count == 1)
    transport.open()
    _ = try await (first.value, second.value)
    #expect(transport.requests.count == 2)
  }
}

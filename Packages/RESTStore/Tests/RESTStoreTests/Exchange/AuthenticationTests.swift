import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Credentials` {
  @Test func `Credentials are renewed once for all requests that wait for them`() async throws {
    let renewals = Lock(0)
    var options = RESTOptions()
    options.maximumConcurrentRequests = 100
    options.authentication = BearerAuthentication("old") { refused in
      #expect(refused == "old")
      renewals.withLock { $0 += 1 }
      await Task.yield()
      return "new"
    }
    let transport = GatedTransport { request in
      request.headers["Authorization"] == "Bearer new"
        ? HTTPResponseData(status: 200, body: Data("[]".utf8)) : HTTPResponseData(status: 401)
    }
    let url = try #require(URL(string: "http://api.test"))
    let handle = RESTModelStore(baseURL: url, transport: transport, options: options).handle
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { _ = try await RESTModelStore(handle).list(Person.self) } }
      await transport.arrived(50)
      transport.open()
      try await group.waitForAll()
    }
    #expect(renewals.withLock { $0 } == 1)
    #expect(transport.requests.count == 100)
  }

  @Test func `Credentials that are being renewed are not waited for by a cancelled task`() async throws {
    let (began, isRenewing) = AsyncStream.makeStream(of: Void.self)
    let (answers, answer) = AsyncStream.makeStream(of: Void.self)
    let authentication = BearerAuthentication(nil) { _ in
      isRenewing.finish()
      for await _ in answers {}
      return "new"
    }
    var options = RESTOptions()
    options.authentication = authentication
    let transport = StubTransport([.success(ada())])
    let handle = try RESTModelStore(transport, options: options).handle
    let cancelled = Lock(false)
    let waiting = Task {
      let error = try await storeError { _ = try await RESTModelStore(handle).lookup(Person.self, identifier: "1") }
      cancelled.withLock { $0 = true }
      return error.code
    }
    for await _ in began {}
    waiting.cancel()
    for _ in 0..<1_000 where !cancelled.withLock({ $0 }) { await Task.yield() }
    #expect(cancelled.withLock { $0 })
    answer.finish()
    #expect(try await waiting.value == .cancelled)
    #expect(transport.requests.isEmpty)
    // The renewal goes on for others.
    _ = try await RESTModelStore(handle).lookup(Person.self, identifier: "1")
    #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer new"])
  }

  @Test func `Credentials that can't be renewed fail the call, and the next call renews them again`() async throws {
    let renewals = Lock(0)
    var options = RESTOptions()
    options.authentication = BearerAuthentication("old") { _ in
      let count = renewals.withLock { count in
        count += 1
        return count
      }
      if count == 1 { throw Missing(description: "signed out") }
      return "new"
    }
    let url = try #require(URL(string: "http://api.test"))
    let transport = StubTransport([
      .success(HTTPResponseData(status: 401)), .success(HTTPResponseData(status: 401)), .success(ada()),
    ])
    let store = RESTModelStore(baseURL: url, transport: transport, options: options)
    let error = try await storeError { _ = try await store.lookup(Person.self, identifier: "1") }
    #expect(error.code == .unauthorized)
    #expect(error.message.contains("signed out"))
    _ = try await store.lookup(Person.self, identifier: "1")
    #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer old", "Bearer new"])
  }

  @Test(.timeLimit(.minutes(30)), arguments: [nil, "old"] as [String?])
  func `Credentials can be renewed by a request of the store that waits for them`(token: String?) async throws {
    let engine = Lock<RESTEngine?>(nil)
    var options = RESTOptions()
    options.authentication = BearerAuthentication(token) { _ in
      let known = try #require(engine.withLock { $0 })
      let answer = try await RESTModelStore(known).request(.post, "/token")
      return try answer.json["token"]?.stringValue ?? ""
    }
    let transport = GatedTransport { request in
      if request.method == .post { return HTTPResponseData(status: 200, body: Data(#"{"token": "new"}"#.utf8)) }
      return request.headers["Authorization"] == "Bearer new" ? ada() : HTTPResponseData(status: 401)
    }
    transport.open()
    let store = try RESTModelStore(transport, options: options)
    engine.withLock { $0 = store.handle }
    #expect(try await store.lookup(Person.self, identifier: "1").name.value == "Ada")
    #expect(transport.requests.filter { $0.method == .post }.map { $0.headers["Authorization"] } == [nil])
  }

  /// A source of credentials that signs in for each operation but lists, which need none.
  private struct Session: RESTAuthentication {
    var isSignedIn = true
    let log = Lock<[String]>([])

    func authorize(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws {
      guard operation.kind != .list else { return }
      log.withLock { $0.append("\(operation.kind) \(operation.identifier ?? "-")") }
      if !isSignedIn { throw Missing(description: "signed out") }
      request.headers["Cookie"] = "sid=4711"
    }
  }

  @Test func `A session is restored before a request that needs it, and no other`() async throws {
    let session = Session()
    var options = RESTOptions()
    options.authentication = session
    let transport = StubTransport([
      .success(ada()), .success(HTTPResponseData(status: 200, body: Data("[]".utf8))),
    ])
    let url = try #require(URL(string: "http://api.test"))
    let store = RESTModelStore(baseURL: url, transport: transport, options: options)
    _ = try await store.lookup(Person.self, identifier: "1")
    _ = try await store.list(Person.self)
    #expect(session.log.withLock { $0 } == ["lookup 1"])
    #expect(transport.requests.map { $0.headers["Cookie"] } == ["sid=4711", nil])
  }

  @Test func `A session that can't be restored keeps the request from being sent`() async throws {
    var options = RESTOptions()
    options.authentication = Session(isSignedIn: false)
    let transport = StubTransport(status: 200, "{}")
    let url = try #require(URL(string: "http://api.test"))
    let store = RESTModelStore(baseURL: url, transport: transport, options: options)
    let error = try await storeError { _ = try await store.lookup(Person.self, identifier: "1") }
    #expect(error.code == .unauthorized)
    #expect(error.message.contains("signed out"))
    #expect(transport.lines.isEmpty)
  }

  @Test func `Credentials are fetched before the first request, or sent as name and password`() async throws {
    var options = RESTOptions()
    options.authentication = BearerAuthentication(nil) { refused in
      #expect(refused == nil)
      return "first"
    }
    let transport = StubTransport([.success(ada())])
    let url = try #require(URL(string: "http://api.test"))
    _ = try await RESTModelStore(baseURL: url, transport: transport, options: options).lookup(
      Person.self, identifier: "1")
    options.authentication = BasicAuthentication(user: "Aladdin", password: "open sesame")
    _ = try await RESTModelStore(baseURL: url, transport: transport, options: options).lookup(
      Person.self, identifier: "1")
    #expect(
      transport.requests.map { $0.headers["Authorization"] } == ["Bearer first", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="])
  }
}

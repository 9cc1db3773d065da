import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@Suite struct `A request that fails` {
  private func attempts(
    _ answers: [Result<HTTPResponseData, any Error>], attempts: Int = 3, _ body: (RESTModelStore) async throws -> Void
  ) async throws -> (waits: [Duration], count: Int) {
    let waits = Lock<[Duration]>([])
    var options = RESTOptions()
    options.retry = RESTRetryPolicy(attempts: attempts, base: .milliseconds(100), maximum: .seconds(10))
    options.retry.random = { 1 }
    options.retry.sleep = { wait in waits.withLock { $0.append(wait) } }
    options.retry.now = { Date(timeIntervalSince1970: 784_111_777) }
    let transport = StubTransport(answers)
    let url = try #require(URL(string: "http://api.test"))
    try await body(RESTModelStore(baseURL: url, transport: transport, options: options))
    return (waits.withLock { $0 }, transport.requests.count)
  }

  private let offline = Result<HTTPResponseData, any Error>.failure(ModelStoreError(.offline, "no network"))

  private func status(_ status: Int, retryAfter: String? = nil) -> Result<HTTPResponseData, any Error> {
    .success(HTTPResponseData(status: status, headers: retryAfter.map { ["Retry-After": $0] } ?? [:]))
  }

  @Test func `A request that fails is sent again after growing delays, and reported at last`() async throws {
    let result = try await attempts([offline], attempts: 5) { store in
      let error = try await storeError { _ = try await store.list(Person.self) }
      #expect(error.code == .offline)
    }
    #expect(result.waits == [100, 200, 400, 800].map { .milliseconds($0) })
    #expect(result.count == 5)
  }

  @Test func `A request that fails is not sent again if the request is at fault, or may not arrive twice`()
    async throws
  {
    for code in [400, 401, 404, 409, 501] {
      let result = try await attempts([status(code)]) { store in
        _ = try await storeError { _ = try await store.list(Person.self) }
      }
      #expect(result.count == 1)
    }
    let update = try await attempts([offline]) { store in
      _ = try await storeError { try await store.update(Person(id: 1, name: "Ada")) }
    }
    #expect(update.count == 1)
  }

  @Test func `A request that fails waits as long as the server requests, unless that is too long`() async throws {
    for (text, wait) in [("3", 3.1), ("Sun, 06 Nov 1994 08:49:40 GMT", 3.1), ("0", 0.1), ("soon", 0.1)] {
      let result = try await attempts([status(429, retryAfter: text), .success(ada())]) { store in
        _ = try await store.lookup(Person.self, identifier: "1")
      }
      #expect(result.waits == [.milliseconds(Int(wait * 1_000))], "\(text)")
    }
    for text in ["3600", "4294967296", "99999999999999999999", "Sun, 06 Nov 99999 08:49:40 GMT"] {
      let tooLong = try await attempts([status(503, retryAfter: text), .success(ada())]) { store in
        let error = try await storeError { _ = try await store.lookup(Person.self, identifier: "1") }
        #expect(error.refusal?.retryAfter.map { $0 >= .seconds(3_600) } == true, "\(text)")
      }
      #expect(tooLong.count == 1, "\(text)")
    }
  }

  @Test func `A request that is refused after a lost attempt leaves its outcome uncertain`() async throws {
    var options = RESTOptions()
    (options.retry, options.idempotencyKeyHeader) = (.standard, "Idempotency-Key")
    options.retry.sleep = { _ in }
    for (first, status, isUncertain) in [(offline, 409, true), (self.status(503), 422, true), (offline, 403, true)]
      + [(self.status(429), 409, false)]
    {
      let store = try RESTModelStore(StubTransport([first, self.status(status)]), options: options)
      let error = try await storeError { try await store.create(Person(name: "Ada")) }
      let lead = isUncertain ? "It is not certain whether this Person was written. " : "This Person was not written. "
      #expect(error.message.hasPrefix(lead), "\(error.message)")
    }
  }

  @Test func `A request without credentials after a lost attempt leaves its outcome uncertain`() async throws {
    struct ExpiringAuthentication: RESTAuthentication {
      let count = Lock(0)
      func authorize(_ request: inout HTTPRequestData, for operation: RESTOperation) throws {
        let count = self.count.withLock { count in
          count += 1
          return count
        }
        if count > 1 { throw Missing(description: "signed out") }
      }
    }
    var options = RESTOptions()
    (options.retry, options.idempotencyKeyHeader) = (.standard, "Idempotency-Key")
    options.retry.sleep = { _ in }
    options.authentication = ExpiringAuthentication()
    let store = try RESTModelStore(StubTransport([offline]), options: options)
    let error = try await storeError { try await store.create(Person(name: "Ada")) }
    #expect(
      error.message == """
        It is not certain whether this Person was written. POST /people: the request was not sent again, because there \
        are no credentials: signed out
        """)
  }

  @Test func `A repeated delete that finds no model has succeeded`() async throws {
    let result = try await attempts([offline, status(404)]) { store in
      let person = Person(id: 1, name: "Ada")
      try await store.delete(person)
      #expect(!person.isKnownToStore)
    }
    #expect(result.count == 2)
    _ = try await attempts([status(404)]) { store in
      let error = try await storeError { try await store.delete(Person(id: 1, name: "Ada")) }
      #expect(error.code == .notFound)
    }
  }
}

import AsyncHTTPTransport
import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import StoreProtocolTesting
import Testing

// The folder Shared is a link to that of the tests of RESTStore: both transports are held to the same list of faults.

@Suite(.needsRESTServer, .serialized, .timeLimit(.minutes(30)))
struct `A REST store over AsyncHTTPClient` {
  @Test(arguments: ModelStoreContract.checks(without: [.queries, .batches, .transactions]))
  func `A REST store over AsyncHTTPClient keeps the contract of stores`(check: ModelStoreContract.Check) async throws {
    let server = try RESTServer.shared()
    try await check.run {
      RESTModelStore(
        baseURL: server.freshBase(), dialect: JSONDialect(paging: .offset(size: 100)),
        transport: AsyncHTTPClientTransport.shared)
    }
  }

  /// A run with its own connections: a fault can end a connection after its answer, just when another test uses it
  /// again.
  private func run(_ fault: String) throws -> FaultRun {
    try FaultRun(fault, transport: AsyncHTTPClientTransport())
  }

  private func outcome(_ body: () async throws -> Void) async throws -> String {
    do {
      try await body()
      return "fine"
    } catch let error as ModelStoreError {
      #expect(!error.message.isEmpty)
      return error.code.description
    }
  }

  private static let faults = FaultCase.all + FaultCase.endsTheProcessOnLinux

  @Test(arguments: faults) func `A lookup ends as documented at each fault, and changes no model`(expected: FaultCase)
    async throws
  {
    let run = try run(expected.fault)
    let scope = ModelScope()
    let person = try Person.from(dictionaryValue: ["id": 1, "name": "before", "age": 1], in: scope)
    let found = try await outcome { _ = try await run.store(scope: scope).lookup(Person.self, identifier: "1") }
    #expect(found == expected.lookup)
    #expect(person.name.value == (found == "fine" ? "Ada" : "before"))
    #expect(!person.isDirty)
  }

  @Test(arguments: faults)
  func `A create ends as documented at each fault, is sent once, and leaves a failed model new`(expected: FaultCase)
    async throws
  {
    let run = try run(expected.fault)
    let person = Person(name: "Ada")
    let created = try await outcome { try await run.store().create(person) }
    #expect(created == expected.create)
    #expect(person.isKnownToStore == (created == "fine"))
    #expect(try await run.methods().count { $0 == "POST" } == 1)
  }

  @Test(arguments: faults)
  func `An update ends as documented at each fault, and keeps the edits of a failed model`(expected: FaultCase)
    async throws
  {
    let run = try run(expected.fault)
    let scope = ModelScope()
    let person = try Person.from(dictionaryValue: ["id": 1, "name": "before"], in: scope)
    person.name.value = "edited"
    let updated = try await outcome { try await run.store(scope: scope).update(person) }
    #expect(updated == expected.update)
    #expect(person.isDirty == (updated != "fine"))
    if expected.fault != "redirect-loop" { #expect(try await run.methods().count { $0 == "PATCH" } == 1) }
  }

  @Test(arguments: FaultCase.unusual)
  func `An unusual answer is not taken for a lost connection`(fault: String) async throws {
    let read = try await outcome { _ = try await run(fault).store().lookup(Person.self, identifier: "1") }
    #expect(["fine", "server"].contains(read))
    let written = try await outcome { try await run(fault).store().create(Person(name: "Ada")) }
    #expect(["fine", "server"].contains(written))
  }

  @Test func `A create is sent once if its connection ends just when it is used again`() async throws {
    let run = try run("reset-when-reused")
    let store = run.store()
    try await store.create(Person(name: "Ada"))
    let second = Person(name: "Bob")
    #expect(try await outcome { try await store.create(second) } == "offline")
    #expect(!second.isKnownToStore)
    #expect(try await run.methods() == ["POST", "POST"])
  }

  @Test(arguments: [HTTPRequestData.Method.get, .post, .put, .patch, .delete])
  func `Each request is sent at most once over connections that end between requests`(
    method: HTTPRequestData.Method
  ) async throws {
    let run = try run("close-when-kept")
    let url = run.server.url.appendingPathComponent("fault/close-when-kept/\(run.run)/people/1")
    let request = HTTPRequestData(
      method, url, body: method == .get || method == .delete ? nil : Data("{}".utf8), timeout: .seconds(240))
    for count in 1...3 {
      // The end of the connection can arrive after the request was given to it.
      #expect(["fine", "offline"].contains(try await outcome { _ = try await run.transport.send(request) }))
      let sent = try await run.log().count
      #expect(sent <= count)
      while try await run.log("-closed").count < sent { await Task.yield() }
    }
  }

  @Test(arguments: ["none", "reset-after"])
  func `No write is sent twice where one connection carries many`(fault: String) async throws {
    let run = try run(fault)
    let outcomes = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<4 {
        group.addTask {
          let store = run.store()
          var outcomes: [String] = []
          for _ in 0..<50 { outcomes.append(try await outcome { try await store.create(Person(name: "Ada")) }) }
          return outcomes
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(outcomes.count == 200)
    #expect(Set(outcomes).isSubset(of: fault == "none" ? ["fine"] : ["fine", "offline"]))
    let sent = try await run.methods().count { $0 == "POST" }
    #expect(sent <= 200)
    #expect(sent >= outcomes.count { $0 == "fine" })
  }

  @Test func `Credentials are not sent to another host`() async throws {
    let run = try run("moved-to-another-host")
    var options = RESTOptions()
    options.authentication = BearerAuthentication("secret")
    let store = run.store(options, headers: ["X-API-Key": "secret", "Cookie": "s=secret"])
    _ = try await store.lookup(Person.self, identifier: "1")
    #expect(try await "\(run.log())".contains("secret"))
    let there = try await run.log("-there")
    #expect(there.count == 1)
    #expect(!"\(there)".contains("secret"))
  }

  @Test func `An expired token is renewed once`() async throws {
    let run = try run("unauthorized-once")
    var options = RESTOptions()
    options.authentication = BearerAuthentication("old") { _ in "new" }
    try await run.store(options).create(Person(name: "Ada"))
    #expect(try await run.methods() == ["POST", "POST"])
  }
}

import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import StoreProtocolTesting
import Testing

@Suite(.needsRESTServer, .timeLimit(.minutes(30))) struct `A REST store on a server in another process` {
  @Test(arguments: ModelStoreContract.checks(without: [.queries, .batches, .transactions]))
  func `A REST store on a server in another process keeps the contract`(check: ModelStoreContract.Check) async throws {
    let server = try RESTServer.shared()
    try await check.run {
      RESTModelStore(baseURL: server.freshBase(), dialect: JSONDialect(paging: .offset(size: 100)))
    }
  }

  @Test(arguments: ModelStoreContract.liveChecks(without: [.queries, .batches, .transactions, .orderedReads]))
  func `A REST store on a server in another process keeps results up to date with the writes of its store instances`(
    check: ModelStoreContract.SharedEngineCheck
  ) async throws {
    let handle = RESTModelStore(baseURL: try RESTServer.shared().freshBase()).handle
    try await check.run { RESTModelStore(handle) }
  }

  @Test(arguments: TestEffort.seeds(2))
  func `A store has one object for one identifier while several tasks write beside observers`(seed: UInt64) async throws
  {
    let handle = RESTModelStore(baseURL: try RESTServer.shared().freshBase()).handle
    try await ModelStoreContract.randomObservers(10, seed: seed * 1_000).run { RESTModelStore(handle) }
  }

  @Test(arguments: ["..admin", "a/b", "%41%2e", "...", "a b+c", "?x=1#y", "\u{E9}\u{1F40D}", "a\\b", ";a=b", "*"])
  func `A REST store on a server in another process keeps models with any identifier apart`(identifier: String)
    async throws
  {
    let store = RESTModelStore(baseURL: try RESTServer.shared().freshBase()).with(timeout: .seconds(240))
    let other = Document()
    other.path.value = "other"
    try await store.create(other)
    let document = Document()
    document.path.value = identifier
    document.text.value = "first"
    try await store.create(document)
    document.text.value = "second"
    try await store.update(document)
    let found = try await RESTModelStore(store.handle).lookup(Document.self, identifier: identifier)
    #expect(found.identifier == identifier)
    #expect(found.text.value == "second")
    try await store.delete(document)
    #expect(try await store.list(Document.self) == [other])
  }

  @Test func `A REST store on a server in another process reads and writes below an owner`() async throws {
    let store = RESTModelStore(baseURL: try RESTServer.shared().freshBase()).with(timeout: .seconds(240))
    let company = Company()
    company.name.value = "Acme"
    try await store.create(company)
    let employee = Employee()
    employee.company.value = company
    try await store.create(employee)
    employee.name.value = "Ada"
    try await store.update(employee)
    try await store.delete(employee)
    // It was in the company's collection only.
    #expect(try await store.list(Employee.self).isEmpty)
  }

  @Test func `A REST store on a server in another process saves on the main actor and reads on another actor`()
    async throws
  {
    let handle = RESTModelStore(baseURL: try RESTServer.shared().freshBase()).handle
    let identifier = try await onMainActor(handle)
    let name = try await Elsewhere().name(of: identifier, handle)
    #expect(name == "Ada")
  }

  @MainActor private func onMainActor(_ handle: RESTEngine) async throws -> String {
    let store = RESTModelStore(handle)
    let person = Person(name: "Ada")
    try await store.save(person)
    return try #require(person.identifier)
  }

  private actor Elsewhere {
    func name(of identifier: String, _ handle: RESTEngine) async throws -> String? {
      try await RESTModelStore(handle).lookup(Person.self, identifier: identifier).name.value
    }
  }

  @Test func `A REST store leaves a model unchanged when the server fails once, and continues then`() async throws {
    let server = try RESTServer()
    let store = RESTModelStore(baseURL: server.url)
    let person = try await store.create(Person(name: "Ada"))
    person.name.value = "Augusta"
    _ = try await server.control(.post, "_fail", ["status": 500, "times": 1])
    let error = try await storeError { try await store.update(person) }
    #expect(error.code == .server)
    #expect(error.message.contains("status 500"))
    #expect(person.name.value == "Augusta")
    #expect(person.name.isDirty)
    try await store.update(person)
    #expect(!person.isDirty)
    await server.kill()
  }

  @Test func `A REST store on a server in another process does not repeat a failed create by itself`()
    async throws
  {
    let server = try RESTServer()
    let store = RESTModelStore(baseURL: server.url)
    _ = try await server.control(.post, "_fail", ["status": 503, "times": 1])
    let person = Person(name: "Ada")
    #expect(try await storeError { try await store.create(person) }.code == .server)
    #expect(!person.isKnownToStore)
    let log = try await server.control(.get, "_log")
    #expect(log?.arrayValue?.count == 1)
    await server.kill()
  }

  @Test func `A REST store on a server in another process is offline after the server was killed, and its models stay`()
    async throws
  {
    let server = try RESTServer()
    let store = RESTModelStore(baseURL: server.url)
    let person = try await store.create(Person(name: "Ada"))
    await server.kill()
    person.name.value = "Augusta"
    #expect(try await storeError { try await store.update(person) }.code == .offline)
    #expect(try await storeError { _ = try await store.list(Person.self) }.code == .offline)
    #expect(person.name.isDirty)
    #expect(person.identifier == "1")
  }

  @Test func `A REST store on a server in another process creates nothing in a task that was cancelled`() async throws {
    let base = try RESTServer.shared().freshBase()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let person = Person(name: "Ada")
      let error = try await storeError { try await RESTModelStore(baseURL: base).create(person) }
      #expect(!person.isKnownToStore)
      return error.code
    }
    #expect(try await task.value == .cancelled)
    #expect(try await RESTModelStore(baseURL: base).list(Person.self).isEmpty)
  }
}

import Foundation
@_spi(ModelKitInternals) import RESTStore
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol
@testable import StoreProtocolTesting

private final class Firm: Model {
  @Field var id: Int?
  @Field var name: String?
  @ModelArrayField(foreignKey: true) var employees: [Person]?
  override var identifierField: AnyField? { $id }
}

@Suite struct `A live query of a REST store` {
  @Test func `A live query of a REST store follows saves without a request if the answer is the whole record`()
    async throws
  {
    let server = PeopleServer()
    let store = try RESTModelStore(server)
    let ada = try await store.create(Person(name: "Ada"))
    let other = RESTModelStore(store.handle)
    var results = other.observe(Person.self).makeAsyncIterator()
    var result = try #require(await results.next())
    #expect(result.models.map(\.name.value) == ["Ada"])
    let gets = server.count("GET")

    try await store.create(Person(name: "Bob"))
    ada.name.value = "Ada L."
    try await store.save(ada)
    result = try #require(await results.next())
    #expect(result.models.map(\.name.value) == ["Ada L.", "Bob"])
    #expect(result.differences.inserted.map(\.index) == [1])
    #expect(result.differences.updated.map(\.index) == [0])
    #expect(server.count("GET") == gets)
  }

  @Test func `A live sum and live groups of a REST store follow saves and deletions of any instance`() async throws {
    let server = PeopleServer()
    let store = try RESTModelStore(server)
    let ada = try await store.create(Person(name: "Ada"))
    ada.age.value = 60
    try await store.save(ada)
    let reader = RESTModelStore(store.handle)
    var sums = reader.observeValue(Person.self, { $0.sum(\.age) }).makeAsyncIterator()
    var groups = reader.observeGroups(Person.self, by: { $0.name }) { ($0.count, $0.sum(\.age)) }.makeAsyncIterator()
    func sum() async throws -> Int? { try #require(await sums.next()).get() }
    func shownGroups() async throws -> [String] {
      try #require(await groups.next()).get().map { "\($0.key ?? "none") \($0.values.0) \($0.values.1 ?? 0)" }
    }
    #expect(try await sum() == 60)
    #expect(try await shownGroups() == ["Ada 1 60"])
    let other = Person(name: "Ada")
    other.age.value = 5
    try await store.create(other)
    #expect(try await sum() == 65)
    #expect(try await shownGroups() == ["Ada 2 65"])
    try await store.delete(ada)
    #expect(try await sum() == 5)
    #expect(try await shownGroups() == ["Ada 1 5"])
  }

  @Test(arguments: [PeopleServer.Answer.sent, .nothing])
  func `A live query of a REST store is fetched again if the answer is a part of the record`(
    answer: PeopleServer.Answer
  ) async throws {
    let server = PeopleServer(answer)
    let store = try RESTModelStore(server)
    let seed = HTTPRequestData(
      .post, try #require(URL(string: "http://api.test/people")), body: Data(#"{"name": "Ada", "age": 1}"#.utf8))
    _ = try await server.send(seed)
    let ada = try await store.lookup(Person.self, identifier: "1")
    var results = RESTModelStore(store.handle).observe(Person.self).makeAsyncIterator()
    _ = await results.next()
    let gets = server.count("GET")
    ada.name.value = "Ada L."
    try await store.save(ada)
    let result = try #require(await results.next())
    #expect(result.models.map(\.name.value) == ["Ada L."])
    #expect(server.count("GET") == gets + 1)
  }

  @Test func `A live query about a list is fetched again if the answer lacks the list`() async throws {
    let bodies = [
      #"[{"id": 1, "name": "Old", "employees": [5]}]"#, #"{"id": 1, "name": "New"}"#,
      #"[{"id": 1, "name": "New", "employees": [5]}]"#,
    ]
    let transport = StubTransport(bodies.map { .success(HTTPResponseData(status: 200, body: Data($0.utf8))) })
    let store = try RESTModelStore(transport)
    var results = store.observe(Firm.self, where: { $0.employees.count > 0 }, evaluation: .inMemory)
      .makeAsyncIterator()
    let firm = try #require(await results.next()?.models.first)
    firm.name = "New"
    try await store.save(firm)
    #expect(try #require(await results.next()).models == [firm])
    #expect(transport.requests.count == 3)
  }

  @Test func `A live query of a REST store is fetched again after a deletion`() async throws {
    let server = PeopleServer()
    let store = try RESTModelStore(server)
    let ada = try await store.create(Person(name: "Ada"))
    var results = store.observe(Person.self).makeAsyncIterator()
    _ = await results.next()
    let gets = server.count("GET")
    try await store.delete(ada)
    #expect(await results.next()?.models.isEmpty == true)
    #expect(server.count("GET") == gets + 1)
  }

  @Test func `A live query of a REST store is fetched again if two writes overlapped`() async throws {
    let gate = Lock<(waiting: [CheckedContinuation<Void, Never>], isOpen: Bool)>(([], true))
    let server = PeopleServer {
      await withCheckedContinuation { continuation in
        let isOpen = gate.withLock { gate in
          if !gate.isOpen { gate.waiting.append(continuation) }
          return gate.isOpen
        }
        if isOpen { continuation.resume() }
      }
    }
    let handle = try RESTModelStore(server).handle
    let store = RESTModelStore(handle)
    try await store.create(Person(name: "Ada"))
    var results = store.observe(Person.self).makeAsyncIterator()
    _ = await results.next()
    let gets = server.count("GET")

    gate.withLock { $0.isOpen = false }
    async let first: Void = Self.create("Bob", handle)
    async let second: Void = Self.create("Cleo", handle)
    while gate.withLock({ $0.waiting.count }) < 2 { await Task.yield() }
    let waiting = gate.withLock { gate in
      gate.isOpen = true
      return gate.waiting
    }
    for continuation in waiting { continuation.resume() }
    _ = try await (first, second)
    let result = try #require(await results.next())
    #expect(Set(result.models.map(\.name.value)) == ["Ada", "Bob", "Cleo"])
    #expect(server.count("GET") == gets + 1)
  }

  private static func create(_ name: String, _ handle: RESTEngine) async throws {
    try await RESTModelStore(handle).create(Person(name: name))
  }

  @Test func `A local change that was not saved is kept when another instance saves the model`() async throws {
    let server = PeopleServer()
    let store = try RESTModelStore(server)
    let ada = try await store.create(Person(name: "Ada"))
    let other = RESTModelStore(store.handle)
    var results = other.observe(Person.self).makeAsyncIterator()
    let shown = try #require(await results.next()?.models.first)
    shown.name.value = "mine"
    ada.age.value = 36
    try await store.save(ada)
    _ = try #require(await results.next())
    #expect(shown.name.value == "mine")
    #expect(shown.age.value == 36)
    #expect(server.count("GET") == 1)
  }

  @Test(arguments: TestEffort.seeds(60))
  func `A live query of a REST store equals the list after each write of a randomized history`(seed: UInt64)
    async throws
  {
    var random = RandomSource(seed: seed)
    let server = PeopleServer(random.pick([.whole, .whole, .sent]))
    let store = try RESTModelStore(server)
    let sorts: [[ModelSort<Person>]] = [
      [], [.ascending(\.age)], [.descending(\.name)], [.ascending(\.age), .descending(\.name)],
    ]
    var query = ModelQuery(Person.self, sort: random.pick(sorts), evaluation: .inMemory)
    if random.pick([true, false]) { query = query.and { $0.age > 3 } }
    query.limit = random.pick([nil, nil, 2, 4])
    query.offset = random.pick([0, 0, 1])
    let observer = RESTModelStore(store.handle)
    var results = observer.observe(query).makeAsyncIterator()
    var shown = try #require(await results.next()).models
    var people: [Person] = []
    for step in 0..<40 {
      switch random.pick(people.count < 3 ? [0] : [0, 1, 1, 1, 2]) {
      case 0:
        let person = Person(name: random.pick(["Ada", "Bob", "Cleo", "Dan"]))
        person.age.value = random.pick([nil, 1, 2, 3, 4, 5, 6, 7])
        try await store.create(person)
        people.append(person)
        // Only a whole answer has all values.
        if server.answer != .whole { try await store.refresh(person) }
      case 1:
        let person = random.pick(people)
        person.age.value = random.pick([nil, 1, 2, 3, 4, 5, 6, 7])
        if random.pick([true, false]) { person.name.value = random.pick(["Ada", "Bob", "Cleo", "Dan"]) }
        try await store.save(person)
      default:
        let person = people.remove(at: Int.random(in: people.indices, using: &random))
        try await store.delete(person)
      }
      while let result = await results.nextIfReady() {
        #expect(result.error == nil)
        #expect(result.differences.applied(to: shown) == result.models, "differences of step \(step)")
        shown = result.models
      }
      let found = try await RESTModelStore(store.handle).list(query)
      #expect(shown.map(\.identifier) == found.map(\.identifier), "\(query), step \(step)")
      #expect(shown.map(\.age.value) == found.map(\.age.value), "\(query), step \(step)")
      #expect(shown.map(\.name.value) == found.map(\.name.value), "\(query), step \(step)")
    }
  }
}

import RESTStore
import Testing

@Suite struct `A query of a REST store` {
  private let transport = StubTransport(
    status: 200,
    #"[{"id": 1, "name": "Ada", "age": 36}, {"id": 2, "name": "Bob", "age": 40}, {"id": 3, "name": "Cleo"}]"#)

  @Test func `A REST store rejects a query that it can't translate, names the part and sends nothing`()
    async throws
  {
    let store = try RESTModelStore(transport)
    let error = try await storeError {
      _ = try await store.list(Person.self, where: { $0.age > 36 && $0.name != "Bob" })
    }
    #expect(error.code == .unsupported)
    #expect(error.message.contains(#"age > 36 && name != "Bob""#))
    let sorting = try await storeError { _ = try await store.list(Person.self, sort: [.descending(\.age)]) }
    #expect(sorting.code == .unsupported)
    #expect(sorting.message.contains("the order by age descending"))
    #expect(transport.lines.isEmpty)
  }

  @Test func `A REST store fetches the whole collection for a query that is evaluated in memory`()
    async throws
  {
    let store = try RESTModelStore(transport)
    let found = try await store.list(
      Person.self, where: { $0.age != 36 }, sort: [.descending(\.age)], limit: 1, offset: 1, evaluation: .inMemory)
    #expect(found.map(\.id.value) == [3])
    #expect(transport.lines == ["GET http://api.test/people"])
    #expect(try await store.count(Person.self, where: { $0.age > 30 }, evaluation: .inMemory) == 2)
  }

  @Test func `A condition on the owner is part of the path, even of a query that is evaluated in memory`() async throws
  {
    let transport = StubTransport(status: 200, #"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]"#)
    let store = try RESTModelStore(transport)
    let found = try await store.list(
      Employee.self, where: { $0.company.id == 10 && $0.name.hasPrefix("A") }, evaluation: .inMemory)
    #expect(transport.lines == ["GET http://api.test/companies/10/employees"])
    #expect(found.map(\.name.value) == ["Ada"])
    #expect(try await store.count(Employee.self, where: { $0.company.id == 10 }, evaluation: .inMemory) == 2)
  }

  private final class Account: Model {
    @Field var id: Int?
    let token = Field<String>(sensitive: true)
    override var identifierField: AnyField? { $id }
  }

  @Test func `A REST store explains a query by the request that it sends, without sensitive values`() async throws {
    let store = try RESTModelStore(transport, dialect: DjangoRESTDialect(paging: .pages(size: 20)))
      .with(parameters: ["key": "parameter of the instance"])
    let report = try await store.explain(ModelQuery(Person.self, where: { $0.age >= 36 }))
    #expect(report.statement == "GET /people/?page=1&page_size=20&age__gte=36", "\(report)")
    #expect(report.readCount == 3 && report.matchCount == 3)
    #expect("\(report)".hasSuffix("; GET /people/?page=1&page_size=20&age__gte=36"))
    let secret = try await store.explain(ModelQuery(Account.self, where: { $0.token == "secret" }))
    #expect(secret.statement == "GET /accounts/?page=…&page_size=…&token=…", "\(secret)")
    let inMemory = try await store.explain(ModelQuery(Person.self, where: { $0.age != 36 }, evaluation: .inMemory))
    #expect(inMemory.readCount == 2)
  }

  @Test func `A REST store rejects a negative limit before it sends anything`() async throws {
    let store = try RESTModelStore(transport)
    let error = try await storeError { _ = try await store.list(Person.self, limit: -1) }
    #expect(error.code == .invalid)
    #expect(transport.lines.isEmpty)
  }

  @Test func `A REST store overwrites local changes with a refresh only`() async throws {
    let transport = StubTransport(status: 200, #"{"id": 1, "name": "Ada"}"#)
    let store = try RESTModelStore(transport)
    let person = try await store.lookup(Person.self, identifier: "1")
    person.name.value = "Augusta"
    _ = try await store.lookup(Person.self, identifier: "1")
    #expect(person.name == "Augusta")
    try await store.refresh(person)
    #expect(person.name == "Ada")
    #expect(!person.isDirty)
  }
}

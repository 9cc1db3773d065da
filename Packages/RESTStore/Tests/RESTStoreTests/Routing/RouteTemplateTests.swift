import RESTStore
import Testing

private final class Org: Model {
  let id = Field<Int>()
  let people: ModelArrayField<Member> = ModelField(foreignKey: true)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id] }
}

private final class Member: Model {
  let id = Field<Int>()
  let region = Field<String>()
  let org = ModelField<Org>(foreignKey: true, inverse: \.people)
  override var identifierField: AnyField? { id }
}

private final class Handbook: Model, Routable {
  static var collectionPath: String { "books" }
  let id = Field<Int>()
  override var identifierField: AnyField? { id }
  var resourcePath: String? { "the/one handbook" }
}

@Suite struct `A route with placeholders` {
  private let router = RESTRouter()

  init() { router.route(Member.self, to: "/orgs/{org.id}/people/{id}") }

  private func member(org: Int?) -> Member {
    let member = Member()
    member.id.value = 7
    if let org {
      let owner = Org()
      owner.id.value = org
      member.org.value = owner
    }
    return member
  }

  @Test func `A route with placeholders takes their values from the model`() {
    #expect(router.instancePath(for: member(org: 5)) == "/orgs/5/people/7")
    #expect(router.collectionPath(for: member(org: 5)) == "/orgs/5/people")
    #expect(router.instancePath(for: member(org: nil)) == nil)
    #expect(router.collectionPath(for: Member.self) == nil)
  }

  @Test func `A route with placeholders keeps every value in one path component`() {
    router.route(Member.self, to: "/v{id}/{region}/people")
    let member = member(org: 5)
    member.region.value = "x/a b"
    #expect(router.instancePath(for: member) == "/v7/x%2Fa%20b/people/7")
    for value in ["..", "../x", "x/./y"] {
      member.region.value = value
      #expect(router.instancePath(for: member) == nil)
    }
  }

  @Test func `A route that ends with another placeholder than that of the identifier keeps it`() async throws {
    router.route(Member.self, to: "/tenants/{org.id}")
    #expect(router.instancePath(for: member(org: 5)) == "/tenants/5/7")
    let transport = StubTransport(status: 200, "[]")
    _ = try await RESTModelStore(transport, router: router).list(Member.self, where: { $0.org.id == 5 })
    #expect(transport.lines == ["GET http://api.test/tenants/5"])
  }

  @Test func `A route takes its values from a condition without model, and the error names missing ones`() async throws
  {
    let transport = StubTransport(status: 200, "[]")
    let store = try RESTModelStore(transport, router: router)
    _ = try await store.list(Member.self, where: { $0.org.id == 5 })
    #expect(transport.lines == ["GET http://api.test/orgs/5/people"])
    let error = try await storeError { _ = try await store.list(Member.self) }
    #expect(error.code == .invalid)
    #expect(error.message.contains("{org.id}"))
    // The other conditions are left to the dialect.
    let other = try await storeError { _ = try await store.list(Member.self, where: { $0.org.id == 5 && $0.id > 3 }) }
    #expect(other.code == .unsupported)
    #expect(other.message.contains("id > 3"))
  }

  @Test func `A route with placeholders takes its values from a live model that is refreshed`() async throws {
    let transport = StubTransport(status: 200, #"{"id": 7, "org": 5}"#)
    let store = try RESTModelStore(transport, router: router)
    let member = member(org: 5)
    try await store.refresh(member)
    #expect(transport.lines == ["GET http://api.test/orgs/5/people/7"])
  }
}

@Suite struct `A path of a relation` {
  @Test func `A path of a relation is that of its model and its key`() {
    let company = Company()
    company.id.value = 10
    let employee = Employee()
    employee.id.value = 45
    let router = RESTRouter()
    #expect(router.path(to: company.employees) == "/companies/10/employees")
    #expect(router.path(to: employee, in: company.employees) == "/companies/10/employees/45")
    employee.id.value = nil
    #expect(router.path(to: employee, in: company.employees) == nil)
    company.id.value = nil
    #expect(router.path(to: company.employees) == nil)
  }

  @Test func `A path of a relation is used to list the related models`() async throws {
    let transport = StubTransport(status: 200, #"[{"id": 45, "company": 10}]"#)
    let store = try RESTModelStore(transport)
    let company = try Company.from(dictionaryValue: ["id": 10], in: store.scope)
    let found = try await store.list(Employee.self, where: { $0.company.id == 10 })
    #expect(found.map(\.id.value) == [45])
    #expect(transport.lines == ["GET http://api.test/companies/10/employees"])
    #expect(company.employees.value?.count == 1)
  }

  @Test func `A path that a model declares itself is used in place of others`() async throws {
    let transport = StubTransport(status: 204)
    let store = try RESTModelStore(transport)
    let handbook = Handbook()
    handbook.id.value = 1
    try await store.delete(handbook)
    #expect(transport.lines == ["DELETE http://api.test/the/one%20handbook"])
    #expect(RESTRouter().instancePath(for: handbook) == "/the/one%20handbook")
  }
}

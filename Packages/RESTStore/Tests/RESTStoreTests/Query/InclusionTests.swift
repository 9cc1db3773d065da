import Foundation
import RESTStore
import Testing

@Suite struct `Related models in lists of a REST store` {
  private func answers(_ bodies: String...) -> StubTransport {
    StubTransport(bodies.map { .success(HTTPResponseData(status: 200, body: Data($0.utf8))) })
  }

  @Test func `A list requests the models of a foreign key together, each once`() async throws {
    let transport = answers(
      #"[{"id": 1, "company": 7}, {"id": 2, "company": 8}, {"id": 3, "company": 7}, {"id": 4, "company": null}]"#,
      #"[{"id": 7, "name": "Acme"}, {"id": 8, "name": "Tyrell"}]"#)
    let store = try RESTModelStore(transport, dialect: DjangoRESTDialect(paging: .whole))
    let people = try await store.list(Employee.self, including: [\.company])
    #expect(
      transport.lines == ["GET http://api.test/employees/", "GET http://api.test/companies/?id__in=7%2C8"])
    let found1 = people.map { $0.company.value?.name.value }
    #expect(found1 == ["Acme", "Tyrell", "Acme", nil])
  }

  @Test func `A single related model is looked up, whatever conditions the API has`() async throws {
    let transport = answers(#"[{"id": 1, "company": 7}, {"id": 2, "company": 7}]"#, #"{"id": 7, "name": "Acme"}"#)
    let store = try RESTModelStore(transport)
    let people = try await store.list(Employee.self, including: [\.company])
    #expect(transport.lines == ["GET http://api.test/employees", "GET http://api.test/companies/7"])
    let found2 = people.map { $0.company.value?.name.value }
    #expect(found2 == ["Acme", "Acme"])
  }

  @Test func `An API without a condition for several identifiers gets a request for each related model`() async throws {
    let transport = answers(
      #"[{"id": 1, "company": 7}, {"id": 2, "company": 8}]"#, #"{"id": 7, "name": "Acme"}"#,
      #"{"id": 8, "name": "Tyrell"}"#)
    let store = try RESTModelStore(transport)
    let people = try await store.list(Employee.self, including: [\.company])
    #expect(
      transport.lines == [
        "GET http://api.test/employees", "GET http://api.test/companies/7", "GET http://api.test/companies/8",
      ])
    let names = people.map { $0.company.value?.name.value }
    #expect(names == ["Acme", "Tyrell"])
  }

  @Test func `An API with a parameter for identifiers gets one request for all related models`() async throws {
    let people = #"[{"id": 1, "company": 7}, {"id": 2, "company": 8}]"#
    let companies = #"[{"id": 7, "name": "Acme"}, {"id": 8, "name": "Tyrell"}]"#
    let plain = answers(people, companies)
    let enveloped = answers(#"{"data": \#(people)}"#, #"{"data": \#(companies)}"#)
    for (transport, dialect) in [
      (plain, JSONDialect(identifiersParameter: "ids") as any RESTDialect),
      (enveloped, EnvelopedDialect(identifiersParameter: "ids")),
    ] {
      let found = try await RESTModelStore(transport, dialect: dialect).list(Employee.self, including: [\.company])
      #expect(transport.lines == ["GET http://api.test/employees", "GET http://api.test/companies?ids=7%2C8"])
      let names = found.map { $0.company.value?.name.value }
      #expect(names == ["Acme", "Tyrell"])
    }
  }

  @Test func `A parameter for identifiers expresses no other condition`() async throws {
    let transport = answers("[]")
    let store = try RESTModelStore(transport, dialect: JSONDialect(identifiersParameter: "ids"))
    _ = try await store.list(Company.self, where: { $0.id == 7 })
    for query in [
      ModelQuery(Company.self, where: { $0.name == "7" }), ModelQuery(Company.self, where: { $0.id > 7 }),
      ModelQuery(Company.self, where: { $0.id == 7 && $0.name == "a" }),
      ModelQuery(Company.self, where: { $0.id == 7 }, sort: [.ascending(\.id)]),
    ] {
      let error = try await storeError { _ = try await store.list(query) }
      #expect(error.code == .unsupported)
    }
    let documents = ModelQuery(Document.self, where: { $0.path == "a,b" })
    #expect(try await storeError { _ = try await store.list(documents) }.code == .unsupported)
    #expect(transport.lines == ["GET http://api.test/companies?ids=7"])
  }

  @Test func `A lookup and a page take related models from the answer, if the dialect has a parameter`() async throws {
    let ada = #"{"id": 1, "company": {"id": 7, "name": "Acme"}}"#
    let transport = answers(ada, ada, "[\(ada)]")
    let store = try RESTModelStore(transport, dialect: JSONDialect(includeParameter: "include"))
    let found = try await store.lookup(Employee.self, identifier: "1", including: [\.company])
    #expect(found.company.value?.name.value == "Acme")
    let again = try await store.lookup(Employee.self, identifier: "1", including: [\.company])
    #expect(again === found)
    let page = try await store.page(ModelQuery(Employee.self), after: nil, including: [\.company])
    #expect(page.models.first === found)
    for try await employee in store.stream(Employee.self, including: [\.company]) {
      #expect(employee === found)
    }
    let list = "GET http://api.test/employees?include=company"
    let paths = ["employees/1", "companies/7/employees/1"]
    #expect(transport.lines == paths.map { "GET http://api.test/\($0)?include=company" } + [list, list])
  }

  @Test func `A condition about related models is tested on models that were listed with them`() async throws {
    let people = #"[{"id": 1, "company": 7}, {"id": 2, "company": 8}]"#
    let transport = answers(people, people, #"[{"id": 8, "name": "Tyrell"}, {"id": 7, "name": "Acme"}]"#)
    let store = try RESTModelStore(transport)
    let query = ModelQuery(Employee.self, where: { $0.company.name == "Tyrell" })
    let error = try await storeError {
      _ = try await store.list(Employee.self, where: { $0.company.name == "Tyrell" }, evaluation: .inMemory)
    }
    #expect(error.code == .unsupported)
    #expect(error.message.contains("with including:"))
    let all = try await store.list(Employee.self, evaluation: .inMemory, including: [\.company])
    #expect(try all.filter(query.matches).map(\.id.value) == [2])
  }

  @Test func `An inverse list of an API without conditions takes the path of each owner`() async throws {
    let transport = answers(
      #"[{"id": 7, "name": "Acme"}, {"id": 8, "name": "Tyrell"}]"#, #"[{"id": 1, "company": 7}]"#,
      #"[{"id": 2, "company": 8}]"#)
    let store = try RESTModelStore(transport)
    let companies = try await store.list(Company.self, including: [\.employees])
    #expect(
      transport.lines == [
        "GET http://api.test/companies", "GET http://api.test/companies/7/employees",
        "GET http://api.test/companies/8/employees",
      ])
    let members = companies.map { $0.employees.value?.map(\.id.value) }
    #expect(members == [[1], [2]])
  }

  @Test func `An inverse list that an API can't find by its owner rejects the inclusion`() async throws {
    let transport = answers(#"[{"id": 7, "name": "Acme"}, {"id": 8, "name": "Tyrell"}]"#)
    let store = try RESTModelStore(transport)
    let error = try await storeError { _ = try await store.list(Company.self, including: [\.advisers]) }
    #expect(error.code == .unsupported)
    #expect(transport.requests.count == 1)
  }

  @Test func `Evaluation in memory fetches the collection of the related models once`() async throws {
    let transport = answers(
      #"[{"id": 1, "company": 7}, {"id": 2, "company": 8}]"#,
      #"[{"id": 8, "name": "Tyrell"}, {"id": 9}, {"id": 7, "name": "Acme"}]"#)
    let store = try RESTModelStore(transport)
    let people = try await store.list(Employee.self, evaluation: .inMemory, including: [\.company])
    #expect(transport.lines == ["GET http://api.test/employees", "GET http://api.test/companies"])
    let found3 = people.map { $0.company.value?.name.value }
    #expect(found3 == ["Acme", "Tyrell"])
  }

  @Test func `An inverse list takes one request for all its owners`() async throws {
    let transport = answers(
      #"[{"id": 7, "name": "Acme"}, {"id": 8, "name": "Tyrell"}]"#,
      #"[{"id": 1, "name": "Ada", "company": 8}, {"id": 2, "name": "Bo", "company": 8}]"#)
    let store = try RESTModelStore(transport, dialect: DjangoRESTDialect(paging: .whole))
    let companies = try await store.list(Company.self, including: [\.employees])
    #expect(
      transport.lines == ["GET http://api.test/companies/", "GET http://api.test/employees/?company__in=7%2C8"])
    let found4 = companies.map(\.employees.count)
    #expect(found4 == [0, 2])
    let found5 = companies.last?.employees.value?.map(\.name.value)
    #expect(found5 == ["Ada", "Bo"])
  }

  @Test func `A live query reads related models with one request, and a written one again`() async throws {
    let transport = answers(
      #"[{"id": 1, "company": 7}, {"id": 2, "company": 8}, {"id": 3, "company": 7}]"#,
      #"[{"id": 7, "name": "Acme"}, {"id": 8, "name": "Tyrell"}]"#, #"{"id": 7, "name": "Umbrella"}"#,
      #"{"id": 7, "name": "Umbrella Inc."}"#)
    let store = try RESTModelStore(transport, dialect: DjangoRESTDialect(paging: .whole))
    var results = store.observe(Employee.self, including: [\.company]).makeAsyncIterator()
    let first = try #require(await results.next())
    let company = try #require(first.models[0].company.value)
    #expect(transport.lines.count == 2)
    company.name.value = "Umbrella"
    try await store.update(company)
    let second = try #require(await results.next())
    #expect(second.differences.updated.map(\.index) == [0, 2])
    let names = second.models.map { $0.company.value?.name.value }
    #expect(names == ["Umbrella Inc.", "Tyrell", "Umbrella Inc."])
    #expect(transport.lines.dropFirst(3) == ["GET http://api.test/companies/7/"])
  }

  @Test func `A dialect with a parameter for it gets related models with the list, in one request`() async throws {
    let transport = answers(
      #"[{"id": 1, "company": {"id": 7, "name": "Acme"}}, {"id": 2, "company": {"id": 7, "name": "Acme"}}]"#)
    let store = try RESTModelStore(transport, dialect: JSONDialect(includeParameter: "expand"))
    let people = try await store.list(Employee.self, including: [\.company, \.advises])
    #expect(transport.lines == ["GET http://api.test/employees?expand=company%2Cadvises"])
    let found6 = people.map { $0.company.value?.name.value }
    #expect(found6 == ["Acme", "Acme"])
  }

  @Test func `JSON:API includes related resources beside those of every answer`() async throws {
    let transport = answers(
      #"""
      {"data": [{"type": "employees", "id": "1", "relationships": {"company": {"data": {"type": "companies", "id": "7"}}}}],
       "included": [{"type": "companies", "id": "7", "attributes": {"name": "Acme"}}]}
      """#)
    let store = try RESTModelStore(transport, dialect: JSONAPIDialect(included: ["advises"]))
    let people = try await store.list(Employee.self, including: [\.company])
    #expect(transport.lines == ["GET http://api.test/employees?include=advises%2Ccompany"])
    let found7 = people.first?.company.value?.name.value
    #expect(found7 == "Acme")
  }

  @Test func `Identifiers that are too long for one address are split over requests`() async throws {
    let identifiers = (0..<100).map { "folder-\($0)-" + String(repeating: "x", count: 60) }
    let children = identifiers.map { #"{"id": "c-\#($0)", "parent": "\#($0)"}"# }.joined(separator: ",")
    let transport = answers("[\(children)]", "[]")
    let store = try RESTModelStore(transport, dialect: DjangoRESTDialect(paging: .whole))
    _ = try await store.list(Folder.self, including: [\.parent])
    #expect((4...6).contains(transport.requests.count - 1))
    #expect(transport.lines.allSatisfy { $0.utf8.count < 4_000 })
    let sent = transport.lines.dropFirst().joined()
    #expect(identifiers.allSatisfy { sent.contains($0) })
  }
}

import Foundation
import RESTStore
import Testing

@Suite struct `Several models of a REST store` {
  private struct Together: RESTDialect {
    var createsTogether: Bool { true }
    var deletesRelations: Bool { true }
  }

  private func transport(_ answers: (Int, String)...) -> StubTransport {
    StubTransport(answers.map { .success(HTTPResponseData(status: $0.0, body: Data($0.1.utf8))) })
  }

  private func bodies(_ transport: StubTransport) -> [String] {
    transport.requests.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
  }

  @Test func `Several models are created with one request of PostgREST`() async throws {
    let transport = transport((201, #"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]"#))
    let store = try RESTModelStore(transport, dialect: PostgRESTDialect(createsTogether: true))
    let people = [Person(name: "Ada"), Person(name: "Bob")]
    try await store.createAll(people)
    #expect(transport.lines == ["POST http://api.test/people"])
    #expect(bodies(transport) == [#"[{"name":"Ada"},{"name":"Bob"}]"#])
    #expect(transport.requests[0].headers["Accept"] == "application/json")
    #expect(transport.requests[0].headers["Prefer"] == "return=representation")
    #expect(people.map(\.identifier) == ["1", "2"])
    #expect(people.allSatisfy { $0.isPersisted && !$0.isDirty })
  }

  @Test func `Models whose records have other keys are created with another request`() async throws {
    let transport = transport(
      (201, #"[{"id": 1, "name": "Ada"}, {"id": 3, "name": "Cyd"}]"#), (201, #"[{"id": 2, "name": "Bob", "age": 3}]"#))
    let store = try RESTModelStore(transport, dialect: Together())
    let people = [Person(name: "Ada"), Person(name: "Bob"), Person(name: "Cyd")]
    people[1].age.value = 3
    try await store.createAll(people)
    #expect(bodies(transport) == [#"[{"name":"Ada"},{"name":"Cyd"}]"#, #"[{"age":3,"name":"Bob"}]"#])
    #expect(people.map(\.identifier) == ["1", "2", "3"])
  }

  @Test(arguments: [
    (201, "[]", "0 records for 2 new models"), (201, #"[{"id": 1}, {"id": 1}]"#, "two records"),
    (201, #"[{"id": 1}, {"name": "Bob"}]"#, "no identifier"), (201, #"[{"id": 1}, {"id": "x"}]"#, "id"),
    (201, #"{"id": 1}"#, "expected a list"), (409, #"{"message": "There is a Bob."}"#, "There is a Bob."),
  ])
  func `An answer that does not fit all new models changes none of them`(
    status: Int, body: String, message: String
  ) async throws {
    let store = try RESTModelStore(transport((status, body)), dialect: Together())
    let people = [Person(name: "Ada"), Person(name: "Bob")]
    let error = try await storeError { try await store.createAll(people) }
    #expect(error.message.contains(message), "\(error.message)")
    #expect(people.allSatisfy { !$0.isPersisted && $0.identifier == nil })
  }

  @Test(arguments: [
    (422, #"{"errors": [{"pointer": "/1/name", "detail": "is taken"}]}"#),
    (422, #"{"errors": {"1.name": ["is taken"]}}"#), (400, #"[{}, {"name": ["is taken"]}]"#),
    (422, #"{"errors": [{"source": {"pointer": "/data/1/name"}, "detail": "is taken"}]}"#),
    (422, #"{"detail": [{"loc": ["body", 1, "name"], "msg": "is taken"}]}"#),
  ])
  func `A message about one of several new models is added to that one`(status: Int, body: String) async throws {
    let store = try RESTModelStore(transport((status, body)), dialect: Together())
    let people = [Person(name: "Ada"), Person(name: "Bob")]
    let error = try await storeError { try await store.createAll(people) }
    #expect(error.code == .invalid)
    #expect(people.map { $0.validationErrors.map(\.message) } == [[], ["is taken"]])
    #expect(people[1].validationErrors.first?.path.description == "name")
  }

  @Test func `No model is created if one of them is invalid`() async throws {
    let transport = transport((201, "[]"))
    let store = try RESTModelStore(transport, dialect: Together())
    let error = try await storeError { try await store.createAll([Person(name: "Ada"), Person(name: "")]) }
    #expect(error.code == .invalid)
    #expect(transport.requests.isEmpty)
  }

  @Test func `A dialect that creates no models together has a request for each`() async throws {
    let transport = transport((201, #"{"id": 1}"#), (201, #"{"id": 2}"#))
    try await RESTModelStore(transport).createAll([Person(name: "Ada"), Person(name: "Bob")])
    #expect(transport.lines == ["POST http://api.test/people", "POST http://api.test/people"])
  }

  @Test func `Models that keep their identifiers are created together in any order of the answer's keys`() async throws
  {
    let transport = transport((201, #"[{"name": "Ada", "id": 7}, {"name": "Bob"}]"#))
    let store = try RESTModelStore(transport, dialect: Together())
    let people = [Person(id: 7, name: "Ada"), Person(id: 8, name: "Bob")]
    try await store.createAll(people)
    #expect(people.map(\.identifier) == ["7", "8"])
    let swapped = try RESTModelStore(
      self.transport((201, #"[{"id": 8}, {"id": 7}]"#)), dialect: Together())
    let others = [Person(id: 7, name: "Ada"), Person(id: 8, name: "Bob")]
    let error = try await storeError { try await swapped.createAll(others) }
    #expect(error.code == .server)
    #expect(others.allSatisfy { !$0.isPersisted })
  }

  @Test func `The members of a relation are deleted with one request of its path`() async throws {
    let transport = transport((200, #"[{"id": 1, "company": 7}, {"id": 2, "company": 7}]"#), (204, ""))
    let store = try RESTModelStore(transport, dialect: JSONDialect(deletesRelations: true))
    let company = try Company.from(dictionaryValue: ["id": 7], in: store.scope)
    #expect(try await store.deleteAll(in: company.employees) == 2)
    #expect(
      transport.lines == [
        "GET http://api.test/companies/7/employees", "DELETE http://api.test/companies/7/employees",
      ])
    #expect(company.employees.value?.isEmpty != false)
  }

  @Test func `The members of a relation are deleted one by one where the dialect has no path for it`() async throws {
    let transport = transport((200, #"[{"id": 1, "company": 7}, {"id": 2, "company": 7}]"#), (204, ""))
    let store = try RESTModelStore(transport)
    let company = try Company.from(dictionaryValue: ["id": 7], in: store.scope)
    #expect(try await store.deleteAll(in: company.employees) == 2)
    #expect(transport.lines.filter { $0.hasPrefix("DELETE") }.count == 2)
  }

  @Test func `A refused deletion of a relation keeps its members`() async throws {
    let list = #"[{"id": 1, "company": 7}]"#
    let store = try RESTModelStore(transport((200, list), (200, list), (403, "{}")), dialect: Together())
    let company = try Company.from(dictionaryValue: ["id": 7], in: store.scope)
    let members = try await store.list(in: company.employees)
    let error = try await storeError { try await store.deleteAll(in: company.employees) }
    #expect(error.code == .unauthorized)
    #expect(company.employees.value == members && members.count == 1)
  }

  @Test func `Several models are deleted with one request of PostgREST, by their identifiers`() async throws {
    let list = #"[{"id": 1, "name": "Ada", "age": 3}, {"id": 2, "name": "Bob", "age": 4}]"#
    let transport = transport((200, list), (200, list), (204, ""), (200, list), (204, ""))
    let store = try RESTModelStore(transport, dialect: PostgRESTDialect(deletesTogether: true))
    let people = try await store.list(Person.self, where: { $0.age < 5 })
    let other = RESTModelStore(store.handle)
    #expect(try await other.deleteAll(Person.self, where: { $0.age < 5 }) == 2)
    #expect(try await store.deleteAll(Person.self, where: { $0.age < 5 }) == 2)
    let deletions = transport.requests.filter { $0.method == .delete }
    #expect(deletions.map { $0.url.path } == ["/people", "/people"])
    #expect(deletions.allSatisfy { $0.url.query(percentEncoded: false) == #"id=in.("1","2")"# })
    #expect(
      deletions.allSatisfy { $0.headers["Prefer"] == "return=minimal" && $0.headers["Accept"] == "application/json" })
    #expect(people.allSatisfy { !$0.isPersisted })
  }

  @Test func `Models whose identifiers are too long for one address are deleted in parts`() async throws {
    let names = (0..<5).map { String(repeating: "\($0)", count: 600) }
    let list = names.map { #"{"id": "\#($0)"}"# }.joined(separator: ",")
    let transport = transport((200, "[\(list)]"), (204, ""), (204, ""), (204, ""))
    let store = try RESTModelStore(transport, dialect: PostgRESTDialect(deletesTogether: true))
    #expect(try await store.deleteAll(Badge.self) == 5)
    let deletions = transport.requests.filter { $0.method == .delete }.map { $0.url.query(percentEncoded: false) ?? "" }
    #expect(deletions.map { $0.split(separator: ",").count } == [2, 2, 1])
    #expect(names.allSatisfy { name in deletions.filter { $0.contains(name) }.count == 1 })
  }

  private final class Badge: Model {
    @Field var id: String?
    override var identifierField: AnyField? { $id }
  }

  @Test func `A refused deletion of several models deletes none of them here`() async throws {
    let transport = transport((200, #"[{"id": 1}, {"id": 2}]"#), (403, "{}"))
    let store = try RESTModelStore(transport, dialect: PostgRESTDialect(deletesTogether: true))
    let people = try await store.list(Person.self)
    let error = try await storeError { try await store.deleteAll(Person.self) }
    #expect(error.code == .unauthorized)
    #expect(people.allSatisfy { $0.isPersisted })
  }

  @Test func `Models are deleted one by one where the dialect has no parameters for several`() async throws {
    let transport = transport((200, #"[{"id": 1}, {"id": 2}]"#), (204, ""))
    let store = try RESTModelStore(transport)
    #expect(try await store.deleteAll(Person.self) == 2)
    #expect(
      transport.lines == [
        "GET http://api.test/people", "DELETE http://api.test/people/1", "DELETE http://api.test/people/2",
      ])
  }

  @Test func `A list of a path of its own reads all pages, with condition and limit`() async throws {
    let transport = StubTransport([
      .success(
        HTTPResponseData(
          status: 200, headers: ["Link": "<?page=2>; rel=\"next\""], body: Data(#"[{"id": 1}]"#.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(#"[{"id": 2}]"#.utf8))),
    ])
    let store = try RESTModelStore(transport, dialect: JSONDialect(sendsQueries: true))
    let people = try await store.list(ModelQuery(Person.self), at: "/people/active")
    #expect(people.map(\.identifier) == ["1", "2"])
    #expect(transport.lines == ["GET http://api.test/people/active", "GET http://api.test/people/active?page=2"])
    _ = try await store.list(ModelQuery(Person.self, where: { $0.age > 3 }), at: "/people/active")
    #expect(transport.lines.last?.hasPrefix("GET http://api.test/people/active?where=") == true)
  }

  @Test(arguments: ["people", "/people/../admin", "/people?active=1", "/people#a"])
  func `A list of a path that can't be sent is invalid`(path: String) async throws {
    let transport = transport((200, "[]"))
    let store = try RESTModelStore(transport)
    let error = try await storeError { _ = try await store.list(ModelQuery(Person.self), at: path) }
    #expect(error.code == .invalid)
    #expect(transport.requests.isEmpty)
  }

  @Test func `Members of a relation with unsaved changes are deleted one by one`() async throws {
    let transport = transport((200, #"[{"id": 1, "company": 7}]"#), (204, ""))
    var options = RESTOptions()
    options.followsPages = false
    let store = try RESTModelStore(transport, dialect: JSONDialect(deletesRelations: true), options: options)
    let company = try Company.from(dictionaryValue: ["id": 7], in: store.scope)
    #expect(try await store.deleteAll(in: company.employees) == 1)
    #expect(transport.lines.last == "DELETE http://api.test/companies/7/employees/1")
    let plain = self.transport((200, #"[{"id": 1, "company": 7}]"#), (204, ""))
    let other = try RESTModelStore(plain, dialect: JSONDialect(deletesRelations: true))
    let edited = try Tagged.from(dictionaryValue: ["id": 7, "tags": [1]], in: other.scope)
    let tag = try Person.from(dictionaryValue: ["id": 2, "name": "B"], in: other.scope)
    edited.tags.value = [tag]
    _ = try? await other.deleteAll(in: edited.tags)
    #expect(!plain.lines.contains { $0.hasPrefix("DELETE") && $0.hasSuffix("/tags") })
  }

  @Test func `Models that reference each other are created one by one, with identifiers of their own, too`()
    async throws
  {
    let transport = transport((201, ""))
    let store = try RESTModelStore(transport, dialect: Together())
    let folders = ["a", "p", "c"].map { id in
      let folder = Folder()
      folder.id.value = id
      return folder
    }
    folders[2].parent.value = folders[1]
    try await store.createAll(folders)
    #expect(transport.lines.count == 3)
  }

  @Test func `A record that does not fit its model with an identifier changes none of them`() async throws {
    let store = try RESTModelStore(
      transport((201, #"[{"id": 1}, {"id": 2, "name": 5}, {"id": 3}]"#)), dialect: Together())
    let people = (1...3).map { Person(id: $0, name: "Ada") }
    let error = try await storeError { try await store.createAll(people) }
    #expect(error.message.contains("[1].name"), "\(error.message)")
    #expect(people.allSatisfy { !$0.isPersisted })
    let twice = transport((201, "[]"))
    let conflict = try await storeError {
      try await RESTModelStore(twice, dialect: Together()).createAll([
        Person(id: 1, name: "A"), Person(id: 1, name: "B"),
      ])
    }
    #expect(conflict.code == .conflict && twice.requests.isEmpty)
  }
}

private final class Tagged: Model {
  let id = Field<Int>()
  let tags: ModelArrayField<Person> = ModelField(foreignKey: true)*
  override var identifierField: AnyField? { id }
}

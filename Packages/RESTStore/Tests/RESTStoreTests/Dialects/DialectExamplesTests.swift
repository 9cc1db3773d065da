import Foundation
import RESTStore
import Testing

private final class Author: Model {
  let id = Field<Int>()
  let firstName = Field<String>()
  let age = Field<Int>()
  let born = Field<Date>()
  let publisher = ModelField<Publisher>(foreignKey: true)
  override var identifierField: AnyField? { id }
}

private final class Publisher: Model {
  let id = Field<Int>()
  let name = Field<String>()
  override var identifierField: AnyField? { id }
}

@Suite struct `The enveloped dialect` {
  @Test func `The enveloped dialect wraps and unwraps at any key path`() async throws {
    let transport = StubTransport(status: 201, #"{"response": {"item": {"id": 7, "name": "Ada"}}}"#)
    let store = try RESTModelStore(transport, dialect: EnvelopedDialect("response.items", record: "response.item"))
    try await store.create(Person(name: "Ada"))
    #expect(transport.requests[0].body == Data(#"{"response":{"item":{"name":"Ada"}}}"#.utf8))
    let list = try RESTModelStore(
      StubTransport(status: 200, #"{"response": {"items": [{"id": 1}, {"id": 2}]}}"#),
      dialect: EnvelopedDialect("response.items"))
    #expect(try await list.list(Person.self).map(\.id.value) == [1, 2])
  }

  @Test func `The enveloped dialect finds an error in a success`() async throws {
    let store = try RESTModelStore(
      StubTransport(status: 200, #"{"ok": false, "error": {"message": "closed on Sundays"}}"#),
      dialect: EnvelopedDialect(error: "error"))
    let error = try await storeError { _ = try await store.list(Person.self) }
    #expect(error.code == .server)
    #expect(error.message.contains("closed on Sundays"))
  }

  @Test func `The enveloped dialect fetches the next page by a cursor or an address`() async throws {
    let pages = StubTransport([
      .success(HTTPResponseData(status: 200, body: Data(#"{"data": [{"id": 1}], "more": {"at": "x y"}}"#.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(#"{"data": [{"id": 2}], "more": {"at": null}}"#.utf8))),
    ])
    let store = try RESTModelStore(pages, dialect: EnvelopedDialect(next: "more.at", cursorParameter: "cursor"))
    #expect(try await store.list(Person.self).map(\.id.value) == [1, 2])
    #expect(pages.lines == ["GET http://api.test/people", "GET http://api.test/people?cursor=x%20y"])
  }
}

@Suite struct `The dialect of Django REST framework` {
  private let store: RESTModelStore
  private let transport = StubTransport(status: 200, #"{"count": 0, "next": null, "previous": null, "results": []}"#)

  init() throws {
    store = try RESTModelStore(
      transport,
      dialect: DjangoRESTDialect(
        paging: .pages(size: 50), orderingParameter: "ordering", lookups: [.contains: "contains"]),
      scope: ModelScope(transformers: ValueTransformerContext(keyCase: .snake)))
  }

  private func query(_ filter: @escaping (ModelColumns<Author>) -> QueryExpression) async throws -> String {
    _ = try await store.list(Author.self, where: filter)
    return transport.lines.last.map { String($0.dropFirst("GET http://api.test/authors/?page=1&page_size=50&".count)) }
      ?? ""
  }

  @Test func `The dialect of Django REST framework translates conditions to lookups, in the server's spelling`()
    async throws
  {
    #expect(try await query { $0.firstName == "Ada" && $0.age >= 18 } == "first_name=Ada&age__gte=18")
    #expect(try await query { $0.age < 5 && $0.age > 1 } == "age__lt=5&age__gt=1")
    #expect(try await query { $0.age == nil } == "age__isnull=true")
    #expect(try await query { $0.age != nil && $0.age <= 3 } == "age__isnull=false&age__lte=3")
    #expect(try await query { $0.id.isIn([1, 2]) } == "id__in=1%2C2")
    #expect(try await query { $0.publisher.id == 5 } == "publisher=5")
    #expect(try await query { $0.publisher.name == "x" } == "publisher__name=x")
    #expect(try await query { $0.firstName.contains("d&") } == "first_name__contains=d%26")
  }

  @Test func `The dialect of Django REST framework rejects conditions that Django reads in another way`() async throws {
    let refused: [((ModelColumns<Author>) -> QueryExpression, String)] = [
      ({ $0.age != 30 }, "age != 30"), ({ $0.age > 1 || $0.age < 0 }, "age > 1 || age < 0"),
      ({ $0.firstName.hasPrefix("A") }, "hasPrefix"), ({ $0.firstName.ignoringCase == "ada" }, "ignoringCase"),
      ({ $0.firstName.isIn(["a,b"]) }, "isIn"), ({ $0.firstName == "" }, #"firstName == """#),
      ({ $0.age > 1 && $0.age > 2 }, "age > 2"),
    ]
    for (filter, words) in refused {
      let error = try await storeError { _ = try await store.list(Author.self, where: filter) }
      #expect(error.code == .unsupported)
      #expect(error.message.contains(words), "\(error)")
    }
    let order = try await storeError { _ = try await store.list(Author.self, sort: [.ascending(\.age, nils: .last)]) }
    #expect(order.message.contains("the order by age nils last"))
    #expect(transport.lines.isEmpty)
  }

  @Test func `The dialect of Django REST framework follows numbers if its pages have no links`() async throws {
    func page(_ body: String) -> Result<HTTPResponseData, any Error> {
      .success(HTTPResponseData(status: 200, body: Data(body.utf8)))
    }
    let transport = StubTransport([
      page(#"{"count": 3, "results": [{"id": 1}, {"id": 2}]}"#), page(#"{"count": 3, "results": [{"id": 3}]}"#),
    ])
    let store = try RESTModelStore(transport, dialect: DjangoRESTDialect(paging: .pages(size: 2)))
    #expect(try await store.list(Person.self).map(\.id.value) == [1, 2, 3])
    #expect(transport.requests.count == 2)
    let last = StubTransport([page(#"{"count": 2, "next": null, "results": [{"id": 1}, {"id": 2}]}"#)])
    _ = try await RESTModelStore(last, dialect: DjangoRESTDialect(paging: .pages(size: 2))).list(Person.self)
    #expect(last.requests.count == 1)
  }

  @Test func `The dialect of Django REST framework translates an order and a page`() async throws {
    _ = try await store.list(Author.self, sort: [.descending(\.age), .ascending(\.firstName)], limit: 10, offset: 20)
    #expect(transport.lines.last == "GET http://api.test/authors/?page=3&page_size=10&ordering=-age%2Cfirst_name")
    _ = try await store.list(Author.self, limit: 10, offset: 7)
    #expect(transport.lines.last == "GET http://api.test/authors/?page=1&page_size=50")
  }

  @Test func `The dialect of Django REST framework puts a model's errors on its fields, whatever its spelling`()
    async throws
  {
    let store = try RESTModelStore(
      StubTransport(
        status: 400, #"{"first_name": ["This field may not be blank."], "non_field_errors": ["Not today."]}"#),
      dialect: DjangoRESTDialect(), scope: ModelScope(transformers: ValueTransformerContext(keyCase: .snake)))
    let author = Author()
    let error = try await storeError { try await store.create(author) }
    #expect(error.fields == ["firstName": ["This field may not be blank."]])
    #expect(error.message.contains("Not today."))
    #expect(author.firstName.validationState.messages == ["This field may not be blank."])
  }
}

@Suite struct `The dialect of JSON:API` {
  @Test func `The dialect of JSON:API reads resources with relationships and included resources`() async throws {
    let body = #"""
      {"data": {"type": "authors", "id": "7", "attributes": {"firstName": "Ada", "age": 36},
        "relationships": {"publisher": {"data": {"type": "publishers", "id": "3"}}}},
       "included": [{"type": "publishers", "id": "3", "attributes": {"name": "Acme"}}]}
      """#
    let transport = StubTransport(status: 200, body)
    let store = try RESTModelStore(transport, dialect: JSONAPIDialect(relationships: ["publisher": "publishers"]))
    let author = try await store.lookup(Author.self, identifier: "7")
    #expect(author.firstName.value == "Ada")
    #expect(author.publisher.value?.id.value == 3)
    #expect(author.publisher.value?.name.value == "Acme")
    #expect(transport.requests[0].headers["Accept"] == "application/vnd.api+json")
  }

  @Test func `The dialect of JSON:API writes a resource object with only the changes`() async throws {
    let transport = StubTransport(status: 204)
    let store = try RESTModelStore(transport, dialect: JSONAPIDialect(relationships: ["publisher": "publishers"]))
    let author = try Author.from(dictionaryValue: ["id": 7, "age": 36], in: store.scope)
    author.age.value = 37
    author.publisher.value = Publisher.with(identifier: "3", in: store.scope)
    try await store.update(author)
    let expected: JSONValue = [
      "data": [
        "type": "authors", "id": "7", "attributes": ["age": 37],
        "relationships": ["publisher": ["data": ["type": "publishers", "id": "3"]]],
      ]
    ]
    let body = try #require(transport.requests[0].body)
    #expect(try JSONValue(json: body) == expected)
    #expect(transport.requests[0].headers["Content-Type"] == "application/vnd.api+json")
  }

  @Test func `The dialect of JSON:API creates with the identifier of the server, and follows links`() async throws {
    let created = try RESTModelStore(
      StubTransport(status: 201, #"{"data": {"type": "authors", "id": "9", "attributes": {}}}"#),
      dialect: JSONAPIDialect())
    let author = Author()
    author.age.value = 1
    try await created.create(author)
    #expect(author.id.value == 9)
    let pages = StubTransport([
      .success(
        HTTPResponseData(
          status: 200,
          body: Data(
            #"{"data": [{"type": "authors", "id": "1"}], "links": {"next": {"href": "/authors?page[number]=2"}}}"#.utf8)
        )),
      .success(
        HTTPResponseData(status: 200, body: Data(#"{"data": [{"type": "authors", "id": "2"}], "links": {}}"#.utf8))),
    ])
    let store = try RESTModelStore(pages, dialect: JSONAPIDialect())
    #expect(try await store.list(Author.self).map(\.id.value) == [1, 2])
    #expect(pages.lines.last?.hasPrefix("GET http://api.test/authors?page") == true)
  }

  @Test func `The dialect of JSON:API translates an order as the standard does, and equality if the server has it`()
    async throws
  {
    let transport = StubTransport(status: 200, #"{"data": []}"#)
    let store = try RESTModelStore(transport, dialect: JSONAPIDialect(filtersByEquality: true))
    _ = try await store.list(Author.self, where: { $0.age == 36 }, sort: [.descending(\.age), .ascending(\.firstName)])
    #expect(transport.lines == ["GET http://api.test/authors?filter%5Bage%5D=36&sort=-age%2CfirstName"])
    #expect(try await storeError { _ = try await store.list(Author.self, where: { $0.age > 1 }) }.code == .unsupported)
  }
}

@Suite struct `The dialect of PostgREST` {
  private func items(_ filter: @escaping (ModelColumns<Author>) -> QueryExpression) async throws -> [String] {
    let transport = StubTransport(status: 200, "[]")
    let store = try RESTModelStore(transport, dialect: PostgRESTDialect(pageSize: 10))
    _ = try await store.list(Author.self, where: filter)
    let components = URLComponents(string: transport.requests[0].url.absoluteString)
    let items = (components?.queryItems ?? []).filter { !["limit", "order"].contains($0.name) }
    return items.map { "\($0.name)=\($0.value ?? "")" }
  }

  @Test func `The dialect of PostgREST translates every condition, with nil compared as in Swift`() async throws {
    #expect(try await items { $0.age > 30 && $0.firstName == "Ada" } == [#"and=(age.gt.30,firstName.eq."Ada")"#])
    #expect(try await items { $0.age > 30 || $0.age < 5 } == ["or=(age.gt.30,age.lt.5)"])
    #expect(try await items { $0.age != 30 } == ["or=(age.neq.30,age.is.null)"])
    #expect(try await items { !($0.age > 30) } == ["or=(age.lte.30,age.is.null)"])
    #expect(try await items { $0.age == nil } == ["and=(age.is.null)"])
    #expect(try await items { $0.age != nil } == ["and=(age.not.is.null)"])
    #expect(
      try await items { !($0.age == 1 || $0.age == 2) }
        == ["and=(or(age.neq.1,age.is.null),or(age.neq.2,age.is.null))"])
    #expect(try await items { $0.id.isIn([1, 2]) } == ["and=(id.in.(1,2))"])
    #expect(try await items { $0.firstName.hasPrefix("A_\"") } == [#"and=(firstName.like."A\\_\"*")"#])
    #expect(try await items { $0.publisher.id == 5 } == ["and=(publisher.eq.5)"])
  }

  @Test func `The dialect of PostgREST selects one row by a filter, and requests it as an object`() async throws {
    let transport = StubTransport(status: 200, #"{"id": 7, "age": 36}"#)
    let store = try RESTModelStore(transport, dialect: PostgRESTDialect())
    let author = try await store.lookup(Author.self, identifier: "7")
    author.age.value = 37
    try await store.update(author)
    try await store.delete(author)
    #expect(transport.lines == ["GET", "PATCH", "DELETE"].map { "\($0) http://api.test/authors?id=eq.7" })
    #expect(transport.requests[0].headers["Accept"] == "application/vnd.pgrst.object+json")
    #expect(transport.requests[1].headers["Prefer"] == "return=representation")
    let none = try RESTModelStore(
      StubTransport(status: 406, #"{"code": "PGRST116", "message": "0 rows"}"#), dialect: PostgRESTDialect())
    #expect(try await storeError { _ = try await none.lookup(Author.self, identifier: "7") }.code == .notFound)
  }

  @Test func `The dialect of PostgREST defines the position of nil, and fetches page by page`() async throws {
    let page = Data("[{\"id\": 1}, {\"id\": 2}]".utf8)
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, body: page)),
      .success(HTTPResponseData(status: 200, body: Data("[{\"id\": 3}]".utf8))),
    ])
    let store = try RESTModelStore(transport, dialect: PostgRESTDialect(pageSize: 2))
    let found = try await store.list(Author.self, sort: [.ascending(\.age, nils: .last)])
    #expect(found.map(\.id.value) == [1, 2, 3])
    #expect(
      transport.lines == [
        "GET http://api.test/authors?limit=2&order=age.asc.nullslast%2Cid.asc",
        "GET http://api.test/authors?limit=2&order=age.asc.nullslast%2Cid.asc&offset=2",
      ])
  }

  @Test func `The dialect of PostgREST orders rows by their identifier last, so that each is in one page`() async throws
  {
    let transport = StubTransport(status: 200, "[]")
    let store = try RESTModelStore(transport, dialect: PostgRESTDialect(pageSize: 2))
    _ = try await store.list(Author.self)
    _ = try await store.page(ModelQuery(Author.self, limit: 1), after: nil)
    _ = try await store.list(Author.self, sort: [.descending(\.id), .ascending(\.age)])
    _ = try await store.list(Author.self, where: { $0.age > 1 }, sort: [.ascending(\.age)], evaluation: .inMemory)
    let orders = transport.requests.map { request in
      let components = URLComponents(string: request.url.absoluteString)
      return components?.queryItems?.filter { $0.name == "order" }.map { $0.value ?? "" } ?? []
    }
    #expect(orders == [["id.asc"], ["id.asc"], ["id.desc.nullslast,age.asc.nullsfirst"], ["id.asc"]])
  }
}

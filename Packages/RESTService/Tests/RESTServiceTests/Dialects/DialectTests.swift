import Foundation
import MemoryStore
import RESTService
import Testing

@Suite struct `The dialects of a service` {
  private static func answer(
    _ dialect: any RESTServiceDialect, _ method: String, _ address: String, _ body: JSONValue? = nil,
    in store: MemoryModelStore = MemoryModelStore()
  ) async throws -> Answer {
    let options = RESTServiceOptions(pageSize: 1)
    let service = RESTService(store.handle, serving: [Owner.self, Novel.self], dialect: dialect, options: options)
    let url = try #require(URL(string: "http://library.test" + address))
    let request = HTTPRequestData(HTTPRequestData.Method(method), url, body: try body?.jsonData())
    return Answer(response: await service.respond(to: request))
  }

  @Test(arguments: ["PATCH", "DELETE"])
  func `A request whose path and filter both name a record is refused`(method: String) async throws {
    let store = MemoryModelStore()
    for _ in 1...2 { try await store.create(Novel()) }
    let body: JSONValue? = method == "PATCH" ? ["rating": 5] : nil
    let answer = try await Self.answer(PostgRESTDialect(), method, "/novels/1?id=eq.2", body, in: store)
    #expect(answer.status == 400)
    #expect(try await store.list(Novel.self).map(\.rating) == [nil, nil])
  }

  @Test func `JSON:API has resources with relationships, and links to pages`() async throws {
    let store = MemoryModelStore()
    let dialect = JSONAPIDialect()
    let owner: JSONValue = ["data": ["type": "owners", "attributes": ["name": "Olga"]]]
    let created = try await Self.answer(dialect, "POST", "/owners", owner, in: store)
    #expect(created.status == 201)
    #expect(created.response.headers["Content-Type"] == "application/vnd.api+json")
    #expect(created.json == ["data": ["type": "owners", "id": "1", "attributes": ["name": "Olga"]]])
    let novel: JSONValue = [
      "data": [
        "type": "novels", "id": "7", "attributes": ["title": "Emma"],
        "relationships": ["owner": ["data": ["type": "owners", "id": "1"]]],
      ]
    ]
    #expect(try await Self.answer(dialect, "POST", "/novels", novel, in: store).json == novel)
    _ = try await Self.answer(dialect, "POST", "/novels", ["data": ["type": "novels", "attributes": [:]]], in: store)
    let page = try await Self.answer(dialect, "GET", "/novels", in: store)
    #expect(page.json?["data"] == [novel["data"] ?? .null])
    #expect(page.json?["links"]?["next"]?.stringValue?.hasPrefix("?after=") == true)
  }

  @Test func `Resources of JSON API are limited to the fields of their type`() async throws {
    let store = MemoryModelStore()
    let owner = Owner()
    owner.name = "Olga"
    try await store.create(owner)
    let novel = Novel()
    (novel.title, novel.owner) = ("Emma", owner)
    try await store.create(novel)
    let dialect = JSONAPIDialect()
    let record = try await Self.answer(dialect, "GET", "/novels/1?fields%5Bnovels%5D=title", in: store)
    #expect(record.json == ["data": ["type": "novels", "id": "1", "attributes": ["title": "Emma"]]])
    let linked = try await Self.answer(dialect, "GET", "/novels?fields%5Bnovels%5D=owner", in: store)
    let owners: JSONValue = ["owner": ["data": ["type": "owners", "id": "1"]]]
    #expect(
      linked.json?["data"] == [["type": "novels", "id": "1", "attributes": [:], "relationships": owners]])
    for (query, part) in [
      ("fields%5Bnovels%5D=pages", "id, owner, rating, title, writer"), ("fields%5Bowners%5D=name", "only novels"),
      ("fields=title", "is not supported"),
    ] {
      let answer = try await Self.answer(dialect, "GET", "/novels?" + query, in: store)
      #expect(answer.status == 400)
      #expect(answer.json?["detail"]?.stringValue?.contains(part) == true, "\(answer.json ?? .null)")
    }
  }

  @Test func `An envelope has the record, and the address of the next page`() async throws {
    let store = MemoryModelStore()
    let dialect = EnvelopedDialect("page.items", record: "item", next: "page.next")
    for title in ["Emma", "Evelina"] {
      let answer = try await Self.answer(dialect, "POST", "/novels", ["item": ["title": .string(title)]], in: store)
      #expect(answer.json?["item"]?["title"] == .string(title))
    }
    let page = try await Self.answer(dialect, "GET", "/novels", in: store)
    #expect(page.json?["page"]?["items"]?[0]?["title"] == "Emma")
    #expect(page.json?["page"]?["next"]?.stringValue?.hasPrefix("?after=") == true)
  }

  @Test(
    arguments: [
      ["title": "Emma"], ["data": ["type": "owners", "attributes": ["title": "Emma"]]], ["data": "Emma"],
      ["data": ["type": "novels", "relationships": ["author": ["data": nil]]]],
      ["data": ["type": "novels", "attributes": "Emma"]], ["data": ["type": "novels", "relationships": "Olga"]],
      ["data": ["type": "novels", "id": 7]], ["data": ["type": "novels", "title": "Emma"]],
      ["data": ["type": "novels", "relationships": ["owner": ["data": ["type": "novels", "id": "1"]]]]],
      ["data": ["type": "novels", "relationships": ["owner": ["data": ["type": "owners", "id": 1]]]]],
      ["data": ["type": "novels", "relationships": ["owner": ["data": "1"]]]],
    ] as [JSONValue])
  func `A body of another form is refused`(body: JSONValue) async throws {
    let answer = try await Self.answer(JSONAPIDialect(), "POST", "/novels", body)
    #expect(answer.status == 400)
    #expect(answer.response.headers["Content-Type"] == "application/problem+json")
  }

  @Test(arguments: [
    ("rating=gte.4", ["Emma", "Persuasion"]), ("rating=neq.5", ["Persuasion"]), ("rating=is.null", ["Evelina"]),
    ("title=like.E*", ["Emma", "Evelina"]), ("title=ilike.*EL*", ["Evelina"]), ("rating=in.(1,4)", ["Persuasion"]),
    ("or=(rating.is.null,title.eq.%22Emma%22)", ["Emma", "Evelina"]), ("and=(title.not.like.%22E*%22)", ["Persuasion"]),
    ("not.or=(rating.eq.5,rating.is.null)", ["Persuasion"]),
    // The marks make one character of the quote or comma beside them.
    ("or=(title.eq.%22x%D8%80%22,title.eq.%22%CC%81x%22,title.eq.Emma)", ["Emma"]),
    ("and=(title.neq.%CC%81,rating.eq.5)", ["Emma"]),
    ("order=rating.desc.nullslast,title", ["Emma", "Persuasion", "Evelina"]),
    ("order=rating&limit=1&offset=1", ["Emma"]), ("order=id.asc", ["Emma", "Persuasion", "Evelina"]),
    ("order=rating.asc.nullslast,id.desc", ["Persuasion", "Emma", "Evelina"]),
  ])
  func `A filter of PostgREST finds the records`(query: String, titles: [String]) async throws {
    let store = MemoryModelStore()
    let owner = Owner()
    owner.name = "Olga"
    try await store.create(owner)
    for (title, rating) in [("Emma", 5), ("Persuasion", 4), ("Evelina", nil)] as [(String, Int?)] {
      let novel = Novel()
      (novel.title, novel.rating, novel.owner) = (title, rating, title == "Emma" ? owner : nil)
      try await store.create(novel)
    }
    let service = RESTService(store.handle, serving: [Owner.self, Novel.self], dialect: PostgRESTDialect())
    let url = try #require(URL(string: "http://library.test/novels?" + query))
    #expect(Answer(response: await service.respond(to: HTTPRequestData(.get, url))).titles == titles)
  }

  @Test(arguments: [
    "ratng=eq.1", "rating=equals.1", "or=(rating.eq.1", "title=like.a*b", "select=title", "order=x", "owner=eq.1",
  ])
  func `A filter of PostgREST that can't be read is refused`(query: String) async throws {
    #expect(try await Self.answer(PostgRESTDialect(), "GET", "/novels?" + query).status == 400)
  }

  @Test func `A filter by the identifier names a record of PostgREST`() async throws {
    let store = MemoryModelStore()
    _ = try await Self.answer(PostgRESTDialect(), "POST", "/novels", ["title": "Emma"], in: store)
    let changed = try await Self.answer(PostgRESTDialect(), "PATCH", "/novels?id=eq.1", ["rating": 3], in: store)
    #expect(changed.json == ["id": 1, "title": "Emma", "rating": 3])
    #expect(try await Self.answer(PostgRESTDialect(), "GET", "/novels?id=eq.1", in: store).titles == ["Emma"])
    #expect(try await Self.answer(PostgRESTDialect(), "DELETE", "/novels", in: store).status == 405)
    #expect(try await Self.answer(PostgRESTDialect(), "DELETE", "/novels?id=eq.2&id=eq.1", in: store).status == 400)
    #expect(try await Self.answer(PostgRESTDialect(), "DELETE", "/novels?id=eq.1", in: store).status == 204)
  }

  @Test func `The document that describes plain JSON is that of no other dialect`() async throws {
    #expect(try await Self.answer(JSONAPIDialect(), "GET", "/openapi.json").status == 404)
    #expect(try await Self.answer(JSONDialect(), "GET", "/openapi.json").status == 200)
  }
}

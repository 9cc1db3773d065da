import Foundation
import RESTStore
import Testing

private final class Writer: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let homeTown = ModelField<Town>(foreignKey: true)
  let friends: ModelArrayField<Writer> = ModelField(foreignKey: true)*
  override var identifierField: AnyField? { id }
}

private final class Town: Model {
  let id = Field<String>()
  let name = Field<String>()
  override var identifierField: AnyField? { id }
}

extension `The dialect of JSON:API` {
  @Test func `The dialect of JSON:API reads resources included in included resources, with keys in any case`()
    async throws
  {
    let body = #"""
      {"data": {"type": "writers", "id": "1", "attributes": {"name": "Ada"},
        "relationships": {"friends": {"data": [{"type": "writers", "id": "2"}]}}},
       "included": [
        {"type": "writers", "id": "2", "attributes": {"name": "Mary"}, "relationships": {
          "home_town": {"data": {"type": "towns", "id": "b"}}, "friends": {"data": [{"type": "writers", "id": "1"}]}}},
        {"type": "towns", "id": "b", "attributes": {"name": "Bath"}}]}
      """#
    let scope = ModelScope(transformers: ValueTransformerContext(keyCase: .snake))
    let store = try RESTModelStore(StubTransport(status: 200, body), dialect: JSONAPIDialect(), scope: scope)
    let writer = try await store.lookup(Writer.self, identifier: "1")
    let friend = try #require(writer.friends.value?.first)
    #expect(friend.name.value == "Mary")
    #expect(friend.homeTown.value?.name.value == "Bath")
    #expect(friend.friends.value?.first === writer)
  }

  @Test func `The dialect of JSON:API writes identifiers under keys in any case`() async throws {
    final class Order: Model {
      let orderNumber = Field<Int>()
      let note = Field<String>()
      override var identifierField: AnyField? { orderNumber }
    }
    let resource = #"{"type": "orders", "id": "7", "attributes": {"note": "new"}}"#
    let scope = ModelScope(transformers: ValueTransformerContext(keyCase: .snake))
    let transport = StubTransport([
      .success(HTTPResponseData(status: 201, body: Data(#"{"data": \#(resource)}"#.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(#"{"data": [\#(resource)]}"#.utf8))),
    ])
    let store = try RESTModelStore(transport, dialect: JSONAPIDialect(), scope: scope)
    let order = Order()
    order.note.value = "new"
    try await store.create(order)
    #expect(order.orderNumber.value == 7)
    #expect(try await store.list(Order.self).first === order)
  }

  @Test func `The dialect of JSON:API keeps resources apart whose identifiers differ only in an accent`() async throws {
    let (one, other) = ("caf\u{e9}", "cafe\u{301}")
    func writer(_ number: Int, _ town: String) -> String {
      #"""
      {"type": "writers", "id": "\#(number)",
        "relationships": {"homeTown": {"data": {"type": "towns", "id": "\#(town)"}}}}
      """#
    }
    func town(_ identifier: String, _ name: String) -> String {
      #"{"type": "towns", "id": "\#(identifier)", "attributes": {"name": "\#(name)"}}"#
    }
    let body = #"""
      {"data": [\#(writer(1, one)), \#(writer(2, other))], "included": [\#(town(one, "A")), \#(town(other, "B"))]}
      """#
    let store = try RESTModelStore(StubTransport(status: 200, body), dialect: JSONAPIDialect())
    #expect(try await store.list(Writer.self).map(\.homeTown.value?.name.value) == ["A", "B"])
  }

  @Test(.timeLimit(.minutes(30))) func `The dialect of JSON:API embeds each resource once where all link to all`()
    async throws
  {
    let links = (1...40).map { #"{"type": "writers", "id": "\#($0)"}"# }.joined(separator: ",")
    func resource(_ number: Int) -> String {
      #"""
      {"type": "writers", "id": "\#(number)", "attributes": {"name": "w\#(number)"},
        "relationships": {"friends": {"data": [\#(links)]}}}
      """#
    }
    let body = """
      {"data": \(resource(1)), "included": [\((2...40).map(resource).joined(separator: ","))]}
      """
    let store = try RESTModelStore(StubTransport(status: 200, body), dialect: JSONAPIDialect())
    let writer = try await store.lookup(Writer.self, identifier: "1")
    #expect(writer.friends.value?.map(\.name.value) == (1...40).map { "w\($0)" })
    #expect(writer.friends.value?.last?.friends.value?.count == 40)
  }

  @Test func `The dialect of JSON:API requests related resources and some of the fields only`() async throws {
    let transport = StubTransport(status: 200, #"{"data": {"type": "writers", "id": "1"}}"#)
    let store = try RESTModelStore(
      transport, dialect: JSONAPIDialect(included: ["homeTown", "friends.homeTown"], fieldSets: ["towns": ["name"]]))
    let writer = try await store.lookup(Writer.self, identifier: "1")
    try await store.delete(writer)
    #expect(
      transport.lines == [
        "GET http://api.test/writers/1?include=homeTown%2Cfriends.homeTown&fields%5Btowns%5D=name",
        "DELETE http://api.test/writers/1",
      ])
  }

  @Test func `The dialect of JSON:API counts by the number in the document, and requests pages by number`() async throws
  {
    let transport = StubTransport(
      status: 200, #"{"data": [{"type": "writers", "id": "1"}], "meta": {"total": 57}}"#)
    let dialect = JSONAPIDialect(
      paging: .pages(size: 10, page: "page[number]", sizeParameter: "page[size]"), totalPath: "meta.total")
    let store = try RESTModelStore(transport, dialect: dialect)
    #expect(try await store.count(Writer.self) == 57)
    #expect(transport.lines == ["GET http://api.test/writers?page%5Bnumber%5D=1&page%5Bsize%5D=10"])
  }

  @Test func `The dialect of JSON:API translates the comparisons that the server has, and rejects others`() async throws
  {
    let transport = StubTransport(status: 200, #"{"data": []}"#)
    let store = try RESTModelStore(
      transport, dialect: JSONAPIDialect(filtersByEquality: true, lookups: [.greater: "gt", .isIn: "in"]))
    _ = try await store.list(Writer.self, where: { $0.name > "A" && $0.id.isIn([1, 2]) })
    #expect(transport.lines == ["GET http://api.test/writers?filter%5Bname.gt%5D=A&filter%5Bid.in%5D=1%2C2"])
    for refused: @Sendable (ModelColumns<Writer>) -> QueryExpression in [
      { $0.name < "A" }, { $0.name == nil }, { $0.name == "" }, { $0.name != "A" }, { $0.name.isIn(["a,b"]) },
      { $0.id.isIn([]) }, { $0.name == "A" || $0.name == "B" }, { $0.name == "A" && $0.name == "B" },
    ] {
      let error = try await storeError { _ = try await store.list(Writer.self, where: refused) }
      #expect(error.code == .unsupported)
    }
    let order = try await storeError { _ = try await store.list(Writer.self, sort: [.ascending(\.name, nils: .last)]) }
    #expect(order.code == .unsupported)
    #expect(transport.lines.count == 1)
  }

  @Test func `The dialect of JSON:API puts errors on the fields that pointers name`() async throws {
    let body = #"""
      {"errors": [
        {"status": "422", "title": "Invalid", "detail": "is too short", "source": {"pointer": "/data/attributes/name"}},
        {"status": "422", "detail": "does not exist", "source": {"pointer": "/data/relationships/homeTown/data"}},
        {"status": "422", "detail": "Not today."}]}
      """#
    let store = try RESTModelStore(StubTransport(status: 422, body), dialect: JSONAPIDialect())
    let writer = Writer()
    writer.name.value = "A"
    let error = try await storeError { try await store.create(writer) }
    #expect(error.code == .invalid)
    #expect(error.fields == ["name": ["is too short"], "homeTown": ["does not exist"]])
    #expect(error.message.contains("Not today."))
    #expect(writer.name.validationState.messages == ["is too short"])
  }

  @Test func `JSON:API: a relationship to a model without id is rejected`() throws {
    let dialect = JSONAPIDialect(relationships: ["author": "writers"])
    let operation = RESTOperation(.create, typeName: "Book", collectionPath: "/books")
    let error = #expect(throws: ModelStoreError.self) {
      try dialect.formatPayload(["author": ["isbn": "9", "name": "Ada"]], for: operation)
    }
    #expect(error?.code == .invalid)
    #expect(
      try dialect.formatPayload(["author": 7], for: operation)["data"]?["relationships"]?["author"]?["data"]
        == ["type": "writers", "id": "7"])
  }

  @Test func `The dialect of JSON:API sends the identifier that the client chose, and links as identifiers`()
    async throws
  {
    let transport = StubTransport(status: 204)
    let store = try RESTModelStore(
      transport, dialect: JSONAPIDialect(relationships: ["homeTown": "towns", "friends": "writers"]))
    let writer = Writer()
    writer.id.value = 7
    writer.homeTown.value = Town.with(identifier: "b", in: store.scope)
    writer.friends.value = [Writer.with(identifier: "8", in: store.scope)]
    try await store.create(writer)
    let body = try #require(transport.requests[0].body)
    let expected: JSONValue = [
      "data": [
        "type": "writers", "id": "7",
        "relationships": [
          "homeTown": ["data": ["type": "towns", "id": "b"]], "friends": ["data": [["type": "writers", "id": "8"]]],
        ],
      ]
    ]
    #expect(try JSONValue(json: body) == expected)
    writer.homeTown.value = nil
    try await store.update(writer)
    let cleared = try JSONValue(json: try #require(transport.requests[1].body))
    #expect(cleared == ["data": ["type": "writers", "id": "7", "relationships": ["homeTown": ["data": nil]]]])
  }
}

import Foundation
import RESTStore
import Testing

private final class Novel: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let pages = Field<Int>()
  let writer = ModelField<Writer>(foreignKey: true)
  override var identifierField: AnyField? { id }
}

private final class Writer: Model {
  let id = Field<Int>()
  let name = Field<String>()
  override var identifierField: AnyField? { id }
}

extension `The dialect of PostgREST` {
  private func condition(
    _ dialect: PostgRESTDialect = PostgRESTDialect(sendsPatterns: true),
    _ filter: @escaping (ModelColumns<Novel>) -> QueryExpression
  ) async throws -> String? {
    let transport = StubTransport(status: 200, "[]")
    let store = try RESTModelStore(transport, dialect: dialect)
    _ = try await store.list(Novel.self, where: filter)
    let items = URLComponents(string: transport.requests[0].url.absoluteString)?.queryItems
    return items?.last { ["and", "or"].contains($0.name) }?.value
  }

  @Test func `The dialect of PostgREST compares text in any case, and negations with nil as in Swift`() async throws {
    #expect(try await condition { $0.title.ignoringCase == "Emma" } == #"(title.ilike."Emma")"#)
    #expect(try await condition { $0.title.ignoringCase != "5%" } == #"(title.not.ilike."5\\%",title.is.null)"#)
    #expect(try await condition { $0.title.ignoringCase.contains("m") } == #"(title.ilike."*m*")"#)
    #expect(try await condition { $0.title.ignoringCase.hasPrefix("E") } == #"(title.ilike."E*")"#)
    #expect(try await condition { $0.title.ignoringCase.hasSuffix("a") } == #"(title.ilike."*a")"#)
    #expect(
      try await condition { !$0.title.hasSuffix("a") && !$0.id.isIn([1, 2]) }
        == #"(or(title.not.like."*a",title.is.null),or(id.not.in.(1,2),id.is.null))"#)
  }

  @Test func `The dialect of PostgREST escapes a quote or a wildcard beside a mark of the same character`() async throws
  {
    func bytes(_ text: String?) -> [UInt8] { Array((text ?? "").utf8) }
    let quoted = try await condition { $0.title == "x\u{600}\"\u{301}y\\\u{301}" && $0.id > 1 }
    #expect(bytes(quoted) == bytes("(title.eq.\"x\u{600}\\\"\u{301}y\\\\\u{301}\",id.gt.1)"))
    let literal = try await condition { $0.title.hasPrefix("5%\u{301}") }
    #expect(bytes(literal) == bytes("(title.like.\"5\\\\%\u{301}*\")"))
    let error = try await storeError { _ = try await condition { $0.title.contains("*\u{301}") } }
    #expect(error.code == .unsupported)
  }

  @Test func `The dialect of PostgREST sends patterns to the server only if that is turned on`() async throws {
    #expect(try await condition { $0.title.matches(/Em+a/) } == #"(title.match."^(?:Em+a)$")"#)
    #expect(try await condition { $0.title.contains(/m{2}/) } == #"(title.match."m{2}")"#)
    #expect(
      try await condition { !$0.title.contains(/m/) } == #"(title.not.match."m",title.is.null)"#)
    #expect(try await condition { $0.title.ignoringCase.matches(/em+a/) } == #"(title.imatch."^(?:em+a)$")"#)
    for refused: @Sendable (ModelColumns<Novel>) -> QueryExpression in [
      { $0.title.matches(/Em+a/) }, { $0.title.ignoringCase.contains(/m/) },
      { $0.title.ignoringCase < "m" }, { $0.title.contains("*") }, { $0.writer.name == "Jane" },
    ] {
      let error = try await storeError { _ = try await condition(PostgRESTDialect(), refused) }
      #expect(error.code == .unsupported)
    }
  }

  @Test func `The dialect of PostgREST selects columns, and rows that foreign keys reference`() async throws {
    let transport = StubTransport(status: 200, #"{"id": 1, "title": "Emma", "writer": {"id": 2, "name": "Jane"}}"#)
    let store = try RESTModelStore(
      transport, dialect: PostgRESTDialect(selections: ["novels": "id,title,writer(id,name)"]))
    let novel = try await store.lookup(Novel.self, identifier: "1")
    #expect(novel.writer.value?.name.value == "Jane")
    try await store.delete(novel)
    #expect(
      transport.lines == [
        "GET http://api.test/novels?id=eq.1&select=id%2Ctitle%2Cwriter%28id%2Cname%29",
        "DELETE http://api.test/novels?id=eq.1",
      ])
  }

  @Test func `The dialect of PostgREST counts rows with one request, and ends after the last page`() async throws {
    let transport = StubTransport(
      status: 206, #"[{"id": 1}, {"id": 2}]"#, headers: ["Content-Range": "0-1/57"])
    let store = try RESTModelStore(transport, dialect: PostgRESTDialect(pageSize: 2, requestsExactCount: true))
    #expect(try await store.count(Novel.self) == 57)
    #expect(transport.lines == ["GET http://api.test/novels?limit=2&order=id.asc"])
    #expect(transport.requests[0].headers["Prefer"] == "count=exact")
    let beyond = try RESTModelStore(
      StubTransport(status: 416, #"{"code": "PGRST103"}"#, headers: ["Content-Range": "*/57"]),
      dialect: PostgRESTDialect(requestsExactCount: true))
    #expect(try await beyond.list(Novel.self, offset: 60).isEmpty)
  }

  @Test func `The dialect of PostgREST merges a new model with an existing row only if that is turned on`()
    async throws
  {
    let transport = StubTransport(status: 201, #"{"id": 1, "title": "Emma", "pages": 474}"#)
    let store = try RESTModelStore(transport, dialect: PostgRESTDialect(mergesDuplicates: true))
    let novel = Novel()
    novel.id.value = 1
    novel.title.value = "Emma"
    try await store.create(novel)
    #expect(novel.pages.value == 474)
    #expect(transport.lines == ["POST http://api.test/novels"])
    #expect(transport.requests[0].headers["Prefer"] == "return=representation,resolution=merge-duplicates")
  }

  @Test func `The dialect of PostgREST finds the column of a broken constraint`() async throws {
    func error(_ status: Int, _ body: String) async throws -> ModelStoreError {
      let store = try RESTModelStore(StubTransport(status: status, body), dialect: PostgRESTDialect())
      return try await storeError { try await store.create(Novel()) }
    }
    let missing = try await error(
      400, #"{"code": "23502", "message": "null value in column \"title\" of relation \"novels\" violates …"}"#)
    #expect(missing.code == .invalid)
    #expect(missing.fields["title"]?.first?.hasPrefix("null value") == true)
    let taken = try await error(
      409, #"{"code": "23505", "message": "duplicate key", "details": "Key (title)=(Emma) already exists."}"#)
    #expect(taken.code == .conflict)
    #expect(taken.fields == ["title": ["Key (title)=(Emma) already exists."]])
    let other = try await error(
      400, #"{"code": "PGRST204", "message": "no column", "details": null, "hint": "Reload the schema."}"#)
    #expect(other.message.contains("no column (Reload the schema.)"))
  }

  @Test func `The dialect of PostgREST does not take two rows for none`() async throws {
    let body = #"{"code": "PGRST116", "message": "not one row", "details": "The result contains 2 rows"}"#
    let two = try RESTModelStore(StubTransport(status: 406, body), dialect: PostgRESTDialect())
    let error = try await storeError { _ = try await two.lookup(Novel.self, identifier: "7") }
    #expect(error.code == .server)
    let none = try RESTModelStore(
      StubTransport(status: 406, body.replacing("2 rows", with: "0 rows")), dialect: PostgRESTDialect())
    #expect(try await storeError { _ = try await none.lookup(Novel.self, identifier: "7") }.code == .notFound)
  }
}

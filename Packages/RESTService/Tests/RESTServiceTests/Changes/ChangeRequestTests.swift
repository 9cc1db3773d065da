import Foundation
import MemoryStore
@_spi(ModelKitInternals) import RESTService
import StoreEngine
import Testing

private final class Magazine: Model {
  @Field var id: Int?
  @ModelArrayField var issues: [MagazineIssue]?
  @ModelArrayField var prizes: [Prize]?
  override var identifierField: AnyField? { $id }
}

private final class Prize: Model {
  @Field var year: Int?
}

private final class MagazineIssue: Model {
  @Field var id: Int?
  @Field var number: Int?
  @ModelField(foreignKey: true, inverse: \.$issues) var magazine: Magazine?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Requests for changes` {
  private static let rated = "&where=%7B%22field%22:%22rating%22,%22is%22:%22%3E%3D%22,%22value%22:3%7D"

  @Test func `A position from before the changes were discarded is unknown`() async throws {
    let library = LoggedLibrary()
    try await library.add("Emma")
    let position = try await library.position()
    try await library.engine.discardChanges()
    let changes = try await library.changes(since: position)
    #expect(changes.isReset)
    try await library.add("Evelina")
    #expect(try await library.changes(since: changes.position).titles == ["Evelina"])
  }

  @Test func `Changes since a position are listed with the current records and the deletions`() async throws {
    let library = LoggedLibrary()
    try await library.add("a", "b")
    let position = try await library.position()
    _ = try await library.request("PATCH", "/novels/2", ["rating": 1])
    _ = try await library.request("PATCH", "/novels/2", ["rating": 2])
    try await library.add("c")
    _ = try await library.request("DELETE", "/novels/1")
    let changes = try await library.changes(since: position)
    #expect(changes.titles == ["b", "c"])
    #expect(changes.json["updated"]?[0]?["rating"] == 2)
    #expect(changes.deleted == ["1"])
    #expect(!changes.isReset && !changes.hasMore)
    let none = try await library.changes(since: changes.position)
    #expect(none.titles.isEmpty && none.deleted.isEmpty && none.position == changes.position)
  }

  @Test func `Changes of other store instances and of delete rules are listed`() async throws {
    let library = LoggedLibrary()
    _ = try await library.request("POST", "/owners", ["name": "Olga"])
    _ = try await library.request("POST", "/novels", ["title": "a", "owner": 1])
    let position = try await library.position()
    let store = library.store
    _ = try await store.list(Novel.self)
    try await store.delete(try await store.lookup(Owner.self, identifier: "1"))
    let changes = try await library.changes(since: position)
    #expect(changes.titles == ["a"])
    #expect(changes.json["updated"]?[0]?["owner"]?.isNull != false)
  }

  @Test func `A record that was created and deleted since the position is listed as deleted, since its creator has it`()
    async throws
  {
    let library = LoggedLibrary()
    let position = try await library.position()
    try await library.add("a")
    _ = try await library.request("DELETE", "/novels/1")
    let changes = try await library.changes(since: position)
    #expect(changes.titles.isEmpty)
    #expect(changes.deleted == ["1"])
    #expect(changes.position != position)
  }

  @Test func `A limited page continues at its position`() async throws {
    let library = LoggedLibrary()
    var position = try await library.position()
    try await library.add("a", "b", "c")
    var titles: [String] = []
    for number in 1...3 {
      let page = try await library.changes(since: position, "&limit=1")
      titles += page.titles
      position = page.position
      #expect(page.hasMore == (number < 3))
    }
    #expect(titles == ["a", "b", "c"])
  }

  @Test func `A record that leaves the condition is named, and one that was never found is not`() async throws {
    let library = LoggedLibrary()
    for (title, rating) in [("a", 5), ("b", 5), ("c", 1)] {
      _ = try await library.request("POST", "/novels", ["title": .string(title), "rating": .int(rating)])
    }
    let position = try await library.position()
    _ = try await library.request("PATCH", "/novels/1", ["rating": 2])
    _ = try await library.request("DELETE", "/novels/2")
    _ = try await library.request("PATCH", "/novels/3", ["rating": 2])
    let first = try await library.changes(since: position, Self.rated)
    #expect(first.titles == [] && first.left == ["1"] && first.deleted == ["2"])
    _ = try await library.request("PATCH", "/novels/3", ["rating": 4])
    let second = try await library.changes(since: first.position, Self.rated)
    #expect(second.titles == ["c"] && second.left == [] && second.deleted == [])
  }

  @Test func `Records that the user may not read leave no trace`() async throws {
    let library = LoggedLibrary { access in
      access.allow(.all, Novel.self) { request, novel in request.user == novel.writer }
    }
    for (title, writer) in [("a", "ada"), ("b", "bob"), ("c", "ada")] {
      _ = try await library.request(
        "POST", "/novels", ["title": .string(title), "writer": .string(writer)], user: writer)
    }
    let position = try await library.position(user: "ada")
    let store = library.store
    let moved = try await store.lookup(Novel.self, identifier: "1")
    moved.writer = "bob"
    try await store.save(moved)
    _ = try await library.request("PATCH", "/novels/2", ["rating": 1], user: "bob")
    _ = try await library.request("PATCH", "/novels/3", ["rating": 1], user: "ada")
    let adas = try await library.changes(since: position, user: "ada")
    #expect(adas.titles == ["c"] && adas.deleted == ["1"] && adas.left == [])
    let bobs = try await library.changes(since: position, user: "bob")
    #expect(bobs.titles == ["a", "b"] && bobs.deleted == [])
    _ = try await library.request("DELETE", "/novels/2", user: "bob")
    let later = try await library.changes(since: adas.position, user: "ada")
    #expect(later.titles == [] && later.deleted == [] && later.left == [])
  }

  @Test func `A client that was away for longer than the retention, or has an unknown position, starts again`()
    async throws
  {
    let library = LoggedLibrary()
    try await library.add("a")
    let position = try await library.position()
    library.clock.advance(30)
    try await library.add("b")
    library.clock.advance(31)
    try await library.add("c")
    #expect(try await !library.changes(since: position).isReset)
    try await library.engine.trim()
    let answer = try await library.changes(since: position)
    #expect(answer.isReset && answer.titles == [])
    try await library.add("d")
    #expect(try await library.changes(since: answer.position).titles == ["d"])
    #expect(try await library.changes(since: "another-log").isReset)
  }

  @Test(arguments: [#"{"id":1,"title":5}"#, "[1]"])
  func `A deleted record whose previous values can't be read makes clients start again`(values: String) async throws {
    let library = LoggedLibrary()
    try await library.add("a")
    let position = try await library.position()
    // Written past the log, as by a migration.
    let stored = try #require(try await library.engine.read("Novel", "1"))
    let change = RecordOperation.update("Novel", "1", Array(values.utf8), ifRevision: stored.revision)
    try library.engine.local.commit(RecordBatch([change]))
    try await library.engine.commit(RecordBatch([.delete("Novel", "1")]))
    let changes = try await library.changes(since: position)
    #expect(changes.isReset)
    #expect(try await !library.changes(since: changes.position).isReset)
    let events = try await library.request(
      "GET", "/novels", headers: ["Accept": "text/event-stream", "Last-Event-ID": position])
    #expect(String(decoding: events.response.body, as: UTF8.self).contains("event: reset"))
  }

  @Test func `The current position survives its retention`() async throws {
    let library = LoggedLibrary()
    try await library.add("a", "b")
    let position = try await library.position()
    library.clock.advance(1_000)
    try await library.engine.trim()
    #expect(try await !library.changes(since: position).isReset)
    try await library.add("c")
    #expect(try await library.changes(since: position).titles == ["c"])
  }

  @Test func `Expired changes are removed while others are written`() async throws {
    let library = LoggedLibrary()
    let position = try await library.position()
    let store = library.store
    for number in 0..<1_000 {
      if number == 990 { library.clock.advance(61) }
      let novel = Novel()
      novel.title = "n\(number)"
      try await store.create(novel)
    }
    #expect(try await library.changes(since: position).isReset)
  }

  @Test(arguments: ["sort=%5B%5D", "offset=1", "after=x", "limit=x", "x=1", "where=%7B"])
  func `A parameter that changes don't have is refused`(parameter: String) async throws {
    let library = LoggedLibrary()
    #expect(try await library.request("GET", "/novels?updated_since=&\(parameter)").status == 400)
  }

  @Test func `A condition on related records is refused`() async throws {
    let condition = "%7B%22field%22:%22owner.name%22,%22is%22:%22==%22,%22value%22:%22Olga%22%7D"
    let library = LoggedLibrary()
    #expect(try await library.request("GET", "/novels?updated_since=&where=\(condition)").status == 400)
    #expect(try await library.request("GET", "/novels?where=\(condition)").status == 200)
  }

  @Test func `A condition on embedded records is evaluated`() async throws {
    let service = RESTService(
      ChangeLogEngine(MemoryModelStore().handle), serving: [Magazine.self, MagazineIssue.self])
    var url = try #require(URLComponents(string: "http://library.test/magazines?updated_since="))
    let condition = #"{"any":"prizes","where":{"field":"year","is":">","value":2000}}"#
    url.queryItems?.append(URLQueryItem(name: "where", value: condition))
    let address = try #require(url.url)
    let answer = await service.respond(to: HTTPRequestData(.get, address))
    #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
  }

  @Test(arguments: [
    #"{"any":"issues","where":true}"#, #"{"field":"issues","form":"count","is":">","value":1}"#,
    #"{"not":{"any":"issues","where":{"field":"number","is":"==","value":1}}}"#,
  ])
  func `A condition on records that store the relation is refused`(condition: String) async throws {
    let service = RESTService(
      ChangeLogEngine(MemoryModelStore().handle), serving: [Magazine.self, MagazineIssue.self])
    func request(_ parameter: String, _ headers: HTTPHeaderList = [:]) async throws -> Int {
      var url = try #require(URLComponents(string: "http://library.test/magazines?\(parameter)"))
      url.queryItems?.append(URLQueryItem(name: "where", value: condition))
      return await service.respond(to: HTTPRequestData(.get, try #require(url.url), headers: headers)).status
    }
    #expect(try await request("updated_since=") == 400)
    #expect(try await request("limit=1", ["Accept": "text/event-stream"]) == 400)
    #expect(try await request("limit=1") == 200)
  }

  @Test func `A service without a change log refuses the request`() async throws {
    #expect(try await Library().request("GET", "/novels?updated_since=").status == 400)
  }
}

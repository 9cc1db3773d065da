import Foundation
import MemoryStore
@_spi(ModelKitInternals) import RESTService
import StoreEngine
import Synchronization
import Testing

/// An engine that calls a function before each snapshot, with the number of those before.
private final class HookedEngine: RecordEngine {
  let base = MemoryModelStore().handle
  private let count = Mutex(0)
  private let onSnapshot: @Sendable (MemoryEngine, Int) async throws -> Void

  init(_ onSnapshot: @escaping @Sendable (MemoryEngine, Int) async throws -> Void) { self.onSnapshot = onSnapshot }

  var changeFeed: StoreChangeFeed { base.changeFeed }
  var conflictTrackers: ConflictTrackers { base.conflictTrackers }
  func nextInteger(for type: String) async throws -> Int? { base.nextInteger(for: type) }
  func commit(_ batch: RecordBatch) async throws { try base.commit(batch) }

  func snapshot(pinned: Bool) async throws -> MemoryEngine.Snapshot {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    try await onSnapshot(base, number)
    return base.snapshot(pinned: pinned)
  }
}

@Suite(.timeLimit(.minutes(30))) struct `Records that are hidden from a user` {
  /// A library in which a novel belongs to its writer.
  private static func library(_ writers: [String]) async throws -> Library {
    let library = Library { access in
      access.allow(.all, Novel.self) { request, novel in request.user != nil && request.user == novel.writer }
    }
    try await add(writers, to: library.store)
    return library
  }

  private static func add(_ writers: [String], to store: some ModelStore) async throws {
    var novels: [Novel] = []
    for (index, writer) in writers.enumerated() {
      let novel = Novel()
      (novel.title, novel.writer) = ("\(writer) \(index + 1_000)", writer)
      novels.append(novel)
    }
    try await store.createAll(novels)
  }

  /// Returns the position in the mark of an answer; nil if the answer has no link.
  private static func mark(_ answer: Answer) throws -> String? {
    guard answer.response.headers["Link"] != nil else { return nil }
    let text = try #require(try answer.next(after: "").split(separator: "after=").last)
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    let mark = try JSONValue(json: try #require(Data(base64Encoded: base64 + padding)))
    return try #require(mark["position"]?.stringValue)
  }

  private static let byTitle = "sort=%5B%7B%22field%22:%22title%22,%22descending%22:true%7D%5D"

  @Test func `A list without readable records has no link, however many others there are`() async throws {
    let library = try await Self.library(Array(repeating: "bob", count: 600))
    for parameters in ["limit=1", "limit=1&\(Self.byTitle)", "limit=3&offset=2"] {
      let answer = try await library.request("GET", "/novels?\(parameters)", user: "eve")
      #expect(answer.titles == [])
      #expect(answer.response.headers["Link"] == nil, "\(parameters)")
    }
  }

  @Test(arguments: ["limit=2", "limit=2&" + byTitle])
  func `The link of a page names a returned record, and there is one only if the next page has records`(
    parameters: String
  ) async throws {
    let writers = (0..<1_300).map { $0 % 260 == 7 ? "eve" : "bob" }
    let library = try await Self.library(writers)
    var (titles, pages, address): ([String], Int, String?) = ([], 0, "/novels?\(parameters)")
    while let next = address {
      let page = try await library.request("GET", next, user: "eve")
      let mark = try Self.mark(page)
      let last = try #require(page.json?.arrayValue?.last?["id"]?.intValue)
      if let mark {
        #expect(mark.contains("\"id\":\"\(last)\"") && !mark.contains("bob"), "\(mark)")
      }
      titles += page.titles
      pages += 1
      address = mark == nil ? nil : try page.next(after: "/novels")
    }
    #expect(titles.sorted() == stride(from: 1_007, to: 2_300, by: 260).map { "eve \($0)" })
    #expect(pages == 3)
  }

  @Test func `A record that is removed while a page is read does not make the link name another one`() async throws {
    let engine = HookedEngine { engine, number in
      // The first snapshot finds the records of the page, the second one its end.
      if number == 1 { try engine.commit(RecordBatch([.delete("Novel", "1")])) }
    }
    let service = RESTService(engine, serving: [Novel.self]) { access in
      access.allow(.read, Novel.self) { request, novel in request.user == novel.writer && request.user != nil }
    }
    try await Self.add(["eve", "bob", "eve", "eve"], to: MemoryModelStore(engine.base))
    let url = try #require(URL(string: "http://library.test/novels?limit=1"))
    let answer = Answer(response: await service.respond(to: HTTPRequestData(.get, url), user: "eve"))
    #expect(answer.titles == ["eve 1002"])
    #expect(try Self.mark(answer)?.contains("\"id\":\"3\"") == true)
  }

  @Test func `A client finds the only record that it may read behind thousands of others`() async throws {
    let library = Library { access in
      access.allow(.read, Novel.self) { _, novel in novel.title.hasPrefix("ada") }
    }
    try await Self.add(Array(repeating: "bob", count: 2_500) + ["ada"], to: library.store)
    let client = RESTModelStore(
      baseURL: try #require(URL(string: "http://library.test")), dialect: JSONDialect(sendsQueries: true),
      transport: library.service)
    #expect(try await client.first(Novel.self)?.title == "ada 3500")
  }

  @Test func `A limit without end lists all records that the user may read`() async throws {
    let library = Library(options: RESTServiceOptions(maximumPageSize: .max)) { access in
      access.allow(.read, Novel.self) { _, novel in novel.title.hasPrefix("ada") }
    }
    try await Self.add(["ada", "bob", "ada"], to: library.store)
    #expect(try await library.request("GET", "/novels?limit=\(Int.max)").titles == ["ada 1000", "ada 1002"])
  }

  @Test(arguments: [
    #"{"field":"chart","is":"==","value":null}"#, #"{"field":"chart.id","is":"==","value":1}"#,
  ])
  func `A hidden foreign key can't be read by a condition on its inverse`(condition: String) async throws {
    let store = MemoryModelStore()
    let patient = Patient()
    patient.chart = Chart()
    try await store.save(patient, including: .related)
    for (isHidden, status) in [(true, 400), (false, 200)] {
      let service = RESTService(store.handle, serving: [Patient.self, Chart.self]) { access in
        access.allow(.read, Patient.self)
        access.allow(.read, Chart.self)
        if isHidden { access.hide(\Chart.$patient) }
      }
      let query = try #require(condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
      let url = try #require(URL(string: "http://library.test/patients?where=\(query)"))
      let answer = Answer(response: await service.respond(to: HTTPRequestData(.get, url)))
      #expect(answer.status == status, "\(answer.json ?? .null)")
    }
  }

  @Test func `A PUT does not reveal to a user who may not create a record whether it exists`() async throws {
    let library = Library { access in
      access.allow(.read, Owner.self) { _, owner in owner.name == "ada" }
      access.allow(.update, Novel.self) { request, novel in request.user == novel.writer && request.user != nil }
    }
    try await library.add("Emma")
    let owner = Owner()
    owner.name = "Olga"
    try await library.store.create(owner)
    for headers in [[:], ["If-None-Match": "*"]] as [HTTPHeaderList] {
      for path in ["/owners/", "/novels/"] {
        let existing = try await library.request("PUT", path + "1", ["title": "x"], headers: headers, user: "eve")
        let missing = try await library.request("PUT", path + "2", ["title": "x"], headers: headers, user: "eve")
        #expect(existing.status == missing.status, "\(path) \(headers)")
        #expect([403, 404].contains(missing.status))
      }
    }
  }

  @Test func `A denied deletion does not name the records that prevent it`() async throws {
    let store = MemoryModelStore()
    let debtor = Debtor()
    try await store.create(debtor)
    for _ in 0..<2 {
      let debt = Debt()
      debt.debtor = debtor
      try await store.create(debt)
    }
    let service = RESTService(store.handle, serving: [Debtor.self, Debt.self]) { access in
      access.allow(.all, Debtor.self)
    }
    let url = try #require(URL(string: "http://library.test/debtors/1"))
    let answer = Answer(response: await service.respond(to: HTTPRequestData(.delete, url), user: "eve"))
    #expect(answer.status == 409)
    #expect(answer.json?["code"] == "denied")
    #expect(answer.json?["errors"] == ["debts": ["references other records"]])
    let detail = try #require(answer.json?["detail"]?.stringValue)
    #expect(
      detail
        == #"Nothing was written: other records in "debts" of Debtor depend on a record that was to be deleted. Delete those first."#
    )
  }

  @Test func `Counts with a condition are those of the records that the user may read`() async throws {
    let library = try await Self.library(["bob", "eve", "bob", "eve", "eve"])
    func counts(_ query: String, user: String?) async throws -> Answer {
      let url = try #require(URL(string: "http://library.test/counts?" + query))
      return Answer(
        response: await library.service.counts(of: ["Novel": Novel.self], for: HTTPRequestData(.get, url), user: user))
    }
    let condition = #"{"field":"title","is":"contains","value":"100"}"#
    let query = try #require(condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    #expect(try await counts("", user: "eve").json == [:])
    #expect(try await counts("type=Novel&where=\(query)", user: "eve").json == ["Novel": 3])
    #expect(try await counts("type=Novel&where=\(query)", user: "bob").json == ["Novel": 2])
    #expect(try await counts("type=Novel&where=\(query)", user: nil).json == ["Novel": 0])
    let matching = query.replacing("contains", with: "matches")
    for wrong in ["type=Poem", "where=\(query)", "type=Novel&where=%7B", "type=Novel&where=\(matching)", "limit=1"] {
      #expect(try await counts(wrong, user: "eve").status == 400, "\(wrong)")
    }
  }

  @Test func `The plan of a query is explained to users who may read all records`() async throws {
    let store = MemoryModelStore()
    try store.index(Novel.self, \.$title)
    for number in 0..<10 {
      let novel = Novel()
      novel.title = "Novel \(number)"
      try await store.create(novel)
    }
    let condition = #"{"field":"title","is":"hasPrefix","value":"Novel 1"}"#
    let query = try #require(condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let readable = RESTService(store.handle, serving: [Novel.self]) { $0.allow(.read, Novel.self) }
    let restricted = RESTService(store.handle, serving: [Novel.self]) { access in
      access.allow(.read, Novel.self) { _, novel in !novel.title.isEmpty }
    }
    func explanation(_ items: String, _ service: RESTService) async throws -> Answer {
      let url = try #require(URL(string: "http://library.test/explain?" + items))
      return Answer(
        response: await service.explanation(of: ["Novel": Novel.self], for: HTTPRequestData(.get, url), user: "eve"))
    }
    let answer = try await explanation("type=Novel&where=\(query)", readable)
    #expect(answer.status == 200)
    #expect(answer.json?["plan"]?.stringValue?.contains("title") == true)
    #expect(answer.json?["found"] == 1)
    #expect(answer.json?["statement"] == .null)
    #expect(try await explanation("type=Novel&where=\(query)", restricted).status == 403)
    for wrong in ["", "type=Poem", "type=Novel&where=%7B", "type=Novel&type=Novel", "type=Novel&page=2"] {
      #expect(try await explanation(wrong, readable).status == 400, "\(wrong)")
    }
  }

  @Test func `Counts can't read a hidden field, and are under the limits of requests`() async throws {
    let (clock, handle) = (TestClock(), MemoryModelStore().handle)
    let service = RESTService(
      serving: [Owner.self], options: RESTServiceOptions(requestsPerMinute: 1),
      access: { access in
        access.allow(.read, Owner.self)
        access.hide(\Owner.$secret)
      }, now: { clock.date }, opening: { MemoryModelStore(handle, scope: $0) })
    let condition = "%7B%22field%22:%22secret%22,%22is%22:%22hasPrefix%22,%22value%22:%22p%22%7D"
    let url = try #require(URL(string: "http://library.test/counts?type=Owner&where=\(condition)"))
    for status in [400, 429] {
      let answer = await service.counts(of: ["Owner": Owner.self], for: HTTPRequestData(.get, url), user: "eve")
      #expect(answer.status == status)
    }
  }
}

/// A class whose records can't be deleted while others reference them.
final class Debtor: Model {
  @Field var id: Int?
  @ModelArrayField(deleteRule: .deny) var debts: [Debt]?
  override var identifierField: AnyField? { $id }
}

final class Debt: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true, inverse: \.$debts) var debtor: Debtor?
  override var identifierField: AnyField? { $id }
}

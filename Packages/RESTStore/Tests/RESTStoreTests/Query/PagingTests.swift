import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

/// A server of numbered people that come in pages, in one of the usual styles.
private final class PagedServer: HTTPTransport {
  enum Style { case link, offset, pages, cursor }

  let style: Style
  let count: Int
  private let log = Lock<[String]>([])
  private let body: @Sendable (Int) -> String

  init(
    _ style: Style, count: Int, body: @escaping @Sendable (Int) -> String = { "{\"id\": \($0), \"name\": \"p\($0)\"}" }
  ) {
    self.style = style
    self.count = count
    self.body = body
  }

  var lines: [String] { log.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    log.withLock { $0.append(request.url.query ?? "") }
    let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    func number(_ name: String) -> Int? { items.first { $0.name == name }.flatMap { Int($0.value ?? "") } }
    let size = number("limit") ?? number("page_size") ?? 10
    let start = number("offset") ?? number("at") ?? ((number("page") ?? 1) - 1) * size
    let end = min(count, start + size)
    let list = (start..<max(start, end)).map { body($0 + 1) }.joined(separator: ",")
    let hasMore = end < count
    switch style {
    case .link:
      let link = "<\(request.url.path)?at=\(end)>; rel=\"next\", <http://x/>; rel=\"last\""
      return HTTPResponseData(status: 200, headers: hasMore ? ["Link": link] : [:], body: Data("[\(list)]".utf8))
    case .offset: return HTTPResponseData(status: 200, body: Data("[\(list)]".utf8))
    case .pages, .cursor:
      let address =
        "http://api.test\(request.url.path)?\(style == .pages ? "page=\(start / size + 2)&page_size=\(size)" : "at=\(end)")"
      let next = hasMore ? "\"\(address)\"" : "null"
      let total = style == .pages ? "\"count\": \(count), " : ""
      return HTTPResponseData(status: 200, body: Data("{\(total)\"next\": \(next), \"results\": [\(list)]}".utf8))
    }
  }
}

@Suite struct `A list that comes in pages` {
  private func store(_ server: PagedServer, _ options: RESTOptions = RESTOptions()) throws -> RESTModelStore {
    let url = try #require(URL(string: "http://api.test"))
    let dialect: any RESTDialect =
      switch server.style {
      case .link: JSONDialect(paging: .linked)
      case .offset: JSONDialect(paging: .offset(size: 10))
      case .pages: DjangoRESTDialect(paging: .pages(size: 10))
      case .cursor: DjangoRESTDialect(paging: .linked)
      }
    return RESTModelStore(baseURL: url, dialect: dialect, transport: server, options: options)
  }

  @Test(arguments: [PagedServer.Style.link, .offset, .pages, .cursor], [0, 1, 10, 25])
  fileprivate func `A paged list is followed to its end`(style: PagedServer.Style, count: Int)
    async throws
  {
    let server = PagedServer(style, count: count)
    let store = try store(server)
    #expect(try await store.list(Person.self).map(\.id.value) == (0..<count).map { $0 + 1 })
    #expect(try await store.count(Person.self) == count)
    #expect(try await store.identifiers(ModelQuery(Person.self)) == (0..<count).map { String($0 + 1) })
  }

  @Test(arguments: [PagedServer.Style.link, .offset, .pages, .cursor])
  fileprivate func `A paged list is followed as far as it is needed`(style: PagedServer.Style)
    async throws
  {
    let server = PagedServer(style, count: 100)
    let store = try store(server)
    #expect(try await store.list(Person.self, limit: 12, offset: 3).map(\.id.value) == Array(4...15))
    #expect(server.lines.count <= 2)
    #expect(try await store.list(Person.self, limit: 5, offset: 98).map(\.id.value) == [99, 100])
    #expect(try await store.list(Person.self, offset: 200).isEmpty)
  }

  @Test(arguments: [PagedServer.Style.link, .offset, .pages, .cursor])
  fileprivate func `A paged list is streamed with one page in memory at a time`(style: PagedServer.Style)
    async throws
  {
    let server = PagedServer(style, count: 50)
    let store = try store(server)
    var seen = 0
    var weak: [WeakPerson] = []
    for try await person in store.stream(Person.self) {
      seen += 1
      #expect(person.id.value == seen)
      weak.append(WeakPerson(person))
      #expect(weak.count { $0.person != nil } <= 21)
      // No page is fetched before it is needed.
      #expect(server.lines.count == (seen + 9) / 10)
    }
    #expect(seen == 50)
  }

  private final class WeakPerson {
    weak var person: Person?
    init(_ person: Person) { self.person = person }
  }

  @Test func `A paged list is streamed through any store, and ends where the loop does`() async throws {
    let server = PagedServer(.link, count: 50)
    let store: any ModelStore = try store(server)
    for try await person in store.stream(Person.self) where person.id == 12 { break }
    #expect(server.lines.count == 2)
  }

  @Test func `A paged list is filtered in memory page by page, or as a whole if it is ordered`()
    async throws
  {
    let store = try store(PagedServer(.link, count: 30))
    let found = try await store.list(Person.self, where: { $0.id > 8 }, limit: 2, offset: 3, evaluation: .inMemory)
    #expect(found.map(\.id.value) == [12, 13])
    let sorted = try await store.list(
      Person.self, where: { $0.id > 8 }, sort: [.descending(\.id)], limit: 2, offset: 1, evaluation: .inMemory)
    #expect(sorted.map(\.id.value) == [29, 28])
    #expect(try await store.count(Person.self, where: { $0.id > 8 }, evaluation: .inMemory) == 22)
    var streamed: [Int?] = []
    for try await person in store.stream(Person.self, where: { $0.id > 27 }, evaluation: .inMemory) {
      streamed.append(person.id.value)
    }
    #expect(streamed == [28, 29, 30])
  }

  @Test func `A paged list has its first page only if the options require that`() async throws {
    var options = RESTOptions()
    options.followsPages = false
    let server = PagedServer(.pages, count: 30)
    #expect(try await store(server, options).list(Person.self).count == 10)
    #expect(server.lines.count == 1)
  }

  @Test func `A paged list does not continue forever`() async throws {
    var options = RESTOptions()
    options.maximumPages = 3
    let long = try await storeError { _ = try await store(PagedServer(.offset, count: 100), options).list(Person.self) }
    #expect(long.message.contains("more than 3 pages"))
    // A server that ignores the parameters of requests.
    let same = StubTransport(status: 200, "[" + (1...10).map { "{\"id\": \($0)}" }.joined(separator: ",") + "]")
    let error = try await storeError {
      _ = try await RESTModelStore(same, dialect: JSONDialect(paging: .offset(size: 10))).list(Person.self)
    }
    #expect(error.message.contains("the same as the one before"))
    let circle = StubTransport(status: 200, "[]", headers: ["Link": "<http://api.test/people>; rel=next"])
    #expect(try await storeError { _ = try await RESTModelStore(circle).list(Person.self) }.code == .server)
  }

  @Test func `A paged list is not followed to another server`() async throws {
    let transport = StubTransport(
      status: 200, "[{\"id\": 1}]", headers: ["Link": "<http://evil.test/people>; rel=\"next\""])
    let error = try await storeError { _ = try await RESTModelStore(transport).list(Person.self) }
    #expect(error.code == .server)
    #expect(error.message.contains("evil.test"))
    #expect(transport.lines.count == 1)
  }

  @Test func `A paged list changes no model if a later page can't be read`() async throws {
    let scope = ModelScope()
    let person = try Person.from(dictionaryValue: ["id": 1, "name": "before"], in: scope)
    let server = PagedServer(.link, count: 12) { $0 == 12 ? "{\"id\": \"x\"}" : "{\"id\": \($0), \"name\": \"new\"}" }
    let url = try #require(URL(string: "http://api.test"))
    let store = RESTModelStore(baseURL: url, transport: server, scope: scope)
    #expect(try await storeError { _ = try await store.list(Person.self) }.code == .server)
    #expect(person.name.value == "before")
  }
}

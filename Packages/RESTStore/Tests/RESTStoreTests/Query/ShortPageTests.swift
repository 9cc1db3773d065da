import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

/// A server of numbered people that returns at most four at a time, whatever limit is requested, and their total.
private final class CappedServer: HTTPTransport {
  private let count: Int
  private let total: Int?
  private let isPostgREST: Bool
  private let isNumbered: Bool
  private let log = Lock<[String]>([])

  init(count: Int, total: Int?, isPostgREST: Bool = false, isNumbered: Bool = false) {
    (self.count, self.total, self.isPostgREST, self.isNumbered) = (count, total, isPostgREST, isNumbered)
  }

  var lines: [String] { log.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    log.withLock { $0.append(request.url.query ?? "") }
    let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    func number(_ name: String) -> Int? { items.first { $0.name == name }.flatMap { Int($0.value ?? "") } }
    let start = min(count, isNumbered ? ((number("page") ?? 1) - 1) * 4 : number("offset") ?? 0)
    let end = min(count, start + min(4, number("limit") ?? 4))
    let list = "[" + (start..<end).map { "{\"id\": \($0 + 1)}" }.joined(separator: ",") + "]"
    let known = total.map(String.init)
    guard isPostgREST else {
      return HTTPResponseData(status: 200, body: Data("{\"data\": \(list), \"total\": \(known ?? "null")}".utf8))
    }
    return HTTPResponseData(
      status: 206, headers: ["Content-Range": "\(start)-\(end - 1)/\(known ?? "*")"], body: Data(list.utf8))
  }
}

@Suite struct `A server that returns smaller pages than requested` {
  private func store(_ server: CappedServer, isPostgREST: Bool) throws -> RESTModelStore {
    let dialect: any RESTDialect =
      isPostgREST
      ? PostgRESTDialect(pageSize: 100, requestsExactCount: true)
      : EnvelopedDialect(total: "total", paging: .offset(size: 100))
    return try RESTModelStore(server, dialect: dialect)
  }

  @Test(arguments: [false, true]) func `Lists of a server with smaller pages are as long as its total`(
    isPostgREST: Bool
  )
    async throws
  {
    let server = CappedServer(count: 10, total: 10, isPostgREST: isPostgREST)
    let store = try store(server, isPostgREST: isPostgREST)
    #expect(try await store.list(Person.self).map(\.id.value) == Array(1...10))
    #expect(server.lines.count == 3)
    #expect(try await store.count(Person.self) == 10)
    #expect(try await store.list(Person.self, limit: 6, offset: 1).map(\.id.value) == Array(2...7))
    var query = ModelQuery(Person.self)
    query.limit = 7
    var (pages, mark): ([[Int?]], ModelPageMark?) = ([], nil)
    repeat {
      let page = try await store.page(query, after: mark)
      pages.append(page.models.map(\.id.value))
      mark = page.next
    } while mark != nil
    #expect(pages == [Array(1...7), Array(8...10)])
  }

  @Test func `Lists by page number of a server with smaller pages are as long as its total`() async throws {
    let server = CappedServer(count: 10, total: 10, isNumbered: true)
    let store = try RESTModelStore(server, dialect: EnvelopedDialect(total: "total", paging: .pages(size: 100)))
    #expect(try await store.list(Person.self).map(\.id.value) == Array(1...10))
    #expect(server.lines.count == 3)
    var query = ModelQuery(Person.self)
    query.limit = 5
    var (pages, mark): ([[Int?]], ModelPageMark?) = ([], nil)
    repeat {
      let page = try await store.page(query, after: mark)
      pages.append(page.models.map(\.id.value))
      mark = page.next
    } while mark != nil
    #expect(pages.flatMap { $0 } == Array(1...10))
    #expect(try await store.list(Person.self, limit: 4, offset: 5).map(\.id.value) == Array(6...9))
  }

  @Test func `A list by number that begins at another page is rejected, since its position is unknown`() async throws {
    let server = CappedServer(count: 10, total: 10, isNumbered: true)
    let store = try RESTModelStore(server, dialect: EnvelopedDialect(total: "total", paging: .pages(size: 5)))
    for (limit, offset) in [(nil, 5), (nil, 7), (1, 3)] as [(Int?, Int)] {
      let error = try await storeError { _ = try await store.list(Person.self, limit: limit, offset: offset) }
      #expect(error.code == .server && error.message.contains("position of its records is unknown"), "\(error)")
    }
    // Beyond the end there is nothing that could be at another position.
    #expect(try await store.list(Person.self, offset: 12).isEmpty)
  }

  @Test(arguments: [nil, 3, 4, -1, Int.min] as [Int?])
  func `Without a larger total, a short page is the last one`(total: Int?) async throws {
    let server = CappedServer(count: 10, total: total, isPostgREST: false)
    #expect(try await store(server, isPostgREST: false).list(Person.self).map(\.id.value) == Array(1...4))
    #expect(server.lines.count == 1)
  }

  @Test(arguments: [false, true]) func `An empty page is the last one, whatever the total is`(isPostgREST: Bool)
    async throws
  {
    let server = CappedServer(count: 6, total: .max, isPostgREST: isPostgREST)
    #expect(try await store(server, isPostgREST: isPostgREST).list(Person.self).map(\.id.value) == Array(1...6))
    #expect(server.lines.count == 3)
  }
}

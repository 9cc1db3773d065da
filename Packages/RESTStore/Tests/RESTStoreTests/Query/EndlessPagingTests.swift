import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

/// A server whose pages a test makes from the number of the request, which begins with 0.
private final class NumberedServer: HTTPTransport {
  private let requests = Lock<[URL]>([])
  private let page: @Sendable (Int, URL) -> HTTPResponseData

  init(_ page: @escaping @Sendable (Int, URL) -> HTTPResponseData) { self.page = page }

  var count: Int { requests.withLock { $0.count } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let number = requests.withLock { requests in
      requests.append(request.url)
      return requests.count - 1
    }
    return page(number, request.url)
  }
}

/// A page of a list of 40 people, ten to a page, which an address requests with `page` or `offset`.
private struct FortyPeople {
  let start: Int
  var isLast: Bool { start + 10 >= 40 }

  init(_ url: URL) {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    func number(_ name: String) -> Int? { items.first { $0.name == name }.flatMap { Int($0.value ?? "") } }
    start = number("offset") ?? number("page").map { ($0 - 1) * 10 } ?? 0
  }

  var identifiers: Range<Int> { start + 1..<max(start, min(start + 10, 40)) + 1 }
  var next: String { "/people?offset=\(start + 10)" }
}

private func people(_ identifiers: some Sequence<Int>) -> String {
  "[" + identifiers.map { "{\"id\": \($0)}" }.joined(separator: ",") + "]"
}

private func page(_ body: String, link: String? = nil) -> HTTPResponseData {
  HTTPResponseData(
    status: 200, headers: link.map { ["Link": "<\($0)>; rel=\"next\""] } ?? [:], body: Data(body.utf8))
}

@Suite struct `A list with endless pages` {
  enum Style: CaseIterable { case header, headerWithOthers, envelope, nullInEnvelope, jsonAPI, jsonAPIWithoutNext }

  private static func answer(_ style: Style, _ url: URL) -> HTTPResponseData {
    let part = FortyPeople(url)
    let list = people(part.identifiers)
    switch style {
    case .header: return page(list, link: part.isLast ? nil : part.next)
    case .headerWithOthers:
      let next = part.isLast ? "" : ", <\(part.next)>; rel=\"next\""
      return HTTPResponseData(
        status: 200, headers: ["Link": "</people>; rel=\"first\"\(next)"], body: Data(list.utf8))
    case .envelope: return page("{\"data\": \(list)\(part.isLast ? "" : ", \"next\": \"\(part.next)\"")}")
    case .nullInEnvelope: return page("{\"data\": \(list), \"next\": \(part.isLast ? "null" : "\"\(part.next)\"")}")
    case .jsonAPI, .jsonAPIWithoutNext:
      let resources = part.identifiers.map { "{\"type\": \"people\", \"id\": \"\($0)\"}" }.joined(separator: ",")
      let next = part.isLast ? style == .jsonAPI ? "\"next\": null" : "" : "\"next\": \"\(part.next)\""
      return page("{\"data\": [\(resources)], \"links\": {\(next)}}")
    }
  }

  private static func dialect(_ style: Style, _ paging: RESTPaging) -> any RESTDialect {
    switch style {
    case .header, .headerWithOthers: JSONDialect(paging: paging)
    case .envelope, .nullInEnvelope: EnvelopedDialect(next: "next", paging: paging)
    case .jsonAPI, .jsonAPIWithoutNext: JSONAPIDialect(paging: paging)
    }
  }

  @Test(arguments: Style.allCases, [RESTPaging.offset(size: 10), .pages(size: 10), .linked, .whole])
  func `A list ends after a full last page where the server links to the pages`(
    style: Style, paging: RESTPaging
  ) async throws {
    let server = NumberedServer { _, url in Self.answer(style, url) }
    let store = try RESTModelStore(server, dialect: Self.dialect(style, paging))
    #expect(try await store.list(Person.self).map(\.id.value) == (1...40).map { $0 })
    #expect(server.count == 4)
    #expect(try await store.count(Person.self) == 40)
    #expect(server.count == 8)
  }

  @Test(arguments: Style.allCases) func `A list does not count pages where the first one is declared as the last`(
    style: Style
  ) async throws {
    // Without a link on its only page, a list may have other pages.
    if [.header, .envelope, .jsonAPIWithoutNext].contains(style) { return }
    let server = NumberedServer { _, url in Self.answer(style, url) }
    let store = try RESTModelStore(server, dialect: Self.dialect(style, .offset(size: 10)))
    #expect(try await store.list(Person.self, offset: 30).map(\.id.value) == (31...40).map { $0 })
    #expect(server.count == 1)
  }

  @Test(arguments: [1, 2, 3, 7, 20])
  func `A list fails where the links of its pages form a cycle`(
    length: Int
  ) async throws {
    let server = NumberedServer { number, _ in
      // The records change each time, so they can't identify the pages.
      page(people([number]), link: "/people?at=\((number + 1) % length)")
    }
    let error = try await storeError { _ = try await RESTModelStore(server).list(Person.self) }
    #expect(error.code == .server)
    #expect(server.count <= 4 * length + 4)
  }

  @Test(arguments: [1, 2, 3, 7, 20])
  func `A list fails where the same pages are repeated under new addresses`(
    length: Int
  ) async throws {
    let server = NumberedServer { number, _ in
      page("[{\"id\": \(number % length), \"name\": \"\(number)\"}]", link: "/people?at=\(number + 1)")
    }
    let error = try await storeError { _ = try await RESTModelStore(server).list(Person.self) }
    #expect(error.code == .server)
    #expect(server.count <= 4 * length + 4)
  }

  @Test func `A list fails where the server returns the same cursor that it received`()
    async throws
  {
    let server = NumberedServer { number, _ in page("{\"data\": \(people([number])), \"next\": \"abc\"}") }
    let store = try RESTModelStore(server, dialect: EnvelopedDialect(next: "next", cursorParameter: "cursor"))
    #expect(try await storeError { _ = try await store.list(Person.self) }.code == .server)
    #expect(server.count == 2)
  }

  @Test(arguments: ["null", "\"\"", "false"]) func `A list ends where a cursor is empty`(
    cursor: String
  ) async throws {
    let server = NumberedServer { number, _ in page("{\"data\": \(people([number])), \"next\": \(cursor)}") }
    let store = try RESTModelStore(server, dialect: EnvelopedDialect(next: "next", cursorParameter: "cursor"))
    #expect(try await store.list(Person.self).count == 1)
    #expect(server.count == 1)
  }

  @Test func `A list fails if many pages in a row are empty`() async throws {
    let server = NumberedServer { number, _ in page("[]", link: "/people?at=\(number + 1)") }
    let error = try await storeError { _ = try await RESTModelStore(server).list(Person.self) }
    #expect(error.code == .server)
    #expect(error.message.contains("empty"))
    #expect(server.count <= 101)
  }

  @Test func `A list continues after empty pages`() async throws {
    let server = NumberedServer { number, _ in
      page(number % 3 == 2 ? people([number]) : "[]", link: number < 299 ? "/people?at=\(number + 1)" : nil)
    }
    #expect(try await RESTModelStore(server).list(Person.self).count == 100)
  }

  @Test(arguments: Style.allCases) func `A stream ends after a full last page where the server links to the pages`(
    style: Style
  )
    async throws
  {
    let server = NumberedServer { _, url in Self.answer(style, url) }
    let store = try RESTModelStore(server, dialect: Self.dialect(style, .offset(size: 10)))
    var found: [Int?] = []
    for try await person in store.stream(Person.self) { found.append(person.id.value) }
    #expect(found == (1...40).map { $0 })
    #expect(server.count == 4)
  }

  // MARK: Offsets

  @Test(arguments: [0, 1, 2])
  func `A list rejects an offset where the paging has no form for one`(
    index: Int
  ) async throws {
    let dialects: [any RESTDialect] = [JSONDialect(), EnvelopedDialect(), DjangoRESTDialect(paging: .whole)]
    let list = people(1...20)
    let server = NumberedServer { _, _ in page(index == 1 ? "{\"data\": \(list)}" : list) }
    let store = try RESTModelStore(server, dialect: dialects[index])
    let error = try await storeError { _ = try await store.list(Person.self, limit: 2, offset: 5) }
    #expect(error.code == .unsupported)
    #expect(error.message.contains(".offset(size: 100)"))
    #expect(server.count == 0)
    var query = ModelQuery(Person.self)
    query.offset = 5
    #expect(try await storeError { _ = try await store.count(query) }.code == .unsupported)
    // The server ignores the limit, but the list has no more models than that.
    #expect(try await store.list(Person.self, limit: 2).map(\.id.value) == [1, 2])
    let here = try await store.list(Person.self, limit: 2, offset: 5, evaluation: .inMemory)
    #expect(here.map(\.id.value) == [6, 7])
  }
}

@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import RESTStore
import StoreProtocol
import Testing

@testable import SyncStore

/// A server whose answers a test makes from the number of the request, which begins with 1. After 100 requests there is
/// no network.
private final class NumberedAnswers: HTTPTransport {
  private let requests = Lock<[String]>([])
  private let answer: @Sendable (Int, HTTPRequest) -> String

  init(_ answer: @escaping @Sendable (Int, HTTPRequest) -> String) { self.answer = answer }

  /// The queries of the requests so far.
  var queries: [String] { requests.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let number = requests.withLock { requests in
      requests.append(request.url.query ?? "")
      return requests.count
    }
    if number > 100 { throw ModelStoreError(.offline, "There is no network.") }
    return HTTPResponseData(status: 200, body: Data(answer(number, request).utf8))
  }
}

@Suite struct `A synchronisation with a server that repeats itself` {
  private func client(
    _ server: NumberedAnswers, _ dialect: any RESTDialect = JSONDialect(), _ type: any Model.Type = Tag.self
  ) throws -> MemorySyncStore {
    let url = try #require(URL(string: "http://api.test"))
    let remote = RESTModelStore(baseURL: url, dialect: dialect, transport: server)
    return SyncModelStore(local: MemoryModelStore(), remote: remote, types: [type])
  }

  private func labels(_ store: MemorySyncStore) async throws -> [String?] {
    try await store.list(Tag.self, sort: [.ascending(\.id)]).map(\.label.value)
  }

  // MARK: Records

  @Test func `The last version of a record that a list has twice is kept`() async throws {
    let server = NumberedAnswers { _, _ in
      #"[{"id": "a", "label": "One"}, {"id": "b", "label": "B"}, {"id": "a", "label": "Two"}]"#
    }
    let store = try client(server)
    let report = try await store.sync()
    #expect(report.pulled == 2 && report.failures.isEmpty)
    #expect(try await labels(store) == ["Two", "B"])
    #expect(try await store.sync().pulled == 0)
  }

  @Test func `A record that a list has twice keeps its local changes`() async throws {
    let server = NumberedAnswers { number, _ in
      number == 1 ? #"[{"id": "a", "label": "One"}]"# : #"[{"id": "a", "label": "One"}, {"id": "a", "label": "One"}]"#
    }
    let store = try client(server)
    try await store.sync()
    let tag = try await store.lookup(Tag.self, identifier: "a")
    tag.label.value = "Mine"
    try await store.save(tag)
    _ = try? await store.sync()
    #expect(try await labels(store) == ["Mine"])
  }

  @Test func `A new record with the identifier of a dirty one that references it is assigned once`() async throws {
    let server = NumberedAnswers { _, request in
      request.method == .get && request.url.path == "/nodes"
        ? #"[{"id": 7, "parent": null}]"# : #"{"id": 7, "parent": null}"#
    }
    let store = try client(server, JSONDialect(), Node.self)
    try await store.sync()
    let node = try await store.lookup(Node.self, identifier: "7")
    node.parent.value = Node()
    try await store.save(node, including: .related)
    try await store.sync()
    #expect(try await store.identifiers(ModelQuery(Node.self)) == ["7"])
  }

  // MARK: Times of changes

  /// Returns a page of two articles each, whatever the query has besides the page, as Django does with unknown
  /// parameters.
  private static func page(of articles: [(id: Int, time: Double)], _ url: URL) -> String {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    let number = items.first { $0.name == "page" }.flatMap { Int($0.value ?? "") } ?? 1
    let found = articles.dropFirst((number - 1) * 2).prefix(2).map { article in
      let time = JSONValue.string(Date(timeIntervalSince1970: 1_000_000 + article.time).formatted(.iso8601))
      return "{\"id\": \(article.id), \"updatedAt\": \(time)}"
    }
    let next = number * 2 < articles.count ? "\"/articles/?page=\(number + 1)\"" : "null"
    return "{\"count\": \(articles.count), \"next\": \(next), \"results\": [\(found.joined(separator: ","))]}"
  }

  @Test(arguments: [[0, 10, 20, 30, 40, 50, 60], [60, 50, 40, 30, 20, 10, 0], [0, 10, 5, 30, 25, 60, 50]])
  func `All records are compared where the server ignores the condition or the order by time`(
    times: [Double]
  ) async throws {
    let articles = times.enumerated().map { (id: $0 + 1, time: $1) }
    let isShort = Lock(false)
    let server = NumberedAnswers { _, request in
      Self.page(of: isShort.withLock { $0 } ? Array(articles.dropLast()) : articles, request.url)
    }
    let dialect = DjangoRESTDialect(paging: .pages(size: 2), orderingParameter: "ordering")
    let store = try client(server, dialect, Article.self)
    store.policy(Article.self, .changes(by: \.updatedAt))
    #expect(try await store.sync().pulled == 7)
    let first = server.queries.count
    #expect(try await store.sync().failures.isEmpty)
    #expect(server.queries.count <= first + 6)
    // Only a comparison notices a deletion.
    isShort.withLock { $0 = true }
    #expect(try await store.sync().pulled == 1)
    #expect(try await store.list(Article.self).count == 6)
  }

  @Test func `Records of one time are read by position where the server ignores the condition`() async throws {
    let articles = (1...7).map { (id: $0, time: 0.0) }
    let server = NumberedAnswers { _, request in Self.page(of: articles, request.url) }
    let dialect = DjangoRESTDialect(paging: .pages(size: 2), orderingParameter: "ordering")
    let store = try client(server, dialect, Article.self)
    store.policy(Article.self, .changes(by: \.updatedAt))
    try await store.sync()
    let first = server.queries.count
    #expect(try await store.sync().failures.isEmpty)
    #expect(server.queries.count <= first + 9)
  }

  // MARK: Change logs

  private let log = JSONDialect(changesParameter: "updated_since")

  /// Returns a page of a change log, or the list for a request without position.
  private static func page(_ position: String, of url: URL, updated: String = "") -> String {
    switch url.query {
    case nil: "[]"
    case "updated_since=": #"{"updated": [], "deleted": [], "position": "p0", "reset": true}"#
    default: #"{"updated": [\#(updated)], "deleted": [], "position": "\#(position)", "hasMore": true}"#
    }
  }

  @Test func `A requested comparison of all records is made although the server has a change log`() async throws {
    let server = NumberedAnswers { number, request in
      request.url.query == nil && number > 2 ? #"[{"id": "a", "label": "One"}]"# : Self.page("p0", of: request.url)
    }
    let store = try client(server, log)
    try await store.sync()
    #expect(try await store.sync(comparingAll: true).pulled == 1)
    #expect(try await labels(store) == ["One"])
  }

  @Test func `A change log that has a record twice gives its last version`() async throws {
    let server = NumberedAnswers { _, request in
      request.url.query == "updated_since=p0"
        ? #"{"updated": [{"id": "a", "label": "One"}, {"id": "a", "label": "Two"}], "deleted": [], "position": "p1"}"#
        : Self.page("p0", of: request.url)
    }
    let store = try client(server, log)
    try await store.sync()
    #expect(try await store.sync().failures.isEmpty)
    #expect(try await labels(store) == ["Two"])
  }

  @Test(arguments: [1, 2, 3]) func `A change log whose positions form a cycle fails after one round`(
    length: Int
  ) async throws {
    let server = NumberedAnswers { _, request in
      let current = request.url.query.flatMap { $0.last }.flatMap { Int(String($0)) } ?? 0
      return Self.page("p\((current + 1) % length)", of: request.url, updated: #"{"id": "\#(current)"}"#)
    }
    let store = try client(server, log)
    try await store.sync()
    let report = try await store.sync()
    #expect(report.failures.map(\.error.code) == [.server])
    #expect(report.failures.first?.error.message.contains("returns an earlier position") == true)
    // The reset, the list, and one request for each position.
    #expect(server.queries.count == 2 + length)
    #expect(try await store.list(Tag.self).count == length)
  }

  @Test func `A change log without end fails at the largest number of pages, and continues there the next time`()
    async throws
  {
    let remote = EndlessLog()
    let store = SyncModelStore(local: MemoryModelStore(), remote: remote, types: [Tag.self])
    try await store.sync()
    let report = try await store.sync()
    #expect(report.failures.map(\.error.code) == [.server])
    #expect(remote.position == 10_000)
    try await store.sync()
    #expect(remote.position == 20_000)
  }
}

/// A record of a tree.
final class Node: Model {
  let id = Field<Int>()
  let parent = ModelField<Node>(foreignKey: true)
  override var identifierField: AnyField? { id }
}

/// A store with a change log that always has more changes.
private final class EndlessLog: ChangeLogModelStore {
  private let base = MemoryModelStore()
  /// The last position that was returned.
  private(set) var position = 0

  var scope: ModelScope { base.scope }
  let hasChangeLog = true

  func changePage<M: Model>(of type: M.Type, after known: String?) async throws -> ModelChangePage<M> {
    guard let known, let number = Int(known) else { return ModelChangePage(position: "0", isReset: true) }
    position = number + 1
    return ModelChangePage(position: "\(position)", hasMore: true)
  }

  func create<M: Model>(_ model: M) async throws -> M { try await base.create(model) }
  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await base.update(model, fields: fields)
  }
  func delete<M: Model>(_ model: M) async throws -> M { try await base.delete(model) }
  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await base.lookup(type, identifier: identifier)
  }
  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await base.list(query) }
}

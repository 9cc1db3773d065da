import Foundation
import MemoryStore
import RESTService
import Synchronization
import Testing

@Suite struct `Requests with an idempotency key` {
  private static let key: HTTPHeaderList = ["Idempotency-Key": "k1"]

  @Test func `A repeated creation takes effect once, and gets the same response`() async throws {
    let library = Library()
    let first = try await library.request("POST", "/novels", ["title": "Emma"], headers: Self.key)
    let second = try await library.request("POST", "/novels", ["title": "Emma"], headers: Self.key)
    #expect(first.status == 201)
    #expect(second.response == first.response)
    #expect(try await library.request("GET", "/novels").titles == ["Emma"])
    let other = try await library.request("POST", "/novels", ["title": "Emma"], headers: ["Idempotency-Key": "k2"])
    #expect(other.json?["id"] == 2)
  }

  @Test func `A repeated change and a repeated deletion get the first response`() async throws {
    let library = Library()
    try await library.add("Emma")
    let tag = try #require(try await library.request("GET", "/novels/1").tag)
    let change: HTTPHeaderList = ["Idempotency-Key": "change", "If-Match": tag]
    for _ in 0..<2 {
      #expect(try await library.request("PATCH", "/novels/1", ["rating": 5], headers: change).status == 200)
    }
    let deletion: HTTPHeaderList = ["Idempotency-Key": "deletion"]
    for _ in 0..<2 { #expect(try await library.request("DELETE", "/novels/1", headers: deletion).status == 204) }
  }

  @Test func `A failed request can be sent again with its key`() async throws {
    let library = Library()
    #expect(try await library.request("PATCH", "/novels/1", ["rating": 5], headers: Self.key).status == 404)
    try await library.add("Emma")
    #expect(try await library.request("PATCH", "/novels/1", ["rating": 5], headers: Self.key).status == 200)
  }

  @Test func `A key of another request is rejected`() async throws {
    let library = Library()
    _ = try await library.request("POST", "/novels", ["title": "Emma"], headers: Self.key)
    #expect(try await library.request("POST", "/novels", ["title": "Evelina"], headers: Self.key).status == 422)
    #expect(try await library.request("PUT", "/novels/7", ["title": "Emma"], headers: Self.key).status == 422)
    #expect(try await library.request("GET", "/novels").titles == ["Emma"])
  }

  @Test func `A key of a request whose query names another record is rejected`() async throws {
    let store = MemoryModelStore()
    let service = RESTService(store.handle, serving: [Novel.self], dialect: PostgRESTDialect())
    for _ in 1...2 { try await store.create(Novel()) }
    var statuses: [Int] = []
    for identifier in ["1", "2", "1"] {
      let url = try #require(URL(string: "http://library.test/novels?id=eq.\(identifier)"))
      let request = HTTPRequestData(.delete, url, headers: ["Idempotency-Key": "k"])
      statuses.append(await service.respond(to: request).status)
    }
    #expect(statuses == [204, 422, 204])
    #expect(try await store.list(Novel.self).map(\.id) == [2])
  }

  @Test func `Users have keys of their own`() async throws {
    let library = Library { access in
      access.allow(.all, Novel.self) { request, novel in request.user == novel.writer }
    }
    for user in ["ada", "bob"] {
      let body: JSONValue = ["title": "Emma", "writer": .string(user)]
      #expect(try await library.request("POST", "/novels", body, headers: Self.key, user: user).json?["writer"] != nil)
    }
    #expect(try await library.store.count(Novel.self) == 2)
  }

  @Test(arguments: `A REST store over a service in the same process`.CommonDialect.all)
  func `A repeated request gets the same bytes in every dialect`(
    common: `A REST store over a service in the same process`.CommonDialect
  ) async throws {
    let service = RESTService(MemoryModelStore().handle, serving: [Novel.self], dialect: common.dialect)
    let client = RESTModelStore(
      baseURL: try #require(URL(string: "http://library.test")), dialect: common.dialect,
      transport: RepeatingTransport(service: service))
    let novel = Novel()
    (novel.title, novel.rating) = ("Emma", 4)
    try await client.create(novel)
    novel.rating = 5
    try await client.update(novel)
    #expect(try await client.list(Novel.self).map(\.rating) == [5])
    try await client.delete(novel)
    #expect(try await client.count(Novel.self) == 0)
  }

  /// Sends each write twice with a key of its own, and expects the same response.
  private final class RepeatingTransport: HTTPTransport {
    private let service: RESTService
    private let count = Mutex(0)

    init(service: RESTService) { self.service = service }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
      if request.method == .get { return await service.respond(to: request) }
      var request = request
      request.headers["Idempotency-Key"] = count.withLock { count in
        count += 1
        return "\(count)"
      }
      let first = await service.respond(to: request)
      let second = await service.respond(to: request)
      #expect(second == first)
      return second
    }
  }

  /// The rights of the user ada.
  private struct Rights: Sendable {
    var actions: RESTAccess.Action = .all
    var hidesWriter = false
  }

  /// Creates a service over a store, in which ada has rights on novels.
  private static func service(_ store: MemoryModelStore, _ rights: Rights = Rights()) -> RESTService {
    RESTService(store.handle, serving: [Owner.self, Novel.self]) { access in
      access.allow(rights.actions, Novel.self) { request, novel in request.user == "ada" && novel.rating != 1 }
      if rights.hidesWriter { access.hide(\Novel.$writer) }
    }
  }

  private static func send(
    _ method: HTTPRequestData.Method, _ path: String, _ body: String, to service: RESTService
  ) async throws -> Answer {
    let url = try #require(URL(string: "http://library.test\(path)"))
    let request = HTTPRequestData(method, url, headers: key, body: Data(body.utf8))
    return Answer(response: await service.respond(to: request, user: "ada"))
  }

  @Test(arguments: [
    (HTTPRequestData.Method.post, "/novels", #"{"title": "Persuasion", "writer": "ada"}"#),
    (.patch, "/novels/1", #"{"writer": "ada"}"#), (.put, "/novels/1", #"{"title": "Persuasion"}"#),
    (.put, "/novels/7", #"{"title": "Persuasion"}"#),
  ])
  func `A repeated request gets no record that its user may not read any more`(
    method: HTTPRequestData.Method, path: String, body: String
  ) async throws {
    let store = MemoryModelStore()
    try await store.create(Novel())
    let service = Self.service(store)
    let first = try await Self.send(method, path, body, to: service)
    let identifier = try #require(first.json?["id"]?.intValue)
    #expect(try await Self.send(method, path, body, to: service).response == first.response)
    // The record is another user's now.
    let novel = try await store.lookup(Novel.self, identifier: "\(identifier)")
    novel.rating = 1
    try await store.update(novel)
    let hidden = try await Self.send(method, path, body, to: service)
    #expect(hidden.status == 404)
    #expect(!String(decoding: hidden.response.body, as: UTF8.self).contains("Persuasion"))
    novel.rating = 2
    try await store.update(novel)
    #expect(try await Self.send(method, path, body, to: service).response == first.response)
    // The rules of the user are others after a restart.
    let restricted = Self.service(store, Rights(actions: .delete))
    #expect(try await Self.send(method, path, body, to: restricted).status == 404)
    try await store.delete(novel)
    #expect(try await Self.send(method, path, body, to: restricted).status == 404)
    #expect(try await Self.send(method, path, body, to: service).response == first.response)
  }

  @Test func `A repeated creation gets its response if its user may create, and not read`() async throws {
    let service = Self.service(MemoryModelStore(), Rights(actions: .create))
    let first = try await Self.send(.post, "/novels", #"{"title": "Emma"}"#, to: service)
    #expect(first.status == 201)
    #expect(try await Self.send(.post, "/novels", #"{"title": "Emma"}"#, to: service).response == first.response)
  }

  @Test func `A repeated request gets no field that is hidden by now`() async throws {
    let store = MemoryModelStore()
    let body = #"{"title": "Emma", "writer": "pearl"}"#
    let first = try await Self.send(.post, "/novels", body, to: Self.service(store))
    #expect(first.json?["writer"] == "pearl")
    let service = Self.service(store, Rights(hidesWriter: true))
    let second = try await Self.send(.post, "/novels", body, to: service)
    #expect(second.status == 201)
    #expect(second.json?["title"] == "Emma")
    #expect(second.json?["writer"] == nil)
    let url = try #require(URL(string: "http://library.test/novels/1"))
    #expect(await service.respond(to: HTTPRequestData(.get, url), user: "ada").headers["ETag"] == second.tag)
  }

  @Test func `Requests at the same time with one key take effect once`() async throws {
    let library = Library()
    let service = library.service
    let url = try #require(URL(string: "http://library.test/novels"))
    let bodies = await withTaskGroup(of: Data.self) { group in
      for _ in 0..<16 {
        group.addTask {
          let request = HTTPRequestData(.post, url, headers: Self.key, body: Data(#"{"title": "Emma"}"#.utf8))
          return await service.respond(to: request).body
        }
      }
      return await group.reduce(into: Set<Data>()) { $0.insert($1) }
    }
    #expect(bodies.count == 1)
    #expect(try await library.store.count(Novel.self) == 1)
  }

  @Test func `A key is valid again after the retention time`() async throws {
    let store = MemoryModelStore()
    let handle = store.handle
    let time = Mutex(Date(timeIntervalSince1970: 1_000_000))
    let service = RESTService(
      serving: [Novel.self], options: RESTServiceOptions(answerRetention: .seconds(60)), now: { time.withLock { $0 } },
      opening: { MemoryModelStore(handle, scope: $0) })
    let url = try #require(URL(string: "http://library.test/novels"))
    let request = HTTPRequestData(.post, url, headers: Self.key, body: Data(#"{"title": "Emma"}"#.utf8))
    for (seconds, count) in [(0, 1), (59, 1), (2, 2), (1, 2)] {
      time.withLock { $0 += Double(seconds) }
      #expect(await service.respond(to: request).status == 201)
      #expect(try await store.count(Novel.self) == count, "after \(seconds) s")
    }
  }

  @Test func `A key that can't be kept is rejected`() async throws {
    let library = Library(options: RESTServiceOptions(answerRetention: nil))
    #expect(try await library.request("POST", "/novels", ["title": "Emma"], headers: Self.key).status == 400)
    for key in ["", String(repeating: "k", count: 256)] {
      let headers: HTTPHeaderList = ["Idempotency-Key": key]
      #expect(try await Library().request("POST", "/novels", ["title": "Emma"], headers: headers).status == 400)
    }
  }
}

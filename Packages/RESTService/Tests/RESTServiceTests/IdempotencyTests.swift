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

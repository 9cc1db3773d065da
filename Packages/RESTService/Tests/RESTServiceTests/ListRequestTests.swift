import Foundation
import RESTService
import Testing

@Suite struct `Requests for lists` {
  @Test func `Pages are linked, and stay in place while records are added and removed`() async throws {
    let library = Library()
    try await library.add("a", "b", "c", "d", "e")
    let first = try await library.request("GET", "/novels?limit=2")
    #expect(first.titles == ["a", "b"])
    _ = try await library.request("DELETE", "/novels/1")
    try await library.add("f")
    let second = try await library.request("GET", try first.next(after: "/novels"))
    #expect(second.titles == ["c", "d"])
    let third = try await library.request("GET", try second.next(after: "/novels"))
    #expect(third.titles == ["e", "f"])
    #expect(third.response.headers["Link"] == nil)
  }

  @Test func `A condition and an order are given as JSON`() async throws {
    let library = Library()
    try await library.add("Emma", "Persuasion", "Evelina")
    let condition = "%7B%22field%22:%22title%22,%22is%22:%22hasPrefix%22,%22value%22:%22E%22%7D"
    let order = "%5B%7B%22field%22:%22title%22,%22descending%22:true%7D%5D"
    #expect(try await library.request("GET", "/novels?where=\(condition)&sort=\(order)").titles == ["Evelina", "Emma"])
  }

  @Test(arguments: [
    "title=Emma", "limit=-1", "limit=x", "limit=1&limit=2", "offset=", "where=%7B", "where=%7B%22field%22:%22x%22%7D",
    "sort=%5B%7B%22field%22:%22nothing%22%7D%5D", "after=AAAA", "where=%ff", "where=%5B%5D",
  ])
  func `A parameter that can't be read is refused instead of ignored`(query: String) async throws {
    let library = Library()
    try await library.add("Emma")
    #expect(try await library.request("GET", "/novels?" + query).status == 400)
  }

  @Test func `A mark of another query is refused`() async throws {
    let library = Library()
    try await library.add("a", "b", "c")
    let next = try await library.request("GET", "/novels?limit=1").next(after: "/novels")
    let order = "%5B%7B%22field%22:%22title%22,%22descending%22:true%7D%5D"
    #expect(try await library.request("GET", "\(next)&sort=\(order)").status == 400)
  }

  @Test func `A page is no larger than the service allows`() async throws {
    let library = Library(options: RESTServiceOptions(pageSize: 2, maximumPageSize: 3))
    try await library.add("a", "b", "c", "d")
    #expect(try await library.request("GET", "/novels").titles.count == 2)
    #expect(try await library.request("GET", "/novels?limit=100").titles.count == 3)
    #expect(try await library.request("GET", "/novels?limit=0").titles.count == 0)
  }

  @Test func `A condition of hostile depth is refused quickly`() async throws {
    let library = Library(options: RESTServiceOptions(maximumQueryBytes: 1 << 20))
    try await library.add("Emma")
    let text = (String(repeating: "{\"not\":", count: 5_000) + "true" + String(repeating: "}", count: 5_000))
      .addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    #expect(try await library.request("GET", "/novels?where=\(text ?? "")").status == 400)
  }
}

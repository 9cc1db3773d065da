import Foundation
import RESTService
import Testing

@Suite struct `Requests for lists` {
  @Test func `Pages are linked, and stay stable while records are added and removed`() async throws {
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

  @Test func `A client that has a page of a list gets no body until the page or its next one changes`() async throws {
    let library = Library()
    try await library.add("a", "b")
    let first = try await library.request("GET", "/novels?limit=2")
    let known: HTTPHeaderList = ["If-None-Match": try #require(first.tag)]
    let repeated = try await library.request("GET", "/novels?limit=2", headers: known)
    #expect(repeated.status == 304)
    #expect(repeated.response.body.isEmpty)
    #expect(repeated.tag == first.tag)
    try await library.add("c")
    let linked = try await library.request("GET", "/novels?limit=2", headers: known)
    #expect(linked.status == 200)
    #expect(linked.titles == ["a", "b"])
    #expect(linked.response.headers["Link"] != nil)
  }

  @Test func `An equal page has the same link and the same tag each time`() async throws {
    let library = Library()
    try await library.add("a", "b", "c")
    var pages: Set<[String?]> = []
    for _ in 0..<20 {
      let page = try await library.request("GET", "/novels?limit=2")
      pages.insert([page.response.headers["Link"], page.tag])
    }
    #expect(pages.count == 1)
  }

  @Test func `A plus sign in a query is a space, and an encoded one is itself`() async throws {
    let library = Library()
    try await library.add("Emma 2", "Emma+2")
    for (sign, title) in [("+", "Emma 2"), ("%2B", "Emma+2")] {
      let condition = "%7B%22field%22:%22title%22,%22is%22:%22==%22,%22value%22:%22Emma\(sign)2%22%7D"
      #expect(try await library.request("GET", "/novels?where=\(condition)").titles == [title])
    }
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

  @Test(arguments: [
    ("sort=title", "sort", #"[{"field":"title"}]"#), ("sort=%5B1%5D", "sort", #"[{"field":"title"}]"#),
    ("where=title", "where", #"{"field":"title","is":"==","value":"Emma"}"#),
    ("where=%5B%5D&sort=%5B%5D", "where", #"{"field":"title","is":"==","value":"Emma"}"#),
  ])
  func `A parameter that can't be read is named, with an example`(
    query: String, name: String, example: String
  ) async throws {
    let answer = try await Library().request("GET", "/novels?" + query)
    #expect(answer.status == 400)
    let detail = try #require(answer.json?["detail"]?.stringValue)
    #expect(detail.hasPrefix("The parameter \(name) can't be read: "))
    #expect(detail.hasSuffix(". It is JSON such as \(example)."))
  }

  @Test func `Responses are limited to the requested fields and the identifier`() async throws {
    let library = Library()
    try await library.add("a", "b", "c")
    let first = try await library.request("GET", "/novels?limit=2&fields=title")
    #expect(first.json == [["id": 1, "title": "a"], ["id": 2, "title": "b"]])
    // The next page is limited in the same way.
    #expect(try await library.request("GET", first.next(after: "/novels")).json == [["id": 3, "title": "c"]])
    #expect(try await library.request("GET", "/novels?fields=id&limit=1").json == [["id": 1]])
    let record = try await library.request("GET", "/novels/1?fields=title,rating")
    #expect(record.json == ["id": 1, "title": "a"])
    // Its version is that of the whole record, and is a precondition of a write.
    let whole = try await library.request("GET", "/novels/1")
    #expect(record.tag == whole.tag)
    let headers: HTTPHeaderList = ["If-Match": try #require(record.tag)]
    #expect(try await library.request("PATCH", "/novels/1", ["rating": 3], headers: headers).status == 200)
    #expect(try await library.request("GET", "/novels/1?fields=rating").json == ["id": 1, "rating": 3])
    let parameters = library.service.openAPI["paths"]?["/novels/{identifier}"]?["get"]?["parameters"]?.arrayValue
    #expect(parameters?.contains { $0["name"] == "fields" } == true)
  }

  @Test(arguments: [
    ("GET", "/novels?fields=pages", "id, owner, rating, title, writer"),
    ("GET", "/novels/1?fields=title,Title", "id, owner, rating, title, writer"),
    ("GET", "/owners?fields=secret", "id, name"), ("GET", "/novels?fields=title&fields=id", "occurs twice"),
    ("DELETE", "/novels/1?fields=title", "is not supported"),
    ("GET", "/novels?field=title", "where, sort, limit, offset, after, fields"),
  ])
  func `A field that responses lack is refused by name`(method: String, address: String, part: String) async throws {
    let library = Library { access in
      access.allow([.read, .write], Novel.self)
      access.allow(.read, Owner.self)
      access.hide(\Owner.$secret)
    }
    try await library.add("a")
    let answer = try await library.request(method, address)
    #expect(answer.status == 400)
    #expect(answer.json?["detail"]?.stringValue?.contains(part) == true, "\(answer.json ?? .null)")
  }

  @Test func `A mark of another query is refused`() async throws {
    let library = Library()
    try await library.add("a", "b", "c")
    let next = try await library.request("GET", "/novels?limit=1").next(after: "/novels")
    let order = "%5B%7B%22field%22:%22title%22,%22descending%22:true%7D%5D"
    #expect(try await library.request("GET", "\(next)&sort=\(order)").status == 400)
  }

  @Test(arguments: [
    #"{"values":[],"id":"1","order":-1,"epoch":0}"#, #"{"values":[],"id":"1","order":9223372036854775807,"epoch":0}"#,
    #"{"values":[1],"id":"1","order":0,"epoch":0}"#, #"{"values":[],"id":1,"order":0,"epoch":0}"#,
    #"{"values":[],"id":"1","order":0.5,"epoch":0}"#, #"{"values":[],"id":"1","order":0,"epoch":-9223372036854775808}"#,
    "[]", "null",
  ])
  func `A forged mark is refused, or continues after a record`(position: String) async throws {
    let library = Library()
    try await library.add("a", "b", "c")
    let fields: JSONValue = ["type": "Novel", "query": 0, "position": .string(position)]
    let mark = try fields.jsonData().base64EncodedString().replacing("=", with: "")
    let answer = try await library.request("GET", "/novels?after=\(mark)")
    #expect(answer.status == 400 || answer.titles == ["b", "c"])
  }

  @Test(arguments: [#""a""#, "1", "null", "{}", "[1]"])
  func `A forged mark with a value of another type is refused, or continues in the order`(value: String) async throws {
    let library = Library()
    try await library.add("a", "b", "c")
    let order = "sort=%5B%7B%22field%22:%22title%22%7D%5D&limit=1"
    let next = try await library.request("GET", "/novels?" + order).next(after: "/novels")
    let text = try #require(next.split(separator: "after=").last)
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    let data = try #require(
      Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)))
    var mark = try JSONValue(json: data)
    let position = try JSONValue(json: try #require(mark["position"]?.stringValue))
    let forgedPosition: JSONValue = [
      "values": .array([try JSONValue(json: value)]), "id": "1", "order": try #require(position["order"]),
      "epoch": try #require(position["epoch"]),
    ]
    mark = .object([
      "type": "Novel", "query": try #require(mark["query"]),
      "position": .string(try forgedPosition.jsonString()),
    ])
    let forged = try mark.jsonData().base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
      .replacing("/", with: "_")
    let answer = try await library.request("GET", "/novels?\(order)&after=\(forged)")
    #expect(answer.status == 400 || answer.status == 200)
    if value == #""a""# { #expect(answer.titles == ["b"]) }
  }

  @Test func `A regular expression is evaluated only if the service allows it`() async throws {
    let condition = "where=%7B%22field%22:%22title%22,%22is%22:%22containsMatch%22,%22value%22:%22%5EE%22%7D"
    for (isAllowed, expected) in [(false, 400), (true, 200)] {
      let library = Library(options: RESTServiceOptions(acceptsRegularExpressions: isAllowed))
      try await library.add("Emma", "Persuasion")
      let answer = try await library.request("GET", "/novels?" + condition)
      #expect(answer.status == expected)
      if isAllowed { #expect(answer.titles == ["Emma"]) }
    }
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

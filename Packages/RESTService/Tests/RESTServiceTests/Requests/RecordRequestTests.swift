import Foundation
import MemoryStore
import RESTService
import StoreEngine
import Synchronization
import Testing

@Suite struct `Requests about single records` {
  @Test func `A created record gets an identifier, an address and an entity tag`() async throws {
    let library = Library()
    let answer = try await library.request("POST", "/novels", ["title": "Emma"])
    #expect(answer.status == 201)
    #expect(answer.json == ["id": 1, "title": "Emma"])
    #expect(answer.response.headers["Location"] == "/novels/1")
    let found = try await library.request("GET", "/novels/1")
    #expect(found.status == 200)
    #expect(found.json == answer.json)
    #expect(found.tag == answer.tag)
    #expect(found.tag != nil)
  }

  @Test func `The cause of a failure is reported, and is not sent`() async throws {
    let library = Library()
    let bytes = Array(#"{"id":1,"title":["amethyst"]}"#.utf8)
    try library.store.handle.commit(RecordBatch([.create("Novel", "1", bytes)]))
    let errors = Mutex<[String]>([])
    for (path, status) in [("/novels/1", 500), ("/novels", 500), ("/novels/2", 404), ("/poems", 404)] {
      let url = try #require(URL(string: "http://library.test" + path))
      let answer = await library.service.respond(to: HTTPRequestData(.get, url)) { error in
        errors.withLock { $0.append("\(error)") }
      }
      #expect(answer.status == status)
      #expect(!String(decoding: answer.body, as: UTF8.self).contains("expected"))
    }
    let reported = errors.withLock { $0 }
    #expect(reported.count == 2)
    #expect(reported.allSatisfy { $0.contains("title: expected") }, "\(reported)")
  }

  @Test func `A client that has the version of a record gets no body`() async throws {
    let library = Library()
    try await library.add("Emma")
    let tag = try #require(try await library.request("GET", "/novels/1").tag)
    let answer = try await library.request("GET", "/novels/1", headers: ["If-None-Match": tag])
    #expect(answer.status == 304)
    #expect(answer.response.body.isEmpty)
  }

  @Test func `An update changes the fields that it names`() async throws {
    let library = Library()
    try await library.add("Emma")
    let answer = try await library.request("PATCH", "/novels/1", ["rating": 5])
    #expect(answer.status == 200)
    #expect(answer.json?["rating"] == 5)
    #expect(answer.json?["title"] == "Emma")
  }

  @Test func `A replaced record loses the fields that the body lacks`() async throws {
    let library = Library()
    _ = try await library.request("POST", "/novels", ["title": "Emma", "rating": 5])
    let answer = try await library.request("PUT", "/novels/1", ["title": "Persuasion"])
    #expect(answer.status == 200)
    #expect(answer.json?["title"] == "Persuasion")
    #expect(answer.json?["rating"] == .some(.null))
  }

  @Test func `A PUT creates a record under the identifier of its path`() async throws {
    let library = Library()
    for body: JSONValue in [["title": "Emma"], ["title": "Emma", "id": 7]] {
      let answer = try await library.request("PUT", "/novels/7", body)
      #expect([200, 201].contains(answer.status))
      #expect(answer.json?["id"] == 7)
    }
  }

  @Test func `A record that must be new is refused if there is one`() async throws {
    let library = Library()
    try await library.add("Emma")
    let answer = try await library.request("PUT", "/novels/1", ["title": "Other"], headers: ["If-None-Match": "*"])
    #expect(answer.status == 412)
    #expect(answer.json?["current"]?["title"] == "Emma")
  }

  @Test func `Another identifier in the body than in the path is refused, and nothing is written`() async throws {
    let library = Library()
    try await library.add("Emma", "Persuasion")
    for (method, address) in [("PATCH", "/novels/1"), ("PUT", "/novels/1"), ("PUT", "/novels/7")] {
      for identifier: JSONValue in [2, 9, "x"] {
        let answer = try await library.request(method, address, ["id": identifier, "title": "Other", "rating": 3])
        #expect(answer.status == 422, "\(method) \(address) \(identifier)")
        #expect(answer.json?["errors"]?["id"]?[0]?.stringValue?.contains("another identifier") == true)
      }
    }
    #expect(try await library.request("GET", "/novels").titles == ["Emma", "Persuasion"])
    for identifier: JSONValue in [1, .null] {
      let answer = try await library.request("PATCH", "/novels/1", ["id": identifier, "rating": 3])
      #expect(answer.status == 200 && answer.json?["id"] == 1)
    }
  }

  @Test func `A write of an outdated version is refused with the record as it is`() async throws {
    let library = Library()
    try await library.add("Emma")
    let old = try #require(try await library.request("GET", "/novels/1").tag)
    _ = try await library.request("PATCH", "/novels/1", ["rating": 4])
    for method in ["PATCH", "PUT"] {
      let answer = try await library.request(
        method, "/novels/1", ["title": "Emma", "rating": 1], headers: ["If-Match": old])
      #expect(answer.status == 412)
      #expect(answer.json?["current"]?["rating"] == 4)
    }
    #expect(try await library.request("DELETE", "/novels/1", headers: ["If-Match": old]).status == 412)
    let current = try #require(try await library.request("GET", "/novels/1").tag)
    #expect(try await library.request("DELETE", "/novels/1", headers: ["If-Match": "\"x\", \(current)"]).status == 204)
    #expect(try await library.request("DELETE", "/novels/1").status == 404)
  }

  @Test func `A broken rule is reported with the messages of its fields`() async throws {
    let answer = try await Library().request("POST", "/novels", ["title": "", "rating": 7])
    #expect(answer.status == 422)
    #expect(answer.response.headers["Content-Type"] == "application/problem+json")
    #expect(answer.json?["status"] == 422)
    #expect(answer.json?["errors"]?["rating"] == ["must be less than or equal to 5"])
    #expect(answer.json?["errors"]?["title"] != nil)
  }

  @Test func `A value of the wrong type is reported with its path`() async throws {
    let answer = try await Library().request("POST", "/novels", ["title": "Emma", "rating": "five"])
    #expect(answer.status == 422)
    #expect(answer.json?["errors"]?["rating"]?[0]?.stringValue?.contains("found") == true)
  }

  @Test func `A reference to a missing record is refused with its field, and nothing is written`() async throws {
    let library = Library()
    try await library.add("Emma")
    let requests: [(String, String, JSONValue)] = [
      ("POST", "/novels", ["title": "Evelina", "owner": 9]), ("PATCH", "/novels/1", ["rating": 3, "owner": 9]),
      ("PUT", "/novels/1", ["title": "Emma", "owner": 9]), ("PUT", "/novels/2", ["title": "Evelina", "owner": 9]),
    ]
    for (method, address, body) in requests {
      let answer = try await library.request(method, address, body)
      #expect(answer.status == 422, "\(method) \(address)")
      #expect(answer.json?["errors"]?["owner"] == ["references a missing Owner"])
    }
    #expect(try await library.request("GET", "/novels").json == [["id": 1, "title": "Emma"]])
    _ = try await library.request("POST", "/owners", ["id": 9, "name": "Olga"])
    #expect(try await library.request("PATCH", "/novels/1", ["owner": 9]).status == 200)
  }

  @Test func `A service that accepts missing references writes them`() async throws {
    let library = Library(options: RESTServiceOptions(acceptsMissingReferences: true))
    #expect(try await library.request("POST", "/novels", ["title": "Evelina", "owner": 9]).status == 201)
  }

  @Test func `A reference that a record already has needs no other record`() async throws {
    let library = Library()
    let bytes = Array(#"{"id":1,"title":"Emma","owner":9}"#.utf8)
    try library.store.handle.commit(RecordBatch([.create("Novel", "1", bytes)]))
    #expect(try await library.request("PATCH", "/novels/1", ["rating": 4]).status == 200)
    #expect(try await library.request("PATCH", "/novels/1", ["rating": 5, "owner": 9]).status == 200)
  }

  @Test func `A key that is no field is refused, and nothing is written`() async throws {
    let library = Library()
    let answer = try await library.request("POST", "/novels", ["title": "Emma", "ratng": 5])
    #expect(answer.status == 422)
    #expect(answer.json?["errors"]?["ratng"] == ["is not a field of Novel"])
    #expect(try await library.request("GET", "/novels").titles == [])
  }

  @Test func `A body that is not JSON is refused with line and column`() async throws {
    let library = Library()
    let url = try #require(URL(string: "http://library.test/novels"))
    let request = HTTPRequestData(.post, url, body: Data("{\"title\":\n oops}".utf8))
    let answer = Answer(response: await library.service.respond(to: request))
    #expect(answer.status == 400)
    #expect(answer.json?["detail"]?.stringValue?.contains("line 2, column 2") == true)
  }

  @Test(arguments: [
    ("text/plain", 415), ("application/xml; charset=utf-8", 415), ("application/json; charset=utf-8", 201),
    ("application/merge-patch+json", 201), ("", 415), (";", 415), ("; charset=utf-8", 415),
  ])
  func `A body of another media type is refused`(type: String, status: Int) async throws {
    let answer = try await Library().request("POST", "/novels", ["title": "Emma"], headers: ["Content-Type": type])
    #expect(answer.status == status)
  }

  @Test(arguments: [
    ("POST", "/novels/1"), ("PATCH", "/novels"), ("DELETE", "/novels"), ("TRACE", "/novels"), ("BREW", "/novels/1"),
  ])
  func `A method that an address lacks is refused with those that it has`(
    method: String, address: String
  ) async throws {
    let answer = try await Library().request(method, address, ["title": "Emma"])
    #expect(answer.status == 405)
    #expect(answer.response.headers["Allow"]?.contains("GET") == true)
  }

  @Test(arguments: ["/", "/novel", "/novels/1/2", "/%2e%2e/novels", "/novels%2f1", "/owners/../novels/1/x"])
  func `An address without a resource answers 404`(address: String) async throws {
    let library = Library()
    try await library.add("Emma")
    #expect(try await library.request("GET", address).status == 404)
  }

  @Test func `A service below a base path answers there only`() async throws {
    let library = Library(options: RESTServiceOptions(basePath: "/api/v1"))
    let answer = try await library.request("POST", "/api/v1/novels", ["title": "Emma"])
    #expect(answer.response.headers["Location"] == "/api/v1/novels/1")
    #expect(try await library.request("GET", "/api/v1/novels/1/").status == 200)
    #expect(try await library.request("GET", "/novels/1").status == 404)
  }

  @Test func `Bodies, queries and nesting have limits`() async throws {
    let library = Library(
      options: RESTServiceOptions(maximumBodyBytes: 200, maximumQueryBytes: 50, maximumDepth: 4))
    let long = JSONValue.string(String(repeating: "x", count: 300))
    #expect(try await library.request("POST", "/novels", ["title": long]).status == 413)
    #expect(try await library.request("GET", "/novels?where=" + String(repeating: "x", count: 60)).status == 414)
    #expect(try await library.request("POST", "/novels", ["title": [[[["deep"]]]]]).status == 400)
  }

  @Test func `The description of a service has the paths of its collections`() {
    #expect("\(Library().service)" == "RESTService(/owners, /novels)")
    let library = Library(options: RESTServiceOptions(basePath: "/api/v1"))
    #expect("\(library.service)" == "RESTService(/api/v1/owners, /api/v1/novels)")
  }

  @Test func `A HEAD request gets the headers of a GET request`() async throws {
    let library = Library()
    try await library.add("Emma")
    let answer = try await library.request("HEAD", "/novels/1")
    #expect(answer.status == 200)
    #expect(answer.tag == (try await library.request("GET", "/novels/1").tag))
    #expect(answer.response.body.isEmpty)
  }

  @Test func `An identifier of the client is refused where the service assigns them`() async throws {
    let library = Library(options: RESTServiceOptions(acceptsIdentifiers: false))
    #expect(try await library.request("POST", "/novels", ["id": 5, "title": "Emma"]).status == 422)
    #expect(try await library.request("PUT", "/novels/5", ["title": "Emma"]).status == 404)
    #expect(try await library.request("POST", "/novels", ["title": "Emma"]).json?["id"] == 1)
  }

  @Test(arguments: [Int.max, Int.max / 2 + 1])
  func `An identifier of the client that would leave the store no integers is refused`(identifier: Int) async throws {
    let library = Library()
    let answer = try await library.request("POST", "/novels", ["id": .int(identifier), "title": "Emma"])
    #expect(answer.status == 422)
    #expect(answer.json?["errors"]?["id"] != nil, "\(answer.json ?? .null)")
    #expect(try await library.request("PUT", "/novels/\(identifier)", ["title": "Emma"]).status == 422)
    #expect(try await library.request("POST", "/novels", ["title": "Emma"]).json?["id"] == 1)
    #expect(try await library.request("PUT", "/novels/\(Int.max / 2)", ["title": "Emma"]).status == 201)
    #expect(try await library.request("POST", "/novels", ["title": "Emma"]).json?["id"] == .int(Int.max / 2 + 1))
  }

  @Test func `A taken identifier is a conflict`() async throws {
    let library = Library()
    try await library.add("Emma")
    #expect(try await library.request("POST", "/novels", ["id": 1, "title": "Other"]).status == 409)
    #expect(try await library.request("GET", "/novels/1").json?["title"] == "Emma")
  }
}

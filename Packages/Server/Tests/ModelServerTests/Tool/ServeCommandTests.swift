import FieldKit
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct `The tool serves models` {
  /// The model file of the example app.
  private static let modelFile = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "../../../../Bookshop/Sources/bookshop/Bookshop.xcdatamodeld")
    .standardizedFileURL.path(percentEncoded: false)

  @Test(arguments: [SIGTERM, SIGINT])
  func `The sample is served to its token only, until a signal`(signal: Int32) async throws {
    try await ModelKitTool.serving(["--sample", "bookshop", "--books", "20"], signal: signal) { served in
      let books = try await served.request("GET", "/books?limit=30")
      #expect(books.status == 200)
      #expect(books.json?.arrayValue?.count == 20)
      let stranger = try await RawClient.send(
        "GET /books HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", to: served.url)
      #expect(stranger.hasPrefix("HTTP/1.1 401"))
    }
  }

  @Test func `The address of the page has the token, whatever its characters are`() async throws {
    let token = "a+b/c=d&e%20f#g?h;i"
    try await ModelKitTool.serving(["--sample", "bookshop", "--books", "1"], token: token) { served in
      #expect(served.token == token)
      // As the page reads it: a form, in which a plus sign is a space.
      let fragment = try #require(served.page.split(separator: "#", maxSplits: 1).last)
      let items = fragment.split(separator: "&").map { $0.replacing("+", with: " ").removingPercentEncoding }
      #expect(items == ["token=\(token)"])
    }
  }

  @Test func `The sample has rules and relations, and the same data each time`() async throws {
    func first() async throws -> JSONValue? {
      try await ModelKitTool.serving(["--sample", "bookshop", "--books", "20"]) { served in
        let wrong = try await served.request("PATCH", "/reviews/1", ["stars": 6])
        #expect(wrong.status == 422)
        #expect(wrong.json?["errors"]?["stars"] != nil)
        let review = try await served.request("GET", "/reviews/1").json
        let book = try #require(review?["book"]?.intValue)
        let record = try await served.request("GET", "/books/\(book)").json
        let author = try #require(record?["author"]?.intValue)
        let denied = try await served.request("DELETE", "/authors/\(author)")
        #expect(denied.status == 409)
        let deleted = try await served.request("DELETE", "/books/\(book)")
        #expect(deleted.status == 204)
        let cascaded = try await served.request("GET", "/reviews/1")
        #expect(cascaded.status == 404)
        return record
      }
    }
    let (one, other) = (try await first(), try await first())
    #expect(one != nil)
    #expect(one == other)
  }

  @Test func `A model file is served without Swift code, and its records outlast the process`() async throws {
    try await withTemporaryFolder { folder in
      let store = folder.appending(path: "shop.store").path(percentEncoded: false)
      try await ModelKitTool.serving([Self.modelFile, "--store", store]) { served in
        let author: JSONValue = ["author_id": 1, "name": ["full": "Nina Lund"]]
        let created = try await served.request("POST", "/authors", author)
        #expect(created.status == 201)
        let invalid = try await served.request("POST", "/books", ["book_id": 1, "title": "Salt", "rating": 7])
        #expect(invalid.status == 422)
      }
      try await ModelKitTool.serving([Self.modelFile, "--store", store, "--read-only"]) { served in
        let author = try await served.request("GET", "/authors/1")
        #expect(author.json?["name"]?["full"] == "Nina Lund")
        let refused = try await served.request("DELETE", "/authors/1")
        #expect(refused.status == 403)
      }
    }
  }

  @Test(arguments: [
    (["serve"], 64, "Name a model file"),
    (["serve", "--sample", "bookshop", "a.xcdatamodeld"], 64, "Name a model file"),
    (["serve", "--sample", "bookshop", "--host", "0.0.0.0", "--no-token"], 1, "Leave out --no-token"),
    (["serve", "nothing.xcdatamodeld"], 1, "no model file at 'nothing.xcdatamodeld'"),
    (["serve", "--sample", "bookshop", "--store", "postgres://host/shop"], 64, "postgres://host/shop"),
    (["serve", "a.xcdatamodeld", "--books", "5"], 64, "--books needs --sample"),
    (["verify", "--store", "memory:"], 64, "is not a folder"),
    (["export", "/", "--store", "nothing.store"], 1, "'/' is a folder"),
    (["import", "/", "--store", "nothing.store"], 1, "no file '/'"),
    (["import", "/", "--type", "A", "--model", "a.xcdatamodel", "--store", "nothing.store"], 1, "no file '/'"),
    (["verify", "--store", "nothing.store"], 1, "no store at 'nothing.store'"),
    (["import", "nothing.json", "--store", "nothing.store"], 1, "no file 'nothing.json'"),
    (["levitate"], 64, "levitate"),
  ])
  func `A wrong command fails with its reason on standard error`(
    arguments: [String], status: Int32, reason: String
  ) async throws {
    let outcome = try await ModelKitTool.run(arguments)
    #expect(outcome.status == status)
    #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }
}

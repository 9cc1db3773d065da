import Foundation
import ModelKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension ErrorText {
  static let servers: [ErrorText] = [
    looking(
      "a server that does not have it",
      #"There is no Author with the identifier "7". GET /authors/7: status 404: no such row"#,
      .status(404, #"{"error": "no such row"}"#)),
    looking(
      "a server that wants credentials",
      "GET /authors/7: status 401: the server requires valid credentials", .status(401)),
    looking(
      "a server that forbids", "GET /authors/7: status 403: <html>Forbidden</html>",
      .status(403, "<html>Forbidden</html>")),
    looking(
      "a server that moved",
      """
      GET /authors/7: status 302, a redirect to https://elsewhere.test/login which is not followed
      """, .status(302, location: "https://elsewhere.test/login")),
    looking(
      "a server that limits requests",
      "GET /authors/7: status 429: the server received too many requests; wait before the next one",
      .status(429)),
    looking(
      "a server that fails", "GET /authors/7: status 500: out of order", .status(500, #"{"message": "out of order"}"#)),
    looking(
      "a server without the method",
      "GET /authors/7: status 405: the server does not support this method for this path",
      .status(405)),
    looking("a server that gives up", "GET /authors/7: status 504", .status(504)),
    looking("a server without room", "GET /authors/7: status 507: the storage of the server is full", .status(507)),
    looking(
      "an answer that is no JSON",
      """
      GET /authors/7: the response with status 200 is not JSON: Invalid JSON at line 1, column 1 (byte 0): \
      expected a value, found "<". It begins: <html>
      """, .status(200, "<html>")),
    looking(
      "an answer that is cut off",
      """
      GET /authors/7: the response with status 200 is not JSON: Invalid JSON at line 1, column 14 (byte 13): \
      expected the quotation mark that ends the string, found the end of the document. It begins: {"id": \
      7, "na
      """, .status(200, #"{"id": 7, "na"#)),
    looking(
      "an answer of another kind",
      """
      GET /authors/7: the response does not match the model: age: expected an integer, found the string "old"
      """, .status(200, #"{"id": 7, "age": "old"}"#)),
    looking(
      "an answer that is a list",
      """
      GET /authors/7: the response does not match the model: expected an object, found an array
      """, .status(200, "[]")),
    looking(
      "an answer that is empty", "GET /authors/7: the response has no body, where the model was expected", .status(200)),
    looking(
      "an answer about another model",
      #"GET /authors/7: the response does not match the model: id: expected "7", found "8""#,
      .status(200, #"{"id": 8}"#)
    ),
    looking(
      "a server that can't be reached", "GET /authors/7: the server can't be reached: Could not connect to the server.",
      .failure(failure(.cannotConnectToHost, "Could not connect to the server."))),
    looking(
      "a connection that is lost", "GET /authors/7: the connection was lost: The network connection was lost.",
      .failure(failure(.networkConnectionLost, "The network connection was lost."))),
    looking(
      "a server that does not answer in time", "GET /authors/7: no response arrived in time",
      .failure(URLError(.timedOut))),
    looking("a request that was cancelled", "GET /authors/7: the task was cancelled", .failure(CancellationError())),
    looking(
      "a transport that fails in its own way", "GET /authors/7: no response arrived: no carrier",
      .failure(Reported("no carrier"))),
    looking(
      "an address without a server",
      """
      GET /v1/authors/7: the base address "/v1" has no server; it must begin like https://host/
      """, .status(200), base: "/v1"),
    looking(
      "an address of a file", #"GET /v1/authors/7: "file://host/v1/authors/7" is not the address of a web server"#,
      .none, base: "file://host/v1"),
    ErrorText(
      "an identifier that leads elsewhere",
      """
      No request was sent: the identifier ".." of Firm can't be part of a path, because a server could read it as another \
      path.
      """
    ) { _ in
      _ = try await store(.status(200)).lookup(Firm.self, identifier: "..")
    },
    ErrorText(
      "a list with an element of another kind",
      """
      GET /authors: the response does not match the model: [1].age: expected an integer, found the string "old"
      """
    ) { _ in
      _ = try await store(.status(200, #"[{"id": 1}, {"id": 2, "age": "old"}]"#)).list(Author.self)
    },
    ErrorText(
      "a list that is an object",
      "GET /authors: the response does not match the model: expected a list, found an object"
    ) { _ in
      _ = try await store(.status(200, #"{"items": []}"#)).list(Author.self)
    },
    ErrorText(
      "a server that refuses a new model",
      "This Author was not written. POST /authors: status 422: age is odd; name is taken"
    ) { _ in
      try await store(.status(422, #"{"errors": {"name": ["is taken"], "age": ["is odd"]}}"#)).create(Author("Jane"))
    },
    ErrorText(
      "a server that refuses a new model with a sentence",
      "This Author was not written. POST /authors: status 400: Not today. (name is taken)"
    ) { _ in
      try await store(.status(400, #"{"message": "Not today.", "errors": {"name": ["is taken"]}}"#)).create(
        Author("Jane"))
    },
    ErrorText("an identifier that a server has given", "This Author was not written. POST /authors: status 409") { _ in
      try await store(.status(409)).create(Author(id: 7, "Jane"))
    },
    ErrorText(
      "a new model without an identifier in the answer",
      """
      The server reports that this Author was written, but its response can't be used; the model here is \
      unchanged. POST /authors: the response has no identifier for the new model
      """
    ) { _ in
      try await store(.status(201, "{}")).create(Author("Jane"))
    },
    ErrorText(
      "a write with an unknown outcome",
      """
      It is not certain whether this Author was written. PATCH /authors/7: status 503: the server is temporarily unavailable; try again \
      later
      """
    ) { _ in
      try await store(.status(503)).update(Author(id: 7, "Jane"))
    },
    ErrorText(
      "a write whose answer can't be used",
      """
      The server reports that this Author was written, but its response can't be used; the model here is \
      unchanged. PATCH /authors/7: the response does not match the model: expected an object, found an array
      """
    ) { _ in
      try await store(.status(200, "[]")).update(Author(id: 7, "Jane"))
    },
    ErrorText(
      "a deletion that a server refuses",
      """
      This Author was not deleted. DELETE /authors/7: status 403: the server does not allow it with these \
      credentials
      """
    ) { _ in
      try await store(.status(403)).delete(Author(id: 7, "Jane"))
    },
    ErrorText(
      "an update without an identifier on a server", "This Author has no identifier: it was not created in a store yet."
    ) { _ in
      try await store(.status(200)).update(Author("Jane"))
    },
    ErrorText(
      "a condition that a dialect can't express",
      """
      Models of the type Author were not fetched: this store can't translate tags.count > 1 for its \
      server. With evaluation: .inMemory it fetches the whole collection and evaluates the query here.
      """
    ) { _ in
      let dialect = PostgRESTDialect()
      _ = try await store(.status(200, "[]"), dialect: dialect).list(Author.self, where: { $0.tags.count > 1 })
    },
    ErrorText(
      "an order that a dialect can't express",
      """
      Models of the type Author were not fetched: this store can't translate the order by name for its \
      server. With evaluation: .inMemory it fetches the whole collection and evaluates the query here.
      """
    ) { _ in
      let query = ModelQuery(Author.self, sort: [.ascending(\.name)])
      _ = try await store(.status(200, "[]"), dialect: DjangoRESTDialect()).list(query)
    },
    ErrorText("an error in an envelope", "GET /authors: the server reports: closed on Sundays") { _ in
      let dialect = EnvelopedDialect("data", error: "error")
      _ = try await store(.status(200, #"{"error": "closed on Sundays"}"#), dialect: dialect).list(Author.self)
    },
    ErrorText(
      "a deletion without an identifier in a change log",
      "GET /authors: the response does not match the model: deleted[1]: expected an identifier, found a boolean"
    ) { _ in
      let answer = Answer.status(200, #"{"updated": [], "deleted": ["1", true], "position": "5"}"#)
      let log = try store(answer, dialect: JSONDialect(changesParameter: "updated_since"))
      _ = try await log.changePage(of: Author.self, after: "4")
    },
    ErrorText("a next page that is this page", "GET /authors: the next page of the list is this page itself") { _ in
      let answer = Answer.status(200, #"[{"id": 1}]"#, link: #"<http://api.test/authors>; rel="next""#)
      _ = try await store(answer, dialect: JSONDialect(paging: .linked)).list(Author.self)
    },
    ErrorText(
      "a next page on another server",
      """
      GET /authors: the next page is on another server, other.test, and was not fetched
      """
    ) { _ in
      let answer = Answer.status(200, #"[{"id": 1}]"#, link: #"<http://other.test/authors>; rel="next""#)
      _ = try await store(answer, dialect: JSONDialect(paging: .linked)).list(Author.self)
    },
    ErrorText(
      "a recording that is not there",
      """
      The recording /folder/none.json can't be read: The operation could not be completed. The file \
      doesn’t exist. Record it first, with recording: .ifMissing(through:).
      """
    ) { folder in
      let transport = try RecordedTransport(folder.appending(path: "none.json"))
      _ = try await RESTModelStore(baseURL: base(), transport: transport).list(Author.self)
    },
    ErrorText(
      "a recording that is none",
      """
      /folder/recording.json is not a recording: Invalid JSON at line 1, column 2 (byte 1): expected a key or \
      "}", found the end of the document.
      """
    ) { folder in
      let file = folder.appending(path: "recording.json")
      try Data("{".utf8).write(to: file)
      _ = try RecordedTransport(file)
    },
  ]

  /// An error of a connection with the words that the system has for it.
  private static func failure(_ code: URLError.Code, _ words: String) -> URLError {
    URLError(code, userInfo: [NSLocalizedDescriptionKey: words])
  }

  private static func base(_ text: String = "http://api.test") throws -> URL {
    guard let url = URL(string: text) else { throw Reported("no address: \(text)") }
    return url
  }

  private static func store(
    _ answer: Answer, base text: String = "http://api.test", dialect: any RESTDialect = JSONDialect()
  ) throws -> RESTModelStore {
    let transport: any HTTPTransport =
      if case .none = answer { URLSessionTransport.shared } else { AnsweringTransport(answer: answer) }
    return RESTModelStore(baseURL: try base(text), dialect: dialect, transport: transport)
  }

  private static func looking(
    _ name: String, _ text: String, _ answer: Answer, base: String = "http://api.test"
  ) -> ErrorText {
    ErrorText(name, text) { _ in _ = try await store(answer, base: base).lookup(Author.self, identifier: "7") }
  }
}

/// The outcome of a request. No request is really sent.
private enum Answer: Sendable {
  case status(Int, String = "", location: String? = nil, link: String? = nil)
  case failure(any Error)
  case none
}

/// Gives one answer to every request.
private struct AnsweringTransport: HTTPTransport {
  let answer: Answer

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    switch answer {
    case .failure(let error): throw error
    case .none: throw Reported("no answer")
    case .status(let status, let body, let location, let link):
      var headers: HTTPHeaderList = [:]
      headers["Location"] = location
      headers["Link"] = link
      return HTTPResponseData(status: status, headers: headers, body: Data(body.utf8))
    }
  }
}

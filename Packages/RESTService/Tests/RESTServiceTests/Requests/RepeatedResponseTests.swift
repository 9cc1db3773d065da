import Foundation
import MemoryStore
import RESTService
import Testing

private final class Letter: Model {
  @Field var id: Int?
  @Field var text: String?
  @Field(sensitive: true) var sender: String?
  @Field var isSealed: Bool?
  override var identifierField: AnyField? { $id }
}

/// A letter of a later version, whose text is a number.
private final class NumberedLetter: Model {
  @Field var id: Int?
  @Field var text: Int?
  override var identifierField: AnyField? { $id }
  override class var typeName: String { "Letter" }
}

@Suite struct `Repeated responses to requests with an idempotency key` {
  private let store = MemoryModelStore()

  private func service(
    _ types: [any Model.Type] = [Letter.self], dialect: any RESTServiceDialect = JSONDialect(),
    rules: @escaping (inout RESTAccess) -> Void = { $0.allow(.all, Letter.self) }
  ) -> RESTService {
    let router = RESTRouter(maxPathDepth: 0)
    router.route(Letter.self, to: "letters")
    router.route(NumberedLetter.self, to: "letters")
    return RESTService(store.handle, serving: types, dialect: dialect, router: router, access: rules)
  }

  private func send(
    _ method: HTTPRequestData.Method, _ path: String, _ body: String, to service: RESTService
  ) async throws -> Answer {
    let url = try #require(URL(string: "http://post.test\(path)"))
    let request = HTTPRequestData(method, url, headers: ["Idempotency-Key": "k"], body: Data(body.utf8))
    return Answer(response: await service.respond(to: request, user: "ada"))
  }

  private func deleteLetter() async throws {
    try await store.delete(try await store.lookup(Letter.self, identifier: "1"))
  }

  @Test(arguments: [(HTTPRequestData.Method.post, "/letters"), (.patch, "/letters/1"), (.put, "/letters/1")])
  func `Rules read the hidden fields of a record that was deleted since`(
    method: HTTPRequestData.Method, path: String
  ) async throws {
    if method != .post {
      let letter = Letter()
      letter.sender = "ada"
      try await store.create(letter)
    }
    let service = service { access in
      access.allow(.all, Letter.self) { request, letter in request.user != nil && letter.sender == request.user }
    }
    let body = #"{"text": "Dear Emma", "sender": "ada"}"#
    let first = try await send(method, path, body, to: service)
    #expect(first.json?["text"] == "Dear Emma")
    #expect(first.json?["sender"] == nil)
    try await deleteLetter()
    #expect(try await send(method, path, body, to: service).response == first.response)
  }

  @Test func `A new rule about a hidden field applies to a record that was deleted since`() async throws {
    let letter = Letter()
    letter.isSealed = true
    try await store.create(letter)
    func service(readsSealed: Bool) -> RESTService {
      self.service { access in
        access.allow(.all, Letter.self) { _, letter in readsSealed || letter.isSealed != true }
        access.hide(\Letter.$isSealed)
      }
    }
    let body = #"{"text": "Dear Emma"}"#
    let first = try await send(.patch, "/letters/1", body, to: service(readsSealed: true))
    #expect(first.status == 200)
    try await deleteLetter()
    let second = try await send(.patch, "/letters/1", body, to: service(readsSealed: false))
    #expect(second.status == 404)
    #expect(!String(decoding: second.response.body, as: UTF8.self).contains("Emma"))
  }

  @Test
  func `A record that its class can't read any more is a conflict, whose text reports that the request took effect`()
    async throws
  {
    let body = #"{"text": "Dear Emma"}"#
    #expect(try await send(.post, "/letters", body, to: service()).status == 201)
    let later = service([NumberedLetter.self]) { $0.allow(.all, NumberedLetter.self) }
    let second = try await send(.post, "/letters", body, to: later)
    #expect(second.status == 409)
    #expect(second.json?["detail"]?.stringValue?.hasPrefix("This request took effect") == true)
    #expect(try await store.count(Letter.self) == 1)
  }

  @Test func `A service with another dialect repeats a response with its media type and its tag`() async throws {
    let body = #"{"text": "Dear Emma"}"#
    let first = try await send(.post, "/letters", body, to: service())
    let other = service(dialect: JSONAPIDialect())
    let second = try await send(.post, "/letters", body, to: other)
    #expect(second.status == 201)
    #expect(second.json?["data"]?["attributes"]?["text"] == "Dear Emma")
    #expect(second.response.headers["Content-Type"] == "application/vnd.api+json")
    #expect(second.response.headers["Location"] == first.response.headers["Location"])
    let url = try #require(URL(string: "http://post.test/letters/1"))
    #expect(await other.respond(to: HTTPRequestData(.get, url), user: "ada").headers["ETag"] == second.tag)
  }
}

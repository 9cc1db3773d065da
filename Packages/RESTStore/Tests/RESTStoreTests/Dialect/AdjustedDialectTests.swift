import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@_spi(ModelKitInternals) @testable import RESTStore

/// A dialect that notes each hook, and answers none as the defaults do.
private struct NotingDialect: RESTDialect {
  let log = Lock<Set<String>>([])

  private func note(_ hook: String) { log.withLock { _ = $0.insert(hook) } }

  func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws {
    note("adjust")
    request.headers["X-Noted"] = "1"
  }
  func method(for kind: RESTOperation.Kind) -> HTTPRequestData.Method {
    note("method")
    return .put
  }
  func encoding(for method: HTTPRequestData.Method) -> RESTEncoding {
    note("encoding")
    return RESTEncoding(contentType: "text/noted")
  }
  func address(of operation: RESTOperation) throws -> RESTAddress {
    note("address")
    return RESTAddress("/noted")
  }
  var createsWithPut: Bool {
    note("createsWithPut")
    return true
  }
  var createsTogether: Bool {
    note("createsTogether")
    return true
  }
  var deletesRelations: Bool {
    note("deletesRelations")
    return true
  }
  func isTemporary(_ identifier: String) -> Bool {
    note("isTemporary")
    return true
  }
  func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue {
    note("serialize")
    return "noted"
  }
  func formatPayload(_ payload: JSONValue, for operation: RESTOperation) throws -> JSONValue {
    note("formatPayload")
    return ["noted": payload]
  }
  func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    note("constructResponse")
    return RESTResponse(payload: "noted")
  }
  func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    note("deserialize")
    return ["noted": payload]
  }
  var plainListPath: String? {
    note("plainListPath")
    return "noted"
  }
  var plainRecordPath: String? {
    note("plainRecordPath")
    return "noted"
  }
  func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    note("translate")
    return RESTQueryTranslation([RESTQueryItem("noted", "1")])
  }
  func items(including relations: [[String]]) throws -> [RESTQueryItem]? {
    note("items")
    return [RESTQueryItem("noted", "1")]
  }
  func items(deleting identifiers: [String], by operation: RESTOperation) throws -> [RESTQueryItem]? {
    note("items")
    return identifiers.map { RESTQueryItem("noted", $0) }
  }
  var changesParameter: String? {
    note("changesParameter")
    return "noted"
  }
  func nextPage(after page: RESTPage) throws -> RESTPageLink? {
    note("nextPage")
    return .address("/noted")
  }
  func handleError(_ error: ModelStoreError) async { note("handleError") }
}

@Suite struct `An adjusted dialect` {
  private let operation = RESTOperation(.list, typeName: "Person", collectionPath: "/people")
  private let ada = #"{"id": 7, "name": "Ada"}"#

  /// The names of the requirements of `RESTDialect`, as its source declares them.
  private func requirements() throws -> Set<String> {
    let package = URL(fileURLWithPath: #filePath).pathComponents.prefix { $0 != "Tests" }
    let file = NSString.path(withComponents: package + ["Sources", "RESTStore", "Dialect", "RESTDialect.swift"])
    let source = try String(contentsOfFile: file, encoding: .utf8)
    let start = try #require(source.range(of: "public protocol RESTDialect"))
    let body = source[start.upperBound...].prefix(upTo: try #require(source.range(of: "\nextension")).lowerBound)
    let names = body.split(separator: "\n").compactMap { line -> String? in
      for keyword in ["  func ", "  var ", "  static func ", "  static var "] where line.hasPrefix(keyword) {
        return String(line.dropFirst(keyword.count).prefix { $0.isLetter || $0.isNumber })
      }
      return nil
    }
    return Set(names)
  }

  @Test func `An adjusted dialect forwards every hook of its base`() async throws {
    let base = NotingDialect()
    let dialect: any RESTDialect = base.adjusting()
    var request = HTTPRequestData(.get, try #require(URL(string: "http://api.test")))
    try await dialect.adjust(&request, for: operation)
    #expect(request.headers["X-Noted"] == "1")
    #expect(dialect.method(for: .list) == .put)
    #expect(try dialect.encoding(for: .put).encode("a").contentType == "text/noted")
    #expect(try dialect.address(of: operation).path == "/noted")
    #expect(dialect.createsWithPut && dialect.createsTogether && dialect.deletesRelations)
    #expect(dialect.isTemporary("1"))
    #expect(try dialect.serialize([:], of: Person.self) == "noted")
    #expect(try dialect.formatPayload("a", for: operation) == ["noted": "a"])
    #expect(try dialect.constructResponse(HTTPResponseData(status: 200), to: operation).payload == "noted")
    #expect(try dialect.deserialize("a", of: Person.self) == ["noted": "a"])
    #expect(dialect.plainListPath == "noted")
    #expect(dialect.plainRecordPath == "noted")
    let translation = try dialect.translate(RESTQuery(ModelQuery(Person.self), in: .standard))
    #expect(translation.items == [RESTQueryItem("noted", "1")])
    #expect(try dialect.items(including: []) == [RESTQueryItem("noted", "1")])
    #expect(try dialect.items(deleting: ["7"], by: operation) == [RESTQueryItem("noted", "7")])
    #expect(dialect.changesParameter == "noted")
    let page = RESTPage(
      answer: RESTResponse(payload: nil), count: 0, items: [], translation: translation, isLinked: false,
      countSoFar: nil)
    #expect(try dialect.nextPage(after: page) == .address("/noted"))
    await dialect.handleError(ModelStoreError(.server, "noted"))
    // A new hook has to be added to the adjusted dialect, and to this test.
    #expect(try base.log.withLock { $0 } == requirements())
  }

  @Test func `An adjusted dialect unwraps the answers of reads and writes, and never reads them from the bytes`()
    async throws
  {
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, body: Data(#"{"result": {"items": [\#(ada)]}}"#.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(#"{"result": {"item": \#(ada)}}"#.utf8))),
      .success(HTTPResponseData(status: 201, body: Data(#"{"result": {"item": {"id": 8}}}"#.utf8))),
    ])
    let dialect = JSONDialect().adjusting(
      payload: { payload, _ in payload = ["item": payload] },
      answer: { answer, _, operation in
        try answer.unwrap(operation.kind == .list ? "result.items" : "result.item")
      })
    #expect(dialect.plainListPath == nil && dialect.plainRecordPath == nil)
    let store = try RESTModelStore(transport, dialect: dialect)
    let people = try await store.list(Person.self)
    #expect(people.map(\.name.value) == ["Ada"])
    #expect(try await store.lookup(Person.self, identifier: "7") === people.first)
    let bob = Person(name: "Bob")
    try await store.create(bob)
    #expect(bob.identifier == "8")
    #expect(transport.requests.last?.body == Data(#"{"item":{"name":"Bob"}}"#.utf8))
  }

  @Test(arguments: [
    (#"{"result": {}}"#, "result.items: expected a record or a list, found nothing"), ("[]", "result.items"),
    (#"{"result": {"items": {"id": 7}}}"#, "result.items: expected a list, found an object"),
    (#"{"result": {"items": [{"id": 7}, 8]}}"#, "result.items[1]: expected an object"),
    (#"{"result": {"items": [{"id": "x"}]}}"#, "[0].id"),
  ])
  func `An envelope without the records is an error with their key path`(body: String, place: String) async throws {
    let dialects: [any RESTDialect] = [
      JSONDialect().adjusting(answer: { answer, _, _ in try answer.unwrap("result.items") }),
      EnvelopedDialect("result.items"),
    ]
    for dialect in dialects {
      let store = try RESTModelStore(StubTransport(status: 200, body), dialect: dialect)
      let error = try await storeError { _ = try await store.list(Person.self) }
      #expect(error.code == .server)
      #expect(error.message.contains(place), "\(error.message)")
    }
  }

  @Test func `A single record outside of its envelope is an error with the key path`() async throws {
    let store = try RESTModelStore(StubTransport(status: 200, ada), dialect: EnvelopedDialect("result.item"))
    let error = try await storeError { _ = try await store.lookup(Person.self, identifier: "7") }
    #expect(error.message.contains("result.item: expected a record or a list, found nothing"), "\(error.message)")
  }

  @Test func `An adjusted dialect reads the body of an error`() async throws {
    let dialect = JSONDialect().adjusting(error: { error, response, _ in
      let fault = try JSONValue(json: response.body)["fault"]
      error.message = fault?["text"]?.stringValue ?? error.message
      if fault?["kind"] == "taken" { error.fields["name"] = ["is taken"] }
    })
    #expect(dialect.plainListPath?.isEmpty == true, "an answer without error is read from the bytes")
    let transport = StubTransport(status: 422, #"{"fault": {"kind": "taken", "text": "There is an Ada."}}"#)
    let person = Person(name: "Ada")
    let error = try await storeError {
      try await RESTModelStore(transport, dialect: dialect).create(person)
    }
    #expect(error.code == .invalid)
    #expect(error.message.hasSuffix("There is an Ada."), "\(error.message)")
    #expect(person.validationErrors.count == 1)
    let html = try RESTModelStore(StubTransport(status: 404, "<html>"), dialect: dialect)
    #expect(try await storeError { _ = try await html.lookup(Person.self, identifier: "7") }.code == .notFound)
  }

  @Test func `An error that a closure finds in an answer of status 200 fails the call`() async throws {
    let dialect = JSONDialect().adjusting(answer: { answer, _, _ in
      if let text = answer.payload?["fault"]?.stringValue { answer.error = ModelStoreError(.denied, text) }
    })
    let store = try RESTModelStore(StubTransport(status: 200, #"{"fault": "Not today."}"#), dialect: dialect)
    let error = try await storeError { _ = try await store.lookup(Person.self, identifier: "7") }
    #expect(error.code == .denied && error.message.contains("Not today."))
  }

  @Test func `Adjusted dialects can be adjusted again, and add to addresses`() async throws {
    let transport = StubTransport(status: 200, "[]")
    let dialect = JSONDialect()
      .adjusting(address: { address, _ in address.path += ".json" })
      .adjusting(address: { address, operation in
        if operation.kind == .list { address.query.append(RESTQueryItem("full", "1")) }
      })
    _ = try await RESTModelStore(transport, dialect: dialect).list(Person.self)
    #expect(transport.lines == ["GET http://api.test/people.json?full=1"])
  }

  @Test func `A closure finds an error where the envelope of a dialect is missing`() async throws {
    let dialect = EnvelopedDialect("data").adjusting(answer: { answer, _, _ in
      if let fault = answer.payload?["fault"]?.stringValue { answer.error = ModelStoreError(.invalid, fault) }
    })
    let store = try RESTModelStore(StubTransport(status: 200, #"{"fault": "closed"}"#), dialect: dialect)
    let error = try await storeError { _ = try await store.list(Person.self) }
    #expect(error.code == .invalid && error.message.contains("closed"))
    // Without an error, the missing envelope is one.
    let other = try RESTModelStore(StubTransport(status: 200, #"{"items": []}"#), dialect: dialect)
    let missing = try await storeError { _ = try await other.list(Person.self) }
    #expect(missing.code == .server && missing.message.contains("data"))
  }
}

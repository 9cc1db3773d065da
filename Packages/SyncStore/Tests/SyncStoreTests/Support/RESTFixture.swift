@_spi(ModelKitInternals) import FieldKit
import Foundation
import RESTStore
import StoreProtocol

/// A REST server in memory, as a transport: entity tags, idempotency keys, referential integrity, and planned answers.
final class RESTFixture: HTTPTransport {
  private struct State: Sendable {
    var collections: [String: [(identifier: String, record: AttributeDictionary, version: Int)]] = [:]
    var lastInteger: [String: Int] = [:]
    var version = 0
    var answers: [String: HTTPResponseData] = [:]
    var requests: [HTTPRequestData] = []
    var plan: [HTTPResponseData] = []
    var isDown = false
    var isSilent = false
    var replacesIntegers = false
  }

  private static let columns = ["authors": ["name", "city"], "books": ["title", "rating", "pages", "author"]]

  private let state = Lock(State())

  /// Whether no request arrives.
  var isDown: Bool {
    get { state.withLock { $0.isDown } }
    set { state.withLock { $0.isDown = newValue } }
  }

  /// Whether requests arrive and have no answer in time.
  var isSilent: Bool {
    get { state.withLock { $0.isSilent } }
    set { state.withLock { $0.isSilent = newValue } }
  }

  /// Whether the server assigns the integers of all new records, whatever identifier is sent.
  var replacesIntegers: Bool {
    get { state.withLock { $0.replacesIntegers } }
    set { state.withLock { $0.replacesIntegers = newValue } }
  }

  /// The requests so far.
  var requests: [HTTPRequestData] { state.withLock { $0.requests } }
  var lines: [String] { requests.map { "\($0.method) \($0.url.path)" } }

  /// The requests that have a temporary identifier, in their paths or their bodies.
  var requestsWithTemporaryIdentifiers: [String] {
    func isTemporary(_ value: JSONValue) -> Bool {
      switch value {
      case .int(let number): number < 0
      case .array(let members): members.contains(where: isTemporary)
      case .object(let members): members.values.contains(where: isTemporary)
      default: false
      }
    }
    return requests.filter { request in
      request.url.path.contains("/-") || (request.body.flatMap { try? JSONValue(json: $0) }.map(isTemporary) ?? false)
    }.map { "\($0.method) \($0.url.path)" }
  }

  /// Answers the next requests with these, one each.
  func plan(_ answers: HTTPResponseData...) { state.withLock { $0.plan += answers } }

  /// Returns a store of this server.
  ///
  /// - Parameters:
  ///   - transport: the transport to the server; nil for the server itself.
  ///   - limit: the greatest number of requests at the same time. With 1 their order is known.
  func store(over transport: (any HTTPTransport)? = nil, maximumConcurrentRequests limit: Int = 1) -> RESTModelStore {
    var options = RESTOptions()
    options.maximumConcurrentRequests = limit
    options.idempotencyKeyHeader = "Idempotency-Key"
    var address = URLComponents()
    (address.scheme, address.host) = ("http", "api.test")
    guard let url = address.url else { preconditionFailure("The components make an address.") }
    return RESTModelStore(baseURL: url, transport: transport ?? self, options: options)
  }

  // MARK: Requests

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try state.withLock { state in
      state.requests.append(request)
      if state.isDown { throw ModelStoreError(.offline, "There is no network.") }
      if state.isSilent { throw ModelStoreError(.timeout, "The server did not answer in time.") }
      if !state.plan.isEmpty { return state.plan.removeFirst() }
      return answer(request, &state)
    }
  }

  private func answer(_ request: HTTPRequestData, _ state: inout State) -> HTTPResponseData {
    let key = request.method == .post ? request.headers["Idempotency-Key"] : nil
    if let key, let known = state.answers[key] { return known }
    let parts = request.url.path.split(separator: "/").map(String.init)
    let body = request.body.flatMap { try? JSONValue(json: $0) }?.objectValue ?? [:]
    let answer =
      parts.count == 1 ? collection(parts[0], request, body, &state) : member(parts[0], parts[1], request, body, &state)
    if let key, answer.isSuccessful { state.answers[key] = answer }
    return answer
  }

  private func collection(
    _ name: String, _ request: HTTPRequestData, _ body: AttributeDictionary, _ state: inout State
  ) -> HTTPResponseData {
    let all = state.collections[name] ?? []
    if request.method == .get { return Self.json(.array(all.map { .object($0.record) })) }
    if let refusal = refusal(body, state) { return refusal }
    // As a table has columns.
    var record = body
    for key in Self.columns[name] ?? [] where record[key] == nil { record[key] = .null }
    let identifier: String
    if let given = body["id"], !given.isNull, !(state.replacesIntegers && given.intValue != nil) {
      identifier = given.stringValue ?? given.intValue.map(String.init) ?? ""
      if all.contains(where: { $0.identifier == identifier }) { return HTTPResponseData(status: 409) }
    } else {
      let number = (state.lastInteger[name] ?? 0) + 1
      state.lastInteger[name] = number
      identifier = String(number)
      record["id"] = .int(number)
    }
    state.version += 1
    state.collections[name, default: []].append((identifier, record, state.version))
    return Self.json(.object(record), status: 201, version: state.version)
  }

  private func member(
    _ name: String, _ identifier: String, _ request: HTTPRequestData, _ body: AttributeDictionary, _ state: inout State
  ) -> HTTPResponseData {
    guard let index = state.collections[name]?.firstIndex(where: { $0.identifier == identifier }),
      var found = state.collections[name]?[index]
    else { return HTTPResponseData(status: 404) }
    if let tag = request.headers["If-Match"], tag != "\"\(found.version)\"" { return HTTPResponseData(status: 412) }
    switch request.method {
    case .get: return Self.json(.object(found.record), version: found.version)
    case .delete:
      state.collections[name]?.remove(at: index)
      cut(name, identifier, &state)
      return HTTPResponseData(status: 204)
    default:
      if let refusal = refusal(body, state) { return refusal }
      state.version += 1
      found.record.merge(body) { $1 }
      found.version = state.version
      state.collections[name]?[index] = found
      return Self.json(.object(found.record), version: found.version)
    }
  }

  /// Refuses poison, and references to what is not there.
  private func refusal(_ body: AttributeDictionary, _ state: State) -> HTTPResponseData? {
    if body["label"] == "poison" {
      return Self.json(.object(["errors": .object(["label": .array(["is poison"])])]), status: 422)
    }
    if let author = body["author"]?.intValue,
      !(state.collections["authors"] ?? []).contains(where: { $0.identifier == String(author) })
    {
      return Self.json(.object(["errors": .object(["author": .array(["is not there"])])]), status: 422)
    }
    return nil
  }

  private func cut(_ name: String, _ identifier: String, _ state: inout State) {
    guard name == "authors", let books = state.collections["books"] else { return }
    for (index, book) in books.enumerated() where book.record["author"] == .int(Int(identifier) ?? 0) {
      state.version += 1
      state.collections["books"]?[index].record["author"] = .null
      state.collections["books"]?[index].version = state.version
    }
  }

  private static func json(_ value: JSONValue, status: Int = 200, version: Int? = nil) -> HTTPResponseData {
    var headers: HTTPHeaderList = ["Content-Type": "application/json"]
    if let version { headers["ETag"] = "\"\(version)\"" }
    return HTTPResponseData(status: status, headers: headers, body: (try? value.jsonData()) ?? Data())
  }
}

/// A transport that answers some requests itself.
struct RespondingTransport: HTTPTransport {
  let server: RESTFixture
  /// Returns the response to a request; nil for that of the server.
  let respond: @Sendable (HTTPRequestData) throws -> HTTPResponseData?

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    if let response = try respond(request) { return response }
    return try await server.send(request)
  }
}

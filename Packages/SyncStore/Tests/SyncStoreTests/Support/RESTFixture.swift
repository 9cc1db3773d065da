@_spi(ModelKitInternals) import FieldKit
import Foundation
import RESTStore
import StoreProtocol

/// A REST server in memory, as a transport: entity tags, idempotency keys, referential integrity, and faults.
final class RESTFixture: HTTPTransport, HistoryServer {
  private struct State: Sendable {
    var random: SimulatedRandom
    var hasFaults = true
    var collections: [String: [(identifier: String, record: AttributeDictionary, version: Int)]] = [:]
    var lastInteger: [String: Int] = [:]
    var version = 0
    var answers: [String: HTTPResponseData] = [:]
    /// Requests that arrive later, a second time.
    var late: [HTTPRequestData] = []
    var history: Set<String> = []
    var creations: [String: Int] = [:]
    var duplicates: Set<String> = []
    var requests: [HTTPRequestData] = []
    var plan: [HTTPResponseData] = []
    var isDown = false
  }

  private static let columns = ["authors": ["name", "city"], "books": ["title", "rating", "pages", "author"]]

  private let state: Lock<State>
  let hasKeys: Bool

  init(seed: UInt64 = 1, hasKeys: Bool = true, hasFaults: Bool = true) {
    state = Lock(State(random: SimulatedRandom(state: seed), hasFaults: hasFaults))
    self.hasKeys = hasKeys
  }

  var hasFaults: Bool {
    get { state.withLock { $0.hasFaults } }
    set { state.withLock { $0.hasFaults = newValue } }
  }

  var duplicates: Set<String> { state.withLock { $0.duplicates } }
  /// Whether no request arrives.
  var isDown: Bool {
    get { state.withLock { $0.isDown } }
    set { state.withLock { $0.isDown = newValue } }
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

  func had(_ value: JSONValue, _ key: String) -> Bool { state.withLock { $0.history.contains("\(key)=\(value)") } }
  func creationCount(_ title: String) -> Int { state.withLock { $0.creations[title] ?? 0 } }

  func makeStore() -> any ModelStore { store() }

  func store() -> RESTModelStore {
    var options = RESTOptions()
    if hasKeys { options.idempotencyKeyHeader = "Idempotency-Key" }
    var address = URLComponents()
    (address.scheme, address.host) = ("http", "api.test")
    guard let url = address.url else { preconditionFailure("The components make an address.") }
    return RESTModelStore(baseURL: url, transport: self, options: options)
  }

  // MARK: Requests

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try state.withLock { state in
      state.requests.append(request)
      if state.isDown { throw ModelStoreError(.offline, "There is no network.") }
      if !state.plan.isEmpty { return state.plan.removeFirst() }
      guard state.hasFaults else { return answer(request, &state) }
      if hasKeys, !state.late.isEmpty, state.random.below(10) == 0 {
        _ = answer(state.late.remove(at: state.random.below(state.late.count)), &state)
      }
      let isWrite = request.method != .get
      let isKnown = state.answers[request.headers["Idempotency-Key"] ?? ""] != nil
      switch state.random.below(isWrite ? 30 : 60) {
      case 0: throw ModelStoreError(.offline, "no network")
      case 1: throw ModelStoreError(.timeout, "no answer")
      case 2:
        let statuses = isWrite && !isKnown ? [401, 403, 409, 412, 422, 429, 500, 502, 503] : [401, 429, 500, 503]
        let status = statuses[state.random.below(statuses.count)]
        return HTTPResponseData(status: status, headers: status == 429 ? ["Retry-After": "7"] : [:])
      case 3:
        _ = answer(request, &state)
        throw ModelStoreError(.offline, "the connection was lost")
      case 4:
        _ = answer(request, &state)
        return HTTPResponseData(status: 502)
      case 5:
        var cut = answer(request, &state)
        cut.body = Data(cut.body.dropLast())
        return cut
      case 6:
        state.late.append(request)
        return answer(request, &state)
      default: return answer(request, &state)
      }
    }
  }

  private func answer(_ request: HTTPRequestData, _ state: inout State) -> HTTPResponseData {
    let key = hasKeys && request.method == .post ? request.headers["Idempotency-Key"] : nil
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
    if let given = body["id"], !given.isNull {
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
    note(record, in: name, &state)
    if let title = record["title"]?.stringValue {
      state.creations[title, default: 0] += 1
      let count = (state.collections[name] ?? []).count { $0.record["title"]?.stringValue == title }
      if count > 1 { state.duplicates.insert(title) }
    }
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
      note(found.record, in: name, &state)
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

  private func note(_ record: AttributeDictionary, in name: String, _ state: inout State) {
    for (key, value) in record { state.history.insert("\(key)=\(value)") }
  }

  private static func json(_ value: JSONValue, status: Int = 200, version: Int? = nil) -> HTTPResponseData {
    var headers: HTTPHeaderList = ["Content-Type": "application/json"]
    if let version { headers["ETag"] = "\"\(version)\"" }
    return HTTPResponseData(status: status, headers: headers, body: (try? value.jsonData()) ?? Data())
  }
}

@_spi(ModelKitInternals) import FieldKit
import Foundation
import RESTStore
import StoreProtocol

/// A REST server of one tier with a virtual clock, and the network before it with its faults.
///
/// | Tier | The server has |
/// |---|---|
/// | 0 | create, read, list, update, delete |
/// | 1 | entity tags |
/// | 2 | a change time with order and pages |
/// | 3 | deletion marks |
/// | 4 | idempotency keys |
/// | 5 | a stream of hints: the version of the last change is the identifier of the last event |
final class SimulatedService: Sendable {
  struct Row: Sendable {
    var identifier: String
    var record: AttributeDictionary
    var version: Int
    /// The change time in seconds. Rows of one time have an arbitrary order.
    var time: Int
    var isRemoved = false
    var title: String { record["title"]?.stringValue ?? "" }
  }

  /// The state that a backup has.
  struct Database: Sendable {
    var rows: [String: [Row]] = [:]
    var answers: [String: HTTPResponseData] = [:]
  }

  fileprivate struct Request: Sendable {
    var request: HTTPRequestData
    var client: Int
  }

  struct State: Sendable {
    var random: SimulatedRandom
    var database = Database()
    /// Milliseconds since the beginning.
    var time = 0
    var hasFaults = true
    /// The rows that a client can't access, as `path/identifier`, and whether the server reports that.
    var hidden: [Int: [String: Bool]] = [:]
    var version = 0
    var lastInteger = 0
    /// The version at which the server first had a value, by `title.key=value`.
    var values: [String: Int] = [:]
    /// The number of times that a row took a value, by `title.key=value`.
    var effects: [String: Int] = [:]
    /// The number of creations by title.
    var creations: [String: Int] = [:]
    var removedTitles: Set<String> = []
    /// The titles of records that a late request created: without keys no client can know that it was still on its way.
    var createdLate: Set<String> = []
    /// The titles of records that were changed since their creation.
    var changedTitles: Set<String> = []
    var requestsWithTemporaryIdentifiers: [String] = []
    /// The requests with their outcomes.
    var log: [String] = []
    fileprivate var late: [Request] = []
  }

  /// The greatest number of seconds by which a commit comes after its change time.
  static let lateness = 20
  /// The message of a temporary failure. Its text is none of the client's business.
  static let transientMessage = "400 requests are in the queue"

  let tier: Int
  private let state: Lock<State>

  init(tier: Int, seed: UInt64) {
    self.tier = tier
    state = Lock(State(random: SimulatedRandom(state: seed)))
  }

  private var hasTags: Bool { tier >= 1 }
  private var hasChanges: Bool { tier >= 2 }
  private var hasMarks: Bool { tier >= 3 }
  private var hasKeys: Bool { tier >= 4 }

  var current: State { state.withLock { $0 } }
  var time: Int { state.withLock { $0.time } }
  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  /// Makes the remote store of a client.
  func store(for client: Int) -> RESTModelStore {
    var options = RESTOptions()
    if hasKeys { options.idempotencyKeyHeader = "Idempotency-Key" }
    guard let url = URL(string: "http://api.test") else { preconditionFailure("The text is an address.") }
    let transport = Connection(service: self, client: client)
    if !hasChanges { return RESTModelStore(baseURL: url, transport: transport, options: options) }
    let dialect = DjangoRESTDialect(
      paging: .offset(size: 4), orderingParameter: "ordering", endsPathsWithSlash: false)
    return RESTModelStore(baseURL: url, dialect: dialect, transport: transport, options: options)
  }

  private struct Connection: HTTPTransport {
    let service: SimulatedService
    let client: Int

    func send(_ request: HTTPRequest) async throws -> HTTPResponse { try service.send(request, client) }
  }

  // MARK: The network

  func deliverLateRequests() {
    state.withLock { state in while !state.late.isEmpty { deliver(&state) } }
  }

  private func deliver(_ state: inout State) {
    let late = state.late.remove(at: state.random.below(state.late.count))
    let creations = state.creations
    let answer = answer(late.request, late.client, &state)
    state.createdLate.formUnion(state.creations.filter { $0.value != creations[$0.key] }.keys)
    state.log.append("late \(late.request.method) \(late.request.url.path) \(answer.status)")
  }

  private func send(_ request: HTTPRequestData, _ client: Int) throws -> HTTPResponseData {
    try state.withLock { state in
      let line = "\(client) \(request.method) \(request.url.path)?\(request.url.query ?? "")"
      if hasTemporaryIdentifier(request) { state.requestsWithTemporaryIdentifiers.append(line) }
      do {
        let answer = try transmit(request, client, &state)
        state.log.append("\(line) \(answer.status) \(answer.body.count)")
        return answer
      } catch {
        state.log.append("\(line) no answer")
        throw error
      }
    }
  }

  private func transmit(
    _ request: HTTPRequestData, _ client: Int, _ state: inout State
  ) throws -> HTTPResponseData {
    guard state.hasFaults else { return answer(request, client, &state) }
    if !state.late.isEmpty, state.random.below(12) == 0 { deliver(&state) }
    let isWrite = request.method != .get
    // An answer that was given once is given again.
    let key = request.headers["Idempotency-Key"]
    // Nor is one refused that arrived, or is to arrive.
    let isKnown =
      hasKeys && key != nil
      && (state.database.answers[key ?? ""] != nil
        || state.late.contains { $0.request.headers["Idempotency-Key"] == key })
    switch state.random.below(isWrite ? 40 : 120) {
    case 0: throw ModelStoreError(.offline, "There is no network.")
    case 1: throw ModelStoreError(.timeout, "The request was lost.")
    case 2:
      _ = answer(request, client, &state)
      throw ModelStoreError(.timeout, "The answer was lost.")
    case 3:
      _ = answer(request, client, &state)
      throw ModelStoreError(.offline, "The connection was lost.")
    case 4 where isWrite:
      state.late.append(Request(request: request, client: client))
      throw ModelStoreError(.timeout, "The request is late.")
    case 5 where isWrite:
      state.late.append(Request(request: request, client: client))
      return answer(request, client, &state)
    case 6:
      _ = answer(request, client, &state)
      return Self.refused([500, 502, 504][state.random.below(3)])
    case 7: return Self.refused([500, 503][state.random.below(2)])
    case 8:
      let statuses = isWrite && !isKnown ? [401, 403, 409, 412, 422, 429] : [401, 429]
      return Self.refused(statuses[state.random.below(statuses.count)])
    case 9:
      var cut = answer(request, client, &state)
      cut.body = Data(cut.body.dropLast(1 + state.random.below(max(1, cut.body.count))))
      return cut
    default: return answer(request, client, &state)
    }
  }

  private static func refused(_ status: Int) -> HTTPResponseData {
    let message = status >= 500 ? transientMessage : "refused at random"
    var answer = json(.object(["message": .string(message)]), status: status)
    if status == 429 { answer.headers["Retry-After"] = "7" }
    return answer
  }

  private func hasTemporaryIdentifier(_ request: HTTPRequestData) -> Bool {
    let body = request.body.flatMap { try? JSONValue(json: $0) }?.objectValue ?? [:]
    return request.url.path.contains("/-")
      || ["id", "writer"].contains { (body[$0]?.intValue ?? 0) < 0 }
  }

  // MARK: The server

  private func answer(_ request: HTTPRequestData, _ client: Int, _ state: inout State) -> HTTPResponseData {
    let key = hasKeys && request.method == .post ? request.headers["Idempotency-Key"] : nil
    if let key, let known = state.database.answers[key] { return known }
    let parts = request.url.path.split(separator: "/").map(String.init)
    let sent = request.body.flatMap { try? JSONValue(json: $0) }?.objectValue ?? [:]
    // Clients can't set these.
    let body = sent.filter { !["version", "changed", "removed"].contains($0.key) }
    let answer =
      switch (parts.count, request.method) {
      case (1, .get): list(parts[0], request, client, &state)
      case (1, _): create(parts[0], body, &state)
      default: member(parts[0], parts[1], request, body, client, &state)
      }
    if let key, answer.isSuccessful { state.database.answers[key] = answer }
    return answer
  }

  private func list(
    _ path: String, _ request: HTTPRequestData, _ client: Int, _ state: inout State
  ) -> HTTPResponseData {
    let hidden = state.hidden[client] ?? [:]
    var rows = (state.database.rows[path] ?? []).filter { row in
      hidden["\(path)/\(row.identifier)"] == nil && (hasMarks || !row.isRemoved)
    }
    guard hasChanges, var address = URLComponents(url: request.url, resolvingAgainstBaseURL: false) else {
      return Self.json(.array(rows.map { .object($0.record) }))
    }
    var items = address.queryItems ?? []
    if let bound = items.first(where: { $0.name == "changed__gte" })?.value {
      rows.removeAll { ($0.record["changed"]?.stringValue ?? "") < bound }
    }
    if items.contains(where: { $0.name == "ordering" }) { rows.sort { ($0.time, $0.title) < ($1.time, $1.title) } }
    let offset = items.first { $0.name == "offset" }?.value.flatMap(Int.init) ?? 0
    let limit = items.first { $0.name == "limit" }?.value.flatMap(Int.init) ?? 4
    // A page may have less than was requested.
    let count = state.hasFaults && state.random.below(6) == 0 ? 1 + state.random.below(limit) : limit
    let page = rows.dropFirst(offset).prefix(count)
    var next = JSONValue.null
    if offset + page.count < rows.count {
      items.removeAll { $0.name == "offset" }
      items.append(URLQueryItem(name: "offset", value: String(offset + page.count)))
      address.queryItems = items
      next = .string(address.url?.absoluteString ?? "")
    }
    return Self.json(.object(["results": .array(page.map { .object($0.record) }), "next": next]))
  }

  private func create(_ path: String, _ body: AttributeDictionary, _ state: inout State) -> HTTPResponseData {
    if let refusal = refusal(body, state) { return refusal }
    var record = body
    let identifier: String
    if let given = body["id"]?.stringValue {
      identifier = given
      if state.database.rows[path]?.contains(where: { $0.identifier == given }) == true { return Self.conflict }
    } else {
      state.lastInteger += 1
      identifier = String(state.lastInteger)
      record["id"] = .int(state.lastInteger)
    }
    for key in ["a", "b", "c", "isMarked", "grade", "label", "note"] where record[key] == nil { record[key] = .null }
    if path == "volumes", record["writer"] == nil { record["writer"] = .null }
    state.creations[record["title"]?.stringValue ?? "", default: 0] += 1
    let row = written(Row(identifier: identifier, record: [:], version: 0, time: 0), record, &state)
    state.database.rows[path, default: []].append(row)
    return answer(row, status: 201)
  }

  private func member(
    _ path: String, _ identifier: String, _ request: HTTPRequestData, _ body: AttributeDictionary, _ client: Int,
    _ state: inout State
  ) -> HTTPResponseData {
    if let isTold = state.hidden[client]?["\(path)/\(identifier)"] {
      return HTTPResponseData(status: isTold ? 403 : 404)
    }
    guard let index = state.database.rows[path]?.firstIndex(where: { $0.identifier == identifier }),
      let row = state.database.rows[path]?[index], !row.isRemoved
    else { return HTTPResponseData(status: 404) }
    if hasTags, let tag = request.headers["If-Match"], tag != "\"\(row.version)\"" {
      return HTTPResponseData(status: 412)
    }
    switch request.method {
    case .get: return answer(row)
    case .delete:
      state.removedTitles.insert(row.title)
      if hasMarks {
        var marked = written(row, row.record, &state)
        marked.isRemoved = true
        marked.record["removed"] = true
        state.database.rows[path]?[index] = marked
      } else {
        state.database.rows[path]?.remove(at: index)
      }
      if path == "writers" { cutReferences(to: identifier, &state) }
      return HTTPResponseData(status: 204)
    default:
      if let refusal = refusal(body, state) { return refusal }
      let changed = written(row, row.record.merging(body) { $1 }, &state)
      state.database.rows[path]?[index] = changed
      return answer(changed)
    }
  }

  private func refusal(_ body: AttributeDictionary, _ state: State) -> HTTPResponseData? {
    if body["note"] == "poison" {
      return Self.json(.object(["errors": .object(["note": .array(["is poison"])])]), status: 422)
    }
    if let writer = body["writer"]?.intValue,
      !(state.database.rows["writers"] ?? []).contains(where: { $0.identifier == String(writer) && !$0.isRemoved })
    {
      return Self.json(.object(["errors": .object(["writer": .array(["is not there"])])]), status: 422)
    }
    return nil
  }

  private func cutReferences(to identifier: String, _ state: inout State) {
    for (index, row) in (state.database.rows["volumes"] ?? []).enumerated()
    where row.record["writer"] == .int(Int(identifier) ?? 0) {
      var record = row.record
      record["writer"] = .null
      let changed = written(row, record, &state)
      state.database.rows["volumes"]?[index] = changed
    }
  }

  private func written(_ row: Row, _ record: AttributeDictionary, _ state: inout State) -> Row {
    var row = row
    state.version += 1
    let old = row.record
    if !old.isEmpty { state.changedTitles.insert(row.title) }
    row.version = state.version
    // The time is taken before the commit, and has whole seconds only.
    row.time = max(0, state.time / 1_000 - state.random.below(Self.lateness))
    row.record = record
    row.record["version"] = .int(row.version)
    row.record["changed"] = try? Date(timeIntervalSince1970: Double(row.time)).json
    for (key, value) in record where ["a", "b", "c"].contains(key) && old[key] != value && !value.isNull {
      let name = "\(row.title).\(key)=\(value)"
      if value != 0 { state.effects[name, default: 0] += 1 }
      if state.values[name] == nil { state.values[name] = row.version }
    }
    return row
  }

  /// Restores a backup: what was written since is gone.
  func restore(_ backup: Database) {
    state.withLock { state in
      state.database = backup
      let last = backup.rows.values.flatMap { $0 }.map(\.version).max() ?? 0
      state.values = state.values.filter { $0.value <= last }
    }
  }

  private static let conflict = HTTPResponseData(status: 409)

  private func answer(_ row: Row, status: Int = 200) -> HTTPResponseData {
    Self.json(.object(row.record), status: status, version: hasTags ? row.version : nil)
  }

  private static func json(_ value: JSONValue, status: Int = 200, version: Int? = nil) -> HTTPResponseData {
    var headers: HTTPHeaderList = ["Content-Type": "application/json"]
    if let version { headers["ETag"] = "\"\(version)\"" }
    return HTTPResponseData(status: status, headers: headers, body: (try? value.jsonData()) ?? Data())
  }
}

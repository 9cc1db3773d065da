import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol

/// A transport that keeps people, in the order of their creation, and counts the requests by method.
final class PeopleServer: HTTPTransport {
  /// The answer to a write.
  enum Answer: Sendable, CaseIterable {
    /// The whole record, with the values that the server added.
    case whole
    /// The identifier and the values that were sent.
    case sent
    /// No body.
    case nothing
  }

  private struct State {
    var people: [(id: Int, record: AttributeDictionary)] = []
    var lastID = 0
    var counts: [String: Int] = [:]
  }

  let answer: Answer
  private let state = Lock(State())
  /// Runs before a write is answered.
  private let beforeAnswer: @Sendable () async -> Void

  init(_ answer: Answer = .whole, beforeAnswer: @escaping @Sendable () async -> Void = {}) {
    self.answer = answer
    self.beforeAnswer = beforeAnswer
  }

  /// The number of requests with a method.
  func count(_ method: String) -> Int { state.withLock { $0.counts[method] ?? 0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let body = try request.body.flatMap { try JSONValue(json: $0).objectValue } ?? [:]
    let id = Int(request.url.lastPathComponent)
    let response = try state.withLock { state in
      state.counts[request.method.description, default: 0] += 1
      let index = state.people.firstIndex { $0.id == id }
      switch (request.method, index) {
      case (.post, _):
        state.lastID += 1
        var record: AttributeDictionary = ["id": .int(state.lastID), "name": .null, "age": .null]
        record.merge(body) { $1 }
        state.people.append((state.lastID, record))
        return try reply(201, record, body)
      case (.patch, let index?):
        state.people[index].record.merge(body) { $1 }
        return try reply(200, state.people[index].record, body)
      case (.delete, let index?):
        state.people.remove(at: index)
        return HTTPResponseData(status: 204)
      case (.get, let index?): return try reply(200, state.people[index].record)
      case (.get, nil) where id == nil:
        return HTTPResponseData(
          status: 200, body: try JSONValue.array(state.people.map { .object($0.record) }).jsonData())
      default: return HTTPResponseData(status: 404)
      }
    }
    if request.method != .get { await beforeAnswer() }
    return response
  }

  private func reply(
    _ status: Int, _ record: AttributeDictionary, _ sent: AttributeDictionary? = nil
  ) throws -> HTTPResponseData {
    switch sent == nil ? .whole : answer {
    case .whole: return HTTPResponseData(status: status, body: try JSONValue.object(record).jsonData())
    case .sent:
      let part = (sent ?? [:]).merging(["id": record["id"] ?? .null]) { $1 }
      return HTTPResponseData(status: status, body: try JSONValue.object(part).jsonData())
    case .nothing: return HTTPResponseData(status: 204)
    }
  }
}

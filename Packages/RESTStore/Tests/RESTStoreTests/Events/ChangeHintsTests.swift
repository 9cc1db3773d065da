@_spi(ModelKitInternals) import FieldKit
import Foundation
import StoreProtocol
import Testing

@testable import RESTStore

@Suite(.timeLimit(.minutes(30))) struct `Hints that a server has changes` {
  private final class Note: Model {
    let id = Field<Int>()
    override var identifierField: AnyField? { id }
  }

  private func store(_ transport: ScriptedStreams, _ sleeps: Lock<[Duration]>? = nil) throws -> RESTModelStore {
    var options = RESTOptions()
    options.maximumConcurrentRequests = 1
    options.retry.random = { 1 }
    options.retry.sleep = { delay in sleeps?.withLock { $0.append(delay) } }
    return RESTModelStore(
      baseURL: try #require(URL(string: "http://api.test")), transport: transport, options: options)
  }

  /// Reads hints until a number of connections were made.
  private func follow(_ transport: ScriptedStreams, _ store: RESTModelStore, until count: Int) async throws {
    let hints = try store.changeHints(of: [Note.self])
    let task = Task { for await _ in hints {} }
    await transport.identifiers.wait(isolation: nil) { $0.count >= count }
    task.cancel()
    await task.value
  }

  @Test func `A stream that is lost continues after its last event`() async throws {
    let transport = ScriptedStreams([
      .stream("id: 1\ndata: a\n\n", isLost: true), .stream("id: 2\ndata: b\n\nid: 3\n", isLost: false),
    ])
    let sleeps = Lock<[Duration]>([])
    try await follow(transport, store(transport, sleeps), until: 3)
    #expect(transport.identifiers.withLock { Array($0.prefix(3)) } == ["", "1", "2"])
    #expect(sleeps.withLock { Array($0.prefix(2)) } == [.seconds(3), .seconds(3)])
  }

  @Test func `An event is a hint, and so is the beginning of a stream that continues no other`() async throws {
    let transport = ScriptedStreams([.stream(": open\n\n", isLost: true), .stream("data: a\n\n", isLost: true)])
    let store = try store(transport)
    var hints = try store.changeHints(of: [Note.self]).makeAsyncIterator()
    #expect(await hints.next() != nil)
  }

  @Test func `After failures the wait doubles up to five minutes, and a stream ends that`() async throws {
    let failures = [ScriptedStreams.Answer](repeating: .status(500), count: 9)
    let transport = ScriptedStreams(failures + [.stream("data: a\n\n", isLost: true)])
    let sleeps = Lock<[Duration]>([])
    try await follow(transport, store(transport, sleeps), until: 11)
    let expected: [Duration] = [3, 4, 8, 16, 32, 64, 128, 256, 300, 3].map { .seconds($0) }
    #expect(Array(sleeps.withLock { $0 }.prefix(10)) == expected)
  }

  @Test func `The time that the server requires is obeyed, if it is a second at least`() async throws {
    let transport = ScriptedStreams([
      .stream("retry: 7000\n\n", isLost: false), .stream("retry: 0\n\n", isLost: false), .status(503, retryAfter: 600),
    ])
    let sleeps = Lock<[Duration]>([])
    try await follow(transport, store(transport, sleeps), until: 4)
    #expect(sleeps.withLock { Array($0.prefix(3)) } == [.seconds(7), .seconds(1), .seconds(600)])
  }

  @Test func `A collection without a stream is requested once, and gives no hints`() async throws {
    let transport = ScriptedStreams([.status(200)])
    var count = 0
    for await _ in try store(transport).changeHints(of: [Note.self]) { count += 1 }
    #expect(count == 0)
    #expect(transport.identifiers.withLock { $0.count } == 1)
  }

  @Test func `An open stream delays no request`() async throws {
    let transport = ScriptedStreams([])
    let store = try store(transport)
    let hints = try store.changeHints(of: [Note.self])
    let task = Task { for await _ in hints {} }
    await transport.identifiers.wait(isolation: nil) { $0.count == 1 }
    #expect(try await store.list(Note.self).isEmpty)
    task.cancel()
    await task.value
  }

  @Test func `A transport that can't stream is reported before anything is sent`() throws {
    struct Plain: HTTPTransport {
      func send(_ request: HTTPRequest) async throws -> HTTPResponse { HTTPResponse(status: 500) }
    }
    let store = RESTModelStore(baseURL: try #require(URL(string: "http://api.test")), transport: Plain())
    let error = #expect(throws: ModelStoreError.self) { try store.changeHints(of: [Note.self]) }
    #expect(error?.code == .unsupported)
  }
}

/// A transport with planned answers to the requests of streams. After these, a stream stays open.
private final class ScriptedStreams: StreamingTransport {
  enum Answer: Sendable {
    case stream(String, isLost: Bool)
    case status(Int, retryAfter: Int? = nil)
  }

  /// The `Last-Event-ID` of each request, empty without one.
  let identifiers = AwaitedState<[String]>([])
  private let answers: Lock<[Answer]>

  init(_ answers: [Answer]) { self.answers = Lock(answers) }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Data("[]".utf8))
  }

  func send(
    _ request: HTTPRequest, from file: URL?, receive: @escaping @Sendable (HTTPResponse, Data?) throws -> Bool
  ) async throws -> HTTPResponse {
    let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    let head = HTTPResponse(status: 200, headers: ["Content-Type": "text/event-stream; charset=utf-8"])
    for task in identifiers.change({ $0.append(request.headers["Last-Event-ID"] ?? "") }) { task.resume() }
    switch answer {
    case .status(let status, let retryAfter):
      var response = HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Data("[]".utf8))
      response.headers["Retry-After"] = retryAfter.map(String.init)
      _ = try receive(response, nil)
      return response
    case .stream(let text, let isLost):
      _ = try receive(head, nil)
      for part in text.utf8.map({ Data([$0]) }) { _ = try receive(head, part) }
      if isLost { throw ModelStoreError(.offline, "The connection was lost.") }
      return head
    case nil:
      _ = try receive(head, nil)
      try await Task.sleep(for: .seconds(3_600))
      return head
    }
  }
}

@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import RESTService
import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol
import Testing

/// An engine that answers only after it was opened, or throws if the task is cancelled.
final class BlockedEngine: RecordEngine {
  let base = MemoryModelStore().handle
  private let isOpen = AwaitedState(false)
  private let failure: ModelStoreError?

  /// - Parameter failure: the error that a call throws if its task is cancelled.
  init(failure: ModelStoreError? = nil) { self.failure = failure }
  private let arrivals = AwaitedState(0)

  var changeFeed: StoreChangeFeed { base.changeFeed }
  var conflictTrackers: ConflictTrackers { base.conflictTrackers }
  func nextInteger(for type: String) async throws -> Int? { base.nextInteger(for: type) }

  func snapshot(pinned: Bool) async throws -> MemoryEngine.Snapshot {
    try await block()
    return base.snapshot(pinned: pinned)
  }

  func commit(_ batch: RecordBatch) async throws {
    try await block()
    try base.commit(batch)
  }

  private func block() async throws {
    for task in arrivals.change({ $0 += 1 }) { task.resume() }
    await isOpen.wait(isolation: #isolation) { $0 }
    if let failure, Task.isCancelled { throw failure }
    try Task.checkCancellation()
  }

  /// Waits until there were as many calls.
  func waitForArrivals(_ count: Int) async {
    while arrivals.withLock({ $0 < count }) { await arrivals.wait(isolation: #isolation) { $0 >= count } }
  }

  func unblock() { for task in isOpen.change({ $0 = true }) { task.resume() } }
}

@Suite(.timeLimit(.minutes(30))) struct `The limits of a service` {
  private static func request(
    _ service: RESTService, _ method: HTTPRequestData.Method = .get, _ path: String = "novels", user: String? = nil
  ) async throws -> HTTPResponseData {
    let url = try #require(URL(string: "http://library.test/\(path)"))
    let body = method == .post ? Data(#"{"title": "Emma"}"#.utf8) : nil
    return await service.respond(to: HTTPRequestData(method, url, body: body), user: user)
  }

  @Test(arguments: [(HTTPRequestData.Method.get, "novels"), (.get, "novels/1"), (.post, "novels")])
  func `A request that takes too long is ended, and writes nothing`(
    method: HTTPRequestData.Method, path: String
  ) async throws {
    let engine = BlockedEngine()
    let options = RESTServiceOptions(timeLimit: .milliseconds(20))
    let service = RESTService(engine, serving: [Novel.self], options: options)
    let answer = try await Self.request(service, method, path)
    #expect(answer.status == 503)
    #expect(String(decoding: answer.body, as: UTF8.self).contains("too long"))
    #expect(try await MemoryModelStore(engine.base).count(Novel.self) == 0)
  }

  @Test func `A write with an unknown outcome after the time limit is not reported as unwritten`() async throws {
    var failure = ModelStoreError(.offline, "The connection was lost during COMMIT.")
    failure.isOutcomeUnknown = true
    let options = RESTServiceOptions(timeLimit: .milliseconds(20))
    let service = RESTService(BlockedEngine(failure: failure), serving: [Novel.self], options: options)
    let answer = try await Self.request(service, .post)
    #expect(answer.status == 503)
    #expect(answer.headers["Retry-After"] == nil)
    #expect(String(decoding: answer.body, as: UTF8.self).contains("unknown"))
  }

  @Test func `A user with too many requests at the same time gets 429, and others do not`() async throws {
    let engine = BlockedEngine()
    let options = RESTServiceOptions(maximumRequestsPerUser: 2, timeLimit: nil)
    let service = RESTService(engine, serving: [Novel.self], options: options)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<2 { group.addTask { try await Self.request(service, user: "ada").status } }
      await engine.waitForArrivals(2)
      let refused = try await Self.request(service, user: "ada")
      #expect(refused.status == 429)
      #expect(refused.headers["Retry-After"] == "1")
      for user in ["bob", nil] { group.addTask { try await Self.request(service, user: user).status } }
      await engine.waitForArrivals(4)
      engine.unblock()
      for try await status in group { #expect(status == 200) }
    }
    #expect(try await Self.request(service, user: "ada").status == 200)
  }

  @Test func `A user with too many requests in a minute gets 429 until the next one`() async throws {
    let clock = TestClock()
    let handle = MemoryModelStore().handle
    let service = RESTService(
      serving: [Novel.self], options: RESTServiceOptions(requestsPerMinute: 3), now: { clock.date },
      opening: { MemoryModelStore(handle, scope: $0) })
    for _ in 0..<3 { #expect(try await Self.request(service, user: "ada").status == 200) }
    let refused = try await Self.request(service, user: "ada")
    #expect(refused.status == 429)
    #expect(try await Self.request(service, user: "bob").status == 200)
    clock.advance(try #require(refused.headers["Retry-After"].flatMap(Double.init)))
    #expect(try await Self.request(service, user: "ada").status == 200)
  }
}

@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import RESTStore
import StoreProtocol
import Testing

@testable import SyncStore

@MainActor
@Suite struct `Background synchronisation` {
  let server = RESTFixture()
  let clock = ManualClock()

  private func client() -> MemorySyncStore {
    SyncModelStore(
      local: MemoryModelStore(), remote: server.store(), types: [Book.self, Tag.self],
      options: SyncOptions(environment: clock.environment))
  }

  @Test func `A local write is sent at once, without reading the server's records again`() async throws {
    let store = client()
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 300_000)
    #expect(server.lines == ["GET /books", "GET /tags"])
    try await store.save(Tag.labeled("a", "A"))
    #expect(await clock.nextSleep() == 300_000)
    #expect(server.lines.dropFirst(2) == ["POST /tags"])
    task.cancel()
    await task.value
  }

  @Test func `A class that is first read meanwhile is pulled at once`() async throws {
    let store = client()
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 300_000)
    _ = try await store.list(Author.self)
    for _ in 0..<1_000 where server.lines.count < 3 { await Task.yield() }
    #expect(server.lines == ["GET /books", "GET /tags", "GET /authors"])
    task.cancel()
    await task.value
  }

  @Test func `Types are read again after the interval of their policy`() async throws {
    let store = client()
    store.policy(Tag.self, .refresh(after: .seconds(60)))
    let task = Task { await store.keepSynchronized(every: .seconds(100)) }
    #expect(await clock.nextSleep() == 60_000)
    clock.advance(60_000)
    #expect(await clock.nextSleep() == 40_000)
    clock.advance(40_000)
    #expect(await clock.nextSleep() == 20_000)
    #expect(server.lines == ["GET /books", "GET /tags", "GET /tags", "GET /books"])
    task.cancel()
    await task.value
  }

  @Test func `After a failure it waits longer each time, whatever is written, and reports that it is offline`()
    async throws
  {
    let store = client()
    server.isDown = true
    try await store.save(Tag.labeled("a", "A"))
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 2_000)
    #expect(store.status.value == .offline(since: Date(milliseconds: 0), retryAt: Date(milliseconds: 2_000)))
    try await store.save(Tag.labeled("b", "B"))
    clock.advance(2_000)
    #expect(await clock.nextSleep() == 4_000)
    #expect(server.requests.count == 2)
    server.isDown = false
    clock.advance(4_000)
    #expect(await clock.nextSleep() == 300_000)
    #expect(try await server.store().list(Tag.self).count == 2)
    #expect(store.status.value == .idle(since: Date(milliseconds: 6_000)))
    task.cancel()
    await task.value
  }

  @Test func `A record that the server fails to store delays no other one`() async throws {
    let store = client()
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 300_000)
    server.plan(HTTPResponseData(status: 500))
    try await store.save(Tag.labeled("a", "A"))
    #expect(await clock.nextSleep() == 2_000)
    try await store.save(Tag.labeled("b", "B"))
    // At once, and without another attempt at the first one.
    #expect(await clock.nextSleep() == 2_000)
    #expect(server.lines.filter { $0 == "POST /tags" }.count == 2)
    #expect(try await server.store().list(Tag.self).map(\.id.value) == ["b"])
    clock.advance(2_000)
    #expect(await clock.nextSleep() != nil)
    #expect(try await store.outbox().isEmpty)
    task.cancel()
    await task.value
  }

  @Test func `Each record that the server fails to store waits for its own time`() async throws {
    let store = client()
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 300_000)
    server.plan(HTTPResponseData(status: 500, headers: ["Retry-After": "90"]))
    try await store.save(Tag.labeled("a", "A"))
    #expect(await clock.nextSleep() == 90_000)
    server.plan(HTTPResponseData(status: 500))
    try await store.save(Tag.labeled("b", "B"))
    #expect(await clock.nextSleep() == 2_000)
    clock.advance(2_000)
    #expect(await clock.nextSleep() == 88_000)
    #expect(try await server.store().list(Tag.self).map(\.id.value) == ["b"])
    clock.advance(88_000)
    #expect(await clock.nextSleep() == 210_000)
    #expect(try await store.outbox().isEmpty)
    task.cancel()
    await task.value
  }

  @Test func `A connection that returns after the app's own call ends the wait of single records`() async throws {
    let store = client()
    let (task, connection) = try await synchronizeOffline(store)
    try await store.sync()
    #expect(await clock.nextSleep() == 300_000)
    server.plan(HTTPResponseData(status: 500, headers: ["Retry-After": "90"]))
    try await store.save(Tag.labeled("b", "B"))
    #expect(await clock.nextSleep() == 90_000)
    connection.yield(true)
    #expect(await clock.nextSleep() == 300_000)
    #expect(try await store.outbox().isEmpty)
    task.cancel()
    await task.value
  }

  @Test func `The end of one loop leaves what the source of another one reported`() async throws {
    let store = client()
    let (task, _) = try await synchronizeOffline(store)
    let other = Task { await store.keepSynchronized() }
    other.cancel()
    await other.value
    #expect(!store.handle.signals.withLock { $0.isConnected })
    task.cancel()
    await task.value
    #expect(store.handle.signals.withLock { $0.isConnected })
  }

  @Test func `A connection that returns ends the wait of single records`() async throws {
    let store = client()
    let (connectivity, connection) = AsyncStream.makeStream(of: Bool.self)
    let task = Task { await store.keepSynchronized(connectivity: connectivity) }
    #expect(await clock.nextSleep() == 300_000)
    server.plan(HTTPResponseData(status: 500, headers: ["Retry-After": "90"]))
    try await store.save(Tag.labeled("a", "A"))
    #expect(await clock.nextSleep() == 90_000)
    connection.yield(false)
    connection.yield(true)
    #expect(await clock.nextSleep() == 300_000)
    #expect(try await store.outbox().isEmpty)
    task.cancel()
    await task.value
  }

  @Test func `A server that accepts requests and never answers ends an exchange after three`() async throws {
    let store = client()
    for number in 1...10 { try await store.save(Tag.labeled("\(number)", "A")) }
    try await store.sync()
    for tag in try await store.list(Tag.self) {
      tag.label.value = "B"
      try await store.save(tag)
    }
    let before = server.requests.count
    server.isSilent = true
    let report = try await store.sync()
    #expect(server.requests.count == before + 3)
    #expect(report.waiting == 10 && !report.failures.isEmpty)
    #expect(store.status.value == .offline(since: Date(milliseconds: 0), retryAt: nil))
    server.isSilent = false
    #expect(try await store.sync().waiting == 0)
  }

  @Test func `A local write is tried at once although the server did not answer others`() async throws {
    let store = client()
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 300_000)
    server.isSilent = true
    for id in ["a", "b", "c", "d"] { try await store.save(Tag.labeled(id, "A")) }
    while server.lines.filter({ $0 == "POST /tags" }).count < 3 { _ = await clock.nextSleep() }
    server.isSilent = false
    try await store.save(Tag.labeled("e", "E"))
    while try await !server.store().list(Tag.self).contains(where: { $0.id.value == "e" }) { await Task.yield() }
    task.cancel()
    await task.value
  }

  @Test func `A hint that the server has changes pulls them at once, and also ends the wait after a failure`()
    async throws
  {
    let store = client()
    let (hints, hint) = AsyncStream.makeStream(of: Void.self)
    let task = Task { await store.keepSynchronized(hints: hints) }
    #expect(await clock.nextSleep() == 300_000)
    try await server.store().save(Tag.labeled("a", "A"))
    hint.yield()
    #expect(await clock.nextSleep() == 300_000)
    #expect(try await store.list(Tag.self).map(\.id.value) == ["a"])
    #expect(server.lines.filter { $0 == "GET /tags" }.count == 2)
    server.isDown = true
    hint.yield()
    #expect(await clock.nextSleep() == 2_000)
    server.isDown = false
    hint.yield()
    #expect(await clock.nextSleep() == 300_000)
    #expect(server.lines.filter { $0 == "GET /tags" }.count == 3)
    task.cancel()
    await task.value
  }

  @Test func `A hint during an attempt that fails causes another attempt at once`() async throws {
    let engine = SyncEngine(MemoryModelStore().handle, options: SyncOptions(environment: clock.environment))
    let (hints, hint) = AsyncStream.makeStream(of: Void.self)
    let transport = HintedTransport(server: server, hint: hint, signals: engine.signals)
    let store = SyncModelStore(engine, remote: server.store(over: transport), types: [Tag.self])
    let task = Task { await store.keepSynchronized(hints: hints) }
    for _ in 0..<10_000 where server.lines.isEmpty { await Task.yield() }
    #expect(server.lines == ["GET /tags"])
    task.cancel()
    await task.value
  }

  @Test func `A rejected entry that is queued again or discarded wakes it`() async throws {
    let store = client()
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 300_000)
    server.plan(HTTPResponseData(status: 422))
    try await store.save(Tag.labeled("a", "A"))
    #expect(await clock.nextSleep() == 300_000)
    try await store.retry(try #require(try await store.failures().first))
    #expect(await clock.nextSleep() == 300_000)
    #expect(try await server.store().list(Tag.self).map(\.label.value) == ["A"])
    server.plan(HTTPResponseData(status: 422))
    try await store.save(Tag.labeled("b", "B"))
    #expect(await clock.nextSleep() == 300_000)
    #expect(store.status.value == .needsAttention(1))
    try await store.discardChanges(try #require(try await store.failures().first))
    #expect(await clock.nextSleep() == 300_000)
    #expect(store.status.value == .idle(since: Date(milliseconds: 0)))
    task.cancel()
    await task.value
  }

  @Test func `A source of hints that ends leaves the interval, and connectivity beside it counts`() async throws {
    let store = client()
    let (hints, hint) = AsyncStream.makeStream(of: Void.self)
    let (connectivity, connection) = AsyncStream.makeStream(of: Bool.self)
    let task = Task {
      await store.keepSynchronized(connectivity: connectivity, hints: hints, every: .seconds(100))
    }
    #expect(await clock.nextSleep() == 100_000)
    hint.finish()
    connection.yield(false)
    await store.handle.signals.wait(isolation: #isolation) { !$0.isConnected }
    try await store.save(Tag.labeled("a", "A"))
    connection.yield(true)
    while try await server.store().list(Tag.self).isEmpty { _ = await clock.nextSleep() }
    task.cancel()
    await task.value
  }

  @Test func `After a failure the app's own call ends the wait`() async throws {
    let store = client()
    server.isDown = true
    try await store.save(Tag.labeled("a", "A"))
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 2_000)
    server.isDown = false
    try await store.sync()
    #expect(await clock.nextSleep() == 300_000)
    try await store.save(Tag.labeled("b", "B"))
    #expect(await clock.nextSleep() == 300_000)
    #expect(try await server.store().list(Tag.self).count == 2)
    task.cancel()
    await task.value
  }

  @Test func `A source of connectivity that ends leaves it unknown`() async throws {
    let store = client()
    let (connectivity, connection) = AsyncStream.makeStream(of: Bool.self)
    let task = Task { await store.keepSynchronized(connectivity: connectivity) }
    #expect(await clock.nextSleep() == 300_000)
    connection.yield(false)
    await store.handle.signals.wait(isolation: #isolation) { !$0.isConnected }
    try await store.save(Tag.labeled("a", "A"))
    connection.finish()
    #expect(await clock.nextSleep() == 300_000)
    #expect(try await store.outbox().isEmpty)
    task.cancel()
    await task.value
  }

  @Test func `The status distinguishes a lost connection, a cancelled call and an expired login`() async throws {
    let store = client()
    server.isDown = true
    for _ in 1...2 {
      await #expect(throws: ModelStoreError.self) { try await store.sync() }
      #expect(store.status.value == .offline(since: Date(milliseconds: 0), retryAt: nil))
      clock.advance(1_000)
    }
    server.isDown = false
    try await store.sync()
    let complete = SyncStatus.idle(since: Date(milliseconds: 2_000))
    #expect(store.status.value == complete)
    let cancelled = SyncModelStore(
      local: MemoryModelStore(), remote: server.store(over: CancellingTransport()), types: [Tag.self],
      options: SyncOptions(environment: clock.environment))
    await #expect(throws: ModelStoreError.self) { try await cancelled.sync() }
    #expect(cancelled.status.value == .idle(since: nil))
    server.plan(HTTPResponseData(status: 401))
    await #expect(throws: ModelStoreError.self) { try await store.sync() }
    #expect(store.status.value == .unauthorized(since: Date(milliseconds: 2_000)))
  }

  @Test func `Background synchronisation sleeps without a connection, and synchronises when one appears`() async throws
  {
    let store = client()
    let (connectivity, connection) = AsyncStream.makeStream(of: Bool.self)
    let task = Task { await store.keepSynchronized(connectivity: connectivity) }
    #expect(await clock.nextSleep() == 300_000)
    server.isDown = true
    connection.yield(false)
    try await store.save(Tag.labeled("a", "A"))
    #expect(try await store.outbox().count == 1)
    server.isDown = false
    connection.yield(true)
    while try await server.store().list(Tag.self).isEmpty { _ = await clock.nextSleep() }
    #expect(try await store.outbox().isEmpty)
    task.cancel()
    await task.value
  }

  /// Runs a background synchronisation until its source reports no connection, and nothing but a signal can wake it.
  private func synchronizeOffline(
    _ store: MemorySyncStore
  ) async throws -> (task: Task<Void, Never>, connection: AsyncStream<Bool>.Continuation) {
    let (connectivity, connection) = AsyncStream.makeStream(of: Bool.self)
    let task = Task { await store.keepSynchronized(connectivity: connectivity) }
    #expect(await clock.nextSleep() == 300_000)
    connection.yield(false)
    await store.handle.signals.wait(isolation: #isolation) { !$0.isConnected }
    try await store.save(Tag.labeled("a", "A"))
    while clock.sleeperCount > 0 { await Task.yield() }
    return (task, connection)
  }

  @Test func `Without a connection neither time nor local writes cause a request`() async throws {
    let store = client()
    let (task, _) = try await synchronizeOffline(store)
    let requests = server.requests.count
    for number in 1...20 {
      clock.advance(3_600_000)
      try await store.save(Tag.labeled("\(number)", "T"))
      for _ in 0..<50 { await Task.yield() }
      // A sleep would end and wake it.
      #expect(clock.sleeperCount == 0)
    }
    #expect(server.requests.count == requests)
    task.cancel()
    await task.value
  }

  @Test func `The app's own call wakes it although its source reports no connection, until a request fails`()
    async throws
  {
    let store = client()
    let (task, _) = try await synchronizeOffline(store)
    try await store.sync()
    #expect(await clock.nextSleep() == 300_000)
    try await store.save(Tag.labeled("b", "B"))
    #expect(await clock.nextSleep() == 300_000)
    #expect(try await server.store().list(Tag.self).count == 2)

    server.isDown = true
    try await store.save(Tag.labeled("c", "C"))
    while store.handle.signals.withLock({ $0.isConnected }) { await Task.yield() }
    while clock.sleeperCount > 0 { await Task.yield() }
    #expect(store.status.value == .offline(since: Date(milliseconds: 0), retryAt: nil))
    let requests = server.requests.count
    clock.advance(3_600_000)
    for _ in 0..<50 { await Task.yield() }
    #expect(server.requests.count == requests && clock.sleeperCount == 0)

    server.isDown = false
    try await store.sync()
    #expect(await clock.nextSleep() == 300_000)
    #expect(try await server.store().list(Tag.self).count == 3)
    task.cancel()
    await task.value
  }

  @Test func `The app's own call that reaches no server does not wake it`() async throws {
    let store = client()
    let (task, _) = try await synchronizeOffline(store)
    server.isDown = true
    await #expect(throws: ModelStoreError.self) { try await store.sync() }
    let requests = server.requests.count
    for _ in 0..<50 { await Task.yield() }
    #expect(server.requests.count == requests && clock.sleeperCount == 0)
    task.cancel()
    await task.value
  }

  @Test(.timeLimit(.minutes(30)), arguments: [true, false])
  func `The background loop ends with the store, with and without a connection`(isConnected: Bool) async throws {
    var store: MemorySyncStore? = client()
    weak let released = store
    let (connectivity, connection) = AsyncStream.makeStream(of: Bool.self)
    let task = Task { [weak store] in await store?.keepSynchronized(connectivity: connectivity) }
    #expect(await clock.nextSleep() == 300_000)
    if !isConnected {
      connection.yield(false)
      while clock.sleeperCount > 0 {
        try await store?.save(Tag.labeled("a", "A"))
        await Task.yield()
      }
    }
    store = nil
    #expect(released == nil)
    await task.value
    #expect(clock.sleeperCount == 0)
  }

  @Test(.timeLimit(.minutes(30)))
  func `The background loop ends with the store after a failure, and not with another instance over the same engine`()
    async throws
  {
    var store: MemorySyncStore? = client()
    let handle = try #require(store).handle
    server.isDown = true
    let task = Task { [weak store] in await store?.keepSynchronized() }
    #expect(await clock.nextSleep() == 2_000)
    do { _ = MemorySyncStore(handle) }
    for _ in 0..<50 { await Task.yield() }
    #expect(server.requests.count == 1 && clock.sleeperCount == 1)
    store = nil
    await task.value
    #expect(server.requests.count == 1 && clock.sleeperCount == 0)
  }

  @Test(.timeLimit(.minutes(30)))
  func `A background synchronisation that ended without a connection does not delay the next one with another source`()
    async throws
  {
    let store = client()
    let (connectivity, connection) = AsyncStream.makeStream(of: Bool.self)
    let first = Task { await store.keepSynchronized(connectivity: connectivity) }
    #expect(await clock.nextSleep() == 300_000)
    connection.yield(false)
    await store.handle.signals.wait(isolation: #isolation) { !$0.isConnected }
    first.cancel()
    await first.value
    try await store.save(Tag.labeled("a", "A"))
    let next = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 300_000)
    #expect(try await store.outbox().isEmpty)
    next.cancel()
    await next.value
  }

  @Test func `Background synchronisation waits as long as the server requires`() async throws {
    let store = client()
    server.plan(HTTPResponseData(status: 429, headers: ["Retry-After": "30"]))
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 30_000)
    task.cancel()
    await task.value
  }

  @Test(arguments: ["4294967295", "99999999999", "Sun, 06 Nov 9999 08:49:40 GMT"])
  func `Background synchronisation waits six hours at most where the server requires more`(time: String) async throws {
    let store = client()
    server.plan(HTTPResponseData(status: 503, headers: ["Retry-After": time]))
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 21_600_000)
    task.cancel()
    await task.value
  }

  @Test func `After a list failed temporarily it waits longer each time, and keeps the time of the last completion`()
    async throws
  {
    let store = client()
    let fault = HTTPResponseData(status: 503)
    server.plan(fault, fault, fault, fault)
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 2_000)
    #expect(store.status.value == .idle(since: nil))
    clock.advance(2_000)
    #expect(await clock.nextSleep() == 4_000)
    clock.advance(4_000)
    #expect(await clock.nextSleep() == 300_000)
    #expect(store.status.value == .idle(since: Date(milliseconds: 6_000)))
    server.plan(fault, fault)
    clock.advance(300_000)
    #expect(await clock.nextSleep() == 2_000)
    #expect(store.status.value == .idle(since: Date(milliseconds: 6_000)))
    task.cancel()
    await task.value
  }

  @Test func `A list that fails for good delays no local write`() async throws {
    let store = client()
    server.plan(HTTPResponseData(status: 404), HTTPResponseData(status: 200, body: Data("[]".utf8)))
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 300_000)
    try await store.save(Tag.labeled("a", "A"))
    #expect(await clock.nextSleep() != nil)
    #expect(server.lines.contains("POST /tags"))
    task.cancel()
    await task.value
  }

  @Test(arguments: [
    HTTPResponseData(status: 403),
    HTTPResponseData(status: 200, body: Data(#"[{"id": 1, "rating": "no number"}]"#.utf8)),
  ])
  func `A list that begins to fail for good is read again after the interval`(answer: HTTPResponseData) async throws {
    let store = client()
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 300_000)
    server.plan(answer, list, answer, list)
    for _ in 1...2 {
      clock.advance(300_000)
      #expect(await clock.nextSleep() == 300_000)
    }
    #expect(server.lines.filter { $0 == "GET /books" }.count == 3)
    task.cancel()
    await task.value
  }

  @Test func `A cancellation that the transport reports is a failure, and does not end it`() async throws {
    let store = SyncModelStore(
      local: MemoryModelStore(), remote: server.store(over: CancellingTransport()), types: [Tag.self],
      options: SyncOptions(environment: clock.environment))
    let task = Task { await store.keepSynchronized() }
    #expect(await clock.nextSleep() == 2_000)
    task.cancel()
    await task.value
  }

  @Test func `A time without end is an interval`() async throws {
    let store = client()
    store.policy(Tag.self, .refresh(after: .seconds(Int64.max)))
    try await store.sync()
    let task = Task { await store.keepSynchronized(every: .seconds(Int64.max)) }
    #expect(await clock.nextSleep() == (1 << 50) * 1_000)
    task.cancel()
    await task.value
  }

  @Test func `Another call waits for the exchange in progress`() async throws {
    let store = client()
    let first = Task { try await store.sync() }
    let second = Task { try await store.sync() }
    _ = try await (first.value, second.value)
    #expect(server.lines == ["GET /books", "GET /tags", "GET /books", "GET /tags"])
  }

  @Test func `The status has the progress, and the number of rejected records`() async throws {
    let store = client()
    var seen: [SyncStatus] = []
    let token = store.status --> { status in seen.append(status) }
    try await store.save(Tag.labeled("a", "poison"))
    try await store.sync()
    token.cancel()
    #expect(
      seen == [
        .idle(since: nil), .syncing(done: 0, of: 3), .syncing(done: 1, of: 3), .syncing(done: 2, of: 3),
        .syncing(done: 3, of: 3), .needsAttention(1),
      ])
  }

  @Test func `A model that was never saved is pending, although it has an identifier`() async throws {
    let store = client()
    let tag = Tag.labeled("a", "A")
    #expect(try await store.syncState(of: tag) == .pending)
    try await store.save(tag)
    try await store.sync()
    #expect(try await store.syncState(of: tag) == .synced)
  }

  @Test func `The state of a model follows its changes`() async throws {
    let store = client()
    let tag = Tag.labeled("a", "A")
    try await store.save(tag)
    #expect(try await store.syncState(of: tag) == .pending)
    try await store.sync()
    #expect(try await store.syncState(of: tag) == .synced)
    tag.label.value = "poison"
    try await store.save(tag)
    try await store.sync()
    guard case .parked(let error) = try await store.syncState(of: tag) else {
      Issue.record("The record is not parked.")
      return
    }
    #expect(error.contains("is poison"))
  }

  @Test func `A model whose request was not answered is uploading`() async throws {
    let store = client()
    let book = Book.titled("Emma")
    try await store.save(book)
    server.plan(list, list, HTTPResponseData(status: 502))
    try await store.sync()
    #expect(try await store.syncState(of: book) == .uploading)
  }

  private let list = HTTPResponseData(status: 200, body: Data("[]".utf8))
}

/// A transport that cancels each request.
/// Fails once, after a hint arrived.
private struct HintedTransport: HTTPTransport {
  let server: RESTFixture
  let hint: AsyncStream<Void>.Continuation
  let signals: AwaitedState<SyncSignals>

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    if signals.withLock({ $0.hints }) > 0 { return try await server.send(request) }
    hint.yield()
    await signals.wait(isolation: #isolation) { $0.hints > 0 }
    throw ModelStoreError(.offline, "There is no network.")
  }
}

private struct CancellingTransport: HTTPTransport {
  func send(_ request: HTTPRequest) async throws -> HTTPResponse { throw URLError(.cancelled) }
}

@Suite struct `A policy` {
  @Test func `Records that are not to be kept are removed locally, unless they have local changes`() async throws {
    let shelf = Shelf()
    for rating in 1...5 { try await shelf.store.create(Book.titled("Book \(rating)", rating: rating)) }
    let store = shelf.client()
    store.policy(Book.self, .keep(where: { $0.rating > 2 }))
    #expect(try await store.sync().pulled == 3)
    let book = try #require(try await store.first(Book.self, where: { $0.rating == 3 }))
    book.rating.value = 1
    try await store.save(book)
    #expect(try await store.count(Book.self) == 3)
    try await store.sync()
    #expect(try await shelf.store.count(Book.self, where: { $0.rating == 1 }) == 2)
    try await store.sync()
    #expect(try await store.count(Book.self) == 2)
    #expect(try await shelf.store.count(Book.self) == 5)
    #expect(try await store.outbox().isEmpty)
  }

  @Test func `The condition is evaluated here if the server can't`() async throws {
    let server = RESTFixture()
    for rating in 1...5 { try await server.store().create(Book.titled("Book \(rating)", rating: rating)) }
    let store = SyncModelStore(local: MemoryModelStore(), remote: server.store(), types: [Book.self])
    store.policy(Book.self, .keep(where: { $0.rating > 2 }))
    #expect(try await store.sync().pulled == 3)
    #expect(try await store.sync().pulled == 0)
  }
}

@_spi(ModelKitInternals) import FieldKit
import MemoryStore
import RESTStore
import StoreProtocol
import StoreProtocolTesting
import Testing

@testable import SyncStore

@Suite(.timeLimit(.minutes(30))) struct `Lanes of a synchronised store` {
  let server = RESTFixture()

  private func client(
    _ local: MemoryEngine = MemoryModelStore().handle, over transport: (any HTTPTransport)? = nil,
    lanes: Int = 4
  ) -> MemorySyncStore {
    SyncModelStore(
      local: MemoryModelStore(local), remote: server.store(over: transport, maximumConcurrentRequests: lanes),
      types: [Author.self, Book.self, Tag.self], options: SyncOptions(maximumConcurrentRequests: lanes))
  }

  private func saveTags(_ count: Int, in store: MemorySyncStore) async throws {
    for number in 0..<count { try await store.save(Tag.labeled("t\(number)", "label \(number)")) }
  }

  @Test func `New records that do not wait for each other are sent at the same time`() async throws {
    let transport = MeetingTransport(server, meeting: 3)
    let store = client(over: transport)
    try await saveTags(3, in: store)
    #expect(try await store.sync().waiting == 0)
    #expect(transport.largestNumber == 3)
    #expect(try await server.store().list(Tag.self).count == 3)
  }

  @Test func `No more requests are in flight than the options allow`() async throws {
    let transport = MeetingTransport(server, meeting: 2)
    let store = client(over: transport, lanes: 2)
    try await saveTags(20, in: store)
    #expect(try await store.sync().waiting == 0)
    #expect(transport.largestNumber == 2)
    #expect(try await server.store().list(Tag.self).count == 20)
  }

  @Test func `A record is sent after the one that it references, beside others`() async throws {
    let store = client()
    for number in 0..<8 {
      let (author, book) = (Author(), Book.titled("Book \(number)"))
      author.name.value = "Author \(number)"
      book.author.value = author
      try await store.save(author)
      try await store.save(book)
    }
    #expect(try await store.sync().waiting == 0)
    let books = try await server.store().list(Book.self)
    let authors = try await server.store().list(Author.self)
    for book in books {
      let author = authors.first { $0.identifier == book.author.value?.identifier }
      #expect(author?.name.value?.split(separator: " ").last == book.title.value?.split(separator: " ").last)
    }
    #expect(books.count == 8 && authors.count == 8)
    #expect(server.requestsWithTemporaryIdentifiers.isEmpty)
  }

  @Test func `New records of a transaction are sent in order`() async throws {
    let store = client()
    try await store.transaction { transaction in
      for number in 0..<6 { try await transaction.save(Tag.labeled("t\(number)", "in order")) }
    }
    #expect(try await store.sync().waiting == 0)
    let posts = server.requests.filter { $0.method == .post }.map {
      $0.body.flatMap { try? JSONValue(json: $0) }?["id"]
    }
    #expect(posts == (0..<6).map { .string("t\($0)") })
  }

  @Test func `The requests of new records are recorded with one commit`() async throws {
    let sizes = Lock<[Int]>([])
    let engine = KillableEngine(
      MemoryModelStore().handle,
      willCommit: { batch in
        let entries = batch.operations.filter { $0.type == OutboxEntry.recordType && $0.operation == .update }
        sizes.withLock { $0.append(entries.count) }
      }, shouldDie: { false })
    let store = SyncModelStore(SyncEngine(engine), remote: server.store(), types: [Tag.self])
    for number in 0..<20 { try await store.save(Tag.labeled("t\(number)", "label")) }
    #expect(try await store.sync().waiting == 0)
    #expect(sizes.withLock { $0 }.filter { $0 > 0 } == [20])
  }

  @Test func `A request that was not sent because the connection was lost is withdrawn`() async throws {
    let remote = SimulatedRemote(server.store())
    let store = SyncModelStore(local: MemoryModelStore(), remote: remote, types: [Tag.self])
    let tags = (0..<5).map { Tag.labeled("t\($0)", "label") }
    for tag in tags { try await store.save(tag) }
    remote.beforeRequest = { [server] in server.isDown = server.lines.contains("POST /tags") }
    await #expect(throws: ModelStoreError.self) { try await store.sync() }
    let outbox = try await store.outbox()
    #expect(outbox.map(\.identifier) == ["t1", "t2", "t3", "t4"])
    #expect(outbox.map(\.state) == [.inFlight, .queued, .queued, .queued])
    // The server never learned of it.
    try await store.delete(tags[4])
    #expect(try await store.outbox().count == 3)
    (remote.beforeRequest, server.isDown) = ({}, false)
    #expect(try await store.sync().waiting == 0)
    #expect(!server.lines.contains("DELETE /tags/t4"))
    #expect(try await server.store().list(Tag.self).count == 4)
  }

  @Test func `A rejected record delays none of those that are sent with it`() async throws {
    let store = client()
    for number in 0..<10 { try await store.save(Tag.labeled("t\(number)", number == 3 ? "poison" : "label")) }
    let report = try await store.sync()
    #expect(report.pushed == 9 && report.waiting == 1)
    #expect(report.failures.map(\.identifier) == ["t3"])
    #expect(try await store.outbox().map(\.isParked) == [true])
  }

  @Test func `Each record is created once although answers are lost in several lanes`() async throws {
    for seed in TestEffort.seeds(4) {
      let server = RESTFixture()
      let random = SharedRandom(seed: seed)
      let remote = server.store(over: LosingTransport(server, random), maximumConcurrentRequests: 4)
      let store = SyncModelStore(
        local: MemoryModelStore(), remote: remote, types: [Author.self, Book.self, Tag.self])
      var count = 0
      for _ in 0..<6 {
        for _ in 0..<random.below(20) {
          count += 1
          let (author, book) = (Author(), Book.titled("Book \(count)"))
          author.name.value = "Author \(count)"
          if random.below(2) == 0 { book.author.value = author }
          try await store.save(author)
          try await store.save(book)
          try await store.save(Tag.labeled("t\(count)", "label"))
        }
        _ = try? await store.sync()
      }
      var waiting = 1
      for _ in 0..<200 where waiting > 0 { waiting = (try? await store.sync().waiting) ?? 1 }
      #expect(waiting == 0, "seed \(seed)")
      let titles = try await server.store().list(Book.self).compactMap(\.title.value).sorted()
      #expect(titles == (0..<count).map { "Book \($0 + 1)" }.sorted(), "seed \(seed)")
      #expect(try await server.store().list(Author.self).count == count, "seed \(seed)")
      #expect(try await server.store().list(Tag.self).count == count, "seed \(seed)")
      #expect(server.requestsWithTemporaryIdentifiers.isEmpty, "seed \(seed)")
    }
  }
}

/// A transport whose first creations arrive once a number of them are in flight.
private final class MeetingTransport: HTTPTransport {
  private struct State: Sendable {
    var open = 0
    var largest = 0
    var arrived = 0
  }

  private let base: RESTFixture
  private let count: Int
  private let state = AwaitedState(State())

  init(_ base: RESTFixture, meeting count: Int) { (self.base, self.count) = (base, count) }

  /// The largest number of creations that were in flight at the same time.
  var largestNumber: Int { state.withLock { $0.largest } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard request.method == .post else { return try await base.send(request) }
    let tasks = state.change { state in
      state.open += 1
      state.arrived += 1
      state.largest = max(state.largest, state.open)
    }
    for task in tasks { task.resume() }
    while state.withLock({ $0.arrived < count }) {
      await state.wait(isolation: nil) { $0.arrived >= count }
      try Task.checkCancellation()
    }
    defer { state.withLock { $0.open -= 1 } }
    return try await base.send(request)
  }
}

/// A transport that loses requests and answers of writes at random.
private struct LosingTransport: HTTPTransport {
  let base: RESTFixture
  let random: SharedRandom

  init(_ base: RESTFixture, _ random: SharedRandom) { (self.base, self.random) = (base, random) }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard request.method != .get else { return try await base.send(request) }
    switch random.below(8) {
    case 0: throw ModelStoreError(.timeout, "The request was lost.")
    case 1:
      _ = try await base.send(request)
      throw ModelStoreError(.timeout, "The answer was lost.")
    case 2: return HTTPResponse(status: 503)
    default: return try await base.send(request)
    }
  }
}

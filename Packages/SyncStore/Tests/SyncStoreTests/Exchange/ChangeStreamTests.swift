@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import RESTService
import RESTStore
import StoreEngine
import StoreProtocol
import Testing

@testable import SyncStore

private final class ServedShelf: RecordStore<ChangeLogEngine<MemoryEngine>>, TransactionalModelStore {}

@Suite(.timeLimit(.minutes(30))) @MainActor struct `A server with a stream of changes` {
  private let engine = ChangeLogEngine(MemoryModelStore().handle)
  private let clock = ManualClock()

  private func client(
    _ connection: EventConnection, sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
  ) throws -> (store: MemorySyncStore, remote: RESTModelStore) {
    var options = RESTOptions()
    options.retry.sleep = sleep
    let remote = RESTModelStore(
      baseURL: try #require(URL(string: "http://api.test")), dialect: JSONDialect(changesParameter: "updated_since"),
      transport: connection, options: options)
    let store = SyncModelStore(
      local: MemoryModelStore(), remote: remote, types: [Tag.self], options: SyncOptions(environment: clock.environment)
    )
    return (store, remote)
  }

  private func labels(_ store: MemorySyncStore) async throws -> [String] {
    try await store.list(Tag.self).compactMap(\.label.value).sorted()
  }

  @Test func `Changes of others arrive by themselves, while no time passes`() async throws {
    let connection = EventConnection(RESTService(engine, serving: [Tag.self]))
    let (store, remote) = try client(connection)
    let hints = try remote.changeHints(of: [Tag.self])
    let task = Task { await store.keepSynchronized(hints: hints) }
    let server = ServedShelf(engine)
    let tag = Tag.labeled("a", "A")
    try await server.create(tag)
    while try await labels(store) != ["A"] { _ = await clock.nextSleep() }
    tag.label.value = "B"
    try await server.save(tag)
    while try await labels(store) != ["B"] { _ = await clock.nextSleep() }
    try await server.delete(tag)
    while try await !labels(store).isEmpty { _ = await clock.nextSleep() }
    #expect(connection.streams.withLock { $0.count } == 1)
    task.cancel()
    await task.value
  }

  @Test func `Changes made while the stream was lost arrive after the next connection`() async throws {
    let service = RESTService(engine, serving: [Tag.self])
    // Each stream is lost after its first part.
    let connection = EventConnection(service, partsOfStream: 1)
    let count = Lock(0)
    let (store, remote) = try client(connection) { [engine] _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number <= 3 { try await ServedShelf(engine).create(Tag.labeled("\(number)", "T\(number)")) }
    }
    let hints = try remote.changeHints(of: [Tag.self])
    let task = Task { await store.keepSynchronized(hints: hints) }
    while try await labels(store) != ["T1", "T2", "T3"] { _ = await clock.nextSleep() }
    let identifiers = connection.streams.withLock { $0 }
    #expect(identifiers.first == "" && !identifiers.dropFirst().contains(""))
    task.cancel()
    await task.value
  }
}

/// A connection to a service that sends its events as they happen.
private final class EventConnection: StreamingTransport {
  /// The `Last-Event-ID` of each stream, empty without one.
  let streams = Lock<[String]>([])
  private let service: RESTService
  private let parts: Int

  /// - Parameter parts: the number of parts after which a stream is lost.
  init(_ service: RESTService, partsOfStream parts: Int = .max) { (self.service, self.parts) = (service, parts) }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await service.send(request) }

  func send(
    _ request: HTTPRequest, from file: URL?, receive: @escaping @Sendable (HTTPResponse, Data?) throws -> Bool
  ) async throws -> HTTPResponse {
    guard let events = service.events(for: request) else { return try await service.send(request) }
    streams.withLock { $0.append(request.headers["Last-Event-ID"] ?? "") }
    let head = HTTPResponse(status: 200, headers: RESTEventStream.headers)
    var count = 0
    guard try receive(head, nil) else { return head }
    for await bytes in events {
      _ = try receive(head, bytes)
      count += 1
      if count == parts { throw ModelStoreError(.offline, "The connection was lost.") }
    }
    return head
  }
}

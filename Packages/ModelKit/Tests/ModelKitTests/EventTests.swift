import Foundation
import ModelKit
import Testing

/// The events of a handler, apart from those of other types.
final class EventLog: Sendable {
  private let events = EventList()

  /// Runs a body, and returns the events of a type or request.
  func record(_ subjects: String..., during body: () async throws -> Void) async throws -> [ModelStoreEvent] {
    let events = events
    ModelStoreEvent.handler = { event in
      if event.subject.map({ subject in subjects.contains { subject.contains($0) } }) ?? false { events.append(event) }
    }
    defer { ModelStoreEvent.handler = nil }
    try await body()
    return events.all
  }
}

/// A list of events of any threads.
final class EventList: @unchecked Sendable {
  // Guarded by the lock.
  private var list: [ModelStoreEvent] = []
  private let lock = NSLock()

  func append(_ event: ModelStoreEvent) { lock.withLock { list.append(event) } }
  var all: [ModelStoreEvent] { lock.withLock { list } }
}

final class Ship: Model {
  @Field var id: Int?
  @Field var name: String?
  @Field var length: Int?
  let code = Field<String>(sensitive: true)
  override var identifierField: AnyField? { $id }
}

// Serialized: the handler is that of the process.
@Suite(.serialized) struct `The events of stores` {
  private func run(_ store: some ModelStore) async throws {
    let ship = Ship()
    (ship.id, ship.name, ship.length) = (1, "Argo", 30)
    try await store.create(ship)
    ship.length = 31
    try await store.update(ship)
    _ = try await store.list(Ship.self, where: { $0.length > 30 })
    _ = try await store.count(Ship.self)
    _ = try await store.sum(Ship.self, of: \.length)
    _ = try await store.lookup(Ship.self, identifier: "1")
    await #expect(throws: ModelStoreError.self) { _ = try await store.lookup(Ship.self, identifier: "2") }
    try await store.delete(ship)
  }

  private func check(_ events: [ModelStoreEvent], _ store: String) {
    let events = events.filter { $0.store.hasPrefix(store) }
    #expect(
      events.map(\.operation) == [.create, .update, .list, .count, .columns, .lookup, .lookup, .delete], "\(events)")
    #expect(events.map(\.count) == [1, 1, 1, 1, 1, 1, nil, 1])
    #expect(events.map(\.errorCode) == [nil, nil, nil, nil, nil, nil, .notFound, nil])
    #expect(events.allSatisfy { $0.duration > .zero && $0.subject == "Ship" })
    #expect(events.first { $0.operation == .list }?.query == "Ship where length > 30")
  }

  @Test func `A memory store sends an event after each operation`() async throws {
    check(try await EventLog().record("Ship") { try await run(MemoryModelStore()) }, "MemoryModelStore")
  }

  @Test func `A file store sends an event after each operation`() async throws {
    let directory = URL.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    check(
      try await EventLog().record("Ship") { try await run(FileModelStore(directory: directory)) }, "FileModelStore")
  }

  @Test func `A compound store and its stores send events`() async throws {
    let scope = ModelScope()
    let memory = MemoryModelStore(scope: scope)
    let events = try await EventLog().record("Ship") {
      try await run(CompoundModelStore(scope: scope) { _, _ in [memory] })
    }
    check(events, "CompoundModelStore")
    check(events, "MemoryModelStore")
  }

  @Test func `A synchronised store sends an event after each operation`() async throws {
    let store = SyncModelStore(local: MemoryModelStore(), remote: MemoryModelStore())
    check(try await EventLog().record("Ship") { try await run(store) }, "SyncModelStore")
  }

  @Test func `A REST store sends an event for each request, and for the operation after it`() async throws {
    let url = try #require(URL(string: "https://example.com"))
    let server = CollectionServer()
    let events = try await EventLog().record("Ship", "/ships") {
      let store = RESTModelStore(baseURL: url, transport: server)
      let ship = Ship()
      (ship.name, ship.length) = ("Argo", 30)
      try await store.create(ship)
      ship.length = 31
      try await store.update(ship)
      _ = try? await store.lookup(Ship.self, identifier: "2")
      _ = try await store.list(Ship.self, where: { $0.length > 30 && $0.code != "secret" }, evaluation: .inMemory)
      _ = try await store.count(Ship.self)
      _ = try await store.identifiers(ModelQuery(Ship.self))
      _ = try await store.page(ModelQuery(Ship.self), after: nil)
      try await store.delete(ship)
    }
    let operations = events.filter { $0.operation != .request }
    #expect(operations.map(\.operation) == [.create, .update, .lookup, .list, .count, .identifiers, .page, .delete])
    #expect(operations.map(\.count) == [1, 1, nil, 1, 1, 1, 1, 1])
    #expect(operations.map(\.errorCode) == [nil, nil, .notFound, nil, nil, nil, nil, nil])
    #expect(operations.allSatisfy { $0.subject == "Ship" })
    #expect(operations[3].query?.hasPrefix("Ship where length > 30") == true)
    #expect(operations[3].query?.contains("secret") == false)
    let requests = events.filter { $0.operation == .request }
    #expect(
      requests.map(\.subject) == [
        "POST /ships", "PATCH /ships/1", "GET /ships/2", "GET /ships", "GET /ships", "GET /ships", "GET /ships",
        "DELETE /ships/1",
      ])
    #expect(requests.map(\.errorCode) == [nil, nil, .notFound, nil, nil, nil, nil, nil])
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.operation == .request || $1.operation == .request })
    #expect(events.allSatisfy { $0.store == "RESTModelStore" && $0.duration > .zero })
  }

  @Test func `The handler of events is called directly, however often it was called before`() async throws {
    let store = MemoryModelStore()
    let events = try await EventLog().record("Ship") {
      for _ in 0..<300_000 { _ = ModelStoreEvent.handler }
      _ = try await store.count(Ship.self)
    }
    #expect(events.map(\.operation) == [.count])
  }

  @Test func `An event names the used index, and has no sensitive value`() async throws {
    let store = MemoryModelStore()
    try store.index(\Ship.length)
    let events = try await EventLog().record("Ship") {
      _ = try await store.list(Ship.self, where: { $0.length == 30 && $0.code == "secret" })
    }
    #expect(events.first?.report?.plan.usedIndexes == ["length"])
    #expect(events.first.map { !"\($0)".contains("secret") && "\($0)".contains("by the index of length") } == true)
  }

  @Test func `A transaction sends an event after those of its operations`() async throws {
    let store = MemoryModelStore()
    let events = EventList()
    ModelStoreEvent.handler = { event in
      if event.subject == "Ship" || event.operation == .transaction { events.append(event) }
    }
    defer { ModelStoreEvent.handler = nil }
    try await store.transaction { store in
      let ship = Ship()
      try await store.create(ship)
    }
    #expect(events.all.map(\.operation) == [.create, .transaction])
  }

  @Test func `Aggregates of a compound store make no models`() async throws {
    let scope = ModelScope()
    let memory = MemoryModelStore(scope: scope)
    let writer = MemoryModelStore(memory.handle)
    for number in 1...3 {
      let ship = Ship()
      (ship.id, ship.length) = (number, number)
      try await writer.create(ship)
    }
    let store = CompoundModelStore(scope: scope) { _, _ in [memory] }
    var sum: Int?
    let events = try await EventLog().record("Ship") {
      sum = try await store.sum(Ship.self, of: \.length, where: { $0.id > 1 })
    }
    #expect(sum == 5)
    #expect(events.map(\.operation) == [.columns, .columns])
    let plan = try await store.explain(ModelQuery(Ship.self, where: { $0.id > 1 }))
    #expect(plan.matchCount == 2)
    for _ in 0..<2 {
      _ = try await memory.explain(ModelQuery(Ship.self, where: { $0.id > 1 }), columns: { $0.length })
    }
    let columns = try await memory.explain(ModelQuery(Ship.self, where: { $0.id > 1 }), columns: { $0.length })
    #expect(columns.usesColumns && columns.readCount == 0 && columns.matchCount == 2)
    let listed = try await RESTModelStore(
      baseURL: try #require(URL(string: "https://example.com")), transport: CollectionServer()
    ).explain(ModelQuery(Ship.self))
    #expect(listed.matchCount == 0)
  }
}

import Foundation
import ModelKit
import RESTService
import StoreEngine
import StoreProtocol
import Testing

@testable import SyncStore

/// A randomized history of clients, a service, and a writer beside it, in one task and with one seed.
final class ServiceHistory {
  typealias Client = SyncModelStore<MemoryEngine>

  let engine: ChangeLogEngine<MemoryEngine>
  let network: LossyNetwork
  let clock = VirtualClock()
  private(set) var clients: [Client] = []
  /// The names of records whose creation was acknowledged, and of those whose deletion was requested.
  private var (created, deleted): (Set<String>, Set<String>) = ([], [])
  private let random: SeededRandom
  private var count = 0

  /// Starts a history. The change log keeps changes for ten minutes.
  init(seed: UInt64, clients number: Int = 3) throws {
    random = SeededRandom(seed: seed)
    engine = ChangeLogEngine(
      MemoryModelStore().handle, retention: .seconds(600), now: { [clock] in clock.date })
    let service = RESTService(
      engine, serving: [SyncedWriter.self, SyncedPoem.self, SyncedTag.self],
      options: RESTServiceOptions(pageSize: 4, maximumPageSize: 4))
    network = LossyNetwork(service, random)
    for _ in 0..<number { clients.append(try makeClient()) }
  }

  private func makeClient() throws -> Client {
    var options = RESTOptions()
    options.idempotencyKeyHeader = "Idempotency-Key"
    // Requests in several lanes have no order that replays.
    options.maximumConcurrentRequests = 1
    let remote = RESTModelStore(
      baseURL: try #require(URL(string: "http://service.test")),
      dialect: JSONDialect(paging: .linked, sendsQueries: true, changesParameter: "updated_since"),
      transport: network, options: options, scope: ModelScope(transformers: ValueTransformerContext(explicitNull: true))
    )
    var syncOptions = SyncOptions()
    syncOptions.environment = SyncEnvironment(
      now: { [clock] in clock.milliseconds }, makeIdentifier: { [random] in "g\(random.next())" },
      makeTemporaryInteger: { [random] in -1 - random.below(1 << 50) }, random: { 0.5 },
      uptime: { [clock] in clock.milliseconds }, sleep: { _ in })
    return SyncModelStore(
      local: MemoryModelStore(), remote: remote, types: [SyncedWriter.self, SyncedPoem.self, SyncedTag.self],
      options: syncOptions)
  }

  func run(steps: Int) async throws {
    for _ in 0..<steps {
      clock.advance(random.below(20_000))
      let client = clients[random.below(clients.count)]
      switch random.below(20) {
      case 0..<8: try await edit(client)
      case 8..<11: try await edit(ServedStore(engine))
      case 11:
        // Clients that were away for long start again.
        clock.advance(random.below(900_000))
        try await engine.trim()
      default: _ = try? await client.sync()
      }
    }
    network.isLossy = false
    for _ in 0..<6 {
      clock.advance(400_000)
      for client in clients {
        for entry in try await client.failures() { try await client.retry(entry) }
        try await client.sync()
      }
    }
  }

  // MARK: Writes

  private func edit<S: TransactionalModelStore>(_ store: S) async throws {
    count += 1
    switch random.below(10) {
    case 0: try await create(SyncedWriter(), in: store)
    case 1: try await create(SyncedTag(), in: store)
    case 2, 3: try await create(SyncedPoem(), in: store)
    case 4: try await delete(SyncedWriter.self, in: store)
    case 5: try await delete(SyncedPoem.self, in: store)
    case 6: try await delete(SyncedTag.self, in: store)
    case 7: try await change(SyncedTag.self, in: store)
    default: try await change(SyncedPoem.self, in: store)
    }
  }

  private func create<M: Model, S: ModelStore>(_ model: M, in store: S) async throws {
    let name = "\(M.typeName) \(count)"
    model.set(name, a: count)
    (model as? SyncedTag)?.id.value = "t\(random.next())"
    if let poem = model as? SyncedPoem, let writer = try await any(SyncedWriter.self, in: store) {
      poem.writer.value = writer
    }
    try await store.save(model)
    created.insert(name)
  }

  private func change<M: Model, S: ModelStore>(_ type: M.Type, in store: S) async throws {
    guard let model = try await any(type, in: store) else { return }
    if let poem = model as? SyncedPoem {
      if random.below(2) == 0 { poem.a.value = count } else { poem.b.value = count }
      if random.below(3) == 0 { poem.writer.value = try await any(SyncedWriter.self, in: store) }
    } else {
      model.set(nil, a: count)
    }
    try await store.save(model)
  }

  private func delete<M: Model, S: ModelStore>(_ type: M.Type, in store: S) async throws {
    guard let model = try await any(type, in: store) else { return }
    deleted.insert(model.dictionaryValue["name"]?.stringValue ?? "")
    _ = try await store.list(SyncedPoem.self)
    try await store.delete(model)
  }

  private func any<M: Model, S: ModelStore>(_ type: M.Type, in store: S) async throws -> M? {
    let models = try await store.list(type).sorted { $0.identifier ?? "" < $1.identifier ?? "" }
    return models.isEmpty ? nil : models[random.below(models.count)]
  }

  // MARK: The end

  /// Returns all records of a store, as text.
  static func records<S: ModelStore>(of store: S) async throws -> Set<String> {
    func texts<M: Model>(_ type: M.Type) async throws -> [String] {
      try await store.list(type).map { model in
        let record = JSONValue.object(model.dictionaryValue.filter { !$0.value.isNull })
        return "\(M.typeName) \(try record.jsonString(.init(sortedKeys: true)))"
      }
    }
    return Set(try await texts(SyncedWriter.self) + texts(SyncedPoem.self) + texts(SyncedTag.self))
  }

  /// Returns the broken promises at the end of a history.
  func problems() async throws -> [String] {
    var problems: [String] = []
    let store = ServedStore(engine)
    let server = try await Self.records(of: store)
    for (number, client) in clients.enumerated() {
      let own = try await Self.records(of: client)
      if own != server {
        problems.append(
          "client \(number) has \(own.subtracting(server).sorted()), the server \(server.subtracting(own).sorted())")
      }
      for entry in try await client.outbox() { problems.append("client \(number) still has \(entry)") }
    }
    for link in try await store.brokenLinks(of: [SyncedPoem.self]) { problems.append("\(link)") }
    var names: [String] = []
    for type: any Model.Type in [SyncedWriter.self, SyncedPoem.self, SyncedTag.self] {
      names += try await Self.names(type, in: store)
    }
    for name in Set(names) where names.count(where: { $0 == name }) > 1 { problems.append("\(name) is there twice") }
    for name in created.subtracting(deleted).subtracting(names) { problems.append("\(name) was lost") }
    return problems
  }

  private static func names<M: Model>(_ type: M.Type, in store: some ModelStore) async throws -> [String] {
    try await store.list(type).compactMap { $0.dictionaryValue["name"]?.stringValue }
  }
}

extension ModelObject {
  fileprivate func set(_ name: String?, a: Int) {
    switch self {
    case let writer as SyncedWriter: (writer.name.value, writer.a.value) = (name ?? writer.name.value, a)
    case let poem as SyncedPoem: (poem.name.value, poem.a.value) = (name ?? poem.name.value, a)
    case let tag as SyncedTag: (tag.name.value, tag.a.value) = (name ?? tag.name.value, a)
    default: break
    }
  }
}

@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import RESTService
import RESTStore
import StoreProtocol
import Testing

@testable import SyncStore

/// A model whose deletion a server denies while others are in it.
private final class Drawer: Model {
  let id = Field<String>()
  let name = Field<String>()
  let outer = ModelField<Drawer>(foreignKey: true, inverse: \.drawers)
  let drawers = ModelField<Drawer>(foreignKey: true, deleteRule: .deny)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id, name, outer] }

  static func named(_ id: String, in outer: Drawer? = nil) -> Drawer {
    let drawer = Drawer()
    (drawer.id.value, drawer.name.value) = (id, id)
    if let outer { drawer.outer.value = outer }
    return drawer
  }
}

@Suite struct `Deletions that a server denies in another order` {
  private let server = MemoryModelStore()
  private let local = MemoryModelStore()

  private func client(_ network: PlannedNetwork) throws -> MemorySyncStore {
    let remote = RESTModelStore(baseURL: try #require(URL(string: "http://api.test")), transport: network)
    return SyncModelStore(local: local, remote: remote, types: [Drawer.self])
  }

  @Test func `A record that is deleted while its update is prepared is deleted after those that reference it`()
    async throws
  {
    let network = PlannedNetwork(RESTService(server.handle, serving: [Drawer.self]))
    let store = try client(network)
    let outer = Drawer.named("a")
    let inner = Drawer.named("b", in: outer)
    try await store.save(outer)
    try await store.save(inner)
    #expect(try await store.sync().waiting == 0)
    for drawer in [outer, inner] {
      drawer.name.value = "edited"
      try await store.save(drawer)
    }
    let handle = store.handle
    network.before("GET /drawers/a") {
      let other = MemorySyncStore(handle)
      for id in ["b", "a"] { try await other.delete(try await other.lookup(Drawer.self, identifier: id)) }
    }
    #expect(try await store.sync().waiting == 0)
    #expect(try await server.count(Drawer.self) == 0)
  }

  @Test func `A record is deleted after one whose creation referenced it and has no answer`() async throws {
    let network = PlannedNetwork(RESTService(server.handle, serving: [Drawer.self]))
    let store = try client(network)
    let outer = Drawer.named("a")
    try await store.save(outer)
    #expect(try await store.sync().waiting == 0)
    outer.name.value = "edited"
    try await store.save(outer)
    let inner = Drawer.named("b", in: outer)
    try await store.save(inner)
    network.fail("PATCH /drawers/a", afterwards: false)
    network.fail("POST /drawers", afterwards: true)
    #expect(try await store.sync().waiting == 2)
    try await store.delete(inner)
    try await store.delete(outer)
    #expect(try await store.sync().waiting == 0)
    #expect(try await server.count(Drawer.self) == 0)
  }
}

/// A network before a service, with plans for the next request of a method and path.
private final class PlannedNetwork: HTTPTransport {
  private struct State: Sendable {
    var actions: [String: @Sendable () async throws -> Void] = [:]
    var failures: [String: Bool] = [:]
  }

  private let service: RESTService
  private let state = Lock(State())

  init(_ service: RESTService) { self.service = service }

  /// Does something before the next request.
  func before(_ line: String, _ action: @escaping @Sendable () async throws -> Void) {
    state.withLock { $0.actions[line] = action }
  }

  /// Loses the next request, or its answer.
  func fail(_ line: String, afterwards: Bool) { state.withLock { $0.failures[line] = afterwards } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let line = "\(request.method) \(request.url.path)"
    let (action, failure) = state.withLock { state in
      (state.actions.removeValue(forKey: line), state.failures.removeValue(forKey: line))
    }
    try await action?()
    if failure == false { throw ModelStoreError(.timeout, "The request was lost.") }
    let answer = try await service.send(request)
    if failure == true { throw ModelStoreError(.timeout, "The answer was lost.") }
    return answer
  }
}

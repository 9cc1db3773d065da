import MemoryStore
import StoreProtocol
import SyncStore
import Testing

@MainActor @Suite struct `Imports with identifiers that the server has replaced` {
  final class Team: Model {
    @Field var id: Int?
    @Field var name: String?
    override var identifierField: AnyField? { $id }
  }

  final class Job: Model {
    @Field var id: Int?
    @ModelField(foreignKey: true) var team: Team?
    override var identifierField: AnyField? { $id }
  }

  private typealias Store = SyncModelStore<MemoryEngine>

  /// A store with a team that has a temporary identifier, and its server.
  private func makeStores() async throws -> (store: Store, remote: MemoryModelStore, team: Team) {
    let remote = MemoryModelStore()
    let store = SyncModelStore(local: MemoryModelStore(), remote: remote, types: [Team.self, Job.self])
    return (store, remote, try await store.create(Team()))
  }

  private func check(
    _ store: Store, _ remote: MemoryModelStore, names: [String], _ comment: Comment? = nil
  ) async throws {
    let report = try await store.sync()
    #expect(report.failures.isEmpty && report.waiting == 0, comment)
    let local = try await SyncModelStore(store.handle).list(Team.self)
    #expect(local.map(\.name) == names, comment)
    #expect(local.map(\.id) == [1], comment)
    #expect(try await MemoryModelStore(remote.handle).list(Team.self).map(\.name) == names, comment)
  }

  @Test(arguments: ["the same instance", "another instance", "another instance that has the model"])
  func `An import after the exchange updates the model with the new identifier`(instance: String) async throws {
    let (store, remote, team) = try await makeStores()
    let temporary = try #require(team.id)
    let importing = instance == "the same instance" ? store : SyncModelStore(store.handle)
    let known = instance.hasSuffix("model") ? try await importing.list(Team.self) : []
    try await store.sync()
    let json: JSONValue = [["id": .int(temporary), "name": "new"]]
    let report = try await importing.importModels(Team.self, fromJSON: try json.jsonData())
    #expect(report.updated.map(\.id) == [1])
    #expect(report.created.isEmpty && report.rejected.isEmpty)
    try await check(store, remote, names: ["new"])
    withExtendedLifetime(known) {}
  }

  @Test func `An import of a nested model after the exchange updates it, or rejects the entry`() async throws {
    for isOther in [false, true] {
      let (store, remote, team) = try await makeStores()
      let temporary = try #require(team.id)
      try await store.sync()
      let importing = isOther ? SyncModelStore(store.handle) : store
      let json: JSONValue = [["id": 7, "team": ["id": .int(temporary), "name": "new"]]]
      let report = try await importing.importModels(Job.self, fromJSON: try json.jsonData())
      #expect(report.created.count == (isOther ? 0 : 1))
      #expect(report.rejected.map(\.index) == (isOther ? [0] : []))
      if let error = report.rejected.first?.error { #expect("\(error)".contains("another identifier now: \"1\"")) }
      let report2 = try await store.sync()
      #expect(report2.failures.isEmpty)
      #expect(try await SyncModelStore(store.handle).list(Team.self).map(\.id) == [1])
      #expect(try await MemoryModelStore(remote.handle).list(Team.self).map(\.name) == [isOther ? nil : "new"])
    }
  }

  @Test(arguments: [false, true])
  func `An import beside the exchange makes no second record`(isOther: Bool) async throws {
    for number in 0..<40 {
      let (store, remote, team) = try await makeStores()
      let temporary = try #require(team.id)
      let importing = isOther ? SyncModelStore(store.handle) : store
      let json: JSONValue = [["id": .int(temporary), "name": "new"]]
      let exchange = Task { @MainActor in
        for _ in 0..<(number % 8) { await Task.yield() }
        return try await store.sync()
      }
      for _ in 0..<(number / 8) { await Task.yield() }
      let report = try await importing.importModels(Team.self, fromJSON: try json.jsonData())
      #expect(report.rejected.isEmpty && report.created.isEmpty, "interleaving \(number)")
      _ = try await exchange.value
      try await check(store, remote, names: ["new"], "interleaving \(number)")
    }
  }
}

@_spi(ModelKitInternals) import FieldKit
import StoreEngine
import StoreProtocolTesting
import Testing

@Suite @MainActor struct `Deletions by condition beside another writer` {
  /// An engine that runs another write before its next commit.
  fileprivate nonisolated final class InterruptedEngine: RecordEngine {
    let shelves = ShelfEngine()
    private let interruption = Lock<(@MainActor @Sendable () async throws -> Void)?>(nil)

    var changeFeed: StoreChangeFeed { shelves.changeFeed }
    var conflictTrackers: ConflictTrackers { shelves.conflictTrackers }

    func snapshot(pinned: Bool) -> ShelfEngine.Shelves { shelves.snapshot(pinned: pinned) }
    func nextInteger(for type: String) -> Int? { shelves.nextInteger(for: type) }

    func beforeNextCommit(_ body: @escaping @MainActor @Sendable () async throws -> Void) {
      interruption.withLock { $0 = body }
    }

    func commit(_ batch: RecordBatch) async throws {
      let body = interruption.withLock { interruption in
        defer { interruption = nil }
        return interruption
      }
      try await body?()
      try shelves.commit(batch)
    }
  }

  fileprivate nonisolated final class InterruptedStore: RecordStore<InterruptedEngine>, TransactionalModelStore {}

  @Test func `A model that another writer changed meanwhile is deleted only if the condition still holds`() async throws
  {
    let engine = InterruptedEngine()
    let store = InterruptedStore(engine)
    for age in [40, 50] {
      let person = ContractPerson()
      person.name.value = "Person of \(age)"
      person.age.value = age
      try await store.create(person)
    }
    engine.beforeNextCommit {
      let other = InterruptedStore(engine)
      let person = try #require(try await other.first(ContractPerson.self, where: { $0.age == 40 }))
      person.age.value = 10
      try await other.update(person)
    }
    #expect(try await store.deleteAll(ContractPerson.self, where: { $0.age > 20 }) == 1)
    #expect(try await InterruptedStore(engine).list(ContractPerson.self).map(\.age.value) == [10])
    #expect(try await store.list(ContractPerson.self).map(\.age.value) == [10])
  }
}

import StoreEngine
import StoreProtocolTesting
import Testing

@Suite @MainActor struct `Records that an engine can't read` {
  /// An engine that finds some of its records damaged.
  fileprivate nonisolated final class DamagedEngine: RecordEngine {
    struct Snapshot: RecordSnapshot {
      let shelves: ShelfEngine.Shelves
      let damaged: Set<String>

      func record(_ type: String, _ identifier: String) -> StoredRecord? { shelves.record(type, identifier) }

      func records(_ type: String, after order: UInt64, atMost limit: Int) -> RecordPart {
        var part = shelves.records(type, after: order, atMost: limit)
        part.unreadable = part.records.map(\.identifier).filter(damaged.contains).map { identifier in
          (identifier, ModelStoreError(.corrupt, "The record \(identifier) is damaged."))
        }
        part.records.removeAll { damaged.contains($0.identifier) }
        return part
      }

      func count(_ type: String) -> Int { shelves.count(type) }
    }

    let shelves = ShelfEngine()
    let damaged: Set<String>

    init(damaged: Set<String> = []) { self.damaged = damaged }

    var changeFeed: StoreChangeFeed { shelves.changeFeed }
    var conflictTrackers: ConflictTrackers { shelves.conflictTrackers }

    func snapshot(pinned: Bool) -> Snapshot { Snapshot(shelves: shelves.snapshot(pinned: pinned), damaged: damaged) }
    func nextInteger(for type: String) -> Int? { shelves.nextInteger(for: type) }
    func commit(_ batch: RecordBatch) throws { try shelves.commit(batch) }
  }

  fileprivate nonisolated final class DamagedStore: RecordStore<DamagedEngine>, TransactionalModelStore {}

  @Test func `A record without bytes is corrupt in every call, and never another record or none`() async throws {
    let engine = DamagedEngine()
    try engine.commit(RecordBatch([.create(ContractPerson.typeName, "1", [UInt8]())]))
    let store = DamagedStore(engine)
    func requireCorrupt(_ body: () async throws -> Void) async {
      let error = await #expect(throws: ModelStoreError.self) { try await body() }
      #expect(error?.code == .corrupt)
      #expect(error?.identifier == "1")
    }
    await requireCorrupt { _ = try await store.lookup(ContractPerson.self, identifier: "1") }
    await requireCorrupt { _ = try await store.list(ContractPerson.self) }
    await requireCorrupt { for try await _ in store.stream(ContractPerson.self) {} }
  }

  @Test func `A live result reports a record that its engine can't read, as a list does`() async throws {
    let store = DamagedStore(DamagedEngine(damaged: ["2"]))
    for name in ["Ada", "Bob", "Cleo"] {
      let person = ContractPerson()
      person.name.value = name
      try await store.create(person)
    }
    let error = await #expect(throws: ModelStoreError.self) { _ = try await store.list(ContractPerson.self) }
    #expect(error?.code == .corrupt)
    var results = store.observe(ContractPerson.self).makeAsyncIterator()
    let first = try #require(await results.next(isolation: #isolation))
    #expect(first.error != nil)
    #expect(first.models.isEmpty)
  }
}

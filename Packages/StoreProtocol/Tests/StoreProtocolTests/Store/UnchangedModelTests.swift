import StoreEngine
import StoreProtocolTesting
import Synchronization
import Testing

@Suite @MainActor struct `A lookup of an unchanged model` {
  /// An engine that reports the write state of types, and counts reads of records.
  fileprivate nonisolated final class CountingEngine: RecordEngine {
    let shelves = ShelfEngine()
    let readCount = Mutex(0)
    private let states = Mutex<[String: WriteState]>([:])

    var changeFeed: StoreChangeFeed { shelves.changeFeed }
    var conflictTrackers: ConflictTrackers { shelves.conflictTrackers }

    func snapshot(pinned: Bool) -> ShelfEngine.Shelves { shelves.snapshot(pinned: pinned) }
    func nextInteger(for type: String) -> Int? { shelves.nextInteger(for: type) }
    func writeState(of type: String) -> WriteState? { state(of: type) }

    func read(_ type: String, _ identifier: String) -> StoredRecord? {
      readCount.withLock { $0 += 1 }
      return shelves.snapshot(pinned: false).record(type, identifier)
    }

    func commit(_ batch: RecordBatch) throws {
      try shelves.commit(batch)
      for operation in batch.operations { state(of: operation.type).noteWrite() }
    }

    private func state(of type: String) -> WriteState {
      states.withLock { states in
        if let state = states[type] { return state }
        let state = WriteState()
        states[type] = state
        return state
      }
    }
  }

  fileprivate nonisolated final class CountingStore: RecordStore<CountingEngine>, TransactionalModelStore {}

  private let store = CountingStore(CountingEngine())

  private func person(_ name: String) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    return person
  }

  /// Returns the number of records that two lookups of a model read while another task has a transaction open.
  private func readCount(of model: ContractPerson, during body: () async throws -> Void) async throws -> Int {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let identifier = model.identifier ?? ""
    _ = try await store.lookup(ContractPerson.self, identifier: identifier)
    let before = store.handle.readCount.withLock { $0 }
    let store = store
    let task = Task { @MainActor in
      defer { end.finish() }
      for await _ in begun {}
      for _ in 0..<2 {
        guard try await store.lookup(ContractPerson.self, identifier: identifier) === model else { return -1 }
      }
      return store.handle.readCount.withLock { $0 } - before
    }
    try await store.transaction { _ in
      try await body()
      begin.finish()
      for await _ in ended {}
    }
    return try await task.value
  }

  @Test
  func `A lookup of an unchanged model reads no record while another task has a transaction open`() async throws {
    let ada = try await store.create(person("Ada"))
    let count = try await readCount(of: ada) {}
    #expect(count == 0)
  }

  @Test
  func `A lookup concurrent with a transaction that wrote records of the type reads the stored record`() async throws {
    let ada = try await store.create(person("Ada"))
    let count = try await readCount(of: ada) { try await store.create(person("Grace")) }
    #expect(count >= 2)
  }

  @Test
  func `A lookup in a transaction reads the record, so that another instance's later write conflicts`() async throws {
    let ada = try await store.create(person("Ada"))
    _ = try await store.lookup(ContractPerson.self, identifier: "1")
    let other = CountingStore(store.handle)
    await #expect(throws: ModelStoreError.self) {
      try await store.transaction { store in
        try #require(try await store.lookup(ContractPerson.self, identifier: ada.identifier ?? "") === ada)
        let same = try await other.lookup(ContractPerson.self, identifier: ada.identifier ?? "")
        same.name.value = "Augusta"
        try await other.update(same)
        try await store.create(person("Grace"))
      }
    }
  }
}

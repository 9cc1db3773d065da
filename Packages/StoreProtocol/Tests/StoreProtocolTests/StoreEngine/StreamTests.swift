import StoreEngine
import StoreProtocolTesting
import Synchronization
import Testing

@Suite struct `A stream of a store over an engine` {
  private func makeStore(_ count: Int) async throws -> CountingStore {
    let store = CountingStore(CountingEngine())
    try await store.createAll(
      (1...count).map { number -> ContractPerson in
        let person = ContractPerson()
        person.name.value = "Person \(number)"
        person.age.value = number % 100
        return person
      })
    return store
  }

  @Test func `A stream holds one snapshot, and reads it in batches`() async throws {
    let store = try await makeStore(1_000)
    var number = 0
    for try await person in store.stream(ContractPerson.self) {
      number += 1
      #expect(person.id.value == number)
      #expect(store.handle.pinnedCount == 1)
      #expect(store.handle.recordCount <= (number / 256 + 1) * 256)
    }
    #expect(number == 1_000)
    #expect((store.handle.pinnedCount, store.handle.pinCount) == (0, 1))
  }

  @Test func `A stream releases its snapshot with an iterator that is not used to the end`() async throws {
    let store = try await makeStore(600)
    for try await _ in store.stream(ContractPerson.self) { break }
    #expect((store.handle.pinnedCount, store.handle.pinCount) == (0, 1))
    var iterator: StoredModelSequence<ContractPerson>.Iterator? =
      store.stream(ContractPerson.self, where: { $0.age > 3 }, sort: [.ascending(\.age)]).makeAsyncIterator()
    #expect(store.handle.pinnedCount == 0)
    #expect(try await iterator?.next()?.age.value == 4)
    #expect(store.handle.pinnedCount == 1)
    iterator = nil
    #expect((store.handle.pinnedCount, store.handle.pinCount) == (0, 2))
  }

  @Test func `A stream releases its snapshot when its task is cancelled or a read fails`() async throws {
    let engine = try await makeStore(600).handle
    let task = Task {
      let store = CountingStore(engine)
      var iterator = store.stream(ContractPerson.self).makeAsyncIterator()
      _ = try await iterator.next()
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { _ = try await iterator.next() }
      #expect(engine.pinnedCount == 0)
      return try await iterator.next() == nil
    }
    #expect(try await task.value)
    let store = CountingStore(engine)
    var iterator = store.stream(ContractPerson.self).makeAsyncIterator()
    _ = try await iterator.next()
    engine.failsReading = true
    await #expect(throws: ModelStoreError.self) { while try await iterator.next() != nil {} }
    #expect(engine.pinnedCount == 0)
    #expect(try await iterator.next() == nil)
  }

  @Test func `A stream of one snapshot does not keep the models that it gave`() async throws {
    let store = try await makeStore(600)
    weak var first: ContractPerson?
    var number = 0
    for try await person in store.stream(ContractPerson.self) {
      if number == 0 { first = person }
      if number == 1 { #expect(first == nil) }
      number += 1
    }
    #expect(number == 600)
  }
}

private final class CountingStore: RecordStore<CountingEngine>, TransactionalModelStore {}

/// An engine of sixty lines that counts its pinned snapshots, and the records that are read from them.
private final class CountingEngine: RecordEngine {
  struct Snapshot: RecordSnapshot {
    let shelves: ShelfEngine.Shelves
    let pin: Pin?
    let engine: CountingEngine

    func record(_ type: String, _ identifier: String) throws -> StoredRecord? {
      try engine.noteRead(1)
      return shelves.record(type, identifier)
    }

    func records(_ type: String, after order: UInt64, atMost limit: Int) throws -> RecordPart {
      let records = Array(shelves.records(type, after: order, atMost: limit).records.prefix(limit))
      try engine.noteRead(records.count)
      return RecordPart(records, next: records.count < limit ? nil : records.last?.order)
    }

    func count(_ type: String) -> Int { shelves.count(type) }
  }

  final class Pin: Sendable {
    private let engine: CountingEngine

    init(_ engine: CountingEngine) {
      self.engine = engine
      engine.state.withLock { state in (state.pinned, state.pins) = (state.pinned + 1, state.pins + 1) }
    }

    deinit { engine.state.withLock { $0.pinned -= 1 } }
  }

  private struct State {
    var (pinned, pins, records) = (0, 0, 0)
    var failsReading = false
  }

  private let base = ShelfEngine()
  private let state = Mutex(State())

  var pinnedCount: Int { state.withLock { $0.pinned } }
  var pinCount: Int { state.withLock { $0.pins } }
  var recordCount: Int { state.withLock { $0.records } }
  var failsReading: Bool {
    get { state.withLock { $0.failsReading } }
    set { state.withLock { $0.failsReading = newValue } }
  }

  private func noteRead(_ count: Int) throws {
    try state.withLock { state in
      if state.failsReading { throw ModelStoreError(.inputOutput, "The disk is gone.") }
      state.records += count
    }
  }

  var changeFeed: StoreChangeFeed { base.changeFeed }
  var conflictTrackers: ConflictTrackers { base.conflictTrackers }
  func nextInteger(for type: String) -> Int? { base.nextInteger(for: type) }
  func commit(_ batch: RecordBatch) throws { try base.commit(batch) }
  func snapshot(pinned: Bool) -> Snapshot {
    Snapshot(shelves: base.snapshot(pinned: pinned), pin: pinned ? Pin(self) : nil, engine: self)
  }
}

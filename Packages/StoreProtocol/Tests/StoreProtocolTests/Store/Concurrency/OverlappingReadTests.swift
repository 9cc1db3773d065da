import StoreEngine
import StoreProtocolTesting
import Synchronization
import Testing

@Suite @MainActor struct `Reads of one store instance that overlap` {
  /// An engine whose snapshots can be held, before or after they are made.
  fileprivate nonisolated final class HoldingEngine: RecordEngine {
    struct Hold {
      enum Side { case before, after }
      let side: Side
      let isReached = AsyncStream.makeStream(of: Void.self)
      let isReleased = AsyncStream.makeStream(of: Void.self)

      init(_ side: Side) { self.side = side }

      func wait() async {
        isReached.continuation.finish()
        for await _ in isReleased.stream {}
      }
    }

    private let shelves = ShelfEngine()
    private let state: WriteState?
    /// The holds of the next snapshots, in their order.
    private let holds = Mutex<[Hold]>([])
    /// The hold of the next commit, after it.
    private let commitHold = Mutex<Hold?>(nil)

    init(hasWriteState: Bool) { state = hasWriteState ? WriteState() : nil }

    var changeFeed: StoreChangeFeed { shelves.changeFeed }
    var conflictTrackers: ConflictTrackers { shelves.conflictTrackers }

    func holdNext(_ side: Hold.Side) -> Hold {
      let hold = Hold(side)
      holds.withLock { $0.append(hold) }
      return hold
    }

    func holdNextCommit() -> Hold {
      let hold = Hold(.after)
      commitHold.withLock { $0 = hold }
      return hold
    }

    func current() -> ShelfEngine.Shelves { shelves.snapshot(pinned: false) }
    func nextInteger(for type: String) -> Int? { shelves.nextInteger(for: type) }
    func writeState(of type: String) -> WriteState? { state }

    func snapshot(pinned: Bool) async -> ShelfEngine.Shelves {
      let hold = holds.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      if let hold, hold.side == .before { await hold.wait() }
      let snapshot = shelves.snapshot(pinned: false)
      if let hold, hold.side == .after { await hold.wait() }
      return snapshot
    }

    func commit(_ batch: RecordBatch) async throws {
      let hold = commitHold.withLock { $0.take() }
      state?.noteWrite()
      try shelves.commit(batch)
      await hold?.wait()
    }
  }

  fileprivate nonisolated final class HoldingStore: RecordStore<HoldingEngine>, TransactionalModelStore {}

  fileprivate enum Read: CaseIterable, CustomTestStringConvertible {
    case list, page, lookup, live

    nonisolated var testDescription: String { "\(self)" }

    @MainActor func callAsFunction(_ store: HoldingStore) async throws {
      switch self {
      case .list: _ = try await store.list(ContractPerson.self)
      case .page: _ = try await store.page(ModelQuery(ContractPerson.self), after: nil)
      case .lookup: _ = try await store.lookup(ContractPerson.self, identifier: "1")
      case .live:
        for await result in store.observe(ModelQuery(ContractPerson.self)) {
          if let error = result.error { throw error }
          break
        }
      }
    }
  }

  private func begin(_ read: Read, in store: HoldingStore, _ side: HoldingEngine.Hold.Side) async -> (
    hold: HoldingEngine.Hold, task: Task<Void, any Error>
  ) {
    let hold = store.handle.holdNext(side)
    let task = Task { try await read(store) }
    for await _ in hold.isReached.stream {}
    return (hold, task)
  }

  private nonisolated static let cases = Read.allCases.flatMap { first in
    Read.allCases.flatMap { second in [true, false].map { (first, second, $0) } }
  }

  @Test(arguments: Self.cases)
  private func `A read that was answered earlier returns no older value than one that began before it`(
    first: Read, second: Read, hasWriteState: Bool
  ) async throws {
    let store = HoldingStore(HoldingEngine(hasWriteState: hasWriteState))
    let other = HoldingStore(store.handle)
    let person = ContractPerson()
    (person.name.value, person.age.value) = ("Ada", 1)
    try await store.create(person)
    let theirs = try await other.lookup(ContractPerson.self, identifier: "1")
    theirs.age.value = 2
    try await other.update(theirs)
    var ages: [Int] = []
    let observation = person.age --> { ages.append($0 ?? 0) }
    // The first begins before the second, and is answered after it.
    let late = await begin(first, in: store, .before)
    let early = await begin(second, in: store, .after)
    theirs.age.value = 3
    try await other.update(theirs)
    late.hold.isReleased.continuation.finish()
    try await late.task.value
    #expect(person.age.value == 3)
    early.hold.isReleased.continuation.finish()
    try await early.task.value
    observation.cancel()
    #expect(person.age.value == 3)
    // The first is the value at the beginning of the observation.
    #expect(ages == [1, 3])
  }

  @Test(arguments: Read.allCases, [true, false])
  private func `A model has what another writer changed after its save was committed, and before it ended`(
    read: Read, hasWriteState: Bool
  ) async throws {
    for isInTransaction in [false, true] {
      let (store, person, other) = try await storedPerson(hasWriteState: hasWriteState)
      person.age.value = 2
      let hold = store.handle.holdNextCommit()
      let save = Task {
        if !isInTransaction { return _ = try await store.save(person) }
        try await store.transaction { store in _ = try await store.save(person) }
      }
      for await _ in hold.isReached.stream {}
      let theirs = try await other.lookup(ContractPerson.self, identifier: "1")
      theirs.age.value = 3
      try await other.save(theirs)
      try await read(store)
      hold.isReleased.continuation.finish()
      try await save.value
      #expect(person.age.value == 3, "in a transaction: \(isInTransaction)")
      #expect(!person.isDirty)
    }
  }

  private struct Refusal: Error {}

  /// Runs a read of another task up to the moment at which it has its snapshot.
  private func beginElsewhere(_ read: Read, in store: HoldingStore) async -> (
    hold: HoldingEngine.Hold, task: Task<Void, any Error>
  ) {
    let hold = store.handle.holdNext(.after)
    let work: @MainActor @Sendable () async throws -> Void = { try await read(store) }
    let task = Task.detached { try await work() }
    for await _ in hold.isReached.stream {}
    return (hold, task)
  }

  private func storedPerson(hasWriteState: Bool) async throws -> (HoldingStore, ContractPerson, HoldingStore) {
    let store = HoldingStore(HoldingEngine(hasWriteState: hasWriteState))
    let person = ContractPerson()
    (person.name.value, person.age.value) = ("Ada", 1)
    try await store.create(person)
    return (store, person, HoldingStore(store.handle))
  }

  @Test(arguments: Read.allCases, [true, false])
  private func `A read that began before a commit, and ends after it, restores no older value`(
    read: Read, hasWriteState: Bool
  ) async throws {
    let (store, person, other) = try await storedPerson(hasWriteState: hasWriteState)
    // The next read has to take a snapshot.
    let theirs = try await other.lookup(ContractPerson.self, identifier: "1")
    theirs.height.value = 2
    try await other.update(theirs)
    var pending: (hold: HoldingEngine.Hold, task: Task<Void, any Error>)?
    try await store.transaction { inside in
      person.age.value = 2
      try await inside.save(person)
      pending = await beginElsewhere(read, in: store)
    }
    pending?.hold.isReleased.continuation.finish()
    try await pending?.task.value
    #expect(person.age.value == 2)
    #expect(!person.isDirty)
  }

  @Test func `A refresh by another task beside a save in a transaction leaves no saved field dirty`() async throws {
    let (store, person, _) = try await storedPerson(hasWriteState: true)
    let neighbour = ContractPerson()
    neighbour.name.value = "Bob"
    try await store.create(neighbour)
    let refresh: @MainActor @Sendable () async throws -> Void = { try await store.refresh(neighbour) }
    try await store.transaction { inside in
      person.age.value = 2
      let hold = store.handle.holdNext(.after)
      let save: @MainActor @Sendable () async throws -> Void = { try await inside.save(person) }
      let saving = Task { try await save() }
      for await _ in hold.isReached.stream {}
      try await Task.detached { try await refresh() }.value
      hold.isReleased.continuation.finish()
      try await saving.value
    }
    #expect(!person.isDirty)
    #expect(person.age.value == 2)
  }

  @Test func `A model that is saved while a failed transaction reads it again keeps its value`() async throws {
    let (store, person, other) = try await storedPerson(hasWriteState: true)
    let theirs = try await other.lookup(ContractPerson.self, identifier: "1")
    var hold: HoldingEngine.Hold?
    let transaction: @MainActor @Sendable () async throws -> Void = {
      try await store.transaction { inside in
        person.age.value = 2
        try await inside.save(person)
        theirs.age.value = 3
        try await other.save(theirs)
        hold = store.handle.holdNext(.after)
        throw Refusal()
      }
    }
    let failing = Task { try await transaction() }
    while hold == nil { await Task.yield() }
    if let hold { for await _ in hold.isReached.stream {} }
    person.age.value = 7
    try await store.save(person, onConflict: .overwrite)
    hold?.isReleased.continuation.finish()
    await #expect(throws: Refusal.self) { try await failing.value }
    #expect(person.age.value == 7)
    #expect(!person.isDirty)
  }
}

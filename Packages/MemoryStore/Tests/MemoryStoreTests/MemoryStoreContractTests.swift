import MemoryStore
import Testing

@testable import StoreProtocolTesting

@Suite struct `A memory store` {
  @Test(arguments: ModelStoreContract.checks)
  func `A memory store keeps the contract`(check: ModelStoreContract.Check) async throws {
    try await check.run { MemoryModelStore() }
  }

  @Test(arguments: ModelStoreContract.sharedEngineChecks)
  func `A memory store shares its engine between store instances`(check: ModelStoreContract.SharedEngineCheck)
    async throws
  {
    let handle = MemoryModelStore().handle
    try await check.run { MemoryModelStore(handle) }
  }

  @Test(arguments: ModelStoreContract.liveChecks)
  func `A memory store keeps results up to date`(check: ModelStoreContract.SharedEngineCheck) async throws {
    let handle = MemoryModelStore().handle
    try await check.run { MemoryModelStore(handle) }
  }

  @Test(arguments: TestEffort.seeds(3))
  func `A store has one object for one identifier while several tasks write beside observers`(seed: UInt64) async throws
  {
    let handle = MemoryModelStore().handle
    try await ModelStoreContract.randomObservers(20, seed: seed * 1_000).run { MemoryModelStore(handle) }
  }

  @Test(arguments: TestEffort.seeds(3))
  func `A memory store keeps related models of live results up to date`(seed: UInt64) async throws {
    let handle = MemoryModelStore().handle
    try await ModelStoreContract.randomLiveInclusions(60, seed: seed).run { MemoryModelStore(handle) }
  }

  @Test(arguments: TestEffort.seeds(3))
  func `A memory store keeps live aggregates and groups up to date`(seed: UInt64) async throws {
    let handle = MemoryModelStore().handle
    try await ModelStoreContract.randomLiveValues(60, seed: seed).run { MemoryModelStore(handle) }
  }

  @Test(arguments: TestEffort.seeds(4))
  func `A memory store finds with random queries the same models as plain Swift`(seed: UInt64) async throws {
    try await ModelStoreContract.randomQueries(700, seed: seed).run { MemoryModelStore() }
  }

  @Test(
    arguments: TestEffort.seeds(1).flatMap { seed in
      [ModelStoreContract.randomLinks(100, seed: seed), ModelStoreContract.randomEmployments(100, seed: seed)]
    })
  func `A memory store has after random changes of relations the values of the models`(check: ModelStoreContract.Check)
    async throws
  {
    try await check.run { MemoryModelStore() }
  }

  @Test(arguments: TestEffort.seeds(2))
  func `A memory store loses no increment of several store instances unless a conflict is reported`(seed: UInt64)
    async throws
  {
    let handle = MemoryModelStore().handle
    try await ModelStoreContract.randomEdits(150, seed: seed).run { MemoryModelStore(handle) }
  }

  /// A store of another package over the engine of a memory store.
  private final class EngineStore: RecordStore<MemoryEngine>, TransactionalModelStore {}

  @Test(arguments: [false, true], [false, true])
  func `A memory store keeps pages in place while records are created, changed and deleted`(
    isIndexed: Bool, isOverEngine: Bool
  ) async throws {
    try await ModelStoreContract.randomPages(25 * TestEffort.factor, seed: 19).run {
      let store = MemoryModelStore()
      if isIndexed {
        try store.index(\ContractPerson.age)
        try store.index(\ContractPerson.height)
        try store.index(\ContractPerson.name)
        try store.index(\ContractPerson.isActive)
      }
      return isOverEngine ? EngineStore(store.handle, scope: ModelScope()) : store
    }
  }

  @Test(arguments: TestEffort.seeds(2), [false, true])
  func `A memory store finds the same with indexes of everything`(seed: UInt64, isOverEngine: Bool) async throws {
    try await ModelStoreContract.randomQueries(1_000, seed: seed).run {
      let store = MemoryModelStore()
      try store.index(\ContractPerson.id, unique: true)
      try store.index(\ContractPerson.age)
      try store.index(\ContractPerson.name)
      try store.index(\ContractPerson.color)
      try store.index(\ContractPerson.height)
      try store.index(\ContractPerson.company)
      try store.index(\ContractPerson.isActive)
      try store.index(\ContractPerson.birthday)
      try store.index(\ContractPerson.joined)
      try store.index(\ContractPerson.anniversary)
      try store.index(\ContractPerson.balance)
      try store.index(\ContractPerson.nickname)
      try store.index(\ContractPerson.name, .text)
      try store.index(\ContractPerson.nickname, .text)
      try store.index(\ContractPerson.tags, .text)
      return isOverEngine ? EngineStore(store.handle, scope: ModelScope()) : store
    }
  }

  @Test func `A store over the engine of a memory store reads only the matches of its indexes`() async throws {
    let memory = MemoryModelStore()
    try memory.index(\ContractPerson.age)
    for age in 0..<120 {
      let person = ContractPerson()
      person.name.value = "Ada"
      person.age.value = age
      try await memory.create(person)
    }
    let store = EngineStore(memory.handle, scope: ModelScope())
    let some = ModelQuery(ContractPerson.self, where: { $0.age == 7 })
    #expect(try await store.explain(some).readCount == 1)
    #expect(try await store.list(some).map(\.age.value) == [7])
    let last = ModelQuery(ContractPerson.self, sort: [.descending(\.age)], limit: 3)
    #expect(try await store.list(last).map(\.age.value) == [119, 118, 117])
    #expect(try await store.explain(last).readCount < 120)
    let page = ModelQuery(ContractPerson.self, limit: 2, offset: 90)
    #expect(try await store.list(page).map(\.age.value) == [90, 91])
    #expect(try await store.explain(page).readCount == 2)
  }
}

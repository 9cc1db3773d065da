@_spi(ModelKitInternals) import MemoryStore
import StoreProtocolTesting
import Testing

@_spi(ModelKitInternals) @testable import StoreProtocol

/// A store whose engine reports which records were written, without their bytes.
private final class TaciturnStore: LiveModelStore {
  let base: MemoryModelStore
  let changeFeed = StoreChangeFeed()

  init(_ base: MemoryModelStore) { self.base = base }

  var scope: ModelScope { base.scope }
  var canReadRecords: Bool { true }

  func create<M: Model>(_ model: M) async throws -> M {
    try await base.create(model)
    changeFeed.publish([RecordChange(.created, M.typeName, model.identifier ?? "")])
    return model
  }

  func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await base.update(model, fields: fields)
    changeFeed.publish([RecordChange(.updated, M.typeName, model.identifier ?? "")])
    return model
  }

  func delete<M: Model>(_ model: M) async throws -> M {
    let identifier = model.identifier ?? ""
    try await base.delete(model)
    changeFeed.publish([RecordChange(.deleted, M.typeName, identifier)])
    return model
  }

  func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await base.lookup(type, identifier: identifier)
  }

  func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { try await base.list(query) }

  func readRecords(of typeName: String, _ body: ([StoredRecord]) async throws -> Void) async throws -> UInt64? {
    _ = try await base.readRecords(of: typeName, body)
    return nil
  }

  func readRecord(of typeName: String, identifier: String) async throws -> StoredRecord? {
    try await base.readRecord(of: typeName, identifier: identifier)
  }
}

@Suite struct `Live queries in use` {
  @Test func `A live query reports a model that was deleted and created again with other values`() async throws {
    let writer = MemoryModelStore()
    func create(_ name: String) async throws -> LivePerson {
      let person = LivePerson()
      (person.id.value, person.name.value) = (1, name)
      return try await writer.create(person)
    }
    let ada = try await create("Ada")
    var iterator = MemoryModelStore(writer.handle).observe(LivePerson.self).makeAsyncIterator()
    let first = await iterator.next()
    try await writer.delete(ada)
    _ = try await create("Bob")
    let second = try #require(await iterator.nextIfReady())
    #expect(second.models.map(\.name.value) == ["Bob"])
    #expect(second.models == first?.models)
    #expect(second.differences.updated.map(\.index) == [0])
  }

  private func person(_ name: String, age: Int) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    person.age.value = age
    return person
  }

  @Test func `Live queries in use read the records of writes that a store reported without them`() async throws {
    let store = TaciturnStore(MemoryModelStore())
    let ada = try await store.create(person("Ada", age: 36))
    var iterator = store.observe(ContractPerson.self, where: { $0.age > 30 }).makeAsyncIterator()
    #expect(await iterator.next()?.models == [ada])
    let bob = try await store.create(person("Bob", age: 40))
    #expect(await iterator.next()?.models == [ada, bob])
    ada.height.value = 1.7
    _ = try await store.update(ada, fields: nil)
    let result = try #require(await iterator.next())
    #expect(result.models == [ada, bob])
    #expect(result.differences.updated.map(\.index) == [0])
    ada.age.value = 20
    _ = try await store.update(ada, fields: nil)
    #expect(await iterator.next()?.models == [bob])
    _ = try await store.delete(bob)
    #expect(await iterator.next()?.models == [])
  }

  @Test func `Live queries in use that are cancelled before their first result receive no changes`() async throws {
    let store = MemoryModelStore()
    let feed = store.changeFeed
    let handle = store.handle
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var iterator = MemoryModelStore(handle).observe(ContractPerson.self).makeAsyncIterator()
      _ = await iterator.next()
      let last = await iterator.next()
      #expect(last == nil)
      #expect(!feed.isObserved)
      withExtendedLifetime(iterator) {}
    }
    await task.value
  }

  @Test func `Live queries in use are correct after thousands of concurrent changes by several store instances`()
    async throws
  {
    let store = MemoryModelStore()
    let people = (0..<3_000).map { person("Person \($0)", age: $0 % 100) }
    try await store.createAll(people)
    let reader = MemoryModelStore(store.handle)
    let query = ModelQuery(
      ContractPerson.self, where: { $0.age > 10 }, sort: [.descending(\.age), .ascending(\.name)], limit: 50,
      offset: 100)
    var iterator = reader.observe(query).makeAsyncIterator()
    var models = try #require(await iterator.next()).models
    let handle = store.handle
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<3 {
        group.addTask {
          let instance = MemoryModelStore(handle)
          try await instance.transaction { store in
            for number in stride(from: task, to: 3_000, by: 3) {
              let person = try store.lookupImmediately(ContractPerson.self, identifier: String(number + 1))
              person.age.value = (number * 7) % 100
              if number % 5 == 0 { try await store.delete(person) } else { try await store.update(person) }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let expected = try reader.listImmediately(query)
    while models != expected {
      let result = try #require(await iterator.nextIfReady())
      #expect(result.differences.applied(to: models) == result.models)
      models = result.models
    }
    #expect(await iterator.nextIfReady() == nil)
  }

  @Test func `Live queries in use of a type without records begin empty, and are updated`() async throws {
    let store = MemoryModelStore()
    var iterator = store.observe(ContractTeam.self, where: { $0.members.isEmpty }).makeAsyncIterator()
    #expect(await iterator.next()?.models == [])
    let team = ContractTeam()
    team.id.value = "reds"
    try await MemoryModelStore(store.handle).create(team)
    #expect(await iterator.next()?.models.map(\.id.value) == ["reds"])
  }

  @Test func `Live queries in use keep the snapshot of a stream, whatever is deleted meanwhile`() async throws {
    let store = MemoryModelStore()
    try await store.createAll((0..<10).map { person("Person \($0)", age: $0) })
    let other = MemoryModelStore(store.handle)
    var seen: [Int?] = []
    for try await person in store.stream(ContractPerson.self, sort: [.ascending(\.age)]) {
      seen.append(person.age.value)
      try await other.deleteAll(ContractPerson.self, where: { $0.age.isIn([2, 3, 9]) })
    }
    #expect(seen == (0..<10).map { $0 })
    #expect(try await store.count(ContractPerson.self) == 7)
  }
}

import ModelCore
import StoreEngine
import StoreProtocol
import StoreProtocolTesting
import Testing

@Suite struct `A deletion beside a save` {
  private struct Refusal: Error {}

  @MainActor private final class Deletion {
    var task: Task<Void, any Error>?
  }

  @MainActor private static func makePerson(in store: InterruptedStore) async throws -> ContractPerson {
    let person = ContractPerson()
    (person.name.value, person.age.value) = ("Ada", 1)
    return try await store.create(person)
  }

  @MainActor @Test func `A deletion that ends before a committed save returns can be undone`() async throws {
    let engine = InterruptedEngine()
    let store = InterruptedStore(engine)
    let person = try await Self.makePerson(in: store)
    let undo = ModelUndo(store.scope)
    person.age.value = 2
    engine.afterNextCommit { try await store.delete(person) }
    try await store.save(person)
    #expect(!person.isPersisted)
    #expect(try await store.count(ContractPerson.self) == 0)
    try await store.save(undo.undo())
    #expect(person.isPersisted && person.age.value == 2)
    #expect(try await InterruptedStore(engine).list(ContractPerson.self).map(\.age.value) == [2])
  }

  @MainActor @Test func `A deletion that fails before a committed save returns leaves the saved model`() async throws {
    let engine = InterruptedEngine()
    let store = InterruptedStore(engine)
    let person = try await Self.makePerson(in: store)
    person.age.value = 2
    engine.afterNextCommit {
      await #expect(throws: Refusal.self) {
        try await store.transaction { store in
          try await store.delete(person)
          throw Refusal()
        }
      }
    }
    try await store.save(person)
    #expect(person.isPersisted && person.age.value == 2 && !person.isDirty)
    person.age.value = 3
    try await store.save(person)
    #expect(try await InterruptedStore(engine).list(ContractPerson.self).map(\.age.value) == [3])
  }

  @MainActor @Test func `A save that returns while a deletion is being committed leaves the model deleted`()
    async throws
  {
    let engine = InterruptedEngine()
    let store = InterruptedStore(engine)
    let person = try await Self.makePerson(in: store)
    person.age.value = 2
    let (saved, hasSaved) = AsyncStream.makeStream(of: Void.self)
    let deletion = Deletion()
    engine.afterNextCommit {
      engine.beforeNextCommit { for await _ in saved {} }
      deletion.task = Task { @MainActor in try await store.delete(person) }
      for _ in 0..<1_000 where person.isPersisted { await Task.yield() }
    }
    try await store.save(person)
    hasSaved.finish()
    try await deletion.task?.value
    #expect(!person.isPersisted)
    #expect(try await store.count(ContractPerson.self) == 0)
    try await store.save(person)
    #expect(try await store.count(ContractPerson.self) == 1)
  }

  @MainActor @Test func `A deletion waits for a creation that was committed and has not returned`() async throws {
    let engine = InterruptedEngine()
    let store = InterruptedStore(engine)
    let person = ContractPerson()
    (person.id.value, person.name.value) = (1, "Ada")
    let deletion = Deletion()
    engine.afterNextCommit {
      deletion.task = Task { @MainActor in try await store.delete(person) }
      for _ in 0..<1_000 { await Task.yield() }
    }
    try await store.create(person)
    try await deletion.task?.value
    #expect(!person.isPersisted)
    #expect(try await store.count(ContractPerson.self) == 0)
    try await store.save(person)
    #expect(person.isPersisted)
    #expect(try await store.count(ContractPerson.self) == 1)
  }

  @MainActor @Test func `A deleted model that can't be refreshed does not count as a new one of the scope`()
    async throws
  {
    let store = InterruptedStore(InterruptedEngine())
    let person = try await Self.makePerson(in: store)
    try await store.delete(person)
    await #expect(throws: ModelStoreError.self) { try await store.refresh(person) }
    #expect(store.scope.unsavedModels.isEmpty)
  }

  @MainActor @Test func `A model that one store deleted before a save, and another one during it, is deleted`()
    async throws
  {
    let (engine, cacheEngine) = (InterruptedEngine(), InterruptedEngine())
    let server = InterruptedStore(engine)
    let cache = InterruptedStore(cacheEngine, scope: server.scope)
    let person = ContractPerson()
    (person.id.value, person.name.value) = (1, "Ada")
    for store in [server, cache] {
      let other = ContractPerson()
      (other.id.value, other.name.value) = (1, "Ada")
      try await InterruptedStore(store.handle).create(other)
    }
    let found = try await server.lookup(ContractPerson.self, identifier: "1")
    try await cache.delete(found)
    found.name.value = "Augusta"
    engine.afterNextCommit { try await server.delete(found) }
    try await server.update(found, fields: [found.name])
    #expect(!found.isPersisted)
    #expect(try await server.count(ContractPerson.self) == 0)
  }

  @MainActor @Test func `A link that was saved beside a deletion that fails is saved`() async throws {
    let engine = InterruptedEngine()
    let store = InterruptedStore(engine)
    let company = ContractCompany()
    company.id.value = "acme"
    try await store.create(company)
    let person = try await Self.makePerson(in: store)
    person.company.value = company
    let (saved, hasSaved) = AsyncStream.makeStream(of: Void.self)
    let deletion = Deletion()
    engine.afterNextCommit {
      deletion.task = Task { @MainActor in
        await #expect(throws: Refusal.self) {
          try await store.transaction { store in
            try await store.delete(person)
            for await _ in saved {}
            throw Refusal()
          }
        }
      }
      for _ in 0..<1_000 where person.isPersisted { await Task.yield() }
    }
    try await store.save(person)
    hasSaved.finish()
    try await deletion.task?.value
    #expect(person.company.value === company && !person.isDirty)
    person.age.value = 2
    try await store.save(person)
    let stored = try #require(try await InterruptedStore(engine).list(ContractPerson.self).first)
    #expect(stored.age.value == 2 && stored.company.value?.id.value == "acme")
  }
}

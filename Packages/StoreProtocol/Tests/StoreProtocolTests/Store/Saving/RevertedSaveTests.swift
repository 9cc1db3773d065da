import ModelCore
import StoreEngine
import StoreProtocol
import StoreProtocolTesting
import Testing

@Suite struct `A revert beside a save` {
  private struct Refusal: Error {}

  @MainActor private final class Reversion {
    var task: Task<Void, any Error>?
  }

  @MainActor @Test func `A transaction that reverts an edit beside its save and fails leaves the saved field clean`()
    async throws
  {
    let engine = InterruptedEngine()
    let store = InterruptedStore(engine)
    let person = ContractPerson()
    (person.name.value, person.age.value) = ("Ada", 1)
    try await store.create(person)
    person.age.value = 2
    let (saved, hasSaved) = AsyncStream.makeStream(of: Void.self)
    let reversion = Reversion()
    engine.afterNextCommit {
      reversion.task = Task { @MainActor in
        await #expect(throws: Refusal.self) {
          try await store.transaction { _ in
            person.revert()
            for await _ in saved {}
            throw Refusal()
          }
        }
      }
      for _ in 0..<1_000 where person.age.value == 2 { await Task.yield() }
    }
    try await store.save(person)
    hasSaved.finish()
    try await reversion.task?.value
    #expect(person.age.value == 2 && !person.isDirty)
    person.age.value = 3
    try await store.save(person)
    #expect(try await InterruptedStore(engine).list(ContractPerson.self).map(\.age.value) == [3])
  }

  @MainActor @Test(arguments: [nil, 1]) func `The save after a revert beside a save stores the reverted value`(
    age: Int?
  ) async throws {
    let engine = InterruptedEngine()
    let store = InterruptedStore(engine)
    let person = ContractPerson()
    person.name.value = "Ada"
    if let age { person.age.value = age }
    try await store.create(person)
    person.age.value = 2
    engine.afterNextCommit { person.revert() }
    try await store.save(person)
    #expect(person.age.value == age && person.isDirty)
    try await store.save(person)
    #expect(!person.isDirty && store.scope.unsavedModels.isEmpty)
    #expect(try await InterruptedStore(engine).list(ContractPerson.self).map(\.age.value) == [age])
  }

  @MainActor @Test(arguments: [false, true]) func `The save after a revert beside a save stores the reverted link`(
    hadCompany: Bool
  ) async throws {
    let engine = InterruptedEngine()
    let store = InterruptedStore(engine)
    let companies = ["acme", "umbrella"].map { name in
      let company = ContractCompany()
      company.id.value = name
      return company
    }
    try await store.createAll(companies)
    let person = ContractPerson()
    person.name.value = "Ada"
    if hadCompany { person.company.value = companies[0] }
    try await store.create(person)
    person.company.value = companies[1]
    engine.afterNextCommit { person.revert() }
    try await store.save(person)
    try await store.save(person)
    #expect(!person.isDirty && companies[1].employees.value?.isEmpty != false)
    let stored = try await InterruptedStore(engine).list(ContractPerson.self)
    #expect(stored.map { $0.company.value?.id.value } == [hadCompany ? "acme" : nil])
  }
}

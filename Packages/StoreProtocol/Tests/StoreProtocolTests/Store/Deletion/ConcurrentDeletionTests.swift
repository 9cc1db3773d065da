import StoreEngine
import StoreProtocolTesting
import Testing

@testable import StoreProtocol

@Suite @MainActor struct `Deletions by condition beside another writer` {
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

  @Test func `A member that another writer moved meanwhile is not deleted with the members of a relation`() async throws
  {
    let engine = InterruptedEngine()
    let store = InterruptedStore(engine)
    let company = ContractCompany()
    company.id.value = "acme"
    try await store.create(company)
    for age in [40, 50] {
      let person = ContractPerson()
      (person.name.value, person.age.value, person.company.value) = ("Person of \(age)", age, company)
      try await store.create(person)
    }
    engine.beforeNextCommit {
      let other = InterruptedStore(engine)
      let person = try #require(try await other.first(ContractPerson.self, where: { $0.age == 40 }))
      person.company.value = nil
      try await other.update(person)
    }
    #expect(try await store.deleteAll(in: company.employees) == 1)
    #expect(try await InterruptedStore(engine).list(ContractPerson.self).map(\.age.value) == [40])
    #expect(company.employees.value?.isEmpty ?? true)
  }

  @Test func `A deletion by condition is repeated after a conflict only outside of transactions`() async throws {
    let store = InterruptedStore(InterruptedEngine())
    var attempts = 0
    func deletion(_ store: InterruptedStore) async throws {
      _ = try await store.deleteTogether { _ -> [ContractPerson] in
        attempts += 1
        throw ModelStoreError(.conflict, "Another writer was first.")
      }
    }
    await #expect(throws: ModelStoreError.self) { try await deletion(store) }
    #expect(attempts == 8)
    attempts = 0
    await #expect(throws: ModelStoreError.self) {
      try await store.transaction { store in try await deletion(store) }
    }
    #expect(attempts == 1)
  }
}

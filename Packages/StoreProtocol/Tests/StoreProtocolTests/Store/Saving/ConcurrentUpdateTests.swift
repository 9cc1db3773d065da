import StoreEngine
import StoreProtocolTesting
import Testing

@testable import StoreProtocol

@Suite @MainActor struct `Updates by condition beside another writer` {
  private func makeStore(_ engine: InterruptedEngine) async throws -> InterruptedStore {
    let store = InterruptedStore(engine)
    for age in [40, 50] {
      let person = ContractPerson()
      person.name.value = "Person of \(age)"
      person.age.value = age
      try await store.create(person)
    }
    return store
  }

  @Test func `A model that another writer changed meanwhile is updated again from its new value`() async throws {
    let engine = InterruptedEngine()
    let store = try await makeStore(engine)
    engine.beforeNextCommit {
      let other = InterruptedStore(engine)
      let person = try #require(try await other.first(ContractPerson.self, where: { $0.age == 40 }))
      person.age.value = 45
      try await other.update(person)
    }
    let count = try await store.updateAll(ContractPerson.self, where: { $0.age > 20 }) {
      $0.age.value = ($0.age.value ?? 0) + 1
    }
    #expect(count == 2)
    #expect(try await InterruptedStore(engine).list(ContractPerson.self).map(\.age.value) == [46, 51])
    #expect(try await store.list(ContractPerson.self).map(\.age.value) == [46, 51])
  }

  @Test func `A model for which the condition no longer holds is not updated`() async throws {
    let engine = InterruptedEngine()
    let store = try await makeStore(engine)
    engine.beforeNextCommit {
      let other = InterruptedStore(engine)
      let person = try #require(try await other.first(ContractPerson.self, where: { $0.age == 40 }))
      person.age.value = 10
      try await other.update(person)
    }
    let count = try await store.updateAll(ContractPerson.self, where: { $0.age > 20 }) { $0.height.value = 1 }
    #expect(count == 1)
    #expect(try await InterruptedStore(engine).list(ContractPerson.self).map(\.height.value) == [nil, 1])
  }

  @Test func `A replacement also deletes a model that another writer created meanwhile`() async throws {
    let engine = InterruptedEngine()
    let store = try await makeStore(engine)
    let added = ContractPerson()
    added.name.value = "Ada"
    engine.beforeNextCommit {
      let person = ContractPerson()
      person.name.value = "Bob"
      try await InterruptedStore(engine).create(person)
    }
    try await store.replaceAll(ContractPerson.self, with: [added])
    #expect(try await InterruptedStore(engine).list(ContractPerson.self).map(\.name.value) == ["Ada"])
    #expect(try await store.list(ContractPerson.self) == [added])
  }

  @Test func `A replacement with another object for a stored identifier is tried once`() async throws {
    let store = try await makeStore(InterruptedEngine())
    let stored = try await store.list(ContractPerson.self)
    let double = ContractPerson()
    double.name.value = "Double"
    double.id.value = stored[0].id.value
    let error = await #expect(throws: ModelStoreError.self) {
      try await store.replaceAll(ContractPerson.self, with: [double])
    }
    #expect(error?.code == .conflict)
    #expect(try await store.list(ContractPerson.self) == stored)
  }
}

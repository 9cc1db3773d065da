import MemoryStore
import StoreProtocolTesting
import Testing

@Suite struct `An index of a memory store` {
  private let store = MemoryModelStore()

  private func person(_ name: String, age: Int? = nil) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    person.age.value = age
    return person
  }

  private func names(age: Int?, in instance: MemoryModelStore) throws -> [String?] {
    try instance.listImmediately(ContractPerson.self, where: { $0.age == age }).map(\.name.value)
  }

  @Test func `An index of a memory store follows creates, updates and deletes, those of other store instances too`()
    async throws
  {
    try await store.create(person("Ada", age: 36))
    try store.index(\ContractPerson.age)
    let bob = try await store.create(person("Bob", age: 40))
    try await store.create(person("Cleo", age: 36))
    #expect(try names(age: 36, in: store) == ["Ada", "Cleo"])
    let other = MemoryModelStore(store.handle)
    let sameBob = try await other.lookup(ContractPerson.self, identifier: bob.identifier ?? "")
    sameBob.age.value = 36
    try await other.update(sameBob)
    #expect(try names(age: 36, in: store) == ["Ada", "Bob", "Cleo"])
    #expect(try names(age: 40, in: store) == [])
    try await store.delete(bob)
    #expect(try names(age: 36, in: other) == ["Ada", "Cleo"])
    try await store.create(person("Dan"))
    #expect(try names(age: nil, in: store) == ["Dan"])
  }

  @Test func `An index of a memory store that is unique refuses a second value and names the field`() async throws {
    try store.index(\ContractPerson.name, unique: true)
    let ada = try await store.create(person("Ada"))
    let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(person("Ada")) }
    #expect(error?.code == .conflict)
    #expect(error?.fields == ["name": ["is taken"]])
    let bob = try await store.create(person("Bob"))
    bob.name.value = "Ada"
    await #expect(throws: ModelStoreError.self) { _ = try await store.update(bob) }
    #expect(bob.name.isDirty)
    ada.age.value = 36
    try await store.update(ada)
    try await store.delete(ada)
    try await store.update(bob)
    #expect(try await store.count(ContractPerson.self, where: { $0.name == "Ada" }) == 1)
  }

  @Test func `An index of a memory store that is unique makes a batch all or nothing`() async throws {
    try store.index(\ContractPerson.name, unique: true)
    try store.index(\ContractPerson.age)
    await #expect(throws: ModelStoreError.self) {
      _ = try await store.createAll([person("Ada", age: 1), person("Bob", age: 1), person("Ada", age: 1)])
    }
    #expect(try await store.count(ContractPerson.self) == 0)
    #expect(try names(age: 1, in: store) == [])
    try await store.create(person("Ada", age: 1))
    #expect(try names(age: 1, in: store) == ["Ada"])
  }

  @Test func `An index of a memory store that is unique lets values be exchanged in a transaction, and stays unique`()
    async throws
  {
    try store.index(\ContractPerson.name, unique: true)
    let ada = person("Ada"), bob = person("Bob"), cleo = person("Cleo")
    try await store.createAll([ada, bob, cleo])
    try await store.transaction { store in
      ada.name.value = "Bob"
      try await store.update(ada)
      bob.name.value = "Ida"
      try await store.update(bob)
      bob.name.value = "Ada"
      try await store.update(bob)
    }
    #expect(try await store.list(ContractPerson.self).map(\.name.value) == ["Bob", "Ada", "Cleo"])
    #expect(try await store.list(ContractPerson.self, where: { $0.name == "Ada" }) == [bob])
    await #expect(throws: ModelStoreError.self) {
      try await store.transaction { store in
        // A value that another model had only in between is free. A value that it has at the end is not.
        ada.name.value = "Ida"
        try await store.update(ada)
        bob.name.value = "Cleo"
        try await store.update(bob)
      }
    }
    try store.index(\ContractPerson.name)
    await #expect(throws: ModelStoreError.self) { _ = try await store.create(person("Cleo")) }
    #expect(try await store.list(ContractPerson.self, where: { $0.name == "Cleo" }) == [cleo])
  }

  @Test func `An index of a memory store is refused where a value is there twice already`() async throws {
    try await store.createAll([person("Ada"), person("Ada")])
    let error = #expect(throws: ModelStoreError.self) { try store.index(\ContractPerson.name, unique: true) }
    #expect(error?.code == .conflict)
    try await store.create(person("Ada"))
  }

  @Test func `An index of a foreign key in a memory store finds the models that reference another one`() async throws {
    try store.index(\ContractPerson.company)
    let acme = ContractCompany()
    acme.id.value = "acme"
    try await store.create(acme)
    let ada = person("Ada")
    ada.company.value = acme
    try await store.create(ada)
    try await store.create(person("Bob"))
    #expect(try store.listImmediately(ContractPerson.self, where: { $0.company == acme }) == [ada])
    #expect(try await store.list(in: acme.employees) == [ada])
  }
}

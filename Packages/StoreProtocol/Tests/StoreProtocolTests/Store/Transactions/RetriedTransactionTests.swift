import StoreEngine
import StoreProtocol
import StoreProtocolTesting
import Testing

@Suite struct `Transactions with retries` {
  /// Returns a store with a person, and another store instance that changes the person's age in the first runs.
  private func makeStores() async throws -> (store: ShelfStore, rival: ShelfStore, identifier: String) {
    let engine = ShelfEngine()
    let store = ShelfStore(engine)
    let person = ContractPerson()
    (person.name.value, person.age.value) = ("Ada", 0)
    try await store.create(person)
    return (store, ShelfStore(engine), try #require(person.identifier))
  }

  private func count(_ store: ShelfStore, _ identifier: String, by number: Int) async throws {
    let person = try await store.lookup(ContractPerson.self, identifier: identifier)
    person.age.value = (person.age.value ?? 0) + number
    try await store.update(person)
  }

  @Test func `A transaction runs again with the values of another writer`() async throws {
    let (store, rival, identifier) = try await makeStores()
    var runs = 0
    let result = try await store.transaction(retries: 5) { store in
      runs += 1
      _ = try await store.lookup(ContractPerson.self, identifier: identifier)
      if runs < 3 { try await count(rival, identifier, by: 10) }
      try await count(store, identifier, by: 1)
      return runs
    }
    #expect(result == 3)
    #expect(try await rival.lookup(ContractPerson.self, identifier: identifier).age.value == 21)
  }

  @Test func `The conflict of the last run is thrown, and nothing is written`() async throws {
    let (store, rival, identifier) = try await makeStores()
    var runs = 0
    let error = await #expect(throws: ModelStoreError.self) {
      try await store.transaction(retries: 2) { store in
        runs += 1
        _ = try await store.lookup(ContractPerson.self, identifier: identifier)
        try await count(rival, identifier, by: 10)
        try await count(store, identifier, by: 1)
      }
    }
    #expect(error?.code == .conflict && runs == 3)
    #expect(try await rival.lookup(ContractPerson.self, identifier: identifier).age.value == 30)
  }

  @Test func `Other errors, and conflicts inside of another transaction, are thrown at once`() async throws {
    let (store, _, _) = try await makeStores()
    var runs = 0
    await #expect(throws: ModelStoreError.self) {
      try await store.transaction(retries: 5) { store in
        runs += 1
        _ = try await store.lookup(ContractPerson.self, identifier: "none")
      }
    }
    #expect(runs == 1)
    await #expect(throws: ModelStoreError.self) {
      try await store.transaction { store in
        try await store.transaction(retries: 5) { _ in
          runs += 1
          throw ModelStoreError(.conflict, "Another writer was faster.")
        }
      }
    }
    #expect(runs == 2)
    await #expect(throws: ModelStoreError.self) {
      try await store.transaction(retries: 5) { _ in
        runs += 1
        throw ModelStoreError(.conflict, "The name is taken.", fields: ["name": ["is taken"]])
      }
    }
    #expect(runs == 3)
  }
}

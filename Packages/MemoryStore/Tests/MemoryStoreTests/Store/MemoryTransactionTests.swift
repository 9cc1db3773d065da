import MemoryStore
import StoreProtocolTesting
import Testing

@Suite struct `A memory store as a whole` {
  private let store = MemoryModelStore()

  @Test func `A memory store as a whole is written as JSON and restored from it`() async throws {
    let acme = ContractCompany(), ada = ContractPerson(), bob = ContractPerson()
    acme.id.value = "acme"
    ada.name.value = "Ada"
    ada.company.value = acme
    bob.name.value = "Bob"
    bob.age.value = nil
    try await store.create(acme)
    try await store.createAll([ada, bob])
    let snapshot = try JSONValue(json: store.snapshot().jsonData())
    let other = MemoryModelStore()
    try other.index(\ContractPerson.name, unique: true)
    try other.restore(snapshot)
    #expect(try other.snapshot() == snapshot)
    #expect(try other.listImmediately(ContractPerson.self, where: { $0.name == "Bob" }).map(\.id.value) == [2])
    #expect(try await other.lookup(ContractPerson.self, identifier: "1").company.value?.identifier == "acme")
    let next = ContractPerson()
    next.name.value = "Cleo"
    try await other.create(next)
    #expect(next.id.value == 3)
  }

  @Test func `New models get no identifier from before a restore`() async throws {
    let snapshot = try store.snapshot()
    let (ada, bob) = (ContractPerson(), ContractPerson())
    ada.name.value = "Ada"
    bob.name.value = "Bob"
    try await store.create(ada)
    try store.restore(snapshot)
    try await store.create(bob)
    #expect(bob.id.value == 2)
    #expect(ada.id.value == 1)
  }

  @Test
  func `An unloaded reference without record is unloaded again after a transaction that created its record failed`()
    async throws
  {
    struct Refusal: Error {}
    let company = ContractCompany.with(identifier: "acme", in: store.scope)
    company.name.value = "Acme"
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        try await store.save(company)
        #expect(company.loadState == .loaded)
        throw Refusal()
      }
    }
    #expect(company.loadState == .incomplete && company.employees.count == nil)
    #expect(company.name.isDirty)
  }

  @Test func `A changed unloaded reference without record is loaded once it is saved`() async throws {
    let company = ContractCompany.with(identifier: "acme", in: store.scope)
    company.name.value = "Acme"
    try await store.save(company)
    #expect(company.loadState == .loaded && !company.isDirty)
  }

  @Test func `A memory store keeps its records when a snapshot can't be restored`() async throws {
    let ada = ContractPerson()
    ada.name.value = "Ada"
    try await store.create(ada)
    let before = try store.snapshot()
    let record: JSONValue = ["identifier": "1", "value": ["id": 1]]
    for bad in [
      [:], ["version": 2, "types": [:]], ["version": 1, "types": ["T": [["identifier": "1"]]]],
      ["version": 1, "types": ["T": ["1": ["id": 1]]]], ["version": 1, "types": ["T": [record, record]]],
    ] as [JSONValue] {
      #expect(throws: ModelStoreError.self) { try store.restore(bad) }
    }
    #expect(try store.snapshot() == before)
  }

  @Test func `A memory store as a whole refuses a snapshot with a record that could not be read again`() async throws {
    try await store.create(ContractPerson.from(dictionaryValue: ["name": "Ada"], in: store.scope))
    let before = try store.snapshot()
    func snapshot(_ value: JSONValue) -> JSONValue {
      ["version": 1, "types": ["Paper": [["identifier": "p1", "value": ["id": "p1", "content": value]]]]]
    }
    // The record is one object around it.
    let deep = (0..<500).reduce(JSONValue.string("innermost")) { inner, _ in [inner] }
    for bad in [deep, .double(.nan), .double(.infinity)] {
      let error = #expect(throws: ModelStoreError.self) { try store.restore(snapshot(bad)) }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("p1") == true)
    }
    #expect(try store.snapshot() == before)
    if case .array(let inner) = deep { try store.restore(snapshot(inner[0])) }
    #expect(try store.snapshot()["types"]?["Paper"]?.arrayValue?.count == 1)
  }

  @Test func `A memory store as a whole is not changed by models that are edited and not saved`() async throws {
    let ada = ContractPerson()
    ada.name.value = "Ada"
    ada.tags.value = ["x"]
    try await store.create(ada)
    ada.name.value = "Augusta"
    ada.tags.append("y")
    let instance = MemoryModelStore(store.handle)
    let stored = try instance.lookupImmediately(ContractPerson.self, identifier: "1")
    #expect(stored.name == "Ada")
    #expect(stored.tags.value == ["x"])
  }

  @Test func `A memory store as a whole refuses a transaction whose models another store instance changed meanwhile`()
    async throws
  {
    let ada = ContractPerson()
    ada.name.value = "Ada"
    try await store.create(ada)
    let other = MemoryModelStore(store.handle)
    let error = await #expect(throws: ModelStoreError.self) {
      try await store.transaction { store in
        ada.age.value = 1
        _ = try await store.update(ada)
        let same = try await other.lookup(ContractPerson.self, identifier: "1")
        same.age.value = 2
        try await other.update(same)
      }
    }
    #expect(error?.code == .conflict)
    #expect(ada.age.value == 2 && !ada.isDirty)
    #expect(try await other.count(ContractPerson.self, where: { $0.age == 2 }) == 1)
  }
}

import StoreEngine
import StoreProtocolTesting
import Testing

@Suite @MainActor struct `Related models of live results` {
  /// Renames a person and a company in one transaction.
  private static func rename(_ name: String, in store: InterruptedStore) async throws {
    try await store.transaction { store in
      let person = try await store.lookup(ContractPerson.self, identifier: "1")
      person.name.value = name
      try await store.update(person)
      let company = try await store.lookup(ContractCompany.self, identifier: "acme")
      company.name.value = name
      try await store.update(company)
    }
  }

  private static func names(_ result: LiveResult<ContractPerson>?) -> [String?] {
    [result?.models.first?.name.value, result?.models.first?.company.value?.name.value]
  }

  @Test func `Related models of live results are of the moment of the models`() async throws {
    let engine = InterruptedEngine()
    let writer = InterruptedStore(engine)
    let company = ContractCompany(), person = ContractPerson()
    company.id.value = "acme"
    (person.id.value, person.name.value, person.company.value) = (1, "0", company)
    try await writer.create(company)
    try await writer.create(person)
    let other = InterruptedStore(engine)
    // The first snapshot has the people, and the second one their companies.
    engine.beforeSnapshot(2) { try await Self.rename("1", in: other) }
    var results = InterruptedStore(engine).observe(ContractPerson.self, including: [\.company]).makeAsyncIterator()
    #expect(Self.names(await results.next()) == ["1", "1"])
    try await Self.rename("2", in: writer)
    engine.beforeSnapshot(1) { try await Self.rename("3", in: other) }
    #expect(Self.names(await results.next()) == ["3", "3"])
  }

  @Test func `A live result is delivered although others write all the time`() async throws {
    let engine = InterruptedEngine()
    let writer = InterruptedStore(engine)
    let company = ContractCompany(), person = ContractPerson()
    company.id.value = "acme"
    (person.id.value, person.name.value, person.company.value) = (1, "0", company)
    try await writer.create(company)
    try await writer.create(person)
    let other = InterruptedStore(engine)
    let count = Counter()
    @Sendable @MainActor func renameAgain() async throws {
      count.value += 1
      try await Self.rename("\(count.value)", in: other)
      engine.beforeSnapshot(1, renameAgain)
    }
    engine.beforeSnapshot(2, renameAgain)
    var results = InterruptedStore(engine).observe(ContractPerson.self, including: [\.company]).makeAsyncIterator()
    #expect(await results.next()?.error == nil)
    #expect(count.value > 1)
  }

  @MainActor private final class Counter {
    var value = 0
  }
}

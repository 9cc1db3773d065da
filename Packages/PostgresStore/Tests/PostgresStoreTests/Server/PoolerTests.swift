#if Postgres
  import Foundation
  import PostgresStore
  import StoreProtocolTesting
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `A PostgreSQL store behind a pooler` {
    private static let location = Task { try await TestServer.shared.value.pooled() }

    private static func makeStore() async throws -> PostgresModelStore {
      var options = TestServer.options()
      options.preparesStatements = false
      return PostgresModelStore(try await location.value, options: options)
    }

    @Test(arguments: ModelStoreContract.checks)
    func `A PostgreSQL store keeps the contract behind a pooler of transactions`(check: ModelStoreContract.Check)
      async throws
    {
      try await check.run { try await Self.makeStore() }
    }

    @Test(arguments: ModelStoreContract.sharedEngineChecks)
    func `A PostgreSQL store keeps the promises about several store instances behind a pooler of transactions`(
      check: ModelStoreContract.SharedEngineCheck
    ) async throws {
      let engine = try await Self.makeStore().handle
      try await check.run { PostgresModelStore(engine) }
    }

    // Calls have connections of their own and can overtake each other.
    @Test(arguments: ModelStoreContract.liveChecks(without: [.orderedReads]))
    func `A PostgreSQL store keeps live results up to date behind a pooler of transactions`(
      check: ModelStoreContract.SharedEngineCheck
    ) async throws {
      let engine = try await Self.makeStore().handle
      try await check.run { PostgresModelStore(engine) }
    }

    @Test(arguments: TestEffort.seeds(1))
    func `A PostgreSQL store behind a pooler loses no increment unless a conflict is reported`(seed: UInt64)
      async throws
    {
      let engine = try await Self.makeStore().handle
      try await ModelStoreContract.randomEdits(20, seed: seed).run { PostgresModelStore(engine) }
    }

    @Test func `A store behind a pooler creates columns and uses them`() async throws {
      let store = try await Self.makeStore()
      try await store.prepare([ContractPerson.self])
      let person = ContractPerson()
      person.name.value = "Ada"
      person.age.value = 36
      try await store.create(person)
      try await store.index(\ContractPerson.age)
      #expect(try await store.count(ContractPerson.self, where: { $0.age == 36 }) == 1)
    }
  }
#endif

#if Postgres
  import Foundation
  import PostgresStore
  import StoreProtocolTesting
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `A PostgreSQL store` {
    @Test(arguments: ModelStoreContract.checks)
    func `A PostgreSQL store keeps the whole contract`(check: ModelStoreContract.Check) async throws {
      try await check.run { try await TestServer.makeStore() }
    }

    @Test(arguments: ModelStoreContract.sharedEngineChecks)
    func `A PostgreSQL store keeps the promises about several store instances`(
      check: ModelStoreContract.SharedEngineCheck
    ) async throws {
      let engine = try await TestServer.makeStore().handle
      try await check.run { PostgresModelStore(engine) }
    }

    // Calls have connections of their own and can overtake each other, also with a pool of two.
    @Test(arguments: ModelStoreContract.liveChecks(without: [.orderedReads]))
    func `A PostgreSQL store keeps live results up to date`(check: ModelStoreContract.SharedEngineCheck) async throws {
      let engine = try await TestServer.makeStore().handle
      try await check.run { PostgresModelStore(engine) }
    }

    @Test func `The server has a version that the store supports`() async throws {
      let version = try #require(Int(try await TestServer.shared.value.psql("SHOW server_version_num")))
      #expect(version >= 140_000)
    }

    /// Returns a store with columns for fields of each form, and for foreign keys.
    private static func makeIndexedStore() async throws -> PostgresModelStore {
      let store = try await TestServer.makeStore()
      try await store.prepare([
        ContractPerson.self, ContractCompany.self, ContractTeam.self, ContractMember.self, ContractDebt.self,
        ContractTicket.self, ContractAnimal.self,
      ])
      try await store.index(\ContractPerson.name)
      try await store.index(\ContractPerson.age)
      try await store.index(\ContractPerson.height)
      try await store.index(\ContractPerson.anniversary)
      try await store.index(\ContractPerson.nickname)
      try await store.index(\ContractPerson.isActive)
      try await store.index(\ContractPerson.joined)
      try await store.index(\ContractPerson.balance)
      return store
    }

    @Test(arguments: ModelStoreContract.checks)
    func `A PostgreSQL store with indexes keeps the whole contract`(check: ModelStoreContract.Check) async throws {
      try await check.run { try await Self.makeIndexedStore() }
    }

    @Test(arguments: TestEffort.seeds(1))
    func `A PostgreSQL store finds with random queries the same models as plain Swift`(seed: UInt64) async throws {
      try await ModelStoreContract.randomQueries(300, seed: seed).run { try await TestServer.makeStore() }
      try await ModelStoreContract.randomQueries(300, seed: seed + 1).run { try await Self.makeIndexedStore() }
    }

    @Test(arguments: TestEffort.seeds(1))
    func `A PostgreSQL store calculates random sums and groups as plain Swift does`(seed: UInt64) async throws {
      try await ModelStoreContract.randomAggregates(100, seed: seed).run { try await TestServer.makeStore() }
      try await ModelStoreContract.randomAggregates(100, seed: seed + 1).run { try await Self.makeIndexedStore() }
    }

    @Test(arguments: TestEffort.seeds(1))
    func `A PostgreSQL store has one object for one identifier while several tasks write beside observers`(seed: UInt64)
      async throws
    {
      let engine = try await TestServer.makeStore().handle
      try await ModelStoreContract.randomObservers(5, seed: seed * 1_000).run { PostgresModelStore(engine) }
    }

    @Test(arguments: TestEffort.seeds(1))
    func `A PostgreSQL store loses no increment of several store instances unless a conflict is reported`(seed: UInt64)
      async throws
    {
      let engine = try await TestServer.makeStore().handle
      try await ModelStoreContract.randomEdits(20, seed: seed).run { PostgresModelStore(engine) }
    }
  }
#endif

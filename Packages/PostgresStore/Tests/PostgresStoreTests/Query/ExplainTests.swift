#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import StoreProtocolTesting
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Reports on queries of a PostgreSQL store` {
    private func makeStore() async throws -> PostgresModelStore {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      try await store.index(\ContractPerson.age)
      try await store.createAll(
        (1...2_000).map { number -> ContractPerson in
          let person = ContractPerson()
          (person.name.value, person.age.value) = ("Person \(number)", number % 120)
          return person
        })
      try await TestServer.shared.value.psql("ANALYZE \(options.schema).contract_person")
      return store
    }

    @Test func `A report has the plan of the server, without values`() async throws {
      let store = try await makeStore()
      let report = try await store.explain(ModelQuery(ContractPerson.self, where: { $0.age == 97 }))
      let plan = try #require(report.databasePlan)
      #expect(plan.contains("contract_person_age_idx"))
      #expect(plan.contains("$1"))
      #expect(!plan.contains("'97'"))
      #expect("\(report)".hasSuffix("\n" + plan))
    }

    @Test func `A report shows that a condition without an index reads all rows`() async throws {
      let store = try await makeStore()
      let query = ModelQuery(
        ContractPerson.self, where: { $0.name.isIn(["Person 1", "Person 2"]) }, sort: [.descending(\.height)], limit: 2)
      let plan = try #require(try await store.explain(query).databasePlan)
      #expect(plan.contains("Seq Scan on contract_person"))
      #expect(plan.contains("Sort"))
      #expect(!plan.contains("Person 1"))
    }

    @Test func `The plan of a query without values is reported, and nothing remains of it on the server`() async throws
    {
      let store = try await makeStore()
      let plan = try await store.explain(ModelQuery(ContractPerson.self, sort: [.ascending(\.age)])).databasePlan
      #expect(plan?.contains("contract_person") == true)
      // The only connection of the store would report a second statement of one name.
      for _ in 0..<20 { _ = try await store.explain(ModelQuery(ContractPerson.self, where: { $0.age < 3 })) }
    }
  }
#endif

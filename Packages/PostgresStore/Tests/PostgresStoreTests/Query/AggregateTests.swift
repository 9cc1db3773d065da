#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  @testable import StoreProtocolTesting
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Aggregates of a PostgreSQL store` {
    /// Returns the number of statements with a text that the server has run for a table of a schema.
    private func statements(with text: String, _ options: PostgresStoreOptions) async throws -> Int {
      let log = try await TestServer.shared.value.folder.appending(path: "server.log")
      return try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        .count { $0.contains("FROM \"\(options.schema)\".\"contract_person\"") && $0.contains(text) }
    }

    private func makeStore(_ options: PostgresStoreOptions) async throws -> PostgresModelStore {
      let location = try await TestServer.shared.value.location + "?options=-c%20log_statement%3Dall"
      return PostgresModelStore(location, options: options)
    }

    @Test func `The least and the greatest value, and counts of different ones, transfer no other records`()
      async throws
    {
      let options = TestServer.options()
      let store = try await makeStore(options)
      try await store.createAll(
        (0..<100).map { number -> ContractPerson in
          let person = ContractPerson()
          (person.name.value, person.age.value) = ("Person \(number % 7)", number == 50 ? nil : number % 30)
          return person
        })
      let other = try await makeStore(options)
      #expect(try await other.minimum(ContractPerson.self, of: { $0.age }) == 0)
      #expect(try await other.maximum(ContractPerson.self, of: { $0.age }, where: { $0.age < 20 }) == 19)
      #expect(try await other.maximum(ContractPerson.self, of: { $0.age }, where: { $0.age > 99 }) == nil)
      #expect(try await other.count(ContractPerson.self, distinct: { $0.name }) == 7)
      #expect(try await other.count(ContractPerson.self, distinct: { $0.age }, where: { $0.name != "Person 1" }) == 30)
      #expect(try await statements(with: "SELECT t.id", options) == 3)
      #expect(try await statements(with: " LIMIT ", options) == 3)
      #expect(try await statements(with: "count(DISTINCT ", options) == 2)
      // A transaction sees what it wrote.
      try await other.transaction { store in
        let person = ContractPerson()
        (person.name.value, person.age.value) = ("Other", 77)
        try await store.create(person)
        #expect(try await store.maximum(ContractPerson.self, of: { $0.age }) == 77)
        #expect(try await store.count(ContractPerson.self, distinct: { $0.name }) == 8)
      }
    }

    @Test(arguments: TestEffort.seeds(1))
    func `Random aggregates are those of plain Swift`(seed: UInt64) async throws {
      let store = try await TestServer.makeStore()
      var random = RandomSource(seed: seed)
      let people = try await ModelStoreContract.fill(store, &random)
      for _ in 0..<60 {
        let condition = RandomCondition.random(&random, depth: 2)
        let found = people.filter(condition.holds)
        let (type, filter) = (ContractPerson.self, condition.query)
        #expect(try await store.minimum(type, of: { $0.age }, where: filter) == found.compactMap(\.age).min())
        #expect(try await store.maximum(type, of: { $0.height }, where: filter) == found.compactMap(\.height).max())
        #expect(try await store.maximum(type, of: { $0.joined }, where: filter) == found.compactMap(\.joined).max())
        #expect(try await store.minimum(type, of: { $0.balance }, where: filter) == found.compactMap(\.balance).min())
        let ages = Set(found.compactMap(\.age)), names = Set(found.map { Array($0.name.utf8) })
        #expect(try await store.count(type, distinct: { $0.age }, where: filter) == ages.count)
        #expect(try await store.count(type, distinct: { $0.name }, where: filter) == names.count)
      }
    }
  }
#endif

#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreEngine
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

    @Test func `Sums, averages and groups transfer a row for each group, and no records`() async throws {
      let options = TestServer.options()
      let store = try await makeStore(options)
      try await store.createAll(
        (0..<100).map { number -> ContractPerson in
          let person = ContractPerson()
          (person.name.value, person.age.value) = ("Person \(number % 3)", number == 50 ? nil : number)
          (person.height.value, person.balance.value) = (Double(number) / 10, Decimal(number) / 100)
          return person
        })
      let other = try await makeStore(options)
      let heights = (0..<100).reduce(0.0) { $0 + Double($1) / 10 }
      #expect(try await other.sum(ContractPerson.self, of: { $0.age }) == 4_900)
      #expect(try await other.average(ContractPerson.self, of: { $0.age }) == 4_900.0 / 99)
      #expect(try await other.sum(ContractPerson.self, of: { $0.height }) == heights)
      #expect(try await other.average(ContractPerson.self, of: { $0.balance }) == Decimal(string: "0.495"))
      #expect(try await other.sum(ContractPerson.self, of: { $0.age }, where: { $0.age > 900 }) == nil)
      let groups = try await other.groups(
        ContractPerson.self, by: { $0.name }, where: { $0.age < 99 }, sort: { [.descending($0.sum(\.age))] }, limit: 2
      ) { ($0.count, $0.sum(\.age), $0.minimum(\.balance), $0.maximum(\.name), $0.count(distinct: { $0.age })) }
      #expect(groups.map(\.key) == ["Person 1", "Person 2"])
      #expect(groups.map(\.values.0) == [33, 32] && groups.map(\.values.1) == [1_617, 1_600])
      #expect(groups.map(\.values.2) == [Decimal(1) / 100, Decimal(2) / 100] && groups.map(\.values.4) == [33, 32])
      #expect(groups.map(\.values.3) == ["Person 1", "Person 2"])
      #expect(try await statements(with: "SELECT t.id", options) == 0)
      #expect(try await statements(with: "GROUP BY ", options) == 1)
      // A transaction sees what it wrote.
      try await other.transaction { store in
        let person = ContractPerson()
        (person.name.value, person.age.value) = ("Other", 100)
        try await store.create(person)
        #expect(try await store.sum(ContractPerson.self, of: { $0.age }) == 5_000)
      }
    }

    @Test func `Values that SQL does not add or compare as Swift does are read`() async throws {
      let options = TestServer.options()
      let store = try await makeStore(options)
      func add(_ name: String, _ age: Int? = nil, _ balance: String? = nil) async throws {
        let person = ContractPerson()
        (person.name.value, person.age.value) = (name, age)
        person.balance.value = balance.flatMap { Decimal(string: $0) }
        try await store.create(person)
      }
      // The sum has 39 digits, which a Decimal can have up to 3.4e38.
      for name in ["e\u{301}", "\u{e9}"] { try await add(name, nil, "99999999999999999999999999999999999999") }
      let total = Decimal(string: "199999999999999999999999999999999999998")
      #expect(try await store.sum(ContractPerson.self, of: { $0.balance }) == total)
      // Texts with other scalars are other keys, as they are other values for conditions.
      #expect(try await store.groups(ContractPerson.self, by: { $0.name }) { $0.count }.map(\.values) == [1, 1])
      for _ in 0..<2 { try await add("99", nil, "300000000000000000000000000000000000000") }
      let error = await #expect(throws: ModelStoreError.self) {
        _ = try await store.sum(ContractPerson.self, of: { $0.balance })
      }
      #expect(error?.code == .invalid)
      // A zero character, which SQL can't read.
      try await add("a\u{0}b", 5)
      let groups = try await store.groups(ContractPerson.self, by: { $0.name }) { ($0.count, $0.sum(\.age)) }
      #expect(groups.map(\.key) == ["e\u{301}", "\u{e9}", "99", "a\u{0}b"])
      #expect(groups.map(\.values.0) == [1, 1, 2, 1] && groups.last?.values.1 == 5)
      // A number that its field can't have.
      let unfit = Array(#"{"id":90,"name":"unfit","age":1.5}"#.utf8)
      try await store.handle.commit(RecordBatch([.create(ContractPerson.typeName, "90", unfit)]))
      let corrupt = await #expect(throws: ModelStoreError.self) {
        _ = try await store.sum(ContractPerson.self, of: { $0.age })
      }
      #expect(corrupt?.code == .corrupt)
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
        let heights = found.compactMap(\.height)
        // With the same rounding.
        let sum = heights.isEmpty ? nil : heights.reduce(0, +)
        #expect(try await store.sum(type, of: { $0.height }, where: filter) == sum)
        let groups = try await store.groups(type, by: { $0.name }, where: filter) { ($0.count, $0.average(\.height)) }
        var keys: [[UInt8]] = []
        for name in found.map({ Array($0.name.utf8) }) where !keys.contains(name) { keys.append(name) }
        #expect(groups.map { Array(($0.key ?? "").utf8) } == keys)
        for (key, values) in groups {
          let members = found.filter { Array($0.name.utf8) == Array((key ?? "").utf8) }.map(\.height)
          let known = members.compactMap(\.self)
          #expect(values.0 == members.count)
          #expect(values.1 == (known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)))
        }
      }
    }
  }
#endif

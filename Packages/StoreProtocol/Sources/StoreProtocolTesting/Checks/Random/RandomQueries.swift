import Foundation
import StoreProtocol

extension ModelStoreContract {
  /// Returns a check that random queries on random data find the same models as plain Swift.
  ///
  /// ```swift
  /// @Test func findsWhatPlainSwiftFinds() async throws {
  ///   try await ModelStoreContract.randomQueries(10_000, seed: 7).run {
  ///     MemoryModelStore()
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - count: the number of queries.
  ///   - seed: the seed of the random numbers. The same seed gives the same data and queries. A violation reports it.
  public static func randomQueries(_ count: Int, seed: UInt64) -> Check {
    Check("random queries find what plain Swift finds", needs: [.queries]) { store in
      var random = RandomSource(seed: seed)
      let people = try await fill(store, &random)
      let companies = try await store.list(ContractCompany.self)
      defer { withExtendedLifetime(companies) {} }
      let models = try await store.list(ContractPerson.self)
      for number in 1...max(count, 1) {
        var (query, expected) = randomQuery(people, &random)
        // A query that was written and read is the same query.
        if number % 11 == 0 {
          let read = try ModelQuery<ContractPerson>(json: JSONValue(json: query.json.jsonData()))
          try requireEqual(read, query, "what was read of the JSON of a query, seed \(seed),")
          query = read
        }
        let found: [String]
        switch number % 3 {
        case 0: found = try await store.list(query).map { $0.identifier ?? "?" }
        default: found = try await store.identifiers(query)
        }
        try require(
          found == expected.map { String($0.id) },
          "query \(number) of seed \(seed), \(query), finds \(found), not \(expected.map(\.id))")
        if number % 7 == 0 {
          try requireEqual(try await store.count(query), expected.count, "the count of \(query), seed \(seed),")
        }
        if number % 5 == 0 {
          try requireEqual(
            try query.apply(to: models).map(\.id.value), expected.map(\.id),
            "what live models give for \(query), seed \(seed),")
        }
      }
    }
  }

  /// Puts random people into a store, and removes the models from memory.
  static func fill(_ store: any ModelStore, _ random: inout RandomSource) async throws -> [PlainPerson] {
    let people = (1...40).map { PlainPerson(id: $0, &random) }
    var companies: [String: ContractCompany] = [:]
    for plain in PlainPerson.companies {
      let company = ContractCompany()
      company.id.value = plain.id
      company.name.value = plain.name
      companies[plain.id] = try await store.create(company)
    }
    for plain in people { try await store.create(plain.model(companies, &random)) }
    return people
  }

  static func randomQuery(
    _ people: [PlainPerson], _ random: inout RandomSource
  ) -> (ModelQuery<ContractPerson>, [PlainPerson]) {
    let condition = RandomCondition.random(&random, depth: Int.random(in: 0...3, using: &random))
    var query = ModelQuery(ContractPerson.self, where: condition.query)
    var found = people.filter(condition.holds)
    if random.next() % 3 == 0 {
      let orders = (0..<Int.random(in: 1...3, using: &random)).map { _ in RandomOrder.random(&random) }
      query.sort = orders.map(\.sort)
      found = RandomOrder.sorted(found, by: orders)
    }
    if random.next() % 3 == 0 {
      let (offset, limit) = (Int.random(in: 0...5, using: &random), Int.random(in: 0...20, using: &random))
      query.offset = offset
      query.limit = limit
      found = Array(found.dropFirst(offset).prefix(limit))
    }
    return (query, found)
  }
}

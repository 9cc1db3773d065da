import Foundation
import StoreProtocol

// Live aggregates and groups.
extension ModelStoreContract {
  static let observingValues: [SharedEngineCheck] = [
    SharedEngineCheck("a live count and a live sum are given again only when they differ", needs: [.queries]) {
      makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let ada = try await writer.create(ContractPerson.named("Ada", age: 60))
      let bob = try await writer.create(ContractPerson.named("Bob", age: 20))
      var counts = reader.observeValue(ContractPerson.self, where: { $0.age > 50 }, { $0.count }).makeAsyncIterator()
      var sums = reader.observeValue(ContractPerson.self, { $0.sum(\.age) }).makeAsyncIterator()
      func count() async throws -> Int { try await next(&counts, "observeValue").get() }
      func sum() async throws -> Int? { try await next(&sums, "observeValue").get() }
      try requireEqual(try await count(), 1, "the first count")
      try requireEqual(try await sum(), 80, "the first sum")
      // Neither the count nor the sum is another one.
      bob.name.value = "Robert"
      try await writer.update(bob)
      bob.age.value = 30
      try await writer.update(bob)
      try requireEqual(try await sum(), 90, "the sum after an update")
      bob.age.value = 55
      try await writer.update(bob)
      try requireEqual(try await count(), 2, "the count after one matches")
      try requireEqual(try await sum(), 115, "the sum after one matches")
      try await writer.delete(ada)
      try requireEqual(try await count(), 1, "the count after a deletion")
      try requireEqual(try await sum(), 55, "the sum after a deletion")
    },
    SharedEngineCheck("live groups follow related models", needs: [.queries]) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let company = ContractCompany.named("Acme")
      company.id.value = "acme"
      try await writer.create(company)
      for age in [20, 30] {
        let person = ContractPerson.named("\(age)", age: age)
        person.company.value = company
        try await writer.create(person)
      }
      var groups = reader.observeGroups(ContractPerson.self, by: { $0.company.name }) { ($0.count, $0.sum(\.age)) }
        .makeAsyncIterator()
      func describe() async throws -> [String] {
        try await next(&groups, "observeGroups").get().map { "\($0.key ?? "none") \($0.values.0) \($0.values.1 ?? 0)" }
      }
      try requireEqual(try await describe(), ["Acme 2 50"], "the first groups")
      company.name.value = "Bacme"
      try await writer.update(company)
      try requireEqual(try await describe(), ["Bacme 2 50"], "the groups after the company was renamed")
      try await writer.create(ContractPerson.named("40", age: 40))
      try requireEqual(try await describe(), ["Bacme 2 50", "none 1 40"], "the groups after one was created")
    },
    SharedEngineCheck(
      "a live value that a transaction begins to observe has only committed records", needs: [.queries, .transactions]
    ) { makeStore in
      struct Refusal: Error {}
      let store = try live(await makeStore())
      let person = try await store.create(ContractPerson.named("Ada", age: 1))
      do {
        try await transaction(in: store) { store in
          person.age.value = 100
          try await store.save(person)
          var sums = try live(store).observeValue(ContractPerson.self, { $0.sum(\.age) }).makeAsyncIterator()
          try requireEqual(try await next(&sums, "observeValue").get(), 1, "the sum inside the transaction")
          throw Refusal()
        }
      } catch is Refusal {}
    },
    SharedEngineCheck("a live value of an invalid query has an error", needs: [.queries]) { makeStore in
      let reader = try live(await makeStore())
      var counts = reader.observeValue(ModelQuery(ContractPerson.self, limit: -1), { $0.count }).makeAsyncIterator()
      guard case .failure(let error) = try await next(&counts, "observeValue") else {
        throw ContractViolation("a limit below 0 has a count")
      }
      try requireEqual(error.code, .invalid, "the error of a limit below 0")
    },
    SharedEngineCheck("no consumer observes a value any more after it is released", needs: [.queries]) { makeStore in
      let reader = try live(await makeStore())
      do {
        var counts = reader.observeValue(ContractPerson.self, { $0.count }).makeAsyncIterator()
        _ = try await next(&counts, "observeValue")
        try require(reader.changeFeed.isObserved, "the feed has no observer")
        withExtendedLifetime(counts) {}
      }
      try require(!reader.changeFeed.isObserved, "a released consumer still observes")
    },
    randomLiveValues(40, seed: 1),
  ]

  /// Returns the promise that live aggregates and groups are those of plain Swift after random writes.
  ///
  /// - Parameters:
  ///   - count: the number of rounds. Each has a few writes.
  ///   - seed: the seed.
  static func randomLiveValues(_ count: Int, seed: UInt64) -> SharedEngineCheck {
    SharedEngineCheck(
      "live aggregates and groups are those of plain Swift (\(count) rounds, seed \(seed))", needs: [.queries]
    ) {
      makeStore in
      var random = RandomSource(seed: seed)
      let reader = try live(await makeStore()), writer = try await makeStore()
      var companies: [ContractCompany] = []
      for number in 0..<3 {
        let company = ContractCompany.named("Company \(number)")
        company.id.value = "c\(number)"
        companies.append(try await writer.create(company))
      }
      var people: [ContractPerson] = []
      var counts = reader.observeValue(ContractPerson.self, where: { $0.age > 50 }, { $0.count }).makeAsyncIterator()
      var sums = reader.observeValue(ContractPerson.self, where: { $0.isActive == true }, { $0.sum(\.balance) })
        .makeAsyncIterator()
      var oldest = reader.observeValue(
        ContractPerson.self, where: { $0.company.name > "Company 1" }, { $0.maximum(\.age) }
      )
      .makeAsyncIterator()
      var groups = reader.observeGroups(ContractPerson.self, by: { ($0.company.name, $0.isActive) }) {
        ($0.count, $0.sum(\.age))
      }.makeAsyncIterator()
      // Without related models, these follow differences.
      var ownGroups = reader.observeGroups(ContractPerson.self, by: { $0.isActive }, where: { $0.age != 7 }) {
        ($0.count, $0.sum(\.balance), $0.average(\.age), $0.maximum(\.age), $0.count(distinct: { $0.balance }))
      }.makeAsyncIterator()
      func nextOwnGroups() async throws -> [String] {
        try await StoreProtocolTesting.next(&ownGroups, "observeGroups").get().map { key, values in
          "\(String(describing: key)) \(values)"
        }
      }
      var frequentAges = reader.observeGroups(
        ContractPerson.self, by: { $0.age }, sort: { [.descending($0.count), .ascending($0.minimum(\.age))] }, limit: 3
      ) { $0.count }.makeAsyncIterator()
      func nextFrequentAges() async throws -> [String] {
        try await StoreProtocolTesting.next(&frequentAges, "observeGroups").get().map { age, count in
          "\(age ?? -1) \(count)"
        }
      }
      func next(_ iterator: inout LiveValues<Int>.AsyncIterator) async throws -> String {
        "\(try await StoreProtocolTesting.next(&iterator, "observeValue").get())"
      }
      func next<Value>(_ iterator: inout LiveValues<Value?>.AsyncIterator) async throws -> String {
        try await StoreProtocolTesting.next(&iterator, "observeValue").get().map { "\($0)" } ?? "nil"
      }
      func line(_ name: String?, _ isActive: Bool?, _ count: Int, _ sum: Int?) -> String {
        "\(name ?? "none") \(isActive.map { "\($0)" } ?? "none") \(count) \(sum.map { "\($0)" } ?? "nil")"
      }
      func nextGroups() async throws -> [String] {
        try await StoreProtocolTesting.next(&groups, "observeGroups").get()
          .map { line($0.key.0, $0.key.1, $0.values.0, $0.values.1) }.sorted()
      }
      func fill(_ person: ContractPerson) {
        person.age.value = random.maybe { Int.random(in: 0...100, using: &$0) }
        person.balance.value = random.maybe { Decimal(Int.random(in: -900...900, using: &$0)) / 100 }
        person.isActive.value = random.maybe { $0.next() % 2 == 0 }
        person.company.value = random.maybe { companies[Int.random(in: 0..<3, using: &$0)] }
      }
      var shown = [try await next(&counts), try await next(&sums), try await next(&oldest)]
      var shownGroups = try await nextGroups()
      var (shownOwnGroups, shownAges) = (try await nextOwnGroups(), try await nextFrequentAges())
      for round in 0..<count {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          switch random.next() % 5 {
          case 0 where people.count > 3:
            try await writer.delete(people.remove(at: Int.random(in: 0..<people.count, using: &random)))
          case 1,
            2 where !people.isEmpty:
            guard !people.isEmpty else { continue }
            let person = random.pick(people)
            fill(person)
            try await writer.save(person)
          case 3:
            let company = random.pick(companies)
            company.name.value = "Company \(random.next() % 4)"
            try await writer.save(company)
          default:
            let person = ContractPerson.named("\(round)-\(people.count)")
            fill(person)
            people.append(try await writer.create(person))
          }
        }
        let balances = people.filter { $0.isActive.value == true }.compactMap(\.balance.value)
        let ages = people.filter { ($0.company.value?.name.value ?? "") > "Company 1" }.compactMap(\.age.value)
        let expected = [
          "\(people.count { ($0.age.value ?? 0) > 50 })",
          balances.isEmpty ? "nil" : "\(balances.reduce(0, +))", ages.max().map { "\($0)" } ?? "nil",
        ]
        let members = Dictionary(grouping: people) { person in
          "\(person.company.value?.name.value ?? "none") \(person.isActive.value.map { "\($0)" } ?? "none")"
        }
        let expectedGroups = members.values.map { members in
          let ages = members.compactMap(\.age.value)
          return line(
            members[0].company.value?.name.value, members[0].isActive.value, members.count,
            ages.isEmpty ? nil : ages.reduce(0, +))
        }.sorted()
        while shown[0] != expected[0] { shown[0] = try await next(&counts) }
        while shown[1] != expected[1] { shown[1] = try await next(&sums) }
        while shown[2] != expected[2] { shown[2] = try await next(&oldest) }
        while shownGroups != expectedGroups { shownGroups = try await nextGroups() }
        let expectedOwnGroups = ModelStoreContract.groups(of: people.filter { $0.age.value != 7 })
        while shownOwnGroups != expectedOwnGroups { shownOwnGroups = try await nextOwnGroups() }
        let counts = Dictionary(grouping: people) { $0.age.value ?? -1 }.mapValues(\.count)
        let expectedAges = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3)
          .map { "\($0.key) \($0.value)" }
        while shownAges != expectedAges { shownAges = try await nextFrequentAges() }
      }
    }
  }

  /// Returns the groups of people by their activity, in the order of their first members.
  private static func groups(of people: [ContractPerson]) -> [String] {
    var keys: [Bool?] = []
    for person in people where !keys.contains(person.isActive.value) { keys.append(person.isActive.value) }
    return keys.map { key in
      let members = people.filter { $0.isActive.value == key }
      let (ages, balances) = (members.compactMap(\.age.value), members.compactMap(\.balance.value))
      let values = (
        members.count, balances.isEmpty ? nil : balances.reduce(0, +),
        ages.isEmpty ? nil : Double(ages.reduce(0, +)) / Double(ages.count), ages.max(), Set(balances).count
      )
      return "\(String(describing: key)) \(values)"
    }
  }
}

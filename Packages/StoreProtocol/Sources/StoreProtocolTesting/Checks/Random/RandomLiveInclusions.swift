import StoreProtocol

extension ModelStoreContract {
  /// Returns the promise that live results with related models equal the list of a new store instance, after random
  /// writes.
  ///
  /// - Parameters:
  ///   - count: the number of rounds. Each has a few writes.
  ///   - seed: the seed.
  static func randomLiveInclusions(_ count: Int, seed: UInt64) -> SharedEngineCheck {
    SharedEngineCheck("live results include what random writes left (\(count) rounds, seed \(seed))", needs: [.queries])
    {
      makeStore in
      var random = RandomSource(seed: seed)
      let writer = try live(await makeStore()), reader = try live(await makeStore())
      var companies = try await createCompanies(4, in: writer)
      var people: [ContractPerson] = []
      let employed = WatchedResults(
        reader, ModelQuery(ContractPerson.self, sort: [.ascending(\.name)]), [\.company], describe)
      let employers = WatchedResults(
        try live(await makeStore()), ModelQuery(ContractCompany.self, sort: [.ascending(\.id)]), [\.employees],
        describe)
      // The store instance that writes, and a list that models enter and leave.
      let query = ModelQuery(
        ContractPerson.self, where: { $0.age > 50 }, sort: [.descending(\.age), .ascending(\.name)], limit: 3)
      let colleagues = WatchedResults(writer, query, [\.company.employees]) { person in
        describe(person) + (person.company.value.map { " of " + describe($0) } ?? "")
      }
      for round in 0..<count {
        for _ in 0..<1 + random.below(3) {
          let number = random.maybe { $0.below(4) }
          let company = number.map { companies[$0] }
          switch random.below(8) {
          case 0 where !people.isEmpty:
            let person = random.pick(people)
            person.company.value = company
            try await writer.save(person)
          case 1 where !people.isEmpty:
            let person = random.pick(people)
            person.age.value = random.below(100)
            try await writer.save(person)
          case 2 where people.count > 3: try await writer.delete(people.remove(at: random.below(people.count)))
          case 3:
            guard let company else { continue }
            company.name.value = "Company \(round)-\(random.below(1_000))"
            try await writer.save(company)
          case 4:
            // Its employees have none then, and may get the new one.
            guard let number else { continue }
            try await writer.delete(companies[number])
            companies[number] = ContractCompany.named("New company \(round)")
            companies[number].id.value = "c\(number)"
            try await writer.create(companies[number])
          default:
            let person = employee("\(round)-\(people.count)-\(random.below(1_000))", of: company)
            person.age.value = random.below(100)
            people.append(try await writer.create(person))
          }
        }
        let fresh = try await makeStore()
        if random.below(3) > 0 { try await employed.take(like: fresh, "round \(round)") }
        if random.below(3) > 0 { try await employers.take(like: fresh, "round \(round)") }
        if random.below(3) > 0 { try await colleagues.take(like: fresh, "round \(round)") }
      }
    }
  }

  private static func describe(_ person: ContractPerson) -> String {
    "\(person.name.value ?? "?"): \(person.company.value?.name.value ?? "none")"
  }

  private static func describe(_ company: ContractCompany) -> String {
    "\(company.name.value ?? "?"): \((company.employees.value ?? []).compactMap(\.name.value).sorted())"
  }
}

/// The results of a live query with related models, as texts.
private final class WatchedResults<M: Model> {
  private let query: ModelQuery<M>
  private let relations: [(RelationPath<M>) -> any IncludedRelation]
  private let describe: (M) -> String
  private var iterator: LiveResults<M>.AsyncIterator
  private var models: [M] = []
  private var texts: [String] = []
  private var hasBegun = false

  init(
    _ store: any LiveModelStore, _ query: ModelQuery<M>, _ relations: [(RelationPath<M>) -> any IncludedRelation],
    _ describe: @escaping (M) -> String
  ) {
    self.query = query
    self.relations = relations
    self.describe = describe
    iterator = store.observe(query, including: relations).makeAsyncIterator()
  }

  /// Takes results until they equal the list of a store instance.
  func take(like store: any ModelStore, _ place: String) async throws {
    let expected = try await store.list(query, including: relations).map(describe)
    while !hasBegun || texts != expected {
      let result = try await next(&iterator, "observe in \(place)")
      try requireEqual(result.error?.message, nil, "the error in \(place)")
      try requireEqual(result.differences.applied(to: models), result.models, "the differences applied in \(place)")
      let new = result.models.map(describe)
      let updated = Set(result.differences.updated.map(\.index))
      for (index, model) in result.models.enumerated() {
        guard let old = models.firstIndex(where: { $0 === model }), texts[old] != new[index] else { continue }
        try require(updated.contains(index), "\(new[index]) does not count as updated in \(place)")
      }
      (models, texts, hasBegun) = (result.models, new, true)
    }
  }
}

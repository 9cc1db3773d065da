import StoreProtocol

// Live queries that include related models.
extension ModelStoreContract {
  static let observingRelations: [SharedEngineCheck] = [
    SharedEngineCheck("a live query loads the relations that it includes, again when they change", needs: [.queries]) {
      makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let companies = try await createCompanies(3, in: writer)
      for (number, company) in [0, 1, 0].enumerated() {
        try await writer.create(employee("\(number)", of: companies[company]))
      }
      var iterator = reader.observe(ContractPerson.self, sort: [.ascending(\.name)], including: [\.company])
        .makeAsyncIterator()
      let first = try await next(&iterator, "observe")
      try requireEqual(
        first.models.map { $0.company.value?.name.value }, ["Company 0", "Company 1", "Company 0"],
        "the companies of the first result")
      // A related model that no shown one reaches.
      companies[2].name.value = "Nobody's"
      try await writer.update(companies[2])
      companies[0].name.value = "Renamed"
      try await writer.update(companies[0])
      let second = try await next(&iterator, "observe")
      try requireEqual(
        second.models.map { $0.company.value?.name.value }, ["Renamed", "Company 1", "Renamed"],
        "the companies after one was renamed")
      try requireEqual(second.differences.updated.map(\.index), [0, 2], "the people whose company was renamed")
      let joining = employee("3", of: companies[2])
      try await writer.create(joining)
      let third = try await next(&iterator, "observe")
      try requireEqual(third.differences.inserted.map(\.index), [3], "the created person")
      try requireEqual(third.models.last?.company.value?.name.value, "Nobody's", "the company of the created person")
    },
    SharedEngineCheck("a live query loads included models again that were unloaded", needs: [.queries]) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let companies = try await createCompanies(3, in: writer)
      for number in 0..<3 { try await writer.create(employee("\(number)", of: companies[number / 2])) }
      var iterator = reader.observe(
        ContractPerson.self, sort: [.ascending(\.name)], including: [\.company.employees]
      ).makeAsyncIterator()
      func check(_ result: LiveResult<ContractPerson>, updated: [Int], _ what: String) throws {
        try requireEqual(result.models.map(\.name.value), ["0", "1", "2"], "the names after \(what)")
        try requireEqual(
          result.models.map { $0.company.value?.name.value }, ["Company 0", "Company 0", companies[1].name.value],
          "the companies after \(what)")
        try requireEqual(
          result.models.map { ($0.company.value?.employees.value ?? []).compactMap(\.name.value).sorted() },
          [["0", "1"], ["0", "1"], ["2"]], "the colleagues after \(what)")
        try requireEqual(result.differences.updated.map(\.index), updated, "what was updated after \(what)")
      }
      let people = try await next(&iterator, "observe").models
      people[0].company.value?.unload()
      companies[1].name.value = "New"
      try await writer.update(companies[1])
      try check(try await next(&iterator, "observe"), updated: [0, 1, 2], "a company was unloaded")
      people[2].unload()
      companies[1].name.value = "Newer"
      try await writer.update(companies[1])
      try check(try await next(&iterator, "observe"), updated: [2], "a person was unloaded")
    },
    SharedEngineCheck("a live query retains the models that it includes", needs: [.queries]) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let companies = try await createCompanies(1, in: writer)
      try await writer.create(employee("0", of: companies[0]))
      var iterator = reader.observe(ContractPerson.self, including: [\.company]).makeAsyncIterator()
      let people = try await next(&iterator, "observe").models
      // Its result is released, and with it the owners of the relation's other side.
      _ = try await reader.list(ContractCompany.self, including: [\.employees])
      try requireEqual(people.map { $0.company.value?.name.value }, ["Company 0"], "the included company")
    },
    SharedEngineCheck(
      "a live query retains models that several of its models share, also when one of them leaves", needs: [.queries]
    ) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let companies = try await createCompanies(1, in: writer)
      let people = ["a", "b", "c"].map { employee($0, of: companies[0]) }
      for person in people { try await writer.create(person) }
      var iterator = reader.observe(
        ContractPerson.self, where: { $0.name < "c" }, sort: [.ascending(\.name)], including: [\.company.employees]
      ).makeAsyncIterator()
      try requireEqual(try await next(&iterator, "observe").models.count, 2, "the number of people at first")
      // The company holds its employees weakly from now on.
      _ = try await reader.list(ContractPerson.self, where: { $0.name == "c" }, including: [\.company])
      try await writer.delete(people[0])
      let last = try await next(&iterator, "observe").models
      try requireEqual(
        last.map { ($0.company.value?.employees.value ?? []).map(\.name.value) }, [["b", "c"]], "the colleagues")
    },
    SharedEngineCheck("a live query that begins in a transaction shows no record that is rolled back") { makeStore in
      try await observingFromInside(makeStore)
    },
    SharedEngineCheck("a live query follows the members of an inverse list that it includes", needs: [.queries]) {
      makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let companies = try await createCompanies(2, in: writer)
      let people = (0..<3).map { employee("\($0)", of: companies[0]) }
      for person in people { try await writer.create(person) }
      var iterator = reader.observe(ContractCompany.self, sort: [.ascending(\.name)], including: [\.employees])
        .makeAsyncIterator()
      func members() async throws -> [[String?]] {
        let result = try await next(&iterator, "observe")
        try require(result.models.allSatisfy { !$0.isDirty }, "a company is dirty")
        return result.models.map { ($0.employees.value ?? []).map(\.name.value) }
      }
      try requireEqual(try await members(), [["0", "1", "2"], []], "the employees of the first result")
      people[1].company.value = companies[1]
      try await writer.update(people[1])
      try requireEqual(try await members(), [["0", "2"], ["1"]], "the employees after one moved")
      try await writer.delete(people[0])
      try requireEqual(try await members(), [["2"], ["1"]], "the employees after one was deleted")
      try await writer.create(employee("3", of: companies[1]))
      try requireEqual(try await members(), [["2"], ["1", "3"]], "the employees after one was created")
      people[2].name.value = "two"
      try await writer.update(people[2])
      try requireEqual(try await members(), [["two"], ["1", "3"]], "the employees after one was renamed")
    },
    SharedEngineCheck(
      "a live query follows references that it includes when they are replaced or cut", needs: [.queries]
    ) {
      makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let companies = try await createCompanies(2, in: writer)
      let people = [employee("0", of: companies[0]), employee("1", of: companies[1])]
      for person in people { try await writer.create(person) }
      var iterator = reader.observe(ContractPerson.self, sort: [.ascending(\.name)], including: [\.company])
        .makeAsyncIterator()
      func employers() async throws -> [String?] {
        try await next(&iterator, "observe").models.map { $0.company.value?.name.value }
      }
      try requireEqual(try await employers(), ["Company 0", "Company 1"], "the companies of the first result")
      people[0].company.value = companies[1]
      try await writer.update(people[0])
      try requireEqual(try await employers(), ["Company 1", "Company 1"], "the companies after one was replaced")
      try await writer.delete(companies[1])
      try requireEqual(try await employers(), [nil, nil], "the companies after one was deleted")
    },
    SharedEngineCheck("a live query that includes a field that is not a relation has an error", needs: [.queries]) {
      makeStore in
      let reader = try live(await makeStore())
      struct Name: IncludedRelation { let path: QueryPath = ["name"] }
      var iterator = reader.observe(ContractPerson.self, including: [{ _ in Name() }]).makeAsyncIterator()
      try requireEqual(try await next(&iterator, "observe").error?.code, .invalid, "the error")
    },
    randomLiveInclusions(30, seed: 1),
  ]

  private struct Refusal: Error {}

  /// A query of employers, which is listed again after each write.
  @MainActor private static func observingFromInside(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try live(await makeStore())
    guard store is any TransactionalModelStore else { return }
    let company = try await createCompanies(1, in: store)[0]
    var counts: [Int] = []
    var work: Task<Void, Never>?
    let began = AsyncStream.makeStream(of: Void.self)
    do {
      try await transaction(in: store) { inside in
        try await inside.create(employee("Ada", of: company))
        let observe: @MainActor @Sendable () async -> Void = {
          let results = store.observe(
            ContractCompany.self, where: { $0.employees.contains { $0.name == "Ada" } }, including: [\.employees])
          for await result in results {
            counts.append(result.error == nil ? result.models.count : -1)
            began.continuation.finish()
          }
        }
        work = Task { await observe() }
        for await _ in began.stream {}
        throw Refusal()
      }
    } catch is Refusal {}
    work?.cancel()
    await work?.value
    try requireEqual(counts, [0], "the numbers of companies")
  }

  static func createCompanies(_ count: Int, in store: any ModelStore) async throws -> [ContractCompany] {
    var companies: [ContractCompany] = []
    for number in 0..<count {
      let company = ContractCompany.named("Company \(number)")
      company.id.value = "c\(number)"
      companies.append(try await store.create(company))
    }
    return companies
  }

  static func employee(_ name: String, of company: ContractCompany?) -> ContractPerson {
    let person = ContractPerson.named(name)
    person.company.value = company
    return person
  }
}

import StoreProtocol

extension ModelStoreContract {
  /// Lists and counts beside transactions, as far as a store has any.
  static let readingOneMoment: [FrontCheck] = [
    FrontCheck("a list has no half of a transaction that another task commits meanwhile") { makeFront in
      try await besideSwaps(of: 4_201, makeFront, swap: { $0.swapAges() }) { store in
        let people = try await store.list(ContractPerson.self)
        try requireEqual(people.reduce(0) { $0 + ($1.age.value ?? 0) }, 100, "the sum of all ages")
        let found = try await store.list(ContractPerson.self, where: { $0.height >= 0 })
        try requireEqual(found.reduce(0) { $0 + ($1.age.value ?? 0) }, 100, "the sum of the ages found")
      }
    },
    FrontCheck("a count has no half of a transaction that another task commits meanwhile") { makeFront in
      try await besideSwaps(of: 2_501, makeFront, swap: { $0.swapAges() }) { store in
        let query = ModelQuery(ContractPerson.self, where: { $0.age == 100 })
        try requireEqual(try await store.count(query), 1, "the number of people with an age of 100")
        try requireEqual(try await store.identifiers(query).count, 1, "the number of their identifiers")
      }
    },
    FrontCheck("a condition about related models sees no half of a transaction that another task commits meanwhile") {
      makeFront in
      try await besideSwaps(of: 200, makeFront, swap: { $0.swapCompanyNames() }) { store in
        let query = ModelQuery(ContractPerson.self, where: { $0.company.name == "open" })
        try requireEqual(try await store.count(query), 100, "the number of people of the company that is open")
      }
    },
    FrontCheck("the models of a relation have no half of a transaction that another task commits meanwhile") {
      makeFront in
      try await besideSwaps(of: 2_501, makeFront, swap: { $0.swapAges() }) { store in
        let company = try await store.lookup(ContractCompany.self, identifier: "0")
        let employees = try await store.list(in: company.employees)
        try requireEqual(employees.reduce(0) { $0 + ($1.age.value ?? 0) }, 100, "the sum of the ages of a company")
      }
    },
  ]

  /// The models at both ends of a list that a transaction changes.
  private struct Ends {
    let people: [ContractPerson]
    let companies: [ContractCompany]

    func swapAges() -> [ModelObject] {
      (people[0].age.value, people[1].age.value) = (people[1].age.value, people[0].age.value)
      return people
    }

    func swapCompanyNames() -> [ModelObject] {
      (companies[0].name.value, companies[1].name.value) = (companies[1].name.value, companies[0].name.value)
      return companies
    }
  }

  /// Reads again and again while another task swaps values in transactions.
  ///
  /// - Parameter count: how many people there are. The first one is 100 years old, the others are 0; each second one belongs
  ///   to the company "0", beginning with the first one.
  private static func besideSwaps(
    of count: Int, _ makeFront: @escaping @Sendable () async throws -> any ModelStore,
    swap: @escaping @Sendable (Ends) -> [ModelObject],
    _ read: (any ModelStore) async throws -> Void
  ) async throws {
    let first = try await makeFront()
    guard first is any TransactionalModelStore else { return }
    try await transaction(in: first) { store in
      let companies = ["open", "closed"].enumerated().map { number, name in
        let company = ContractCompany()
        company.id.value = "\(number)"
        company.name.value = name
        return company
      }
      for company in companies { try await store.create(company) }
      try await store.createAll(
        (0..<count).map { number -> ContractPerson in
          let person = ContractPerson.named("Person", age: number == 0 ? 100 : 0)
          person.id.value = number + 1
          person.height.value = 1
          person.company.value = companies[number % 2]
          return person
        })
    }
    let swaps = Task {
      let store = try await makeFront()
      let ends = Ends(
        people: [
          try await store.lookup(ContractPerson.self, identifier: "1"),
          try await store.lookup(ContractPerson.self, identifier: "\(count)"),
        ],
        companies: [
          try await store.lookup(ContractCompany.self, identifier: "0"),
          try await store.lookup(ContractCompany.self, identifier: "1"),
        ])
      while !Task.isCancelled {
        let changed = swap(ends)
        try await transaction(in: store) { store in
          for model in changed {
            if let person = model as? ContractPerson { try await store.update(person) }
            if let company = model as? ContractCompany { try await store.update(company) }
          }
        }
        await Task.yield()
      }
    }
    do {
      let store = try await makeFront()
      for _ in 0..<3 { try await read(store) }
    } catch {
      swaps.cancel()
      _ = await swaps.result
      throw error
    }
    swaps.cancel()
    do {
      try await swaps.value
    } catch let error as ModelStoreError where error.code == .cancelled {}
  }
}

import StoreProtocol

extension ModelStoreContract {
  /// Lists and counts beside transactions, as far as a store has any.
  static let readingOneMoment: [SharedEngineCheck] = [
    SharedEngineCheck("a list has no half of a transaction that another task commits meanwhile") { makeStore in
      try await besideSwaps(of: 4_201, makeStore, swap: { $0.swapAges() }) { store in
        let people = try await store.list(ContractPerson.self)
        try requireEqual(people.reduce(0) { $0 + ($1.age.value ?? 0) }, 100, "the sum of all ages")
        let found = try await store.list(ContractPerson.self, where: { $0.height >= 0 })
        try requireEqual(found.reduce(0) { $0 + ($1.age.value ?? 0) }, 100, "the sum of the ages found")
      }
    },
    SharedEngineCheck("a count has no half of a transaction that another task commits meanwhile") { makeStore in
      try await besideSwaps(of: 2_501, makeStore, swap: { $0.swapAges() }) { store in
        let query = ModelQuery(ContractPerson.self, where: { $0.age == 100 })
        try requireEqual(try await store.count(query), 1, "the number of people with an age of 100")
        try requireEqual(try await store.identifiers(query).count, 1, "the number of their identifiers")
      }
    },
    SharedEngineCheck(
      "a condition about related models sees no half of a transaction that another task commits meanwhile"
    ) {
      makeStore in
      try await besideSwaps(of: 200, makeStore, swap: { $0.swapCompanyNames() }) { store in
        let query = ModelQuery(ContractPerson.self, where: { $0.company.name == "open" })
        try requireEqual(try await store.count(query), 100, "the number of people of the company that is open")
      }
    },
    SharedEngineCheck("the models of a relation have no half of a transaction that another task commits meanwhile") {
      makeStore in
      try await besideSwaps(of: 2_501, makeStore, swap: { $0.swapAges() }) { store in
        let company = try await store.lookup(ContractCompany.self, identifier: "0")
        let employees = try await store.list(in: company.employees)
        try requireEqual(employees.reduce(0) { $0 + ($1.age.value ?? 0) }, 100, "the sum of the ages of a company")
      }
    },
    SharedEngineCheck("a stream has no half of a transaction that another task commits meanwhile") { makeStore in
      var queries = streamQueries
      try await besideSwaps(of: 601, makeStore, swap: { $0.swapAges() }) { store in
        let query = queries.removeFirst()
        var sum = 0
        for try await person in store.stream(ContractPerson.self, where: query.filter, sort: query.sort) {
          sum += person.age.value ?? 0
        }
        try requireEqual(sum, 100, "the sum of the ages in a stream \(query.name)")
      }
    },
    SharedEngineCheck("a stream has the records that were stored when it began") { makeStore in
      let first = try await makeStore(), second = try await makeStore()
      let people = try await createPeople(300, in: second)
      for (round, query) in streamQueries.enumerated() {
        let expected = Set(
          try await second.list(ContractPerson.self).map { "\($0.name.value ?? "?"): \($0.age.value ?? -1)" })
        var found: [String] = []
        for try await person in first.stream(ContractPerson.self, where: query.filter, sort: query.sort) {
          if found.isEmpty {
            people[294].age.value = round + 1
            try await second.update(people[294])
            try await second.delete(people[287 - 7 * round])
            _ = try await createPeople(1, named: "later \(round)", in: second)
          }
          found.append("\(person.name.value ?? "?"): \(person.age.value ?? -1)")
        }
        try requireEqual(found.count, 300, "the number of models in a stream \(query.name)")
        try requireEqual(Set(found), expected, "what a stream \(query.name) has")
        try requireEqual(
          try await first.lookup(ContractPerson.self, identifier: people[294].identifier ?? "").age.value, round + 1,
          "the age after a stream \(query.name)")
      }
    },
    SharedEngineCheck("a stream does not overwrite what a live model got since it began") { makeStore in
      let first = try await makeStore(), second = try await makeStore()
      let identifiers = try await createPeople(300, in: second).map { $0.identifier ?? "" }
      for query in streamQueries {
        var live: [ContractPerson] = []
        var seen: [ContractPerson] = []
        for try await person in first.stream(ContractPerson.self, where: query.filter, sort: query.sort) {
          if live.isEmpty {
            // The last ones in each of the orders.
            for number in [294, 287, 280, 273] {
              live.append(try await first.lookup(ContractPerson.self, identifier: identifiers[number]))
            }
            live[0].age.value = 7
            try await first.update(live[0])
            live[1].age.value = 8
            let theirs = try await second.lookup(ContractPerson.self, identifier: identifiers[280])
            theirs.age.value = 9
            try await second.update(theirs)
            try await first.refresh(live[2])
          }
          if live.contains(where: { $0 === person }) { seen.append(person) }
        }
        try requireEqual(seen.count, 4, "the number of live models in a stream \(query.name)")
        try requireEqual(live.map(\.age.value), [7, 8, 9, 0], "the ages of live models after a stream \(query.name)")
        try requireEqual(live.map(\.isDirty), [false, true, false, false], "the edited models")
        for person in live[..<3] {
          person.age.value = 0
          try await first.update(person)
        }
      }
    },
    SharedEngineCheck("a stream in a transaction has what the transaction wrote before it began") { makeStore in
      let store = try await makeStore()
      guard store is any TransactionalModelStore else { return }
      let people = try await createPeople(3, in: store)
      try await transaction(in: store) { store in
        people[0].age.value = 5
        try await store.update(people[0])
        try await store.delete(people[1])
        _ = try await createPeople(1, named: "new", in: store)
        for query in streamQueries {
          let expected = try await store.list(ContractPerson.self).map(\.name.value)
          var names: [String?] = []
          for try await person in store.stream(ContractPerson.self, where: query.filter, sort: query.sort) {
            names.append(person.name.value)
            try require(names.count < 100, "a stream \(query.name) has what is created while it is read")
            _ = try await createPeople(1, named: "later", in: store)
          }
          try requireEqual(Set(names), Set(expected), "the names in a stream \(query.name)")
          try requireEqual(names.count, expected.count, "the number of models in a stream \(query.name)")
        }
      }
    },
  ]

  /// Queries that a store may read in different ways.
  private static var streamQueries:
    [(
      name: String, filter: ((ModelColumns<ContractPerson>) -> QueryExpression)?, sort: [ModelSort<ContractPerson>]
    )]
  {
    [
      ("of all", nil, []), ("with a condition", { $0.height >= 0 }, []),
      ("with an order", nil, [.descending(\.height), .ascending(\.name)]),
    ]
  }

  private static func createPeople(
    _ count: Int, named name: String = "Person", in store: any ModelStore
  ) async throws -> [ContractPerson] {
    try await store.createAll(
      (0..<count).map { number -> ContractPerson in
        let person = ContractPerson.named("\(name) \(number)", age: 0)
        person.height.value = Double(number % 7)
        return person
      })
  }

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
  /// - Parameter count: the number of people. The first one is 100 years old, the others are 0; each second one belongs
  ///   to the company "0", beginning with the first one.
  private static func besideSwaps(
    of count: Int, _ makeStore: @escaping @Sendable () async throws -> any ModelStore,
    swap: @escaping @Sendable (Ends) -> [ModelObject],
    _ read: (any ModelStore) async throws -> Void
  ) async throws {
    let first = try await makeStore()
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
      let store = try await makeStore()
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
      let store = try await makeStore()
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

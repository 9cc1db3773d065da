import StoreProtocol

extension ModelStoreContract {
  static let including: [Check] = [
    Check("a list includes the models of foreign keys, which it retains", needs: [.queries]) { store in
      try await createEmployments([0, 1, nil, 0, 1], companies: 2, in: store)
      let people = try await store.list(ContractPerson.self, sort: [.ascending(\.name)], including: [\.company])
      try requireEqual(
        people.map { $0.company.value?.name.value }, ["Company 0", "Company 1", nil, "Company 0", "Company 1"],
        "the names of the companies")
      try require(people[0].company.value === people[3].company.value, "one company is two objects")
    },
    Check("a list includes inverse lists, which are loaded and retained", needs: [.queries]) { store in
      try await createEmployments([0, 2, nil, 0, 2, 2], companies: 3, in: store)
      let companies = try await store.list(
        ContractCompany.self, sort: [.ascending(\.name)], including: [\.employees])
      try requireEqual(companies.map(\.employees.count), [2, 0, 3], "the numbers of the employees")
      try requireEqual(
        companies.map { ($0.employees.value ?? []).map(\.name.value) }, [["0", "3"], [], ["1", "4", "5"]],
        "the names of the employees")
      let isLinkedBack = companies.allSatisfy { company in
        (company.employees.value ?? []).allSatisfy { $0.company.value === company && !$0.isDirty }
      }
      try require(isLinkedBack, "an employee does not reference its company")
    },
    Check("a list includes relations of included models", needs: [.queries]) { store in
      try await createEmployments([0, 0, 1, nil], companies: 2, in: store)
      let people = try await store.list(
        ContractPerson.self, where: { $0.name == "0" || $0.name == "3" }, sort: [.ascending(\.name)],
        including: [\.company.employees])
      try requireEqual(people.map(\.name.value), ["0", "3"], "the found people")
      try requireEqual(
        people[0].company.value?.employees.value?.map(\.name.value) ?? [], ["0", "1"], "the colleagues")
      try require(people[0].company.value?.employees.value?.first === people[0], "one person is two objects")
    },
    Check("a list includes relations without an inverse", needs: [.queries, .anyModels]) { store in
      try await createEmployments([], companies: 3, in: store)
      func create() async throws {
        let ticket = ContractTicket()
        ticket.title.value = "Roof"
        ticket.company.value = ContractCompany.with(identifier: "c0", in: store.scope)
        for number in [2, 1] { ticket.watchers.add(ContractCompany.with(identifier: "c\(number)", in: store.scope)) }
        try await store.create(ticket)
      }
      try await create()
      let tickets = try await store.list(ContractTicket.self, including: [\.company, \.watchers])
      try requireEqual(tickets.first?.company.value?.name.value, "Company 0", "the company")
      try requireEqual(
        tickets.first?.watchers.value?.map(\.name.value) ?? [], ["Company 2", "Company 1"], "the watchers")
    },
    Check("a reference to a missing model stays unloaded in a list that includes it", needs: [.queries]) {
      store in
      func create() async throws {
        let person = ContractPerson.named("Ada")
        person.company.value = ContractCompany.with(identifier: "nowhere", in: store.scope)
        try await store.create(person)
      }
      try await create()
      let people = try await store.list(ContractPerson.self, including: [\.company])
      try requireEqual(people.first?.company.value?.identifier, "nowhere", "the reference")
      try requireEqual(people.first?.company.value?.name.value, nil, "the name of the missing company")
    },
    Check("relations of given models are loaded together, and keep local changes", needs: [.queries]) { store in
      try await createEmployments([0, 0, 1], companies: 2, in: store)
      let people = try await store.list(ContractPerson.self, sort: [.ascending(\.name)])
      people[2].company.value = people[0].company.value
      try await store.load([\.company.employees], of: people)
      try requireEqual(
        people.map { $0.company.value?.name.value }, Array(repeating: "Company 0", count: 3), "the companies")
      try require(people[2].company.isDirty, "a local change was lost")
      try requireEqual(
        people[0].company.value?.employees.value?.map(\.name.value) ?? [], ["0", "1", "2"], "the colleagues")
      withExtendedLifetime(people) {}
    },
    Check("a list with relations takes one query more for each, and none for a model", needs: [.queries]) { store in
      try await createEmployments((0..<40).map { $0 % 9 }, companies: 9, in: store)
      let counting = CountingStore.counting(store)
      let people = try await counting.list(
        ContractPerson.self, including: [\.company.employees])
      try requireEqual(Set(people.map { $0.company.value?.employees.value?.count ?? 0 }), [4, 5], "the colleagues")
      try requireEqual(counting.listCount + counting.batchCount, 3, "the number of lists")
      try requireEqual(counting.lookupCount, 0, "the number of lookups")
    },
    Check("the first model, a lookup, a page and a stream include relations as a list does", needs: [.queries]) {
      store in
      try await createEmployments([1, 0, 1, nil], companies: 2, in: store)
      func name(_ person: ContractPerson?) -> String? { person?.company.value?.name.value }
      // One after the other, so that no model stays in memory.
      try requireEqual(
        name(
          try await store.first(ContractPerson.self, sort: [.descending(\.age)], including: [\.company])), nil,
        "the company of the last person")
      let first = try await store.first(ContractPerson.self, where: { $0.name == "1" }, including: [\.company])
      try requireEqual(name(first), "Company 0", "the company of the first person")
      let found = try await store.lookup(
        ContractCompany.self, identifier: "c1", including: [\.employees])
      try requireEqual(
        found.employees.value?.map(\.name.value) ?? [], ["0", "2"], "the employees of a looked up company")
      let query = ModelQuery(ContractPerson.self, sort: [.ascending(\.age)], limit: 2)
      let page = try await store.page(query, after: nil, including: [\.company])
      try requireEqual(page.models.map(name), ["Company 1", "Company 0"], "the companies of the first page")
      let next = try await store.page(query, after: page.next, including: [\.company])
      try requireEqual(next.models.map(name), ["Company 1", nil], "the companies of the second page")
      var names: [String?] = []
      for try await person in store.stream(ContractPerson.self, sort: [.ascending(\.age)], including: [\.company]) {
        names.append(name(person))
      }
      try requireEqual(names, ["Company 1", "Company 0", "Company 1", nil], "the companies of a stream")
    },
    Check(
      "the members of a relation without an inverse are read together, in its order", needs: [.queries, .anyModels]
    ) { store in
      let ticket = try await createTicket(in: store)
      let counting = CountingStore.counting(store)
      let watchers = try await counting.list(in: ticket.watchers)
      try requireEqual(watchers.map(\.name.value), ["Company 3", "Company 0", "Company 4"], "the watchers")
      try requireEqual(counting.listCount + counting.batchCount, 1, "the number of lists")
      try requireEqual(counting.lookupCount, 0, "the number of lookups")
    },
    Check(
      "the members of a relation without an inverse lack a deleted one", needs: [.transactions, .anyModels]
    ) { store in
      let ticket = try await createTicket(in: store)
      try await store.delete(try await store.list(in: ticket.watchers)[1])
      try requireEqual(
        try await store.list(in: ticket.watchers).map(\.name.value), ["Company 3", "Company 4"],
        "the watchers after a deletion")
    },
  ]

  /// Lists with relations beside other store instances.
  static let includingTogether: [SharedEngineCheck] = [
    SharedEngineCheck(
      "an included list lacks the members that another store instance deleted or moved", needs: [.queries]
    ) { makeStore in
      let reader = try await makeStore(), writer = try await makeStore()
      try await createEmployments([0, 0, 0], companies: 2, in: writer)
      let company = try await reader.list(
        ContractCompany.self, where: { $0.id == "c0" }, including: [\.employees])[0]
      let employees = company.employees.value ?? []
      try requireEqual(employees.map(\.name.value), ["0", "1", "2"], "the employees")
      employees[2].name.value = "local"
      let moving = try await writer.lookup(ContractPerson.self, identifier: employees[0].identifier ?? "")
      moving.company.value = try await writer.lookup(ContractCompany.self, identifier: "c1")
      try await writer.update(moving)
      try await writer.deleteAll(ContractPerson.self, where: { $0.age == 2 })
      try await reader.load([\.employees], of: [company])
      try requireEqual(company.employees.value?.map(\.name.value), ["1"], "the employees that stay")
      try require(!company.isDirty, "the company is dirty")
    },
    SharedEngineCheck(
      "a list of members lacks those that another store instance deleted or moved", needs: [.queries]
    ) { makeStore in
      let reader = try await makeStore(), writer = try await makeStore()
      try await createEmployments([0, 0, 0], companies: 2, in: writer)
      let company = try await reader.lookup(ContractCompany.self, identifier: "c0")
      let employees = try await reader.list(in: company.employees)
      try requireEqual(employees.map(\.name.value), ["0", "1", "2"], "the employees")
      let moving = try await writer.lookup(ContractPerson.self, identifier: employees[0].identifier ?? "")
      moving.company.value = try await writer.lookup(ContractCompany.self, identifier: "c1")
      try await writer.update(moving)
      try await writer.deleteAll(ContractPerson.self, where: { $0.age == 2 })
      try requireEqual(try await reader.list(in: company.employees).map(\.name.value), ["1"], "the listed employees")
      try requireEqual(company.employees.value?.map(\.name.value), ["1"], "the employees of the company")
      try require(!company.isDirty && employees.allSatisfy { !$0.isDirty }, "a model is dirty")
    },
  ]

  /// Creates a ticket with three watchers, and looks it up without them.
  private static func createTicket(in store: any ModelStore) async throws -> ContractTicket {
    try await createEmployments([], companies: 5, in: store)
    func create() async throws -> String? {
      let ticket = ContractTicket()
      ticket.title.value = "Roof"
      for number in [3, 0, 4] { ticket.watchers.add(ContractCompany.with(identifier: "c\(number)", in: store.scope)) }
      return try await store.create(ticket).identifier
    }
    let identifier = try await create()
    return try await store.lookup(ContractTicket.self, identifier: identifier ?? "")
  }

  /// Creates companies and people, of whom none stays in memory.
  ///
  /// - Parameter companies: the company of each person.
  private static func createEmployments(_ employers: [Int?], companies count: Int, in store: any ModelStore)
    async throws
  {
    for number in 0..<count {
      let company = ContractCompany.with(identifier: "c\(number)", in: store.scope)
      company.name.value = "Company \(number)"
      try await store.create(company)
    }
    for (number, employer) in employers.enumerated() {
      let person = ContractPerson.named("\(number)", age: number)
      if let employer { person.company.value = ContractCompany.with(identifier: "c\(employer)", in: store.scope) }
      try await store.create(person)
    }
  }

  /// Returns a check that lists with random relations equal those that plain Swift computes from the same data.
  static func randomInclusions(_ count: Int, seed: UInt64) -> Check {
    Check("lists include what random writes left (\(count) rounds)", needs: [.queries]) { store in
      var random = RandomSource(seed: seed)
      var employers: [String: Int?] = [:]
      var names: [Int: String] = [:]
      for number in 0..<6 {
        let company = ContractCompany.with(identifier: "c\(number)", in: store.scope)
        names[number] = "Company \(number)"
        company.name.value = names[number]
        try await store.create(company)
      }
      var kept: [ModelObject] = []
      for round in 0..<count {
        // Some models stay in memory from round to round, others don't.
        if random.next() % 3 == 0 { kept = [] }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let employer = random.maybe { Int.random(in: 0..<6, using: &$0) }
          let company = employer.map { ContractCompany.with(identifier: "c\($0)", in: store.scope) }
          switch random.next() % 4 {
          case 0 where !employers.isEmpty:
            let name = random.pick(employers.keys.sorted())
            guard let person = try await store.first(ContractPerson.self, where: { $0.name == name }) else {
              throw ContractViolation("\(name) was not found in round \(round)")
            }
            person.company.value = company
            try await store.save(person)
            employers[name] = .some(employer)
          case 1 where !employers.isEmpty:
            let name = random.pick(employers.keys.sorted())
            try await store.deleteAll(ContractPerson.self, where: { $0.name == name })
            employers[name] = nil
          default:
            let name = "\(round)-\(employers.count)-\(random.next() % 1_000)"
            let person = ContractPerson.named(name)
            person.company.value = company
            try await store.create(person)
            employers[name] = .some(employer)
          }
        }
        let people = try await store.list(ContractPerson.self, including: [\.company])
        for person in people {
          let employer = employers[person.name.value ?? ""] ?? nil
          try requireEqual(
            person.company.value?.name.value, employer.flatMap { names[$0] }, "the company in round \(round)")
        }
        let companies = try await store.list(ContractCompany.self, including: [\.employees])
        for (number, company) in companies.enumerated() {
          let expected = employers.filter { $0.value == number }.keys.sorted()
          try requireEqual(
            (company.employees.value ?? []).compactMap(\.name.value).sorted(), expected,
            "the employees of \(number) in round \(round)")
          try requireEqual(company.employees.count, expected.count, "their number in round \(round)")
        }
        if random.next() % 2 == 0 { kept += people }
        if random.next() % 2 == 0 { kept += companies }
        withExtendedLifetime(kept) {}
      }
    }
  }
}

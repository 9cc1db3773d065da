import StoreProtocol

// A list is loaded only when it is whole.
extension ModelStoreContract {
  static let wholeLists: [Check] = [
    Check("the list of a new model is complete, and that of a stored one is unknown until it is read") { store in
      let company = ContractCompany()
      company.id.value = "acme"
      try requireList(company.employees, .notLoaded, [], count: 0, "of a new company")
      let people = (0..<3).map { ContractPerson.named("\($0)") }
      for person in people { person.company.value = company }
      try requireEqual(company.employees.count, 3, "the number of employees of a new company")
      try require(company.employees.contains(people[0]), "the company does not know its employee")
      try await store.create(company)
      try requireList(company.employees, .incomplete, people, count: nil, "of a company that was created")
    },
    Check("a list that its members reference is complete once a store has read it", needs: [.queries]) { store in
      try await storeCompanyOfNine(in: store)
      let company = try await store.lookup(ContractCompany.self, identifier: "acme")
      try requireList(company.employees, .notLoaded, nil, count: nil, "that was never read")
      try await askForMembers(of: company, in: store)
      try requireEqual(company.employees.count, nil, "the number of members of which some are gone")
      try requireEqual(company.employees.loadState, .incomplete, "the state of a list whose members are gone")
      try await store.refresh(company)
      try require(!company.isDirty, "the company is dirty")
      let people = try await store.list(in: company.employees)
      try requireList(company.employees, .loaded, people, count: 9, "that was read again")
      company.unload()
      try requireList(company.employees, .notLoaded, nil, count: nil, "of a company that was unloaded")
    },
    Check("a member that is added to an unread list does not make it complete", needs: [.queries]) { store in
      try await storeCompanyOfNine(in: store)
      let company = try await store.lookup(ContractCompany.self, identifier: "acme")
      let person = ContractPerson.named("new")
      person.id.value = 10
      try await store.create(person)
      company.employees.add(person)
      try requireList(company.employees, .incomplete, [person], count: nil, "with a member that was added")
      try await store.save(company)
      try require(!company.isDirty, "the company is dirty")
      try await store.save(person)
      try requireList(company.employees, .incomplete, [person], count: nil, "with a member that was saved")
      let people = try await store.list(in: company.employees)
      try requireEqual(people.count, 10, "the number of members that are stored")
      try requireEqual(company.employees.count, 10, "the number of members")
      try requireEqual(company.employees.loadState, .loaded, "the state of the list")
      withExtendedLifetime(people) {}
    },
    Check("the list of a model that was looked up beside one of its members is incomplete") { store in
      try await storeCompanyOfNine(in: store)
      let person = try await store.lookup(ContractPerson.self, identifier: "5")
      let company = try await store.lookup(ContractCompany.self, identifier: "acme")
      try requireList(company.employees, .incomplete, [person], count: nil, "beside one member")
      try await store.refresh(company)
      try requireList(company.employees, .incomplete, [person], count: nil, "after refresh")
    },
    Check("a list in the record of its model is complete", needs: [.anyModels]) { store in
      try await storeKeeperOfNine(in: store)
      let keeper = try await store.lookup(ContractKeeper.self, identifier: "1")
      try requireEqual(keeper.animals.loadState, .loaded, "the state of the list")
      try requireEqual(keeper.animals.count, 9, "the number of animals")
      let animal = ContractAnimal()
      animal.id.value = 10
      try await store.create(animal)
      keeper.animals.add(animal)
      try requireEqual(keeper.animals.count, 10, "the number of animals with one that was added")
    },
  ]

  private static func requireList<Related: Model>(
    _ list: ModelArrayField<Related>, _ state: LoadState, _ members: [Related]?, count: Int?, _ what: String
  ) throws {
    try requireEqual(list.value, members, "the members of a list \(what)")
    try requireEqual(list.loadState, state, "the state of a list \(what)")
    try requireEqual(list.count, count, "the number of members of a list \(what)")
  }

  // Each in a function of its own, so that later reads come from the store.

  private static func storeCompanyOfNine(in store: some ModelStore) async throws {
    let company = ContractCompany()
    company.id.value = "acme"
    try await store.create(company)
    for number in 1...9 {
      let person = ContractPerson.named("p\(number)")
      person.id.value = number
      person.company.value = company
      try await store.create(person)
    }
    try await store.save(company)
  }

  private static func askForMembers(of company: ContractCompany, in store: some ModelStore) async throws {
    let people = try await store.list(in: company.employees)
    try requireEqual(people.count, 9, "the number of models in the list")
    try requireList(company.employees, .loaded, people, count: 9, "that was read")
  }

  private static func storeKeeperOfNine(in store: some ModelStore) async throws {
    let keeper = ContractKeeper()
    keeper.id.value = 1
    for number in 1...9 {
      let animal = ContractAnimal()
      animal.id.value = number
      try await store.create(animal)
      keeper.animals.add(animal)
    }
    try await store.create(keeper)
    for animal in keeper.animals.value ?? [] { try await store.save(animal) }
  }
}

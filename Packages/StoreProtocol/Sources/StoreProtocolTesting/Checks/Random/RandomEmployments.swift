import StoreProtocol

extension ModelStoreContract {
  /// Returns a check that stored links equal those of the models, after random changes of a relation that only one side
  /// stores. Models are released and read again in between.
  ///
  /// ```swift
  /// @Test func keepsEmployments() async throws {
  ///   try await ModelStoreContract.randomEmployments(500, seed: 7).run {
  ///     MemoryModelStore()
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - count: the number of histories.
  ///   - seed: the seed of the random numbers. The same seed gives the same histories. A violation reports the seed and
  ///     the operations.
  public static func randomEmployments(_ count: Int, seed: UInt64) -> Check {
    Check("random changes of a relation are stored as in the models, although these are released") { store in
      try await EmploymentHistory.run(count, seed: seed, in: store)
    }
  }
}

/// People, whose records name their company, and companies, whose records don't name their people.
private struct EmploymentHistory: RandomHistory {
  var random: RandomSource
  private(set) var steps: [String] = []

  /// The employer of each person, as the store has it.
  private var stored: [Int: String] = [:]

  private let people = Array(1...5)
  private let companies = ["a", "b", "c"]

  init(_ random: RandomSource) { self.random = random }

  mutating func run(in store: some ModelStore) async throws {
    try await begin(in: store)
    for _ in 1...Int.random(in: 1...4, using: &random) {
      try await change(in: store)
      if Bool.random(using: &random) { try await requireStored(in: store) }
    }
    try await saveAll(in: store)
    try await requireStored(in: store)
    for person in try await store.list(ContractPerson.self) { try await store.delete(person) }
    for company in try await store.list(ContractCompany.self) { try await store.delete(company) }
  }

  private func begin(in store: some ModelStore) async throws {
    for identifier in companies {
      let company = ContractCompany()
      company.id.value = identifier
      try await store.create(company)
    }
    for number in people {
      let person = ContractPerson.named("p\(number)")
      person.id.value = number
      try await store.create(person)
    }
  }

  /// Changes models, some of which are in memory, and leaves them.
  private mutating func change(in store: some ModelStore) async throws {
    var held: [ContractPerson] = [], firms: [ContractCompany] = []
    steps.append("nothing is held")
    for _ in 1...Int.random(in: 1...14, using: &random) {
      if held.isEmpty || random.next() % 6 == 0 {
        let person = try await store.lookup(ContractPerson.self, identifier: "\(random.pick(people))")
        steps.append("person \(person.number) is looked up")
        if !held.contains(where: { $0 === person }) {
          held.append(person)
          observe([person], path: "company.employees.name")
        }
      }
      if firms.isEmpty || random.next() % 6 == 0 {
        let firm = try await store.lookup(ContractCompany.self, identifier: random.pick(companies))
        steps.append("company \(firm.label) is looked up")
        if !firms.contains(where: { $0 === firm }) {
          firms.append(firm)
          observe([firm], path: "employees.company")
        }
      }
      try await step(random.pick(held), random.pick(firms), held, firms, in: store)
      steps.append("  \(held.map(describe)), \(firms.map(describe))")
      try requireAgreement(held, firms)
    }
  }

  private mutating func step(
    _ person: ContractPerson, _ firm: ContractCompany, _ held: [ContractPerson], _ firms: [ContractCompany],
    in store: some ModelStore
  ) async throws {
    switch random.next() % 12 {
    case 0, 1:
      steps.append("person \(person.number).company = \(firm.label)")
      person.company.value = firm
    case 2:
      steps.append("person \(person.number).company = nil")
      person.company.value = nil
    case 3:
      steps.append("company \(firm.label) adds \(person.number)")
      firm.employees.add(person)
    case 4:
      steps.append("company \(firm.label) removes \(person.number)")
      firm.employees.remove(person)
    case 5:
      steps.append("person \(person.number) is saved")
      try await save(person, in: store)
    case 6:
      steps.append("company \(firm.label) is saved")
      try await store.save(firm)
      try require(!firm.isDirty, "company \(firm.label) is dirty after it was saved")
    case 7:
      steps.append("person \(person.number) is reverted")
      person.revert()
      try require(!person.isDirty, "person \(person.number) is dirty after it was reverted")
    case 8:
      if let store = store as? any TransactionalModelStore { try await changeTogether(held, firms, in: store) }
    case 9:
      // A store behind a server leaves it to the server to cut references to a deleted model.
      if store is any TransactionalModelStore, random.next() % 3 == 0 { try await deleteAndCreate(firm, in: store) }
    case 10:
      steps.append("person \(person.number) is read again")
      try await store.refresh(person)
      try require(!person.isDirty, "person \(person.number) is dirty after it was read again")
    default:
      steps.append("company \(firm.label) is read again")
      try await store.refresh(firm)
    }
  }

  /// Moves and saves people in a transaction, which may fail at its end.
  private mutating func changeTogether(
    _ held: [ContractPerson], _ firms: [ContractCompany], in store: some TransactionalModelStore
  ) async throws {
    let moves = (1...3).map { _ in (person: random.pick(held), firm: random.maybe { $0.pick(firms) }) }
    let fails = Bool.random(using: &random)
    steps.append(
      "a transaction that \(fails ? "fails" : "succeeds") saves "
        + "\(moves.map { "\($0.person.number) with \($0.firm?.label ?? "nil")" })")
    var written = stored
    do {
      try await store.transaction { store in
        for (person, firm) in moves {
          person.company.value = firm
          try await store.save(person)
          written[person.number] = firm?.identifier
        }
        if fails { throw IntendedFailure() }
      }
      stored = written
    } catch is IntendedFailure {}
    for (person, _) in moves {
      let stays = person.company.value?.identifier != stored[person.number]
      try require(
        stays ? person.isDirty : fails || !person.isDirty,
        "person \(person.number) is \(person.isDirty ? "" : "not ")dirty after the transaction")
    }
  }

  /// Deletes a company, which cuts the references to it, and creates it again. All are saved before: the baseline of a
  /// person may be the company.
  private mutating func deleteAndCreate(_ firm: ContractCompany, in store: some ModelStore) async throws {
    try await saveAll(in: store)
    steps.append("company \(firm.label) is deleted, and created again")
    try await store.delete(firm)
    for (number, company) in stored where company == firm.identifier { stored[number] = nil }
    try requireEqual(firm.employees.value ?? [], [], "the people of a company that was deleted")
    try await store.create(firm)
  }

  private mutating func save(_ person: ContractPerson, in store: some ModelStore) async throws {
    let company = person.company.value?.identifier
    try await store.save(person)
    stored[person.number] = company
    try require(!person.isDirty, "person \(person.number) is dirty after it was saved")
    try requireEqual(
      person.company.value?.identifier, company, "the company of person \(person.number) after it was saved")
  }

  /// Both sides agree, and fields that are not dirty have the stored values.
  private func requireAgreement(_ held: [ContractPerson], _ firms: [ContractCompany]) throws {
    for firm in firms {
      let employees = firm.employees.value ?? []
      try requireEqual(
        held.filter { person in employees.contains { $0 === person } }.map(\.number).sorted(),
        held.filter { $0.company.value === firm }.map(\.number).sorted(), "the people of company \(firm.label)")
    }
    for person in held where !person.isDirty {
      try requireEqual(
        person.company.value?.identifier, stored[person.number],
        "the company of person \(person.number), who is not dirty,")
    }
  }

  private mutating func saveAll(in store: some ModelStore) async throws {
    for person in try await store.list(ContractPerson.self).shuffled(using: &random) where person.isDirty {
      steps.append("person \(person.number) is saved")
      try await save(person, in: store)
    }
    for company in try await store.list(ContractCompany.self) {
      try await store.save(company)
      try require(!company.isDirty, "company \(company.label) is dirty after it was saved")
    }
  }

  private func requireStored(in store: some ModelStore) async throws {
    for person in try await store.list(ContractPerson.self) where !person.isDirty {
      try requireEqual(
        person.company.value?.identifier, stored[person.number], "the stored company of person \(person.number)")
    }
  }

  private func describe(_ person: ContractPerson) -> String {
    "\(person.number)\(person.isDirty ? " dirty" : "") \(person.company.loadState) \(person.company.value?.identifier ?? "-")"
  }

  private func describe(_ firm: ContractCompany) -> String {
    "\(firm.label)\(firm.isDirty ? " dirty" : "") \(firm.employees.loadState) \(firm.employees.value?.map(\.number) ?? [])"
  }
}

/// The error that ends a transaction.
private struct IntendedFailure: Error {}

extension ContractPerson {
  fileprivate var number: Int { id.value ?? 0 }
}

extension ContractCompany {
  fileprivate var label: String { identifier ?? "?" }
}

import StoreProtocol

// Lists in records whose members were saved without them, read by another store instance.
extension ModelStoreContract {
  static let wholeListsElsewhere: [SharedEngineCheck] = [
    SharedEngineCheck("a list in a record that lacks a member which was read is incomplete", needs: [.anyModels]) {
      makeStore in
      for isMemberFirst in [true, false] {
        for stored in [0, 1, 9] {
          let owner = stored + (isMemberFirst ? 100 : 200)
          try await storeKeeper(owner, listing: stored, in: try await makeStore())
          let store = try await makeStore()
          let what = "of nine, \(stored) in its record, read \(isMemberFirst ? "after" : "before") one of them"
          let member = "\(owner * 10 + 5)"
          let first = isMemberFirst ? try await store.lookup(ContractAnimal.self, identifier: member) : nil
          let keeper = try await store.lookup(ContractKeeper.self, identifier: "\(owner)")
          let animal = try await store.lookup(ContractAnimal.self, identifier: member)
          try require(first == nil || first === animal, "an animal is there twice")
          try require(animal.keeper.value === keeper, "the animal lost its keeper, whose list is one \(what)")
          try require(keeper.animals.contains(animal), "the animal is missing from a list \(what)")
          try requireEqual(keeper.animals.loadState, stored == 9 ? .loaded : .incomplete, "the state of a list \(what)")
          try requireEqual(keeper.animals.count, stored == 9 ? 9 : nil, "the number of members of a list \(what)")
          try require(!keeper.isDirty && !animal.isDirty, "reading left a list \(what) dirty")
          let all = try await store.list(in: keeper.animals)
          try requireEqual(all.count, 9, "the number of stored members of a list \(what)")
          try requireEqual(keeper.animals.loadState, .loaded, "the state of a loaded list \(what)")
          try requireEqual(keeper.animals.count, 9, "the number of members of a loaded list \(what)")
          try require(!keeper.isDirty, "loading left a list \(what) dirty")
          withExtendedLifetime(all) {}
        }
      }
    },
    SharedEngineCheck(
      "state, value and count of a list agree, whichever records have it and in whichever order they are read",
      needs: [.anyModels]
    ) {
      makeStore in
      var number = 300
      for declaration in ListDeclaration.allCases {
        for reading in ListReading.allCases {
          number += 1
          try await store(declaration, number, in: try await makeStore())
          let store = try await makeStore()
          let what = "of \(declaration), read \(reading)"
          switch declaration {
          case .members: try await requireTeam(number, reading, in: store, what)
          case .both, .owner: try await requireKeeper(number, reading, in: store, what)
          case .oneWay: try await requireTicket(number, reading, in: store, what)
          }
        }
      }
    },
  ]

  /// The records that have a relation.
  private enum ListDeclaration: CaseIterable {
    /// The foreign keys of the members.
    case members
    /// The foreign keys of the members, and a list of the owner.
    case both
    /// A list of the owner, and foreign keys that members don't have yet.
    case owner
    /// A list without inverse.
    case oneWay
  }

  /// The order in which another store instance reads an owner and one of its members.
  private enum ListReading: CaseIterable {
    case alone, beforeMember, afterMember
  }

  /// Stores an owner and three members, with identifiers made of a number.
  private static func store(
    _ declaration: ListDeclaration, _ number: Int, in store: any ModelStore
  ) async throws {
    switch declaration {
    case .members:
      let company = ContractCompany()
      company.id.value = "company \(number)"
      try await store.create(company)
      for member in 1...3 {
        let person = ContractPerson.named("member")
        person.id.value = number * 10 + member
        person.company.value = company
        try await store.create(person)
      }
    case .both, .owner:
      let keeper = ContractKeeper()
      keeper.id.value = number
      var animals: [ContractAnimal] = []
      for member in 1...3 {
        let animal = ContractAnimal()
        animal.id.value = number * 10 + member
        animals.append(try await store.create(animal))
      }
      keeper.animals.value = animals
      try await store.create(keeper)
      if declaration == .owner { return }
      for animal in animals {
        animal.keeper.value = keeper
        try await store.save(animal)
      }
    case .oneWay:
      let ticket = ContractTicket()
      ticket.id.value = number
      for member in 1...3 {
        let company = ContractCompany()
        company.id.value = "watcher \(number * 10 + member)"
        ticket.watchers.add(try await store.create(company))
      }
      try await store.create(ticket)
    }
  }

  /// Reads an owner, and one of its members before or after it.
  private static func read<Owner: Model, Member: Model>(
    _ owner: Owner.Type, _ identifier: String, _ member: Member.Type, _ memberIdentifier: String,
    _ reading: ListReading, in store: any ModelStore
  ) async throws -> (owner: Owner, member: Member?) {
    let before = reading == .afterMember ? try await store.lookup(member, identifier: memberIdentifier) : nil
    let owner = try await store.lookup(owner, identifier: identifier)
    let after = reading == .beforeMember ? try await store.lookup(member, identifier: memberIdentifier) : nil
    return (owner, before ?? after)
  }

  private static func requireState<Related: Model>(
    _ list: ModelArrayField<Related>, _ state: LoadState, _ count: Int?, known: Int, _ what: String
  ) throws {
    try requireEqual(list.loadState, state, "the state of the list \(what)")
    try requireEqual(list.count, count, "the number of members \(what)")
    try requireEqual(list.value?.count ?? 0, known, "the number of members that are known \(what)")
    try require(!list.isDirty, "reading left the list dirty \(what)")
  }

  private static func requireTeam(
    _ number: Int, _ reading: ListReading, in store: any ModelStore, _ what: String
  ) async throws {
    let (company, person) = try await read(
      ContractCompany.self, "company \(number)", ContractPerson.self, "\(number * 10 + 2)", reading, in: store)
    if let person {
      try require(person.company.value === company, "the person lost the company \(what)")
      try requireState(company.employees, .incomplete, nil, known: 1, what)
    } else {
      try requireState(company.employees, .notLoaded, nil, known: 0, what)
    }
    let people = try await store.list(in: company.employees)
    try requireEqual(people.count, 3, "the number of stored members \(what)")
    try requireState(company.employees, .loaded, 3, known: 3, "\(what), and then loaded")
    withExtendedLifetime(people) {}
  }

  private static func requireKeeper(
    _ number: Int, _ reading: ListReading, in store: any ModelStore, _ what: String
  ) async throws {
    let (keeper, animal) = try await read(
      ContractKeeper.self, "\(number)", ContractAnimal.self, "\(number * 10 + 2)", reading, in: store)
    if let animal { try require(animal.keeper.value === keeper, "the animal lost its keeper \(what)") }
    try requireState(keeper.animals, .loaded, 3, known: 3, what)
    let animals = try await store.list(in: keeper.animals)
    try requireEqual(animals.count, 3, "the number of stored members \(what)")
    try requireState(keeper.animals, .loaded, 3, known: 3, "\(what), and then loaded")
    try await store.refresh(keeper)
    try requireState(keeper.animals, .loaded, 3, known: 3, "\(what), loaded and then read again")
    withExtendedLifetime(animals) {}
  }

  private static func requireTicket(
    _ number: Int, _ reading: ListReading, in store: any ModelStore, _ what: String
  ) async throws {
    let (ticket, _) = try await read(
      ContractTicket.self, "\(number)", ContractCompany.self, "watcher \(number * 10 + 2)", reading, in: store)
    try requireState(ticket.watchers, .loaded, 3, known: 3, what)
    try requireEqual(try await store.list(in: ticket.watchers).count, 3, "the number of stored members \(what)")
    try requireState(ticket.watchers, .loaded, 3, known: 3, "\(what), and then loaded")
  }

  /// Stores a keeper and nine animals, some of which the record of the keeper has.
  private static func storeKeeper(_ id: Int, listing count: Int, in store: any ModelStore) async throws {
    let keeper = ContractKeeper()
    keeper.id.value = id
    var animals: [ContractAnimal] = []
    for number in 1...9 {
      let animal = ContractAnimal()
      animal.id.value = id * 10 + number
      animals.append(try await store.create(animal))
    }
    keeper.animals.value = Array(animals.prefix(count))
    try await store.create(keeper)
    for animal in animals {
      animal.keeper.value = keeper
      try await store.save(animal)
    }
  }
}

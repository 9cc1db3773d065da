import StoreProtocol

// The unsaved changes of lists whose inverse was changed.
extension ModelStoreContract {
  static let followingLists: [Check] = [
    Check("a list that only followed its inverse leaves nothing to be saved", needs: [.anyModels]) { store in
      let keeper = try await store.create(ContractKeeper())
      let animal = try await store.create(ContractAnimal())
      animal.keeper.value = keeper
      try require(animal.isDirty, "the animal is not dirty")
      try await store.save(animal)
      try await store.save(keeper)
      try require(!keeper.isDirty && !animal.isDirty, "something is still dirty")
      try requireEqual(keeper.animals.value, [animal], "the animals")
      try await store.refresh(keeper)
      try require(!keeper.isDirty && keeper.animals.value == [animal], "refresh made it dirty, or cut the link")
    },
    Check("create leaves nothing dirty that its class keeps out of records") { store in
      let company = ContractCompany(), person = ContractPerson.named("Ada")
      company.id.value = "acme"
      person.company.value = company
      try await store.create(company)
      try require(!company.isDirty, "the company is still dirty")
      try require(person.isDirty, "the person, which was not saved, is not dirty")
      company.name.value = "Acme"
      company.employees.add(ContractPerson.named("Bob"))
      try await store.update(company)
      try require(!company.isDirty, "the company is still dirty after an update")
    },
    Check(
      "a list that was written as its inverse made it is complete, and saved when it changes", needs: [.anyModels]
    ) { store in
      let identifier = try await keeperOfTwo(in: store)
      let keeper = try await store.lookup(ContractKeeper.self, identifier: identifier)
      try requireEqual(keeper.animals.value?.count, 2, "the number of animals")
    },
    Check("a list set to its members in memory loses no stored members", needs: [.anyModels]) {
      store in
      let identifier = try await keeperWithAnimalThatLeft(in: store)
      let keeper = try await store.lookup(ContractKeeper.self, identifier: identifier)
      try requireEqual(keeper.name.value, "Ann", "the name")
      try requireEqual(keeper.animals.value?.map(\.id.value), [1], "the animals")
    },
    Check(
      "save of a model of which there is only the identifier keeps what is stored, and joins lists", needs: [.anyModels]
    ) { store in
      let (animal, keeper) = try await animalOfUnreadKeeper(in: store)
      let other = try await store.create(ContractAnimal())
      keeper.name.value = "Ann"
      keeper.animals.add(other)
      keeper.animals.remove(animal)
      try await store.save(keeper)
      try require(!keeper.isDirty, "the keeper is still dirty")
      try await store.save(animal)
      try await store.save(other)
      try await store.refresh(keeper)
      try requireEqual(keeper.name.value, "Ann", "the name")
      let staying = try await store.list(ContractAnimal.self).filter { $0 !== animal }
      try require(staying.count == 2 && staying.contains(other), "an animal is missing")
      try requireEqual(keeper.animals.value, staying, "the animals")
      try requireEqual(try await store.list(ContractKeeper.self).count, 1, "the number of keepers")
    },
    Check("a partial save of another field leaves the links of a list that its members store unsaved") { store in
      let company = ContractCompany.named("Acme"), person = ContractPerson.named("Ada")
      company.id.value = "acme"
      try await store.create(company)
      person.company.value = company
      company.name.value = "Acme Ltd"
      try await store.update(company, fields: [company.name])
      try require(company.employees.isDirty && !company.name.isDirty, "the list is clean, or the name is dirty")
      company.revert()
      try require(person.company.value == nil && company.employees.value?.isEmpty != false, "the link is not reverted")
      try requireEqual(company.name.value, "Acme Ltd", "the saved name")
    },
    Check("an unloaded member that is removed from a list loses the link in its record", needs: [.anyModels]) { store in
      let company = ContractCompany.named("Acme")
      company.id.value = "acme"
      try await store.create(company)
      let person = ContractPerson.named("Ada")
      person.company.value = company
      try await store.create(person)
      for isReverted in [true, false] {
        person.unload()
        company.employees.remove(person)
        try require(person.company.isDirty && person.company.value == nil, "the removal is no edit of the member")
        if isReverted { person.revert() }
        try await store.save(person)
        try await store.refresh(person)
        try requireEqual(person.company.value?.name.value, isReverted ? "Acme" : nil, "the company")
      }
      try requireEqual(company.employees.value, [], "the members")
    },
    Check("a list of which only a part is known is not written over another one", needs: [.anyModels]) { store in
      let (_, keeper) = try await animalOfUnreadKeeper(in: store)
      keeper.animals.add(try await store.create(ContractAnimal()))
      let error = try await requireError(.invalid, "update of the list") {
        try await store.update(keeper, fields: [keeper.animals])
      }
      try require(error.message.contains("animals"), "the error does not name the list")
      try await store.update(keeper)
      try require(!keeper.isDirty, "the keeper is still dirty")
      try await store.refresh(keeper)
      try requireEqual(keeper.animals.value, try await store.list(ContractAnimal.self), "the animals")
    },
    Check("save of a referenced model without a record writes its lists", needs: [.anyModels]) { store in
      let keeper = ContractKeeper.with(identifier: "9", in: store.scope)
      keeper.animals.add(try await store.create(ContractAnimal()))
      try await store.save(keeper)
      try require(!keeper.isDirty, "the keeper is not whole, or still dirty")
      try await store.refresh(keeper)
      try requireEqual(keeper.animals.value?.count, 1, "the number of animals")
    },
    Check("save of a changed unloaded reference creates the model if it has no record") { store in
      let person = ContractPerson.named("Ada")
      let company = ContractCompany.with(identifier: "acme", in: store.scope)
      person.company.value = company
      company.name.value = "Acme"
      try await store.save(company)
      try require(!company.isDirty, "the company is still dirty")
      try await store.refresh(company)
      try requireEqual(company.name.value, "Acme", "the name")
    },
  ]

  // Each in a function of its own, so that later reads come from the store.

  private static func keeperOfTwo(in store: some ModelStore) async throws -> String {
    let keeper = ContractKeeper(), first = ContractAnimal(), second = ContractAnimal()
    first.id.value = 1
    first.keeper.value = keeper
    try await store.save(first, including: .related)
    second.keeper.value = keeper
    try require(keeper.isDirty, "the keeper, in whose record one animal is missing, is not dirty")
    try await store.save(second)
    try await store.save(keeper)
    try require(!keeper.isDirty, "the keeper is still dirty")
    withExtendedLifetime((first, second)) {}
    return keeper.identifier ?? ""
  }

  private static func keeperWithAnimalThatLeft(in store: some ModelStore) async throws -> String {
    let keeper = ContractKeeper()
    keeper.animals.value = []
    try await store.create(keeper)
    try await saveAnimal(of: keeper, in: store)
    try requireEqual(keeper.animals.value, [], "what is left of the list")
    keeper.animals.value = keeper.animals.value
    keeper.name.value = "Ann"
    try await store.save(keeper)
    return keeper.identifier ?? ""
  }

  /// Returns one of two animals of a keeper, and the keeper, which was not read.
  private static func animalOfUnreadKeeper(
    in store: some ModelStore
  ) async throws -> (animal: ContractAnimal, keeper: ContractKeeper) {
    let identifier = try await keeperOfTwo(in: store)
    let animal = try await store.lookup(ContractAnimal.self, identifier: "1")
    guard let keeper = animal.keeper.value, keeper.identifier == identifier else {
      throw ContractViolation("the animal lost its keeper")
    }
    try require(keeper.loadState == .incomplete, "the keeper was read")
    return (animal, keeper)
  }

  private static func saveAnimal(of keeper: ContractKeeper, in store: some ModelStore) async throws {
    let animal = ContractAnimal()
    animal.id.value = 1
    animal.keeper.value = keeper
    try await store.save(animal)
    try await store.save(keeper)
  }
}

import StoreProtocol

extension ModelStoreContract {
  static let queryingInverses: [Check] = [
    Check(
      "conditions about a list that both sides store read the inverse where a record does not have the list",
      needs: [.queries, .anyModels]
    ) { store in
      try await createKeepers(in: store)
      func names(_ filter: @escaping (ModelColumns<ContractKeeper>) -> QueryExpression) async throws -> [String?] {
        try await store.list(ContractKeeper.self, where: filter).map(\.name.value)
      }
      try requireEqual(try await names { $0.animals.contains { $0.id > 0 } }, ["Ann", "Ben"], "who has animals")
      try requireEqual(try await names { $0.animals.contains { $0.id == 2 } }, ["Ann"], "who has animal 2")
      try requireEqual(try await names { $0.animals.count == 2 }, ["Ann"], "who has two animals")
      try requireEqual(try await names { $0.animals.count < 1 }, ["Cleo"], "who has less than one animal")
      try requireEqual(try await names { $0.animals.isEmpty }, ["Cleo"], "who has no animals")
      let animals = try await store.list(ContractAnimal.self, where: { $0.keeper.animals.count == 2 })
      try requireEqual(animals.map(\.id.value), [1, 2], "the animals of who has two")
    },
    Check("a condition about a list finds what plain Swift finds when all is loaded", needs: [.queries, .anyModels]) {
      store in
      try await createKeepers(in: store)
      let keepers = try await store.list(ContractKeeper.self)
      let animals = try await store.list(ContractAnimal.self)
      for number in 0...4 {
        let found = try await store.list(ContractKeeper.self, where: { $0.animals.contains { $0.id >= number } })
        let expected = keepers.filter { $0.animals.value?.contains { $0.id.value ?? 0 >= number } == true }
        try require(found == expected, "with animals from \(number) on \(found.count) are found")
        let counted = try await store.list(ContractKeeper.self, where: { $0.animals.count >= number })
        try require(
          counted == keepers.filter { $0.animals.value?.count ?? 0 >= number },
          "with at least \(number) animals \(counted.count) are found")
      }
      withExtendedLifetime(animals) {}
    },
  ]

  static let queryingInversesLive: [SharedEngineCheck] = [
    SharedEngineCheck("a live query reads the inverse of a relation that only the inverse stores", needs: [.queries]) {
      makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let acme = try await writer.create(ContractCompany.named("Acme"))
      var iterator = reader.observe(
        ContractCompany.self, where: { $0.employees.contains { $0.age > 60 } }
      ).makeAsyncIterator()
      func names() async throws -> [String?] { try await next(&iterator, "observe").models.map(\.name.value) }
      try requireEqual(try await names(), [], "the first result")
      // Makes no difference, and gives no result.
      try await writer.create(ContractPerson.named("Bob", age: 20))
      let ada = ContractPerson.named("Ada", age: 61)
      ada.company.value = acme
      try await writer.create(ada)
      try requireEqual(try await names(), ["Acme"], "the result after one joined the company")
      ada.age.value = 36
      try await writer.update(ada)
      try requireEqual(try await names(), [], "the result after one became younger")
    },
    SharedEngineCheck(
      "a live query reads and includes a one-to-one relation that only the inverse stores",
      needs: [.queries, .anyModels]
    ) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let pilots = try await writer.createAll([ContractPilot.named("Ada"), ContractPilot.named("Bob")])
      let license = ContractLicense()
      license.number.value = "1"
      try await writer.create(license)
      var iterator = reader.observe(
        ContractPilot.self, where: { $0.license.number != nil }, including: [\.license]
      ).makeAsyncIterator()
      func licenses() async throws -> [String] {
        let result = try await next(&iterator, "observe"), models = result.models
        try require(models.allSatisfy { !$0.isDirty }, "a pilot is dirty")
        return models.map { "\($0.name.value ?? "") \($0.license.value?.number.value ?? "none")" }
      }
      try requireEqual(try await licenses(), [], "the first result")
      for pilot in pilots {
        license.pilot.value = pilot
        try await writer.update(license)
        try requireEqual(try await licenses(), ["\(pilot.name.value ?? "") 1"], "the result after the license moved")
      }
      license.number.value = "2"
      try await writer.update(license)
      try requireEqual(try await licenses(), ["Bob 2"], "the result after the license changed")
      try await writer.delete(license)
      try requireEqual(try await licenses(), [], "the result after the license was deleted")
    },
    SharedEngineCheck(
      "a live query reads the inverse of a relation where a record does not have the list",
      needs: [.queries, .anyModels]
    ) { makeStore in
      let reader = try live(await makeStore()), writer = try await makeStore()
      let keeper = ContractKeeper(), animal = ContractAnimal()
      keeper.name.value = "Ann"
      try await writer.create(keeper)
      var iterator = reader.observe(ContractKeeper.self, where: { !$0.animals.isEmpty }).makeAsyncIterator()
      func names() async throws -> [String?] { try await next(&iterator, "observe").models.map(\.name.value) }
      try requireEqual(try await names(), [], "the first result")
      animal.keeper.value = keeper
      try await writer.create(animal)
      try requireEqual(try await names(), ["Ann"], "the result after an animal came")
      try await writer.delete(animal)
      try requireEqual(try await names(), [], "the result after it went")
    },
  ]

  /// Ann has animals 1 and 2, which only these know; Ben has animal 3, which both know; Cleo has none.
  private static func createKeepers(in store: any ModelStore) async throws {
    let keepers = ["Ann", "Ben", "Cleo"].map { name in
      let keeper = ContractKeeper()
      keeper.name.value = name
      return keeper
    }
    for keeper in keepers { try await store.create(keeper) }
    let animals = (1...3).map { number in
      let animal = ContractAnimal()
      animal.id.value = number
      animal.keeper.value = keepers[number / 3]
      return animal
    }
    for animal in animals { try await store.create(animal) }
    keepers[1].animals.value = [animals[2]]
    try await store.update(keepers[1], fields: [keepers[1].animals])
    // The animals retain the links, so a released one would be missing from the list.
    withExtendedLifetime(animals) {}
  }
}

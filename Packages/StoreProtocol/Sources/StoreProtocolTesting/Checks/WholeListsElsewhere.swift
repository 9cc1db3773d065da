import StoreProtocol

// Lists in records whose members were saved without them, read by another store instance.
extension ModelStoreContract {
  static let wholeListsElsewhere: [FrontCheck] = [
    FrontCheck("a list in a record that lacks a member which was read is incomplete", needs: [.anyModels]) {
      makeFront in
      for isMemberFirst in [true, false] {
        for stored in [0, 1, 9] {
          let owner = stored + (isMemberFirst ? 100 : 200)
          try await storeKeeper(owner, listing: stored, in: try await makeFront())
          let store = try await makeFront()
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
        }
      }
    }
  ]

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

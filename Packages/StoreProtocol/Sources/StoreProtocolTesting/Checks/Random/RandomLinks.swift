import StoreProtocol

// Histories of models that move from one to another, on either side of their relation, and are saved in any order.
extension ModelStoreContract {
  /// Returns a check that the stored links equal those of the models, after random changes and saves in random order.
  ///
  /// ```swift
  /// @Test func keepsLinks() async throws {
  ///   try await ModelStoreContract.randomLinks(500, seed: 7).run {
  ///     MemoryModelStore()
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - count: the number of histories.
  ///   - seed: the seed of the random numbers. The same seed gives the same histories. A violation reports the seed and
  ///     the operations.
  public static func randomLinks(_ count: Int, seed: UInt64) -> Check {
    Check("random changes of relations, saved in any order, are stored as the models have them", needs: [.anyModels]) {
      store in
      try await LinkHistory.run(count, seed: seed, in: store)
    }
  }
}

/// Keepers and animals, where both records have the relation, are changed and saved.
private struct LinkHistory: RandomHistory {
  var random: RandomSource
  private(set) var steps: [String] = []

  init(_ random: RandomSource) { self.random = random }

  mutating func run(in store: some ModelStore) async throws {
    try await begin(in: store)
    for _ in 1...Int.random(in: 1...3, using: &random) {
      try await requireStored(try await changeAndSave(in: store), in: store)
    }
    for animal in try await store.list(ContractAnimal.self) { try await store.delete(animal) }
    for keeper in try await store.list(ContractKeeper.self) { try await store.delete(keeper) }
  }

  private mutating func begin(in store: some ModelStore) async throws {
    for number in 1...3 {
      let keeper = ContractKeeper()
      keeper.id.value = number
      if Bool.random(using: &random) { keeper.animals.value = [] }
      try await store.create(keeper)
    }
    for number in 1...5 {
      let animal = ContractAnimal()
      animal.id.value = number
      try await store.create(animal)
    }
  }

  /// Changes models that are all in memory, and saves dirty ones.
  ///
  /// - Returns: Whose animals are which.
  private mutating func changeAndSave(in store: some ModelStore) async throws -> [Int: Int] {
    let keepersFirst = Bool.random(using: &random) ? try await store.list(ContractKeeper.self) : nil
    let animals = try await store.list(ContractAnimal.self)
    let keepers = if let keepersFirst { keepersFirst } else { try await store.list(ContractKeeper.self) }
    steps.append("all are read: \(describe(keepers))")
    observe(keepers, path: "animals.keeper.id")
    observe(animals, path: "keeper.animals")
    for _ in 1...Int.random(in: 1...12, using: &random) {
      try await step(random.pick(keepers), random.pick(animals), keepers, animals, in: store)
      steps.append("  \(describe(keepers)), \(animals.map { "\($0.label): \($0.keeper.value?.label ?? "-")" })")
      for keeper in keepers {
        try requireEqual(
          (keeper.animals.value ?? []).map(\.label).sorted(),
          animals.filter { $0.keeper.value === keeper }.map(\.label).sorted(), "the list of keeper \(keeper.label)")
      }
    }
    try await saveAll(keepers, animals, in: store)
    return animals.reduce(into: [:]) { $0[$1.id.value ?? 0] = $1.keeper.value?.id.value }
  }

  private mutating func step(
    _ keeper: ContractKeeper, _ animal: ContractAnimal, _ keepers: [ContractKeeper], _ animals: [ContractAnimal],
    in store: some ModelStore
  ) async throws {
    switch random.next() % 9 {
    case 0..<5:
      if Bool.random(using: &random) { return link(keeper, animal, keepers, animals) }
      steps.append("in a transaction:")
      transaction { for _ in 1...3 { link(random.pick(keepers), random.pick(animals), keepers, animals) } }
    case 5:
      steps.append("keeper \(keeper.label) is saved")
      try await store.save(keeper)
    case 6:
      steps.append("animal \(animal.label) is saved")
      try await store.save(animal)
    case 7:
      steps.append("keeper \(keeper.label) is reverted")
      keeper.revert()
    default:
      steps.append("animal \(animal.label) is reverted")
      animal.revert()
    }
  }

  private mutating func link(
    _ keeper: ContractKeeper, _ animal: ContractAnimal, _ keepers: [ContractKeeper], _ animals: [ContractAnimal]
  ) {
    switch random.next() % 5 {
    case 0, 1:
      let keeper = random.maybe(oneIn: 4) { $0.pick(keepers) }
      steps.append("animal \(animal.label).keeper = \(keeper?.label ?? "nil")")
      animal.keeper.value = keeper
    case 2:
      steps.append("keeper \(keeper.label) adds \(animal.label)")
      keeper.animals.add(animal)
    case 3:
      steps.append("keeper \(keeper.label) removes \(animal.label)")
      keeper.animals.remove(animal)
    default:
      let chosen = animals.filter { _ in Bool.random(using: &random) }
      steps.append("keeper \(keeper.label) has \(chosen.map(\.label))")
      keeper.animals.value = chosen
    }
  }

  /// Saves twice: the first save may change inverses.
  private mutating func saveAll(
    _ keepers: [ContractKeeper], _ animals: [ContractAnimal], in store: some ModelStore
  ) async throws {
    for _ in 1...2 {
      for model in (keepers as [any Model] + animals).shuffled(using: &random) where model.isDirty {
        steps.append("\(type(of: model)) \(model.identifier ?? "?") is saved")
        if let keeper = model as? ContractKeeper { try await store.save(keeper) }
        if let animal = model as? ContractAnimal { try await store.save(animal) }
      }
    }
    steps.append("all are saved: \(describe(keepers))")
    for model in keepers as [any Model] + animals {
      try require(!model.isDirty, "\(type(of: model)) \(model.identifier ?? "?") is dirty after it was saved twice")
    }
  }

  /// Checks the store when no model is in memory.
  private mutating func requireStored(_ expected: [Int: Int], in store: some ModelStore) async throws {
    var found: [ContractKeeper] = []
    if Bool.random(using: &random) {
      for number in (1...3).shuffled(using: &random) {
        let keeper = try await store.lookup(ContractKeeper.self, identifier: "\(number)")
        // A link that was never set is only in the records of the animals.
        guard case .loaded = keeper.animals.loadState else { continue }
        try requireEqual(
          (keeper.animals.value ?? []).compactMap(\.id.value).sorted(),
          expected.filter { $0.value == number }.map(\.key).sorted(), "the stored list of keeper \(number)")
        found.append(keeper)
      }
    }
    for animal in try await store.list(ContractAnimal.self) {
      try requireEqual(
        animal.keeper.value?.id.value, expected[animal.id.value ?? 0], "the stored keeper of animal \(animal.label)")
    }
    withExtendedLifetime(found) {}
  }

  private func describe(_ keepers: [ContractKeeper]) -> String {
    keepers.map { keeper in
      "keeper \(keeper.label) \(keeper.animals.loadState) \(keeper.isDirty ? "dirty " : "")"
        + "\(keeper.animals.value?.map(\.label) ?? [])"
    }.joined(separator: ", ")
  }
}

extension ContractKeeper {
  fileprivate var label: String { identifier ?? "?" }
}

extension ContractAnimal {
  fileprivate var label: String { identifier ?? "?" }
}

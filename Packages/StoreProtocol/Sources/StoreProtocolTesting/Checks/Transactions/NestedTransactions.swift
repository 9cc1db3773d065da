import StoreProtocol

extension ModelStoreContract {
  /// Transactions inside others.
  static let nestedTransactions: [Check] = [
    Check("a nested transaction that throws keeps nothing, and the outer one keeps the rest", needs: [.transactions]) {
      store in
      struct Refusal: Error {}
      let kept = try await store.create(ContractPerson.named("Ada", age: 36))
      let gone = try await store.create(ContractPerson.named("Bob"))
      let outer = ContractPerson.named("Cleo"), inner = ContractPerson.named("Dora")
      let calls = kept.calls.count
      try await transaction(in: store) { store in
        try await store.create(outer)
        do {
          try await transaction(in: store) { store in
            try await store.create(inner)
            kept.age.value = 37
            try await store.update(kept)
            try await store.delete(gone)
            throw Refusal()
          }
        } catch is Refusal {}
        let names = try await store.list(ContractPerson.self).map(\.name.value)
        try requireEqual(names, ["Ada", "Bob", "Cleo"], "what the outer transaction sees")
        try require(inner.identifier == nil && inner.isDirty, "a model whose creation was rolled back is not new")
      }
      try requireEqual(
        try await store.list(ContractPerson.self).map(\.name.value), ["Ada", "Bob", "Cleo"], "what is stored")
      try require(!kept.isDirty && kept.age.value == 36, "an edit was not rolled back")
      try require(!outer.isDirty, "a model that was written is dirty")
      try requireEqual(outer.calls.last, "afterCreate", "the last call of the model that was written")
      let hooks = kept.calls.dropFirst(calls) + gone.calls + inner.calls
      try require(
        !hooks.contains("afterUpdate") && !hooks.contains("afterDelete") && inner.calls == ["beforeSave"],
        "hooks of what was rolled back were called")
      try await store.save(kept)
      try await store.create(inner)
      try await store.delete(gone)
      try requireEqual(
        try await store.list(ContractPerson.self).map(\.name.value), ["Ada", "Cleo", "Dora"], "what is stored at last")
    },
    Check("a model that a nested transaction wrote again is released", needs: [.transactions]) { store in
      weak var released: ContractPerson?
      func write() async throws {
        let person = try await store.create(ContractPerson.named("Ada", age: 36))
        released = person
        try await transaction(in: store) { store in
          for age in 37..<40 {
            try await transaction(in: store) { store in
              person.age.value = age
              try await store.save(person)
            }
          }
        }
      }
      try await write()
      for _ in 0..<1_000 where released != nil { await Task.yield() }
      try require(released == nil, "the model is retained")
    },
    Check("a nested transaction that succeeds is rolled back with the outer one", needs: [.transactions]) { store in
      struct Refusal: Error {}
      let person = ContractPerson.named("Ada")
      do {
        try await transaction(in: store) { store in
          try await transaction(in: store) { store in try await store.create(person) }
          throw Refusal()
        }
      } catch is Refusal {}
      try requireEqual(try await store.list(ContractPerson.self).count, 0, "the number of people")
      try require(person.identifier == nil && person.isDirty, "a model whose creation was rolled back is not new")
    },
  ]

  /// Nested transactions that throw at random, compared with a dictionary.
  ///
  /// - Parameters:
  ///   - count: the number of histories.
  ///   - seed: which ones; the same seed has the same histories.
  public static func randomNesting(_ count: Int, seed: UInt64) -> Check {
    Check("random nested transactions keep what a dictionary keeps (seed \(seed))", needs: [.transactions]) { store in
      try await RandomNesting.run(count, seed: seed, in: store)
    }
  }
}

/// Creations, updates and deletions in transactions that are nested up to four deep and throw at random.
private struct RandomNesting: RandomHistory {
  private struct Refusal: Error {}

  var random: RandomSource
  private(set) var steps: [String] = []
  private var expected: [String: Int] = [:]
  private var people: [String: ContractPerson] = [:]
  private var number = 0

  init(_ random: RandomSource) { self.random = random }

  mutating func run(in store: some ModelStore) async throws {
    for _ in 0..<4 {
      try await transaction(in: store, depth: 1)
      try await compare(store, "after a transaction")
      for person in people.values {
        try requireEqual(person.age.value, expected[person.name.value ?? ""], "the age of a model")
      }
    }
    for person in try await store.list(ContractPerson.self) { try await store.delete(person) }
  }

  private mutating func transaction(in store: any ModelStore, depth: Int) async throws {
    let (oldExpected, oldPeople) = (expected, people)
    let fails = Int.random(in: 0..<3, using: &random) == 0
    steps.append(String(repeating: "  ", count: depth) + "begin")
    do {
      var copy = self
      do {
        try await ModelStoreContract.transaction(in: store) { store in
          for _ in 0..<Int.random(in: 1...4, using: &copy.random) { try await copy.step(in: store, depth: depth) }
          try await copy.compare(store, "inside a transaction")
          if fails { throw Refusal() }
        }
        self = copy
      } catch {
        self = copy
        throw error
      }
    } catch is Refusal {
      let touched = Set(people.values).union(oldPeople.values)
      (expected, people) = (oldExpected, oldPeople)
      steps.append(String(repeating: "  ", count: depth) + "rolled back")
      for person in touched {
        guard let name = person.name.value, people[name] != nil else {
          try require(
            person.identifier == nil && person.isDirty, "a model whose creation was rolled back is not new")
          continue
        }
        try require(person.scope === store.scope, "a model that is stored is not in the scope")
        try requireEqual(person.age.value, expected[name], "the age of a model whose edits were rolled back")
      }
    }
  }

  private mutating func step(in store: any ModelStore, depth: Int) async throws {
    let indent = String(repeating: "  ", count: depth + 1)
    let names = expected.keys.sorted()
    switch Int.random(in: 0..<(depth < 4 ? 5 : 3), using: &random) {
    case 0:
      number += 1
      let person = ContractPerson.named("p\(number)", age: number % 100)
      try await store.create(person)
      (expected["p\(number)"], people["p\(number)"]) = (number % 100, person)
      steps.append(indent + "create p\(number)")
    case 1 where !names.isEmpty:
      let name = random.pick(names)
      let age = Int.random(in: 0...99, using: &random)
      guard let person = people[name] else { return }
      person.age.value = age
      try await store.update(person)
      expected[name] = age
      steps.append(indent + "update \(name) to \(age)")
    case 2 where !names.isEmpty:
      let name = random.pick(names)
      guard let person = people[name] else { return }
      try await store.delete(person)
      (expected[name], people[name]) = (nil, nil)
      steps.append(indent + "delete \(name)")
    case 3, 4: try await transaction(in: store, depth: depth + 1)
    default: break
    }
  }

  private func compare(_ store: any ModelStore, _ when: String) async throws {
    let found = try await store.list(ContractPerson.self)
    let ages = Dictionary(found.map { ($0.name.value ?? "?", $0.age.value ?? -1) }) { first, _ in first }
    try requireEqual(ages, expected, "what is stored \(when)")
  }
}

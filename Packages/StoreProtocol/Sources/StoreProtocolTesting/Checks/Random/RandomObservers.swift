import StoreProtocol

extension ModelStoreContract {
  /// Returns the check that each identifier has one object while several tasks write through a store instance and
  /// others observe.
  ///
  /// ```swift
  /// try await ModelStoreContract.randomObservers(100, seed: 7).run {
  ///   MemoryModelStore(handle)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - count: the number of histories.
  ///   - seed: the seed of the first; the next ones have the seeds after it. A violation names its seed.
  public static func randomObservers(_ count: Int, seed: UInt64) -> SharedEngineCheck {
    SharedEngineCheck(
      "random writes of several tasks beside observers of the same store instance leave one object for one identifier"
    ) {
      makeStore in
      for seed in seed..<seed + UInt64(max(count, 1)) {
        do {
          let stage = Stage(holdingAtRandom: RandomSource(seed: seed))
          _ = try await stage.play({ stage in try await stage.writeAtRandom(seed: seed) }, makeStore)
        } catch {
          throw ContractViolation("seed \(seed): \(error)")
        }
      }
    }
  }
}

extension Stage {
  /// Writes in three tasks, each with people of its own.
  func writeAtRandom(seed: UInt64) async throws {
    let tasks = (0..<3).map { number in
      Task(priority: .high) { try await write(RandomSource(seed: seed &* 1_000 &+ number)) }
    }
    for task in tasks { try await task.value }
  }

  private func write(_ source: RandomSource) async throws {
    var random = source
    var own: [ContractPerson] = []
    // No other task writes them, so each has the value that was written last, whatever is read meanwhile.
    var ages: [ObjectIdentifier: Int] = [:]
    for _ in 0..<8 {
      for person in own {
        let name = person.name.value ?? "?"
        try requireEqual(person.age.value, ages[ObjectIdentifier(person)] ?? 1, "the age of \(name)")
      }
      switch own.isEmpty ? random.next() % 4 : random.next() % 9 {
      case 0:
        own.append(person())
        try await store.create(own[own.count - 1])
      case 1:
        let new = [person(), person()]
        own += new
        try await store.createAll(new)
      case 2:
        own.append(person())
        try await store.save(own[own.count - 1])
      case 3:
        guard store is any TransactionalModelStore else { continue }
        let new = person()
        own.append(new)
        try await ModelStoreContract.transaction(in: store) { store in
          try await store.create(new)
          new.age.value = 7
          try await store.update(new)
        }
        ages[ObjectIdentifier(new)] = 7
      case 4, 5:
        let person = random.pick(own)
        ages[ObjectIdentifier(person), default: 1] += 10
        try await edit(person)
      case 6:
        let person = random.pick(own)
        try await store.delete(person)
        if Bool.random(using: &random) {
          try await store.create(person)
        } else {
          ages[ObjectIdentifier(person)] = nil
          own.removeAll { $0 === person }
          people.removeAll { $0 === person }
        }
      case 7:
        let person = random.pick(own)
        let found = try await store.lookup(ContractPerson.self, identifier: person.identifier ?? "")
        try require(found === person, "lookup finds another object of \(person.name.value ?? "?")")
      default:
        let listed = try await store.list(ContractPerson.self)
        for person in own {
          try requireEqual(
            listed.filter { $0 === person }.count, 1, "how often \(person.name.value ?? "?") is in a list")
        }
      }
    }
  }
}

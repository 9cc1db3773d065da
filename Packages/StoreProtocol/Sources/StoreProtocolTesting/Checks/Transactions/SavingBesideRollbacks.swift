import StoreProtocol

extension ModelStoreContract {
  /// Saves of a field that transactions edit beside them, and fail.
  static let savingBesideRollbacks: [SharedEngineCheck] = [
    SharedEngineCheck("a save in progress keeps its value if a transaction that edits it fails") { makeStore in
      try await savingDuringEdit(makeStore)
    },
    SharedEngineCheck("a save keeps its value if a transaction that edits it before and after fails") { makeStore in
      for isNested in [false, true] { try await savingBetweenEdits(makeStore, isNested) }
    },
    SharedEngineCheck("an edit during a save is saved after a transaction failed that edited the field in between") {
      makeStore in
      for endsEarly in [false, true] { try await editingDuringSave(makeStore, endsEarly) }
    },
    SharedEngineCheck("a field set back while it is saved stays dirty if a transaction that edits it fails") {
      makeStore in
      try await revertingDuringSave(makeStore)
    },
  ]

  private struct Refusal: Error {}

  /// - Parameter isNested: whether a nested transaction makes the edits, and the outer one stays open.
  @MainActor private static func savingBetweenEdits(
    _ makeStore: () async throws -> any ModelStore, _ isNested: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 0))
    for delay in 0..<20 {
      let age = 5 * delay
      let (edited, edit) = AsyncStream.makeStream(of: Void.self)
      let (saved, save) = AsyncStream.makeStream(of: Void.self)
      let (ended, end) = AsyncStream.makeStream(of: Void.self)
      let edits: @MainActor @Sendable () async throws -> Void = {
        person.age.value = age + 1
        for await _ in edited { break }
        for _ in 0..<delay { await Task.yield() }
        person.age.value = age + 2
        for await _ in saved {}
        throw Refusal()
      }
      let task = Task { @MainActor in
        try await transaction(in: store) { store in
          if !isNested { return try await edits() }
          do { try await transaction(in: store) { _ in try await edits() } } catch is Refusal {}
          for await _ in ended {}
        }
      }
      while person.age.value != age + 1 { await Task.yield() }
      person.age.value = age + 3
      edit.yield()
      try await store.save(person)
      // The transaction may have edited the field after the save.
      while person.age.value != age + 2 { await Task.yield() }
      save.finish()
      if isNested {
        while person.age.value != age + 3 { await Task.yield() }
        person.name.value = "Ada \(delay)"
        try await store.save(person)
      }
      end.finish()
      _ = await task.result
      edit.finish()
      let stored = try await store.list(ContractPerson.self).count
      try requireEqual(stored, 1, "the number of people")
      let fresh = try await makeStore().lookup(ContractPerson.self, identifier: person.identifier ?? "")
      let place = "(delay: \(delay), nested: \(isNested))"
      try requireEqual(person.age.value, age + 3, "the age \(place)")
      try requireEqual(fresh.age.value, age + 3, "the stored age \(place)")
      try require(!person.isDirty, "the age is dirty \(place)")
      // No other writer has changed it.
      person.age.value = age + 4
      try await store.save(person)
    }
    try await store.delete(person)
  }

  /// - Parameter endsEarly: whether the save ends before the last edits.
  @MainActor private static func editingDuringSave(
    _ makeStore: () async throws -> any ModelStore, _ endsEarly: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 0))
    for delay in 0..<20 {
      let age = 6 * delay
      let (edited, edit) = AsyncStream.makeStream(of: Int.self)
      let task = Task { @MainActor in
        try await transaction(in: store) { _ in
          for await age in edited { person.age.value = age }
          throw Refusal()
        }
      }
      edit.yield(age + 1)
      while person.age.value != age + 1 { await Task.yield() }
      person.age.value = age + 2
      let save = Task { @MainActor in try await store.save(person) }
      for _ in 0..<delay { await Task.yield() }
      edit.yield(age + 3)
      while person.age.value != age + 3 { await Task.yield() }
      if endsEarly { try await save.value }
      person.age.value = age + 4
      edit.yield(age + 5)
      while person.age.value != age + 5 { await Task.yield() }
      try await save.value
      edit.finish()
      _ = await task.result
      let place = "(delay: \(delay), ends early: \(endsEarly))"
      try requireEqual(person.age.value, age + 4, "the age \(place)")
      try require(person.isDirty, "the edit is clean \(place)")
      // No other writer has changed it.
      try await store.save(person)
      let fresh = try await makeStore().lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(fresh.age.value, age + 4, "the stored age \(place)")
    }
    try await store.delete(person)
  }

  @MainActor private static func savingDuringEdit(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    for pieces in 0..<20 {
      let age = 2 * pieces + 2
      person.age.value = age
      let (saved, save) = AsyncStream.makeStream(of: Void.self)
      let task = Task { @MainActor in
        try await transaction(in: store) { _ in
          for _ in 0..<pieces { await Task.yield() }
          person.age.value = age + 1
          for await _ in saved {}
          throw Refusal()
        }
      }
      for _ in 0..<(pieces % 3) { await Task.yield() }
      try await store.save(person)
      save.finish()
      _ = await task.result
      let place = "after \(pieces) pieces"
      let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(person.age.value, age, "\(place): the age")
      try requireEqual(person.age.isDirty, stored.age.value != age, "\(place): whether the age is dirty")
      try await store.save(person)
      try require(!person.isDirty, "\(place): the person is dirty")
    }
  }

  @MainActor private static func revertingDuringSave(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 0))
    for pieces in 0..<24 {
      let age = person.age.value
      person.age.value = pieces + 1
      let (saved, save) = AsyncStream.makeStream(of: Void.self)
      let task = Task { @MainActor in
        try await transaction(in: store) { _ in
          for _ in 0..<pieces { await Task.yield() }
          person.age.value = 100
          for await _ in saved {}
          throw Refusal()
        }
      }
      let saving = Task { @MainActor in try await store.save(person) }
      while person.age.value != 100 { await Task.yield() }
      person.age.value = age
      try await saving.value
      save.finish()
      _ = await task.result
      let place = "after \(pieces) pieces"
      let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try require(person.age.isDirty || stored.age.value == person.age.value, "\(place): the age is clean")
      try await store.save(person)
      let other = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(other.age.value, person.age.value, "\(place): the stored age")
    }
  }
}

@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// The work of other tasks through one store instance while a transaction of it waits.
  static let transactionsBesideTasks: [SharedEngineCheck] = [
    SharedEngineCheck("a transaction includes nothing that another task does through the same store instance") {
      makeStore in
      try await doingSomethingElse(makeStore) { store in
        try await store.create(ContractPerson.named("Grace"))
      } during: { store in
        let names = try await store.list(ContractPerson.self).map(\.name.value)
        try requireEqual(names, ["Grace", "Ada"], "what the transaction sees")
      }
    },
    SharedEngineCheck("the transactions of one store instance run one after the other") { makeStore in
      try await countingInTurns(makeStore)
    },
    SharedEngineCheck("the saves of one model through one store instance run one after the other") { makeStore in
      try await savingInTurns(makeStore)
    },
    SharedEngineCheck("a record that an open nested transaction wrote is not written beside it") { makeStore in
      for fails in [false, true] {
        for depth in 0...2 { try await savingBesideNested(fails: fails, depth: depth, makeStore) }
      }
    },
    SharedEngineCheck("refreshes of a model beside its save end") { makeStore in
      for delay in 0..<10 { try await refreshingBesideSave(delay, makeStore) }
    },
    SharedEngineCheck("a model stays the object of its identifier if a transaction that deleted it fails beside a list")
    {
      makeStore in
      try await listingDeletedModel(makeStore)
    },
    SharedEngineCheck("a transaction includes the calls of tasks that it starts") { makeStore in
      try await beginningTasks(makeStore)
    },
  ]

  private struct Refusal: Error {}

  /// Runs a transaction that creates Ada, waits for another task, and fails.
  ///
  /// - Parameters:
  ///   - other: the work of the other task: it leaves Grace.
  ///   - during: the work of the transaction after that.
  @MainActor private static func doingSomethingElse(
    _ makeStore: () async throws -> any ModelStore,
    _ other: @escaping @MainActor @Sendable (any ModelStore) async throws -> Void,
    during: (any ModelStore) async throws -> Void = { _ in }
  ) async throws {
    let store = try await makeStore()
    // Stores that have none promise nothing.
    guard store is any TransactionalModelStore else { return }
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task { @MainActor in
      for await _ in begun { break }
      try await other(store)
    }
    do {
      try await transaction(in: store) { store in
        try await store.create(ContractPerson.named("Ada"))
        begin.finish()
        try await task.value
        try await during(store)
        throw Refusal()
      }
    } catch is Refusal {}
    try requireEqual(try await store.list(ContractPerson.self).map(\.name.value), ["Grace"], "what is stored")
  }

  /// Counts in transactions of two tasks, of which some fail after the edit and repeat after a conflict.
  @MainActor private static func countingInTurns(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let identifier = try await store.create(ContractPerson.named("Ada", age: 0)).identifier ?? ""
    let tasks = (0..<2).map { _ in
      Task { @MainActor in
        for attempt in 0..<10 {
          do {
            try await transaction(in: store) { store in
              let person = try await store.lookup(ContractPerson.self, identifier: identifier)
              person.age.value = (person.age.value ?? 0) + 1
              await Task.yield()
              if attempt % 3 == 0 { throw Refusal() }
              try await store.save(person)
            }
          } catch is Refusal {}
        }
      }
    }
    for task in tasks { try await task.value }
    let person = try await store.lookup(ContractPerson.self, identifier: identifier)
    try requireEqual(person.age.value, 12, "the count")
    try require(!person.isDirty, "the model is dirty")
    try requireEqual(
      try await store.count(ContractPerson.self, where: { $0.age == 12 }), 1, "the number of people with the count")
  }

  /// Saves a model several times at once, after an edit each.
  @MainActor private static func savingInTurns(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    let person = try await store.create(ContractPerson.named("Ada", age: 0))
    for round in 0..<20 {
      let tasks = (1...3).map { number in
        person.age.value = round * 3 + number
        return Task { @MainActor in try await store.save(person) }
      }
      for task in tasks { try await task.value }
      try require(!person.isDirty && person.age.value == round * 3 + 3, "the last edit is dirty, or gone")
      try requireEqual(
        try await store.count(ContractPerson.self, where: { $0.age == round * 3 + 3 }), 1, "the stored last edits")
    }
  }

  /// Saves a field of a model beside a nested transaction that saved another one.
  ///
  /// - Parameter depth: the number of transactions inside it around the save, which have ended.
  @MainActor private static func savingBesideNested(
    fails: Bool, depth: Int, _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let place = "(fails: \(fails), depth: \(depth))"
    let person = try await store.create(ContractPerson.named("Ada", age: 36))
    try await transaction(in: store) { store in
      let (saved, hasSaved) = AsyncStream.makeStream(of: Void.self)
      let (attempted, attempt) = AsyncStream.makeStream(of: Void.self)
      let nested = Task { @MainActor in
        try await transaction(in: store) { store in
          person.name.value = "Augusta"
          try await save(person, in: store, depth: depth)
          hasSaved.finish()
          for await _ in attempted {}
          if fails { throw Refusal() }
        }
      }
      for await _ in saved {}
      person.age.value = 37
      try await requireError(.conflict, "a save beside a nested transaction \(place)") {
        try await store.save(person)
      }
      attempt.finish()
      _ = await nested.result
      try await store.save(person)
    }
    let name = fails ? "Ada" : "Augusta"
    let fresh = try await makeStore().lookup(ContractPerson.self, identifier: person.identifier ?? "")
    for each in [person, fresh] {
      try require(each.name.value == name && each.age.value == 37, "a value was lost \(place)")
    }
    try require(!person.isDirty, "the person is dirty \(place)")
  }

  @MainActor private static func save(
    _ person: ContractPerson, in store: any ModelStore, depth: Int
  ) async throws {
    if depth == 0 { return _ = try await store.save(person) }
    try await transaction(in: store) { store in try await save(person, in: store, depth: depth - 1) }
  }

  /// Refreshes a model twice while it is being saved.
  ///
  /// - Parameter delay: the suspensions before the refreshes.
  @MainActor private static func refreshingBesideSave(
    _ delay: Int, _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    person.age.value = 2
    var ended = 0
    let save = Task { @MainActor in
      try await store.save(person)
      ended += 1
    }
    let refreshes = (0..<2).map { _ in
      Task { @MainActor in
        for _ in 0..<delay { await Task.yield() }
        try await store.refresh(person)
        ended += 1
      }
    }
    // A limit instead of a wait for ever. Stores that wait for an answer need more suspensions than any here.
    for _ in 0..<100_000 where ended < 3 { await Task.yield() }
    for refresh in refreshes { refresh.cancel() }
    for task in [save] + refreshes { try await task.value }
    try require(!person.isDirty && person.age.value == 2, "the age is dirty, or not what was saved (delay: \(delay))")
  }

  /// Deletes a model in a transaction that fails after another task has listed the stored models.
  @MainActor private static func listingDeletedModel(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let conflicts = Lock<[String]>([])
    store.scope.conflictHandler = { conflict in conflicts.withLock { $0.append("\(conflict)") } }
    let person = try await store.create(ContractPerson.named("Ada"))
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    // They are live until the end of the check.
    var found: [ContractPerson] = []
    let task = Task { @MainActor in
      for await _ in begun { break }
      found = try await store.list(ContractPerson.self)
    }
    do {
      try await transaction(in: store) { store in
        try await store.delete(person)
        begin.finish()
        try await task.value
        try requireEqual(found.map(\.name.value), ["Ada"], "the people that another task lists")
        throw Refusal()
      }
    } catch is Refusal {}
    try requireEqual(conflicts.withLock { $0 }, [], "the identifiers with two live models")
    try require(person.canonicalInstance(in: store.scope) === person, "the model is not the object of its identifier")
    try require(person.isKnownToStore, "the model counts as deleted")
    let listed = try await store.list(ContractPerson.self)
    try require(listed.count == 1 && listed[0] === person, "a list finds another object")
    try requireEqual(found.count, 1, "the number of people that were listed")
  }

  @MainActor private static func beginningTasks(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    do {
      try await transaction(in: store) { _ in
        let part = Task { @MainActor in
          _ = try await store.create(ContractPerson.named("Ada"))
        }
        try await part.value
        try requireEqual(try await store.list(ContractPerson.self).count, 1, "the number of people inside")
        throw Refusal()
      }
    } catch is Refusal {}
    try requireEqual(try await store.list(ContractPerson.self).count, 0, "the number of people")
  }
}

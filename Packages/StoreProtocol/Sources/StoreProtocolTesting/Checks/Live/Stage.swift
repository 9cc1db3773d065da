import Foundation
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// A store instance in an isolation of its own, with a task that writes and others that observe.
actor Stage {
  typealias Work = @Sendable (isolated Stage) async throws -> Void

  private let executor: TurnExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let held: TurnExecutor.Held?
  private var stores: (store: any LiveModelStore, other: any ModelStore)?
  /// The models that have to be found in the end.
  var people: [ContractPerson] = []
  private var shown: [ContractPerson] = []
  private var heard: [ContractPerson] = []
  /// Whether the models of reported creations are retained. Not if they may be deleted by then: an unloaded reference
  /// would be the object of the identifier.
  var usesHeardModels = true
  private let conflicts = Lock<[String]>([])
  private var batch: [ContractPerson] = []
  private var errors: [ModelStoreError?] = []
  private var number = 0

  init(holding held: TurnExecutor.Held) {
    self.held = held
    executor = TurnExecutor(holding: held)
  }

  init(holdingAtRandom random: RandomSource) {
    held = nil
    executor = TurnExecutor(holdingAtRandom: random)
    usesHeardModels = false
  }

  /// The store instance that is observed.
  var store: any LiveModelStore { stores!.store }

  /// Another one on the same engine.
  var other: any ModelStore { stores!.other }

  func nextName() -> String {
    number += 1
    return "Person \(number)"
  }

  /// Returns a new person, which has to be found in the end.
  func person() -> ContractPerson {
    let person = ContractPerson.named(nextName(), age: 1)
    people.append(person)
    return person
  }

  /// Returns a new person that need not be found.
  func person(named name: String?) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    return person
  }

  func company() -> ContractCompany { ContractCompany.named(UUID().uuidString) }

  func edit(_ person: ContractPerson) async throws {
    person.age.value = (person.age.value ?? 0) + 10
    try await store.update(person)
  }

  /// Lists and looks up a model some times.
  func read(_ person: ContractPerson) async throws {
    for _ in 0..<3 {
      let listed = try await store.list(ContractPerson.self)
      try require(listed.contains { $0 === person }, "a list lacks the person")
      let found = try await store.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try require(found === person, "a lookup finds another object")
    }
  }

  /// Does something with each model, in a task for each.
  ///
  /// - Returns: the error of each.
  func atOnce(
    _ people: [ContractPerson],
    _ body: @escaping @Sendable (any LiveModelStore, ContractPerson) async throws -> Void
  ) async -> [ModelStoreError?] {
    batch = people
    errors = Array(repeating: nil, count: people.count)
    let tasks = people.indices.map { number in Task(priority: .high) { await attempt(number, body) } }
    for task in tasks { await task.value }
    return errors
  }

  private func attempt(
    _ number: Int, _ body: @Sendable (any LiveModelStore, ContractPerson) async throws -> Void
  ) async {
    do { try await body(store, batch[number]) } catch { errors[number] = error as? ModelStoreError }
  }

  /// Runs the work beside observers, and checks the models after it.
  ///
  /// - Returns: whether there was a job of the number that was to be held back.
  func play(_ work: @escaping Work, _ makeStore: @Sendable () async throws -> any ModelStore) async throws -> Bool {
    let (store, other) = (try live(await makeStore()), try await makeStore())
    stores = (store, other)
    store.scope.conflictHandler = { [conflicts] conflict in conflicts.withLock { $0.append("\(conflict)") } }
    let observer = Task(priority: .medium) { try await observe() }
    let listener = Task(priority: .medium) { await listen() }
    let writer = Task(priority: .high) { try await write(work) }
    executor.begin()
    do {
      try await writer.value
      try await observer.value
      listener.cancel()
      await listener.value
      try await requireOneObjectEach()
      for person in try await store.list(ContractPerson.self) { try await store.delete(person) }
    } catch {
      observer.cancel()
      listener.cancel()
      throw ContractViolation("\(held.map { "\($0): " } ?? "")\(error)")
    }
    return executor.hasHeld
  }

  private func write(_ work: Work) async throws {
    defer { executor.end() }
    try await work(self)
    // Comes last, so that the observer has all before it.
    let last = ContractPerson.named("last", age: 1)
    people.append(last)
    try await store.create(last)
  }

  private func listen() async {
    for await batch in store.changes(of: ContractPerson.self) {
      // The model of a record that this store instance created is registered by now.
      for case .created(let identifier, _) in batch where usesHeardModels {
        heard.append(ContractPerson.with(identifier: identifier, in: store.scope))
      }
    }
  }

  private func observe() async throws {
    for await result in store.observe(ContractPerson.self) {
      if let error = result.error { throw error }
      shown = result.models
      if shown.contains(where: { $0.name.value == "last" }) { return }
    }
    throw ContractViolation("observe ended by itself")
  }

  private func requireOneObjectEach() async throws {
    try requireEqual(conflicts.withLock { $0 }, [], "the identifiers with two live models")
    let listed = try await store.list(ContractPerson.self)
    for person in people {
      let name = person.name.value ?? "?"
      try require(person.canonicalInstance(in: store.scope) === person, "\(name) is not the object of its identifier")
      try requireEqual(shown.filter { $0 === person }.count, 1, "how often \(name) is in the live result")
      try requireEqual(listed.filter { $0 === person }.count, 1, "how often \(name) is in a list")
      try require(!person.isDirty, "\(name) is dirty")
      let stored = try await other.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(person.age.value, stored.age.value, "the age of \(name)")
    }
    try requireEqual(shown.count, people.count, "the number of models in the live result")
    try requireEqual(listed.count, people.count, "the number of models in a list")
    for company in people.compactMap(\.company.value) {
      try require(
        company.canonicalInstance(in: store.scope) === company, "a company is not the object of its identifier")
      try require(
        try await store.lookup(ContractCompany.self, identifier: company.identifier ?? "") === company,
        "lookup finds another object of a company")
    }
  }
}

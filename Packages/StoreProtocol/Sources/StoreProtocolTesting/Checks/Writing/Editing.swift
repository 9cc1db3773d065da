import StoreProtocol

extension ModelStoreContract {
  static let editing = SharedEngineCheck(
    "what is edited while a model is saved wins and stays dirty until it is saved, at any suspension point"
  ) { makeStore in
    try await atAnySuspension(makeStore, { $0.edit() }) { try await $0.check($1, $2, $3) }
  }

  static let olderValuesDuringSave = SharedEngineCheck(
    "an older value that is copied into a model while it is saved stays dirty until it is saved, at any suspension point"
  ) { makeStore in
    try await atAnySuspension(makeStore, { $0.copyOlderValue() }) { try await $0.check($1, $2, $3) }
  }

  static let revertingDuringSave = SharedEngineCheck(
    "a revert while a model is saved is an edit, at any suspension point"
  ) { makeStore in
    try await atAnySuspension(makeStore, { $0.revert() }) { edited, other, name, _ in
      try await edited.checkReverted(other, name)
    }
  }

  /// Saves a person in one task, and runs an edit before each job of it.
  private static func atAnySuspension(
    _ makeStore: @escaping @Sendable () async throws -> any ModelStore, _ edit: @escaping @Sendable (Edited) -> Void,
    _ check: (Edited, any ModelStore, _ name: String, _ wasEdited: Bool) async throws -> Void
  ) async throws {
    for step in 0..<1_000 {
      let edited = Edited()
      let name = "step \(step)"
      let wasEdited = try await SteppingExecutor.run(doing: { edit(edited) }, before: step) {
        let instance = try await makeStore()
        let person = ContractPerson.named(name, age: 1)
        edited.begin(with: person)
        try await instance.create(person)
        person.age.value = 2
        try await instance.update(person)
        edited.instance = instance
      }
      try await check(edited, makeStore(), name, wasEdited)
      if !wasEdited { return }
    }
    throw ContractViolation("the task has more than 1,000 suspension points")
  }

  static let refreshingDuringSave = SharedEngineCheck(
    "a refresh beside a save leaves the model with its stored values", needs: [.anyModels]
  ) { makeStore in
    for isRefreshFirst in [false, true] { try await refreshing(makeStore, isRefreshFirst: isRefreshFirst) }
  }

  @MainActor private static func refreshing(
    _ makeStore: () async throws -> any ModelStore, isRefreshFirst: Bool
  ) async throws {
    let store = try await makeStore()
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    for age in 2..<20 {
      person.age.value = age
      let first = Task { isRefreshFirst ? try await store.refresh(person) : try await store.save(person) }
      for _ in 0..<(age % 5) { await Task.yield() }
      if isRefreshFirst { try await store.save(person) } else { try await store.refresh(person) }
      try await first.value
      let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(person.age.value, stored.age.value, "the age, refresh first: \(isRefreshFirst)")
      try require(!person.isDirty, "the person is dirty, refresh first: \(isRefreshFirst)")
    }
  }

  /// The model that is saved in one task and edited between two jobs of it.
  private final class Edited: @unchecked Sendable {
    // Sendable is proven by the order: the task and the edit are jobs on one serial queue, and the check comes after
    // both have ended.
    var person: ContractPerson?
    var instance: (any ModelStore)?

    private var form: ContractPerson?

    func begin(with person: ContractPerson) {
      self.person = person
      form = ContractPerson()
      form?.height.value = 1.5
    }

    func edit() { person?.height.value = 1.5 }

    func copyOlderValue() {
      if let form { try? person?.height.copyValue(from: form.height, keepingTimestamps: true) }
    }

    func revert() { if let person, person.isPersisted { person.revert() } }

    func checkReverted(_ other: any ModelStore, _ name: String) async throws {
      guard let person, let instance else { throw ContractViolation("\(name): the task did not come to its end") }
      let stored = try await other.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(
        person.age.isDirty, person.age.value != stored.age.value,
        "\(name): whether the age \(person.age.value ?? 0) is dirty")
      try await instance.save(person)
      _ = try await other.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(stored.age.value, person.age.value, "\(name): the stored age after a save")
      try require(!person.isDirty, "\(name): the model is still dirty")
    }

    func check(_ other: any ModelStore, _ name: String, _ wasEdited: Bool) async throws {
      guard let person, let instance else { throw ContractViolation("\(name): the task did not come to its end") }
      guard person.height.value != nil else { return }
      try require(wasEdited, "\(name): a height that was never set")
      try requireEqual(person.height.value, 1.5, "\(name): the height")
      try requireEqual(person.age.value, 2, "\(name): the age")
      let isDirty = person.height.isDirty
      let stored = try await other.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(stored.height.value, isDirty ? nil : 1.5, "\(name): the stored height, dirty: \(isDirty),")
      try await instance.save(person)
      _ = try await other.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(stored.height.value, 1.5, "\(name): the stored height after a save")
      try require(!person.isDirty, "\(name): the model is still dirty")
    }
  }
}
